"""Lengths tell utterances apart: how many, and a grid that they can be brought to.

Most recordings of a corpus have a length to the sample that no other has, so whoever knows the
lengths of the originals knows which renamed file is which. On a grid many share a length. What
was said still takes the time it takes: see docs/results/lengths.md for what is left.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from pseudovoice.corpus import AudioError, Recording
from pseudovoice.errors import Problem, UsageError
from pseudovoice.keys import Draws
from pseudovoice.protection.edges import padded, trimmed
from pseudovoice.safeguards.channel import Channel


@dataclass(frozen=True)
class LengthGrid:
    """Lengths are brought to a multiple of ``seconds``, up by padding or down by trimming."""

    seconds: float
    how: Literal["pad", "trim"] = "pad"

    def __post_init__(self) -> None:
        if not 0.01 <= self.seconds <= 60.0:
            raise UsageError(
                f"Lengths are brought to a grid of 0.01 s to 60 s, not of {self.seconds:g} s."
            )

    @property
    def keyed(self) -> bool:
        """Whether it draws: how much goes before and after, and the noise itself."""
        return self.how == "pad"

    def to_dict(self) -> dict[str, Any]:
        return {self.how: self.seconds}

    def fit(
        self, channels: Sequence[Channel], recording: Recording, key: Draws | None, key_session: str
    ) -> list[Channel]:
        """All channels on the grid; raises AudioError if they are shorter than a single step."""
        rate, utterance = recording.sample_rate, recording.utterance
        step = max(1, round(self.seconds * rate))
        if self.how == "pad":
            assert key is not None
            seed = key.derive(key_session, "pad", f"{utterance.speaker}\0{utterance.id}")
            return padded(channels, rate, step, seed)
        if len(channels[0]) < step:
            lasts = len(channels[0]) / rate
            what = f"lasts {lasts:.3f} s, less than the {self.seconds:g} s of `trim`"
            problem = Problem(utterance.place, what, "leave it out, or choose a finer grid")
            raise AudioError("short", problem)
        return trimmed(channels, step)


@dataclass(frozen=True)
class SingledOut:
    """How many of ``utterances`` have a length that nobody shares, and that fewer than two do."""

    utterances: int
    alone: int
    with_fewer_than_two: int

    def to_dict(self) -> dict[str, int]:
        return asdict(self)

    def __str__(self) -> str:
        return (
            f"{self.alone:,} of {self.utterances:,} utterances have a length that no other has, "
            f"{self.with_fewer_than_two:,} one that fewer than two others have"
        )


def singled_out(lengths: Iterable[Hashable]) -> SingledOut:
    """Count utterances by the length they have: samples, or samples with the rate."""
    counts = Counter(lengths)
    return SingledOut(
        utterances=counts.total(),
        alone=sum(1 for count in counts.values() if count == 1),
        with_fewer_than_two=sum(count for count in counts.values() if count <= 2),
    )
