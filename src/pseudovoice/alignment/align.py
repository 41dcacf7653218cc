"""One interface to all alignments: an utterance with its transcript in, timed words out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Protocol, runtime_checkable

from pseudovoice.alignment.check import check_confidence, checked
from pseudovoice.alignment.word import Alignment, AlignmentError, Word
from pseudovoice.choices import LEAST_CONFIDENCE
from pseudovoice.corpus import AudioError, Corpus, Sound, Utterance, decode
from pseudovoice.engines import Lost, in_parallel, worker_lost
from pseudovoice.errors import Problem, out_of_memory
from pseudovoice.text.transcript import words_of


@runtime_checkable
class Aligner(Protocol):
    """Finds, or looks up, when each word of an utterance is said.

    It is called from several threads at once and raises :class:`AlignmentError` where it cannot.
    ``written`` are the transcript's words; the times it returns are checked by the caller.
    """

    @property
    def name(self) -> str: ...
    @property
    def identity(self) -> str:
        """Changes whenever the times it gives could."""
        ...

    def __call__(
        self, utterance: Utterance, sound: Sound, written: tuple[str, ...]
    ) -> tuple[Word, ...]: ...


@dataclass(frozen=True)
class Aligned:
    """Alignments by utterance id, and a problem for each utterance that has none."""

    alignments: dict[str, Alignment]
    problems: tuple[Problem, ...]


def align(
    utterance: Utterance,
    aligner: Aligner | None = None,
    *,
    sound: Sound | None = None,
    least_confidence: float = LEAST_CONFIDENCE,
) -> Alignment:
    """The words of one utterance with their times; the embedded aligner unless another is named.

    ``sound`` spares decoding where the caller has it. Raises :class:`AlignmentError` for an
    utterance without a transcript, one that its transcript does not fit, times that cannot be, and
    a confidence below ``least_confidence``; AudioError for audio that cannot be read.
    """
    place = f"{utterance.id} ({utterance.place})"
    written = words_of(utterance.transcript or "")
    if not written:
        raise AlignmentError(
            "transcript",
            Problem(place, "there is no transcript", "add its words to the corpus; it is left out"),
        )
    if aligner is None:
        from pseudovoice.alignment.sphinx import SphinxAligner

        aligner = SphinxAligner()
    sound = sound or decode(utterance)
    words = aligner(utterance, sound, written)
    alignment = checked(place, utterance.id, words, written, sound.duration)
    check_confidence(place, alignment, least_confidence)
    return alignment


def align_corpus(
    corpus: Corpus,
    aligner: Aligner | None = None,
    *,
    least_confidence: float = LEAST_CONFIDENCE,
    workers: int | None = None,
    progress: Callable[[int], None] | None = None,
) -> Aligned:
    """Align every utterance; what cannot be aligned is a problem and never stops the rest."""
    if aligner is None:
        from pseudovoice.alignment.sphinx import SphinxAligner

        aligner = SphinxAligner()
    say = progress or (lambda _: None)
    found: dict[str, Alignment | Problem] = {}
    one = partial(_aligned, aligner=aligner, least_confidence=least_confidence)
    for utterance, result in in_parallel(one, corpus, workers, _lost):
        found[utterance.id] = result
        say(1)
    ordered = {utterance.id: found[utterance.id] for utterance in corpus}
    return Aligned(
        {name: a for name, a in ordered.items() if isinstance(a, Alignment)},
        tuple(p for p in ordered.values() if isinstance(p, Problem)),
    )


def _aligned(
    utterance: Utterance, aligner: Aligner, least_confidence: float
) -> Alignment | Problem:
    try:
        return align(utterance, aligner, least_confidence=least_confidence)
    except (AlignmentError, AudioError) as error:
        return error.problem
    except MemoryError:
        return out_of_memory(utterance.place)


def _lost(utterance: Utterance, lost: Lost) -> Problem:
    return worker_lost(utterance.place, lost)
