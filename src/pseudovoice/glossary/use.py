"""What protected speech is still good for: words, quality, melody."""

from __future__ import annotations

from pseudovoice.glossary.term import Term

_LOWER = "Lower keeps more of the words."
_HIGHER = "Higher keeps more."

TERMS = (
    Term(
        name="wer",
        aliases=("WER", "word error rate", "word errors", "words"),
        title="Word error rate",
        what=(
            "Words that a speech recogniser gets wrong, leaves out or adds, for every hundred of"
            " the reference: the transcript, or what the same recogniser understands of the "
            "original."
        ),
        unit="%",
        range="0 … ∞",
        direction=_LOWER,
        good=(
            "Close to that of the original speech. Caveat: the recogniser has errors of its own "
            "and one language; look at the change, not at the figure alone."
        ),
        equation="wer = (substituted + deleted + inserted) / words of the reference",
        reference="docs/reference/utility.md",
    ),
    Term(
        name="cer",
        aliases=("CER", "character error rate", "letter errors"),
        title="Letter error rate",
        what=(
            "As the word error rate, of letters instead of words: a name that is misspelt by one"
            " letter counts as little as it hurts."
        ),
        unit="%",
        range="0 … ∞",
        direction=_LOWER,
        good="Close to that of the original speech. Caveat: as for wer.",
        reference="docs/reference/utility.md",
    ),
    Term(
        name="lost",
        aliases=("recordings lost",),
        title="Recordings of which nothing is understood any more",
        what=(
            "Recordings in which the recogniser understood words before protection and "
            "understands none afterwards. Word errors alone would hide them among the rest."
        ),
        unit="%",
        range="0 … 100",
        direction="Lower keeps more.",
        reference="docs/reference/utility.md",
    ),
    Term(
        name="quality",
        aliases=("ovrl", "sig", "bak", "DNSMOS", "MOS", "predicted MOS"),
        title="Quality as listeners would rate it, predicted",
        what=(
            "DNSMOS P.835 predicts what listeners would say from 1 (bad) to 5 (excellent): of "
            "the speech (sig), of the background (bak) and of both together (ovrl)."
        ),
        unit="MOS",
        range="1 … 5",
        direction=_HIGHER,
        good="Close to the original's. Caveat: a model made the ratings, no people did.",
        reference="docs/reference/utility.md",
    ),
    Term(
        name="f0_correlation",
        aliases=("melody", "F0 correlation", "pitch correlation", "melody kept"),
        title="How much of the melody is kept",
        what=(
            "Correlation of the logarithm of the fundamental frequency, frame by frame where "
            "both recordings are voiced: 1 if the voice rises and falls as it did."
        ),
        range="−1 … 1",
        direction="Higher keeps more of the melody; the attacker may know people by it.",
        reference="docs/reference/utility.md; VoicePrivacy 2022 §3.3",
    ),
    Term(
        name="voicing_agreement",
        aliases=("voicing", "voicing kept"),
        title="Frames that are voiced in both recordings, or in neither",
        what=(
            "The share of frames that the pitch tracker takes for voiced in the original and in "
            "the protected recording, or in neither of them."
        ),
        unit="%",
        range="0 … 100",
        direction=_HIGHER,
        reference="docs/reference/utility.md",
    ),
    Term(
        name="der",
        aliases=("diarisation error rate", "who spoke when", "DER", "confusion", "der_given"),
        title="How often it is wrong who spoke when",
        what=(
            "The share of speech that is given to nobody, to somebody where nobody speaks, or to "
            "somebody else (this part alone is called confusion), when people are told apart in "
            "conversations that were composed of the recordings. In der_given it is told how many "
            "people there are. Voices that sound alike are taken "
            "for one person: this is what distinct pseudo-voices are for."
        ),
        unit="%",
        range="0 … ∞; above 100 where more is wrong than was said",
        direction="Lower: people can still be told apart.",
        good=(
            "That of the original. Caveat: read speech with a pause after every turn is the easy "
            "case; the encoder that listens may also be one that chose the voices."
        ),
        reference="noe2020 §2, noe2022 §2.2; docs/reference/utility.md",
    ),
    Term(
        name="word_rate",
        aliases=("words a second", "voiced_rate", "voiced stretches a second", "speaking rate"),
        title="How fast somebody speaks",
        what=(
            "Words of the transcript a second (word_rate), and voiced stretches a second "
            "(voiced_rate), which needs no words. A safeguard that keeps timing changes neither."
        ),
        unit="1/s",
        direction="The same as before keeps the pace; people may be known by it.",
        reference="docs/reference/utility.md",
    ),
    Term(
        name="prosody",
        aliases=("intonation",),
        title="How something is said: melody, rhythm, pauses",
        what=(
            "As a measure: f0_correlation, voicing_agreement and the rates. As an encoder: an "
            "ear that hears these alone, to see whether people are known by their way of "
            "speaking."
        ),
        reference="docs/reference/utility.md; docs/reference/models.md",
    ),
    Term(
        name="recogniser",
        aliases=(
            *("speech recogniser", "ASR", "language"),
            *("moonshine", "moonshine-base", "whisper", "whisper-base", "whisper-small"),
        ),
        title="What turns speech into words",
        what=(
            "A speech recogniser: moonshine-base unless another is named (whisper-base, "
            "whisper-small, one of your own). Each knows some languages; words of others are not "
            "measured. Where the pages speak of whoever recognises "
            "people, see encoder."
        ),
        reference="docs/reference/asr.md",
    ),
)
