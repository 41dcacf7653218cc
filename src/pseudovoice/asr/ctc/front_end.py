"""What a network hears: a waveform as a row of vectors, by a frozen encoder or as log-mel energies.

Conventions
-----------
- Waveforms are mono, 16 kHz, in ±1. Frames come in order, [T, ``dimension``], float32.
- ``identity`` changes whenever the vectors could: it names them in the cache and ties a trained
  network to the vectors it was trained on.
- Nothing is normalised by utterance. A slice of one second and the utterance it was cut from must
  look alike, and a mean over one second is another than that over twenty.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from pseudovoice.asr.moonshine import LONGEST_SECONDS, SHORTEST_SAMPLES
from pseudovoice.asr.recogniser import Float32
from pseudovoice.errors import UsageError
from pseudovoice.models import fetch
from pseudovoice.models.session import as_function, open_session
from pseudovoice.signal.fbank import kaldi_fbank
from pseudovoice.signal.quiet import quiet_pieces

RATE = 16_000
MELS = 80
_MOONSHINE_SIZE, _MOONSHINE_STRIDE = 416, 384
_ENCODER = "moonshine-base-encoder"


@dataclass(frozen=True)
class FrontEnd:
    """Vectors of a waveform; ``sha256s`` are those of the weights it uses, if any."""

    name: str
    identity: str
    dimension: int
    frames_per_second: float
    licence: str | None
    sha256s: dict[str, str]
    frames: Callable[[Float32], Float32] = field(repr=False)

    def __call__(self, waveform: Float32) -> Float32:
        """Frames of a waveform of any length; very short ones get silence behind them."""
        if waveform.size < SHORTEST_SAMPLES:
            waveform = np.pad(waveform, (0, SHORTEST_SAMPLES - waveform.size))
        return self.frames(waveform)


def load_front_end(name: str, *, threads: int = 1) -> FrontEnd:
    """``moonshine-base`` (its encoder is fetched when first needed) or ``fbank``."""
    try:
        return _LOADERS[name](threads)
    except KeyError:
        raise UsageError(f"There is no front end {name!r}; name {' or '.join(_LOADERS)}.") from None


def _moonshine(threads: int) -> FrontEnd:
    weights = fetch(_ENCODER)
    encode = as_function(open_session(weights.path, threads=threads, in_turn=True))
    longest = int(LONGEST_SECONDS * RATE)

    def frames(waveform: Float32) -> Float32:
        # The encoder attends to all it gets and was trained on shorter stretches.
        heard = [encode(piece[None])[0] for piece in quiet_pieces(waveform, longest)]
        return np.concatenate(heard)

    sha256 = weights.artefact.sha256
    return FrontEnd(
        "moonshine-base",
        f"{_ENCODER} {sha256}",
        _MOONSHINE_SIZE,
        RATE / _MOONSHINE_STRIDE,
        weights.artefact.licence,
        {"encoder": sha256},
        frames,
    )


def _fbank(threads: int) -> FrontEnd:
    del threads
    return FrontEnd(
        "fbank",
        f"kaldi-fbank 1 rate={RATE} mels={MELS}",
        MELS,
        100.0,
        None,
        {},
        lambda waveform: kaldi_fbank(waveform, rate=RATE, mels=MELS),
    )


_LOADERS: dict[str, Callable[[int], FrontEnd]] = {"moonshine-base": _moonshine, "fbank": _fbank}

FRONT_ENDS: tuple[str, ...] = tuple(_LOADERS)
