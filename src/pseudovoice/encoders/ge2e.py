"""Resemblyzer's GE2E encoder (Wan et al. 2018): an LSTM over windows of 1.6 s, averaged.

It is the weakest of ours, and the quickest.
Resemblyzer's conventions are kept: quiet speech is raised to −30 dBFS (loud speech is not lowered),
windows start every 0.77 s, the last one is filled up with silence if at least three quarters of it
are speech. Its voice-activity detection (webrtcvad) is left out: silence stays in.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pseudovoice.encoders.encoder import SHORTEST_SECONDS, admit
from pseudovoice.models import fetch, read_tensors
from pseudovoice.models.graph_cache import written_graph
from pseudovoice.models.once import once
from pseudovoice.models.session import as_function, open_session
from pseudovoice.signal.frames import Float32
from pseudovoice.signal.mel_slaney import HOP, RATE, slaney_mel

_GRAPH_VERSION = 1
_DIMENSION = 256
_WINDOW = 160
_STEP = 77  # Resemblyzer's 1.3 windows per second
_LEAST_COVERAGE = 0.75
_TARGET_DBFS = -30.0
_WINDOWS_PER_CALL = 64
_LEAST_NORM = 1e-12


@dataclass(frozen=True)
class Ge2eEncoder:
    """An :class:`Encoder`; windows of all waveforms of a batch share the calls of the network."""

    licence: str
    sha256: str
    network: Callable[[Float32], Float32]
    name: str = "ge2e"
    sample_rate: int = RATE
    dimension: int = _DIMENSION
    shortest_seconds: float = SHORTEST_SECONDS

    def __reduce__(self) -> tuple[Any, ...]:
        """By name (see :mod:`pseudovoice.models.once`)."""
        from pseudovoice.encoders.registry import load_encoder

        return once, (load_encoder, self.name, self.sha256)

    def embed(self, batch: Sequence[NDArray[Any]]) -> Float32:
        """See :meth:`Encoder.embed`."""
        result = np.zeros((len(batch), self.dimension), np.float32)
        if not batch:
            return result
        windows = [mel_windows(waveform) for waveform in admit(batch, self)]
        owners = np.repeat(np.arange(len(batch)), [len(w) for w in windows])
        stacked = np.concatenate(windows)
        for start in range(0, len(stacked), _WINDOWS_PER_CALL):
            some = slice(start, start + _WINDOWS_PER_CALL)
            np.add.at(result, owners[some], self.network(stacked[some]))
        result /= np.maximum(np.linalg.norm(result, axis=1, keepdims=True), _LEAST_NORM)
        return result


def load_ge2e(*, threads: int = 1) -> Ge2eEncoder:
    """The encoder ``ge2e``."""
    weights = fetch("ge2e")
    item = weights.artefact
    path = written_graph("ge2e", item.sha256, _GRAPH_VERSION, lambda: _write(weights.path))
    network = as_function(open_session(path, threads=threads))
    return Ge2eEncoder(item.licence, item.sha256, network)


def _write(checkpoint: Path) -> bytes:
    # onnx is slow to import and needed only this once.
    from pseudovoice.encoders.ge2e_graph import ge2e_graph

    return ge2e_graph(read_tensors(checkpoint, prefix="model_state."))


def mel_windows(waveform: Float32) -> Float32:
    """The mel spectrogram cut into windows of 160 frames: [windows, 160, 40]."""
    starts = _window_starts(waveform.size)
    end = (starts[-1] + _WINDOW) * HOP
    padded = np.pad(raise_volume(waveform), (0, max(0, end - waveform.size)))
    mel = slaney_mel(padded)
    return np.stack([mel[start : start + _WINDOW] for start in starts])


def raise_volume(waveform: Float32) -> Float32:
    """Scale up to −30 dBFS (RMS); louder waveforms and digital silence stay as they are."""
    rms = float(np.sqrt(np.mean(np.square(waveform, dtype=np.float64))))
    gain = 10.0 ** (_TARGET_DBFS / 20.0) / rms if rms > 0.0 else 1.0
    return waveform * np.float32(gain) if gain > 1.0 else waveform


def _window_starts(samples: int) -> list[int]:
    frames = -(-(samples + 1) // HOP)
    starts = list(range(0, max(1, frames - _WINDOW + _STEP + 1), _STEP))
    covered = (samples - starts[-1] * HOP) / (_WINDOW * HOP)
    return starts[:-1] if covered < _LEAST_COVERAGE and len(starts) > 1 else starts
