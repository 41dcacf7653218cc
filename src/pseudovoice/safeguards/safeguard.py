"""What a safeguard is: a small frozen dataclass with one call from samples to samples."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeGuard, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from pseudovoice.errors import InputError, PseudovoiceError
from pseudovoice.keys import Draws, Key
from pseudovoice.packages import reason
from pseudovoice.safeguards.channel import Channel

if TYPE_CHECKING:
    from pseudovoice.alignment import Aligner
    from pseudovoice.corpus import Corpus
    from pseudovoice.release.part import Share
    from pseudovoice.slicing import Sliced

Samples = NDArray[np.float64]

LEVELS = {
    "speaker": "everybody has one voice",
    "session": "everybody has one in each recording session",
    "utterance": "every utterance has one",
}
"""What a voice may be drawn for."""

LONGEST_WHOLE = 1 << 25
"""Samples that a safeguard gets in one piece if it cannot take less: 35 minutes at 16 kHz."""


@dataclass(frozen=True)
class Voice:
    """Whose pseudo-voice: a key, the key's session, and the name the draw is made for.

    The name is the speaker's, or the recording session's or the utterance's where the safeguard
    works at that level. ``key`` is None for safeguards that draw nothing.
    """

    key: Draws | None
    key_session: str
    name: str

    def uniform(self, purpose: str, low: float, high: float) -> float:
        """A keyed draw from [low, high)."""
        assert self.key is not None
        return low + (high - low) * self.key.uniform(self.key_session, purpose, self.name)


@runtime_checkable
class Safeguard(Protocol):
    """Turns the samples of one channel into those of the pseudo-voice, equally many.

    For long recordings it needs to be :class:`InPieces` as well.

    ``deterministic`` says that no key is needed: running it twice gives the same speech. One that
    changes when things are said has, besides, ``keeps_timing = False``.
    """

    name: ClassVar[str]
    reference: ClassVar[str]
    deterministic: ClassVar[bool]

    @property
    def level(self) -> str: ...
    def to_dict(self) -> dict[str, Any]: ...
    def __call__(self, samples: Samples, sample_rate: int, voice: Voice) -> Samples: ...


@runtime_checkable
class InPieces(Protocol):
    """A safeguard that takes recordings of any length, since it needs no more than a part at once.

    ``in_pieces`` gives, piece by piece, what a call with all samples gives. It may go through the
    channel as often as it has to, and keep what it makes underway in others
    (:meth:`Channel.another`).
    """

    def in_pieces(self, channel: Channel, sample_rate: int, voice: Voice) -> Iterator[Samples]: ...


@runtime_checkable
class Searching(Protocol):
    """A safeguard that has to hear the corpus before it can give its speakers voices.

    ``name_of`` gives the name that a speaker's draws are made for, ``beside`` the key file next to
    which what was given is kept.
    """

    def prepared(
        self,
        corpus: Corpus,
        key: Key,
        key_session: str,
        name_of: Callable[[str], str],
        beside: Path | None,
        workers: int | None,
        stage: Callable[[str, int], Callable[[int], None]],
    ) -> Safeguard: ...


@runtime_checkable
class Undoable(Protocol):
    """A safeguard whose mapping has an inverse, exact or not: an attacker takes a voice away again.

    ``undo`` is given protected speech and the voice that a guess is drawn from. Of whom the speech
    is, is not known. One that has no inverse with some parameters has, besides, ``reversible``,
    False then.
    """

    def undo(self, channel: Channel, sample_rate: int, voice: Voice) -> Iterator[Samples]: ...


Pairs = Sequence[tuple[Samples, Samples]]
"""What one person said, in clear and protected."""


@runtime_checkable
class Fitting(Protocol):
    """A safeguard whose parameters can be told from speech that is known in clear and protected.

    Unless it says that it is not ``reversible``.
    """

    def fitted(self, pairs: Pairs, sample_rate: int) -> Safeguard:
        """The mapping that made the second of each pair of the first, whoever speaks."""


@runtime_checkable
class LastStep(Protocol):
    """The end of a chain: a whole corpus in, another corpus out, such as slices.

    ``corpus`` is the input of the chain, ``speech`` what the links before made of it (equal ids);
    ``protection`` describes the chain and ``align_speech`` says that words have to be looked for
    in ``speech``, since timing has changed.
    """

    name: ClassVar[str]
    reference: ClassVar[str]
    deterministic: ClassVar[bool]

    @property
    def level(self) -> str: ...
    def to_dict(self) -> dict[str, Any]: ...
    def write(
        self,
        corpus: Corpus,
        speech: Corpus | None,
        out: Path,
        *,
        key: Key,
        key_session: str,
        protection: Mapping[str, Any],
        align_speech: bool,
        aligner: Aligner | None,
        table: Path | None,
        workers: int | None,
        progress: Callable[[int], None] | None,
        complete: bool,
        share: Share | None = None,
    ) -> Sliced: ...


def undoable(link: object) -> TypeGuard[Undoable]:
    """Whether a safeguard can be taken away again, as its parameters are."""
    return isinstance(link, Undoable) and getattr(link, "reversible", True)


def fitting(link: object) -> TypeGuard[Fitting]:
    """Whether a safeguard can be told from pairs, as its parameters are."""
    return isinstance(link, Fitting) and getattr(link, "reversible", True)


def describe(safeguard: Any) -> dict[str, Any]:
    """Name and parameters, as JSON can hold them."""
    parameters = {f.name: getattr(safeguard, f.name) for f in fields(safeguard)}
    return {"safeguard": safeguard.name, **parameters}


@dataclass(frozen=True)
class Chain:
    """Safeguards one after the other; a chain of one is the safeguard.

    ``last`` is a step that no samples alone can take; see :class:`LastStep`.
    """

    links: tuple[Safeguard, ...]
    last: LastStep | None = None

    @property
    def steps(self) -> tuple[Safeguard | LastStep, ...]:
        """All of the chain, in order."""
        return self.links if self.last is None else (*self.links, self.last)

    @property
    def name(self) -> str:
        return "+".join(step.name for step in self.steps)

    @property
    def deterministic(self) -> bool:
        return all(step.deterministic for step in self.steps)

    @property
    def keeps_timing(self) -> bool:
        """Whether everything is said when it was said before."""
        return all(getattr(link, "keeps_timing", True) for link in self.links)

    @property
    def stays(self) -> bool:
        """Whether it has something in the memory of this process that no other can be given."""
        return any(getattr(link, "stays", False) for link in self.links)

    @property
    def caution(self) -> str:
        """What its safeguards say of themselves before anybody relies on them."""
        return "; ".join(said for link in self.links if (said := getattr(link, "caution", "")))

    def to_dict(self) -> dict[str, Any]:
        return {"chain": [step.to_dict() for step in self.steps]}

    def __call__(self, channel: Channel, sample_rate: int, voices: Sequence[Voice]) -> Channel:
        """Apply every link with its own voice (levels may differ between links)."""
        for link, voice in zip(self.links, voices, strict=True):
            channel = channel.another(pieces_of(link, channel, sample_rate, voice))
        return channel


def pieces_of(
    link: Safeguard, channel: Channel, sample_rate: int, voice: Voice
) -> Iterator[Samples]:
    """What a safeguard makes of a channel, in pieces if it can.

    Whatever else it does, such as raise or give another number of samples, is an InputError.
    """
    given = 0
    try:
        for piece in _pieces(link, channel, sample_rate, voice):
            if np.ndim(piece) != 1 or np.asarray(piece).dtype.kind not in "fiu":
                raise InputError(
                    f"{link.name} gives something else than samples of one channel; ask whoever "
                    "made it."
                )
            given += len(piece)
            yield piece
    except (PseudovoiceError, OSError, MemoryError):
        raise
    except Exception as error:  # somebody else's code, or what nobody thought of in ours
        raise InputError(f"{link.name} fails on it ({reason(error)}).") from error
    if given != len(channel) and getattr(link, "keeps_timing", True):
        raise InputError(
            f"{link.name} makes {given:,} samples of {len(channel):,}, though it says that it "
            "keeps timing; ask whoever made it."
        )


def _pieces(link: Safeguard, channel: Channel, sample_rate: int, voice: Voice) -> Iterator[Samples]:
    if isinstance(link, InPieces):
        yield from link.in_pieces(channel, sample_rate, voice)
        return
    if len(channel) > LONGEST_WHOLE:
        minutes, most = (n / sample_rate / 60 for n in (len(channel), LONGEST_WHOLE))
        raise InputError(
            f"lasts {minutes:.1f} min, and {link.name} has no method in_pieces, without which it "
            f"takes no more than {most:.1f} min at this sample rate; cut it into parts."
        )
    yield link(channel.part(0, len(channel)), sample_rate, voice)
