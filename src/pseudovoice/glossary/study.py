"""What a study is made of: the words of its page, its tables and its folders."""

from __future__ import annotations

from pseudovoice.glossary.term import Term

TERMS = (
    Term(
        name="control",
        aliases=("control attack", "unprotected"),
        title="The same attack on unprotected speech",
        what=(
            "What the attacker learns where nothing protects anybody. An attack that fails there"
            " proves nothing by failing elsewhere: it is too weak to conclude."
        ),
        good="An eer of 25 % or less, and far from chance.",
        reference="docs/explanation/metrics.md",
    ),
    Term(
        name="floor",
        aliases=("noise floor",),
        title="What an attack gives if there is nothing to learn",
        what=(
            "The same attack with people's names shuffled: the figure that chance alone gives "
            "with so few people and trials. Disclosure counts above it. See null level."
        ),
        reference="docs/explanation/uncertainty.md",
    ),
    Term(
        name="too weak",
        aliases=("too weak to conclude", "inconclusive", "verdict", "conclusive"),
        title="A verdict that cannot be given",
        what=(
            "A verdict says in words what an attack came to. If the control fails, it says that "
            "the attack is too weak to conclude, and nothing is claimed of the safeguard."
        ),
        reference="docs/explanation/metrics.md",
    ),
    Term(
        name="too few",
        aliases=("too few speakers", "too few speakers to conclude"),
        title="Fewer than four people: no verdict",
        what=(
            "With so few people shuffled names are too often the right ones, so that nothing can "
            "be said of an attack, whatever its numbers are. Two people have no interval either. "
            "More people, not more recordings, would help."
        ),
        reference="docs/explanation/uncertainty.md",
    ),
    Term(
        name="session",
        aliases=("key session", "key_session", "recording session", "release session"),
        title="Two things bear this name",
        what=(
            "A session of the key is a namespace: with another one everybody gets another voice "
            "and another pseudonym, and nothing links the two. A recording session is one "
            "sitting of a speaker, in one room with one microphone."
        ),
        reference="docs/explanation/keys.md; docs/reference/corpora.md",
    ),
    Term(
        name="pseudonym",
        aliases=("spk-", "utt-", "ses-", "rename", "renamed"),
        title="A keyed name: spk-…, utt-…, ses-…",
        what=(
            "What a renamed release calls a speaker, an utterance or a recording session: 96 "
            "bits drawn with the key. `pseudovoice key` tells whoever has the key who is who."
        ),
        reference="docs/how-to/rename.md",
    ),
    Term(
        name="release",
        aliases=("released speech", "archive"),
        title="Protected speech that goes out",
        what=(
            "The folder that `pseudovoice protect` writes, and the archive that `pseudovoice "
            "release` makes of it with its report. Key, journal and work are no part of it."
        ),
        reference="docs/how-to/release.md",
    ),
    Term(
        name="journal",
        aliases=("owner's state", "OUT.pseudovoice"),
        title="What makes a run resume: the owner's alone",
        what=(
            "The folder OUT.pseudovoice beside a release: which files are made, under keyed "
            "marks. It is never released."
        ),
        reference="docs/reference/protected.md",
    ),
    Term(
        name="group",
        aliases=("all", "everybody", "women", "men", "by gender"),
        title="Whose trials are counted together",
        what=(
            "`all` is everybody; `f` and `m` are trials among women and among men alone, which "
            "are harder for an attacker, since sex no longer tells people apart."
        ),
        reference="docs/reference/outputs.md",
    ),
    Term(
        name="speaker",
        aliases=("person", "people", "utterance"),
        title="Whoever speaks; what they say in one go is an utterance",
        what=(
            "Protection is given to speakers: each gets one pseudo-voice in a session of the "
            "key. Intervals are over speakers too, since their utterances are no independent "
            "witnesses."
        ),
        reference="docs/reference/corpora.md",
    ),
    Term(
        name="encoder",
        aliases=("speaker encoder", "embedding", "ear", "heard through", "speaker recogniser"),
        title="What hears who speaks",
        what=(
            "A network that turns a recording into a vector by which voices are compared. An "
            "attacker hears through one; a safeguard that holds against one may fail against "
            "another."
        ),
        reference="docs/reference/models.md",
    ),
    Term(
        name="fusion",
        aliases=("worst of all encoders", "fused"),
        title="Several encoders that hear as one",
        what=(
            "Scores of several encoders added up after each is brought to the same scale. An "
            "attacker can do that, so what it finds counts."
        ),
        reference="docs/reference/models.md",
    ),
    Term(
        name="diarised turn",
        aliases=("turn", "overlap", "outside", "coverage"),
        title="From when to when one person speaks",
        what=(
            "A recording of several people is protected turn by turn. Overlap is where several "
            "speak at once, outside is what no turn covers; both get a voice of their own."
        ),
        reference="docs/how-to/several-people.md",
    ),
    Term(
        name="linkability of slices",
        aliases=("slices", "reassembly", "identity of slices"),
        title="Whose slice it is, and what comes next",
        what=(
            "Slices are short pieces without names. Two attacks are tried: telling whose they "
            "are, and putting them together again by sound or by words."
        ),
        reference="docs/explanation/slicing.md",
    ),
)
