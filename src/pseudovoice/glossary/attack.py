"""Who attacks, and with what: conditions, attackers, trials."""

from __future__ import annotations

from pseudovoice.attacks.attacker import Attacker
from pseudovoice.attacks.registry import attackers
from pseudovoice.glossary.term import Term


def _entry(who: Attacker) -> Term:
    """An attacker as its own record describes it."""
    aliases = dict.fromkeys((f"{who.title} attacker", who.name, who.title.replace("-", " ")))
    return Term(
        name=who.title,
        aliases=tuple(name for name in aliases if name != who.title),
        title=who.summary,
        what=who.explained,
        reference=who.reference,
    )


TERMS = (
    Term(
        name="oo",
        aliases=("OO", "original-original"),
        title="Original against original",
        what=(
            "Both sides of a trial are unprotected speech. It shows what the recogniser can do at "
            "all, and is the yardstick every ratio is divided by."
        ),
        direction="Neither good nor bad; strong evidence here makes the other conditions credible.",
        good=(
            "A low eer and a d_ece near 0.6 or above, as in noe2022. Caveat: with a weak "
            "recogniser on OO nothing can be said about protection."
        ),
        reference="noe2022 §4; attacker: none",
    ),
    Term(
        name="op",
        aliases=("OP", "original-protected"),
        title="Original against protected: the ignorant attacker",
        what=(
            "The attacker enrols original speech and compares protected speech with it, unaware of "
            "the protection."
        ),
        direction="Evidence here is disclosure: less is better for the speaker.",
        good=(
            "Everything at its null level. Caveat: this is the weakest attacker there is; little "
            "evidence in OP is necessary and far from sufficient. Try PQ."
        ),
        reference="noe2022 §3.1, §4",
    ),
    Term(
        name="pp",
        aliases=("PP", "protected-protected"),
        title="Protected against protected, the same key on both sides",
        what=(
            "Two pieces of speech protected with the same secret key. It shows whether "
            "pseudo-voices are consistent and distinct; it is not an attack, since an attacker "
            "does not have the key. It alone feeds g_vd and its relatives."
        ),
        direction="Evidence here is distinctiveness: more is better.",
        good="Close to OO. Caveat: never read PP as an attack or PQ as distinctiveness.",
        reference="noe2022 §4; attacker: none",
    ),
    Term(
        name="pq",
        aliases=("PQ", "attacker's own key"),
        title="Protected against the attacker's own protection",
        what=(
            "The lazy-informed attacker: it knows the safeguard but not the secret key, protects "
            "its enrolment speech with a key of its own, and compares the protected speech with "
            "that."
        ),
        direction="Evidence here is disclosure: less is better for the speaker.",
        good=(
            "Everything at its null level. Caveat: the recogniser is still that for unprotected "
            "speech; one adapted to protected speech (semi-informed) is stronger."
        ),
        reference="the lazy-informed attacker of the VoicePrivacy challenges; not in noe2022",
    ),
    Term(
        name="condition",
        aliases=("conditions", "setting"),
        title="What is compared with what",
        what=(
            "The pair of kinds of speech on the two sides of a trial: oo, op, pp or pq. Each is "
            "calibrated on its own trials. Whether evidence is good or bad depends on it."
        ),
        reference="noe2022 §4",
    ),
    Term(
        name="attacker",
        aliases=("adversary", "attack model", "attackers"),
        title="Against whom a number holds",
        what=(
            "Every figure of protection is relative to somebody with given knowledge and means. "
            "From weak to strong: ignorant (OP), lazy-informed (PQ), semi-informed (PQ with an "
            "adapted recogniser). Here all of them hear through a speaker recogniser; the human "
            "ear and the spoken words are left out."
        ),
        good="Quote the strongest attacker that was tried, and name it before any number.",
        reference="noe2022 §3.1; maouche2022 §2 and §4.1",
    ),
    *(_entry(who) for who in attackers().values()),
    Term(
        name="mated",
        aliases=("target", "mated trial", "same speaker", "genuine"),
        title="A trial of one speaker with themselves",
        what=(
            "Both sides of the trial were spoken by the same person. The papers say target, "
            "biometric standards say mated; labels target and 1 in files mean this."
        ),
        reference="noe2022 §3.1–3.2 (target proposition)",
    ),
    Term(
        name="non-mated",
        aliases=(
            "nonmated",
            "impostor",
            "imposter",
            "nontarget",
            "non-target",
            "different speakers",
        ),
        title="A trial of two different speakers",
        what=(
            "The two sides were spoken by different people. The papers say impostor; labels "
            "nontarget, impostor and 0 in files mean this."
        ),
        reference="noe2022 §3.1–3.2 (impostor proposition)",
    ),
    Term(
        name="trial",
        aliases=("enrolment", "probe", "comparison", "segment"),
        title="One comparison",
        what=(
            "Speech of a known person (the enrolment side) against a segment whose speaker is to "
            "be found out (the trial side, or probe), with the score the recogniser gives to the "
            "pair."
        ),
        reference="noe2022 §3.1",
    ),
    Term(
        name="exhaustive trials",
        aliases=("exhaustive", "segment × segment", "segment by segment"),
        title="Every segment against every other",
        what=(
            "Trials made of all pairs of segments, as from embeddings. This is what voice "
            "similarity matrices were defined on. The method column says 'exhaustive'."
        ),
        good="The choice for d_diag, deid and g_vd.",
        reference="noe2022 §4.1; noe2020 §3",
    ),
    Term(
        name="enrolment trials",
        aliases=("enrolment × trial", "enrollment trials", "enrollment"),
        title="Models of enrolled speakers against segments",
        what=(
            "Trials of the usual verification protocol: one model per enrolled speaker, made of "
            "several utterances, against single segments. Only speakers found on both sides can "
            "stand in a square matrix; the others are named in a warning. The method column says "
            "'enrolment'."
        ),
        good=(
            "Fine for error rates and disclosure. Caveat: d_diag, deid and g_vd from such trials "
            "are not the published ones, which are exhaustive."
        ),
        reference="this project; noe2022 §6 uses the trial segments only",
    ),
)
