"""DNSMOS P.835: what listeners would say of speech and background, as a network predicts it.

(Reddy, Gopal and Cutler, ICASSP 2022.) A network that learnt from ratings of noisy and denoised
calls predicts three mean opinion scores from 1 to 5: SIG of the speech itself, BAK of the
background, OVRL of both together.

Conventions
-----------
- The network takes 9.01 s of raw samples at 16 kHz and computes its features itself. A shorter
  recording is repeated, doubling each time; a longer one is rated every second, and the ratings
  are averaged.
- Its raw outputs go through the published quadratics that bring them to the scale of listeners.
- It never heard protected voices. Compare two versions of the same recordings; do not quote a
  number by itself.

Windows overlap by eight of nine seconds, and nearly all of the work is in the fine layers, up to
the first pooling, where what is heard in a frame depends on :data:`_REACH` frames on either side.
So these layers hear every frame once, and once more, as they do at the ends of a recording, the
few at the ends of every window. Its ratings are those of whole windows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import onnxruntime
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from pseudovoice.asr.recogniser import Float32, admit
from pseudovoice.models import fetch
from pseudovoice.models.once import once
from pseudovoice.models.session import open_session
from pseudovoice.utility.dnsmos_layers import POOLED, FineLayers, read_fine_layers
from pseudovoice.utility.quality import Quality

WINDOW = 144_160
"""Samples the network takes: 9.01 s."""
HOP = 16_000

_FRAME, _STEP = 320, 160
"""Samples of a frame, and from one to the next."""
_FRAMES, _HOP_FRAMES = WINDOW // _STEP - 1, HOP // _STEP
_REACH = 4
_MOST_FRAMES, _MOST_WINDOWS = 300, 40
"""Through the fine layers in one go, and rated together: a long recording takes no more memory."""

# Where the graph is cut: the first pooling, the ratings.
_FINE = "mos_estimator_logpow/conv2d_3/Relu:0_pooling0"
_RATED = "Identity:0"

# Coefficients of x², x and 1, for SIG, BAK and OVRL in the order of the network's outputs.
_TO_LISTENERS = np.array(
    [
        [-0.08397278, 1.22083953, 0.0052439],
        [-0.13166888, 1.60915514, -0.39604546],
        [-0.06766283, 1.11546468, 0.04602535],
    ]
)


@dataclass(frozen=True)
class Dnsmos:
    """A :class:`QualityPredictor`; ``fine`` are the layers up to the first pooling."""

    licence: str
    sha256: str
    fine: FineLayers = field(repr=False)
    coarse: onnxruntime.InferenceSession = field(repr=False)
    name: str = "dnsmos"
    sample_rate: int = 16_000

    def __reduce__(self) -> tuple[Any, ...]:
        return once, (_by_name, self.name, self.sha256)

    def rate(self, samples: NDArray[Any]) -> Quality:
        """See :meth:`QualityPredictor.rate`."""
        waveform, count = windows(admit(samples, self.name))
        frames = sliding_window_view(waveform, _FRAME)[::_STEP]
        raw = [
            self.coarse.run(None, {_FINE: window})[0][0]
            for first in range(0, count, _MOST_WINDOWS)
            for window in self._windows(
                frames[first * _HOP_FRAMES :], min(_MOST_WINDOWS, count - first)
            )
        ]
        x = np.asarray(raw, np.float64)
        squared, linear, constant = _TO_LISTENERS.T
        sig, bak, ovrl = (squared * x**2 + linear * x + constant).mean(axis=0)
        return Quality(float(sig), float(bak), float(ovrl))

    def _windows(self, frames: Float32, count: int) -> Iterator[Float32]:
        """Of so many windows, one a second, what the fine layers hear of each."""
        starts = np.arange(count) * _HOP_FRAMES
        heard = self._every(frames[: starts[-1] + _FRAMES])
        # At its ends a window knows of nothing beyond; the first and the last end with all frames.
        ends = np.arange(2 * _REACH)
        left = self._fine(frames[starts[1:, None] + ends])
        right = self._fine(frames[starts[:-1, None] + _FRAMES - 2 * _REACH + ends])
        width = _REACH // POOLED
        for k, start in enumerate(starts // POOLED):
            window = heard[:, :, start : start + _FRAMES // POOLED].copy()
            if k > 0:
                window[0, :, :width] = left[k - 1, :, :width]
            if k < count - 1:
                window[0, :, -width:] = right[k, :, -width:]
            yield window

    def _every(self, frames: Float32) -> Float32:
        """All frames in blocks, each with what it has to know of its neighbours."""
        parts = []
        for start in range(0, len(frames), _MOST_FRAMES):
            before = min(start, _REACH)
            block = frames[start - before : start + _MOST_FRAMES + _REACH]
            wanted = min(_MOST_FRAMES, len(frames) - start) // POOLED
            skipped = before // POOLED
            parts.append(self._fine(block[None])[:, :, skipped : skipped + wanted])
        return np.concatenate(parts, axis=2)

    def _fine(self, frames: Float32) -> Float32:
        if not len(frames):
            return np.empty((0, 1, 1, 1), np.float32)
        return self.fine(np.ascontiguousarray(frames))


def windows(waveform: Float32) -> tuple[Float32, int]:
    """The waveform, repeated if it is short, and how many windows of it are rated: one a second."""
    while waveform.size < WINDOW:
        waveform = np.concatenate([waveform, waveform])
    return waveform, _count(waveform.size)


def _count(samples: int) -> int:
    # The recipe takes one less than would fit; scores are comparable only if we do the same. (Its
    # rounding also drops the odd window in between, which moves a score by 0.001; ours keeps it.)
    return max(1, samples // HOP - 9)


def seconds_rated(seconds: float) -> float:
    """Of a recording that lasts so long what is listened to, for whoever foretells the time."""
    samples = max(1, int(seconds * 16_000))
    while samples < WINDOW:
        samples *= 2
    return ((_count(samples) - 1) * HOP + WINDOW) / 16_000


def load_dnsmos(*, threads: int = 1) -> Dnsmos:
    """Load DNSMOS, fetching its weights into the user's cache the first time."""
    weights = fetch("dnsmos")
    return Dnsmos(
        weights.artefact.licence,
        weights.artefact.sha256,
        read_fine_layers(weights.path, threads),
        open_session(weights.path, threads=threads, behind=_FINE, only=_RATED),
    )


def _by_name(_name: str) -> Dnsmos:
    return load_dnsmos()
