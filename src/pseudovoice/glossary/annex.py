"""Words of the annex to a data-protection impact assessment, as its two standards use them."""

from __future__ import annotations

from pseudovoice.glossary.term import Term

_ISO, _WP216 = "ISO/IEC 24745", "WP216 (Opinion 05/2014)"

TERMS = (
    Term(
        name="annex",
        aliases=("ISO/IEC 24745", "WP216", "signed page", "sign", "controller", "judgement"),
        title="The end of the page, for whoever answers for the data",
        what=(
            "What was found, beside the words of ISO/IEC 24745 and WP216, for a data-protection "
            "impact assessment. It has room for the controller's judgement and makes none: print "
            "it, sign it, and release it with the speech."
        ),
        reference="docs/how-to/release.md",
    ),
    Term(
        name="irreversibility",
        aliases=("irreversible",),
        title="What was protected cannot be had back",
        what=(
            "Nobody gets the original voice from the protected one, even if they know how it was "
            "protected. Attackers who know the safeguard are tried; undoing the transformation "
            "itself is not."
        ),
        reference=_ISO,
    ),
    Term(
        name="unlinkability",
        aliases=("unlinkable",),
        title="Recordings of one person cannot be told to be that",
        what=(
            "Protected speech leads nobody to other recordings of the same person: to originals, "
            "or to what was protected in another session of the key. Within one session it does, "
            "since a pseudo-voice is the same throughout."
        ),
        reference=f"{_ISO}; {_WP216} calls its opposite linkability",
    ),
    Term(
        name="renewability",
        aliases=("renewable",),
        title="Another pseudo-voice can be given",
        what=(
            "A person can be given a new pseudo-voice, as one changes a password, and it leads "
            "nobody to the old one: protect with another key, or another session of it."
        ),
        reference=_ISO,
    ),
    Term(
        name="singling out",
        aliases=("singled out",),
        title="Picking one person out",
        what=(
            "Telling one person's records from everybody else's. Where people keep a pseudo-voice "
            "each, all of one person's recordings can be; whose they are is another question. "
            "Lengths that no other recording has single out, too."
        ),
        reference=_WP216,
    ),
    Term(
        name="inference",
        aliases=("inferred", "gender", "age", "accent"),
        title="Concluding other things about a person",
        what=(
            "Sex, age, accent, language, mood or health, as far as a protected voice still tells "
            "them. The attacker attributes tries what the corpus has labels for. What is said "
            "stays, and may tell more."
        ),
        reference=_WP216,
    ),
)
