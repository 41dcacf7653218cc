"""The embedded aligner: Viterbi search of pocketsphinx over the words of the transcript.

Model and dictionary travel in the package's wheel. The words become a chain with an optional
silence before, between and after them, so that every word is found exactly once and silences
are nobody's. Words outside the dictionary are added with the pronunciations of
:mod:`pseudovoice.alignment.pronounce`. What scores and times are is said in
:mod:`pseudovoice.alignment.sphinx_search`.

A phone has three states and so lasts three frames at least: 30 ms, and whoever speaks fast has
shorter ones. What does not fit so, or only badly, is tried again with frames of 7 and of 5 ms, and
the surest counts.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from importlib.metadata import version
from typing import Any

import numpy as np
import soxr  # type: ignore[import-untyped, unused-ignore]
from numpy.typing import NDArray

from pseudovoice.alignment.pronounce import Unpronounceable
from pseudovoice.alignment.sphinx_search import BEAMS, RATE, Search, Timed
from pseudovoice.alignment.word import AlignmentError, Word
from pseudovoice.corpus import Sound, Utterance
from pseudovoice.corpus.audio import mono
from pseudovoice.errors import Problem

# Frames a second: those of the package, then more for speech that is too fast for its states.
_TRIES = ((100, BEAMS), (140, BEAMS[1:]), (200, BEAMS[2:]))
_SURE = 0.5


class SphinxAligner:
    """Forced alignment with pocketsphinx; safe to call from several threads."""

    name = "pocketsphinx"

    @property
    def identity(self) -> str:
        # Increase the number where the times of the same search change.
        return f"{self.name} {version('pocketsphinx')} times 4"

    def __init__(self) -> None:
        self._of_thread = threading.local()

    def __reduce__(self) -> tuple[Any, ...]:
        return SphinxAligner, ()  # decoders stay where they are

    def __call__(
        self, utterance: Utterance, sound: Sound, written: tuple[str, ...]
    ) -> tuple[Word, ...]:
        place = f"{utterance.id} ({utterance.place})"
        try:
            found = self._surest(written, _pcm(utterance, sound))
        except Unpronounceable as word:
            raise AlignmentError(
                "fit",
                Problem(
                    place,
                    f"no pronunciation of {str(word)!r} is known, since it is not in Latin letters",
                    "read alignments of another aligner; it is left out",
                ),
            ) from None
        if found:
            return tuple(Word(text, *times) for text, times in zip(written, found, strict=True))
        raise AlignmentError(
            "fit",
            Problem(
                place,
                f"the transcript ({len(written)} words) does not fit the audio "
                f"({sound.duration:.2f} s)",
                "check that it is what is said; it is left out",
            ),
        )

    def _surest(self, written: tuple[str, ...], pcm: bytes) -> list[Timed]:
        """Start, end and confidence of each word, of the first try that is sure or the surest."""
        best: list[Timed] = []
        for rate, tried in _TRIES:
            search = self._search(rate)
            names = search.names(written)
            aligned = (search.align(names, pcm, beams) for beams in tried)
            found = next((one for one in aligned if one is not None), None)
            if found is not None and _mean(found) > _mean(best):
                best = found
            if _mean(best) >= _SURE:
                break
        return best

    def knows(self, word: str) -> bool:
        """Whether the dictionary says how a word is pronounced; others are a guess."""
        return self._search(_TRIES[0][0]).knows(word)

    def likelier(
        self, utterance: Utterance, sound: Sound, words: Sequence[str], than: Sequence[str]
    ) -> float | None:
        """By how many nats the sound is likelier to be ``words`` than to be those of ``than``.

        Compared at the first rate of frames at which both find a path; None where there is none,
        so that nothing can be said.
        """
        pcm = _pcm(utterance, sound)
        for rate, _ in _TRIES:
            search = self._search(rate, all_states=True)
            try:
                found = [search.log_likelihood(search.names(some), pcm) for some in (words, than)]
            except Unpronounceable:
                return None
            one, other = found
            if one is not None and other is not None:
                return one - other
        return None

    def _search(self, rate: int, *, all_states: bool = False) -> Search:
        # A decoder holds the state of one utterance, so each thread has its own.
        if not hasattr(self._of_thread, "searches"):
            self._of_thread.searches = {}
        searches: dict[tuple[int, bool], Search] = self._of_thread.searches
        if (rate, all_states) not in searches:
            searches[rate, all_states] = Search(rate, all_states)
        return searches[rate, all_states]


def _mean(words: Sequence[Timed]) -> float:
    """How sure an alignment is, over speaking time; less than anything if there is none."""
    spoken = sum(end - start for start, end, _ in words)
    return sum(sure * (end - start) for start, end, sure in words) / spoken if words else -1.0


def waveform(utterance: Utterance, sound: Sound, rate: int) -> NDArray[np.float32]:
    """The mean of all channels at this rate."""
    samples = mono(utterance, sound.samples, "mean")
    if sound.sample_rate != rate:
        samples = soxr.resample(samples, sound.sample_rate, rate, quality="HQ")
    return np.asarray(samples)


def _pcm(utterance: Utterance, sound: Sound) -> bytes:
    steps = np.clip(np.rint(waveform(utterance, sound, RATE) * 32768.0), -32768, 32767)
    return bytes(steps.astype("<i2").tobytes())
