"""How much speech a corpus holds, from the headers of its files."""

from __future__ import annotations

from collections.abc import Callable

from pseudovoice.corpus import Corpus, Utterance
from pseudovoice.corpus.faults import Undecodable
from pseudovoice.corpus.recording import opened
from pseudovoice.errors import PassingProblem, Problem


def hours_of(corpus: Corpus, unread: Callable[[Problem], None] = lambda _: None) -> float:
    """Hours of speech; what no header tells, such as the output of a command, counts nothing."""
    return sum(seconds_of_each(corpus, unread).values()) / 3600.0


def seconds_of_each(
    corpus: Corpus, unread: Callable[[Problem], None] = lambda _: None
) -> dict[str, float]:
    """The seconds of each utterance by its id.

    ``unread`` is called with the problem of a file that the system does not give: no stage may
    have met it.
    """
    return {utterance.id: _seconds(utterance, unread) for utterance in corpus}


def unheard(corpus: Corpus) -> int:
    """Utterances whose length only the command that prints them could tell."""
    return sum(u.command is not None and u.end is None for u in corpus)


def _seconds(utterance: Utterance, unread: Callable[[Problem], None]) -> float:
    if utterance.end is not None:
        return max(0.0, utterance.end - (utterance.start or 0.0))
    if utterance.command is not None:
        return 0.0
    try:
        with utterance.path.open("rb") as file, opened(file.fileno()) as stream:
            whole = float(stream.frames / stream.samplerate)
    except OSError as error:
        what = f"cannot be read ({error.strerror})"
        unread(PassingProblem(utterance.place, what, "check its permissions"))
        return 0.0
    except (RuntimeError, Undecodable):  # the stage that decodes it will say what is wrong
        return 0.0
    return max(0.0, whole - (utterance.start or 0.0))
