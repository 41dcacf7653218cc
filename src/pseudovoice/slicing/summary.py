"""What slicing kept and lost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from pseudovoice.slicing.algorithm import Slice


@dataclass(frozen=True)
class SliceTally:
    """One utterance: its slices, its duration in seconds and its number of words."""

    slices: tuple[Slice, ...]
    duration: float
    words: int


@dataclass(frozen=True)
class Summary:
    """Slices of a corpus; seconds and words kept and lost are those of utterances that were cut.

    ``left_out`` counts utterances that could not be aligned or read. ``mean_duration`` and
    ``sd_duration`` are of the slices (sd with n − 1), None without enough of them.
    """

    slices: int
    utterances: int
    without_slice: int
    left_out: int
    seconds_kept: float
    seconds_lost: float
    words_kept: int
    words_lost: int
    mean_duration: float | None
    sd_duration: float | None

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    def __str__(self) -> str:
        spread = ""
        if self.mean_duration is not None:
            spread = f" of {self.mean_duration:.2f} s"
            spread += "" if self.sd_duration is None else f" ± {self.sd_duration:.2f} s"
        return (
            f"{self.slices:,} slices{spread} from {self.utterances:,} utterances; "
            f"{self.seconds_kept / 3600:.2f} h and {self.words_kept:,} words kept, "
            f"{self.seconds_lost / 3600:.2f} h and {self.words_lost:,} words lost in tails"
            + (f"; {self.left_out:,} utterances left out" if self.left_out else "")
        )


def summarise(tallies: Sequence[SliceTally], left_out: int) -> Summary:
    """Add up what was done; a silence in two slices is kept once."""
    durations = np.array([piece.duration for tally in tallies for piece in tally.slices])
    kept = sum(_covered(tally.slices) for tally in tallies)
    words = sum(piece.last - piece.first for tally in tallies for piece in tally.slices)
    return Summary(
        slices=durations.size,
        utterances=len(tallies),
        without_slice=sum(not tally.slices for tally in tallies),
        left_out=left_out,
        seconds_kept=kept,
        seconds_lost=sum(tally.duration for tally in tallies) - kept,
        words_kept=words,
        words_lost=sum(tally.words for tally in tallies) - words,
        mean_duration=float(durations.mean()) if durations.size else None,
        sd_duration=float(durations.std(ddof=1)) if durations.size > 1 else None,
    )


def _covered(slices: Sequence[Slice]) -> float:
    total, until = 0.0, 0.0
    for piece in slices:
        total += piece.end - max(piece.start, until)
        until = piece.end
    return total
