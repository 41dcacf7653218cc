"""What a speech recogniser is: a waveform in, the words it hears out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from pseudovoice.errors import InputError
from pseudovoice.signal.quiet import quiet_pieces

Float32 = NDArray[np.float32]


@runtime_checkable
class SpeechRecogniser(Protocol):
    """A speech recogniser; any object of this shape can be plugged in.

    ``sha256s`` maps each file of weights to its hash: they identify the recogniser in the cache
    and in the report, together with ``decoding``, which says in one line how words were searched.
    ``transcribe`` may be called from several threads at once. A recogniser may tell the codes of
    the ``languages`` it knows, the one it writes first: words of others are then not counted.
    """

    @property
    def name(self) -> str: ...
    @property
    def sample_rate(self) -> int: ...
    @property
    def licence(self) -> str: ...
    @property
    def sha256s(self) -> dict[str, str]: ...
    @property
    def decoding(self) -> str: ...

    def transcribe(self, samples: NDArray[Any]) -> str:
        """The words of one waveform (mono, floats in ±1, at ``sample_rate``), empty if none.

        A waveform that is empty, not mono or not finite raises :class:`InputError`.
        """
        ...


@runtime_checkable
class Together(SpeechRecogniser, Protocol):
    """A recogniser that is quicker with several waveforms at once.

    What it writes is what :meth:`SpeechRecogniser.transcribe` would: they have nothing to do with
    each other.
    """

    def transcribe_together(self, waveforms: Sequence[NDArray[Any]]) -> list[str]: ...


@dataclass(frozen=True)
class Hearing:
    """What was heard in a waveform, and how likely any other text would have been.

    ``log_probability`` gives nats; differences count, between texts of the same hearing.
    """

    text: str
    log_probability: Callable[[str], float]


@runtime_checkable
class Weighing(Protocol):
    """A recogniser that can say how likely a text is, heard or not."""

    @property
    def longest(self) -> float:
        """Seconds that it takes at once."""
        ...

    def hearing(self, samples: NDArray[Any]) -> Hearing:
        """Of one waveform as :meth:`SpeechRecogniser.transcribe` takes it, if it is not longer."""
        ...


def in_pieces(samples: NDArray[Any], recogniser: SpeechRecogniser, longest: float) -> list[Float32]:
    """A waveform of any length, cut where it is quietest: ``longest`` seconds are taken at once."""
    waveform = admit(samples, recogniser.name)
    return quiet_pieces(waveform, int(longest * recogniser.sample_rate))


def joined_texts(texts: Iterable[str]) -> str:
    """The text of a waveform from those of its pieces."""
    return " ".join(text for text in texts if text)


def admit(samples: NDArray[Any], name: str) -> Float32:
    """The waveform as float32, or a sentence that says why the network ``name`` cannot take it."""
    if samples.ndim != 1 or not samples.size:
        raise InputError(
            f"The waveform has the shape {samples.shape}, but {name} takes mono "
            "waveforms of at least one sample: choose or mix the channels first."
        )
    if samples.dtype.kind != "f":
        raise InputError(
            f"The waveform holds {samples.dtype} samples, but {name} takes floats in "
            "±1: divide 16-bit samples by 32768 first."
        )
    # The sum is one pass without a temporary; it is finite only if every sample is.
    if not np.isfinite(samples.sum(dtype=np.float64)):
        raise InputError("The waveform has samples that are not finite numbers: repair or drop it.")
    return np.ascontiguousarray(samples, dtype=np.float32)
