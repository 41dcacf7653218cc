"""Where to cut: Algorithm 1 of Maouche et al. (2022), and the cuts it is compared with.

Conventions
-----------
- Times are seconds from the beginning of the utterance; δ is the target, and least, duration.
- A slice's words are ``words[first:last]``.
- What is left after the last slice is shorter than δ and is discarded.
- Lines 13–15 of Algorithm 1 end a slice at the next word's start, t_{k+1}^s, and begin the next
  slice at this word's end, t_k^e: the silence between them belongs to both, and whoever finds it
  twice has found two neighbours. Unless ``overlap`` asks for it, the silence is split in the
  middle instead, and no sample is in two slices.
- Even then the waveform of one slice goes on in the next, which can be heard
  (:mod:`pseudovoice.reassembly.waveform`). ``trim`` leaves out that many seconds on either side of
  each cut, be it silence or speech; the slices still last δ.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pseudovoice.alignment import Word
from pseudovoice.choices import SLICINGS
from pseudovoice.errors import UsageError

# Times are sums of tenths and hundredths, which binary fractions miss by less than this.
_TINY = 1e-9


@dataclass(frozen=True, slots=True)
class Slice:
    """The part of an utterance from ``start`` to ``end``, with its words ``first`` to ``last``."""

    start: float
    end: float
    first: int
    last: int

    @property
    def duration(self) -> float:
        """Seconds."""
        return self.end - self.start


def slice_words(
    words: Sequence[Word],
    duration: float,
    target: float,
    *,
    overlap: bool = False,
    trim: float = 0.0,
) -> tuple[Slice, ...]:
    """Algorithm 1: cut between words as soon as a slice lasts ``target`` seconds or more.

    ``duration`` is that of the utterance, whose silence before the first and after the last word
    is kept. ``overlap`` gives Algorithm 1 to the letter.
    """
    _check(target)
    slices = []
    begin, first = 0.0, 0  # t_prv, k_prv
    for k, word in enumerate(words):
        if k + 1 < len(words):
            after = words[k + 1].start  # t_{k+1}^s
            cut = after if overlap else (word.end + after) / 2
            end = cut - trim
        else:
            cut = end = duration
        if end - begin >= target - _TINY:
            slices.append(Slice(begin, end, first, k + 1))
            begin = word.end if overlap else cut + trim
            first = k + 1
    return tuple(slices)


def shorten(words: Sequence[Word], duration: float, target: float) -> tuple[Slice, ...]:
    """The first ``target`` seconds, whatever is said there; nothing of a shorter utterance."""
    return fixed(words, duration, target)[:1]


def fixed(
    words: Sequence[Word], duration: float, target: float, *, trim: float = 0.0
) -> tuple[Slice, ...]:
    """Consecutive pieces of exactly ``target`` seconds.

    A piece has the words that lie wholly in it; one that a cut goes through is in none.
    """
    _check(target)
    step = target + 2 * trim
    pieces = int((duration + 2 * trim + _TINY) / step)
    slices = []
    first = 0
    for number in range(pieces):
        begin = number * step
        end = begin + target
        while first < len(words) and words[first].start < begin - _TINY:
            first += 1
        last = first
        while last < len(words) and words[last].end <= end + _TINY:
            last += 1
        slices.append(Slice(begin, end, first, last))
        first = last
    return tuple(slices)


def cutter(
    method: str, target: float, *, overlap: bool = False, trim: float = 0.0
) -> Callable[[Sequence[Word], float], tuple[Slice, ...]]:
    """The cuts of that name as a function of words and duration."""
    _check(target)
    if method not in SLICINGS:
        raise UsageError(f"There is no slicing {method!r}; choose from {', '.join(SLICINGS)}.")
    if overlap and method != "words":
        raise UsageError("Only slices between words can overlap; leave out the overlap.")
    if not 0 <= trim < float("inf") or (trim and overlap):
        raise UsageError("A cut is trimmed by 0 s or more, and not at all where slices overlap.")
    if method == "words":
        return lambda words, duration: slice_words(
            words, duration, target, overlap=overlap, trim=trim
        )
    if method == "fixed":
        return lambda words, duration: fixed(words, duration, target, trim=trim)
    return lambda words, duration: shorten(words, duration, target)


def _check(target: float) -> None:
    if not 0 < target < float("inf"):
        raise UsageError(f"A slice lasts more than 0 s, not {target:g} s.")
