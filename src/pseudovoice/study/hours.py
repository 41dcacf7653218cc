"""How much speech a corpus holds, from the headers of its files."""

from __future__ import annotations

import soundfile

from pseudovoice.corpus import Corpus, Utterance


def hours_of(corpus: Corpus) -> float:
    """Hours of speech; what no header tells, such as the output of a command, counts nothing."""
    return sum(_seconds(utterance) for utterance in corpus) / 3600.0


def unheard(corpus: Corpus) -> int:
    """Utterances whose length only the command that prints them could tell."""
    return sum(u.command is not None and u.end is None for u in corpus)


def _seconds(utterance: Utterance) -> float:
    if utterance.end is not None:
        return max(0.0, utterance.end - (utterance.start or 0.0))
    if utterance.command is not None:
        return 0.0
    try:
        whole = float(soundfile.info(str(utterance.path)).duration)
    except (OSError, RuntimeError):  # the stage that decodes it will say what is wrong
        return 0.0
    return max(0.0, whole - (utterance.start or 0.0))
