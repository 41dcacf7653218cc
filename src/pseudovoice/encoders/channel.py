"""An ear for the room: the noise between the words, whatever is said and whoever says it.

A microphone, a room and a sound card leave their spectrum in the quietest moments of a recording.
No recogniser of speakers, and nothing to be named as one: whoever asks whether two recordings come
from one session listens to this.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pseudovoice.encoders.encoder import SHORTEST_SECONDS, admit
from pseudovoice.signal.frames import Float32

RATE = 16_000
FRAME, HOP = 512, 256
QUIETEST = 2.0
"""Per cent of the frames that lie below the floor. It tells sessions of ``speech/voice`` with an
AUC of 0.83; 5 % do with 0.81, 10 % with 0.78, half with 0.68, the spectrum of speech with 0.70."""
LEAST_POWER = 1e-10
"""Digital silence is not infinitely quiet."""
_LINEAR = np.arange(1, 32, 2)
_WIDER = np.round(32 * 1.13 ** np.arange(17)).astype(np.intp)
BANDS = np.concatenate([_LINEAR, _WIDER[_WIDER < FRAME // 2]])
"""First bins of the bands: 62 Hz wide up to 1 kHz, an eighth of their frequency above."""


@dataclass(frozen=True)
class ChannelEar:
    """An :class:`~pseudovoice.encoders.encoder.Encoder` of the level of each band, in dB."""

    name: str = "noise floor"
    sample_rate: int = RATE
    dimension: int = BANDS.size
    licence: str = "that of pseudovoice"
    sha256: str = hashlib.sha256(b"noise floor 1").hexdigest()
    shortest_seconds: float = SHORTEST_SECONDS

    def embed(self, batch: Sequence[NDArray[Any]]) -> Float32:
        """See :meth:`Encoder.embed`."""
        rows = [noise_floor(waveform) for waveform in admit(batch, self)]
        return np.array(rows, np.float32).reshape(-1, self.dimension)


def noise_floor(waveform: Float32) -> NDArray[np.float64]:
    """The level of each band that hardly a frame is below, in dB."""
    framed = np.lib.stride_tricks.sliding_window_view(waveform, FRAME)[::HOP]
    power = np.abs(np.fft.rfft(framed * np.hanning(FRAME))) ** 2
    level = 10.0 * np.log10(np.add.reduceat(power, BANDS, axis=1) + LEAST_POWER)
    floor: NDArray[np.float64] = np.percentile(level, QUIETEST, axis=0)
    return floor
