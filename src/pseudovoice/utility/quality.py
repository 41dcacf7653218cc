"""Speech quality as DNSMOS P.835 predicts it: no listener and no reference needed.

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
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

import numpy as np
import onnxruntime
from numpy.typing import NDArray

from pseudovoice.asr.recogniser import Float32, admit
from pseudovoice.models import fetch
from pseudovoice.models.once import once
from pseudovoice.models.session import open_session

WINDOW = 144_160
"""Samples the network takes: 9.01 s."""
HOP = 16_000

# Coefficients of x², x and 1, for SIG, BAK and OVRL in the order of the network's outputs.
_TO_LISTENERS = np.array(
    [
        [-0.08397278, 1.22083953, 0.0052439],
        [-0.13166888, 1.60915514, -0.39604546],
        [-0.06766283, 1.11546468, 0.04602535],
    ]
)


@dataclass(frozen=True)
class Quality:
    """Predicted mean opinion scores, about 1 (bad) to 5 (excellent); higher is better."""

    sig: float
    bak: float
    ovrl: float


@runtime_checkable
class QualityPredictor(Protocol):
    """Something that rates a waveform; ``sha256`` identifies it in the cache and the report."""

    @property
    def name(self) -> str: ...
    @property
    def sample_rate(self) -> int: ...
    @property
    def licence(self) -> str: ...
    @property
    def sha256(self) -> str: ...

    def rate(self, samples: NDArray[Any]) -> Quality:
        """The scores of one waveform (mono, floats in ±1); may be called from several threads."""
        ...


@dataclass(frozen=True)
class Dnsmos:
    """A :class:`QualityPredictor`."""

    licence: str
    sha256: str
    session: onnxruntime.InferenceSession = field(repr=False)
    name: str = "dnsmos"
    sample_rate: int = 16_000

    def __reduce__(self) -> tuple[Any, ...]:
        return once, (_by_name, self.name, self.sha256)

    def rate(self, samples: NDArray[Any]) -> Quality:
        """See :meth:`QualityPredictor.rate`."""
        waveform = admit(samples, self.name)
        entry = self.session.get_inputs()[0].name
        raw = [self.session.run(None, {entry: part[None]})[0][0] for part in windows(waveform)]
        x = np.asarray(raw, np.float64)
        squared, linear, constant = _TO_LISTENERS.T
        sig, bak, ovrl = (squared * x**2 + linear * x + constant).mean(axis=0)
        return Quality(float(sig), float(bak), float(ovrl))


def windows(waveform: Float32) -> list[Float32]:
    """The stretches that are rated: one a second, as many as the published recipe takes."""
    while waveform.size < WINDOW:
        waveform = np.concatenate([waveform, waveform])
    # The recipe takes one less than would fit; scores are comparable only if we do the same. (Its
    # rounding also drops the odd window in between, which moves a score by 0.001; ours keeps it.)
    count = max(1, waveform.size // HOP - 9)
    return [waveform[k * HOP : k * HOP + WINDOW] for k in range(count)]


def load_dnsmos(*, threads: int = 1) -> Dnsmos:
    """Load DNSMOS, fetching its weights into the user's cache the first time."""
    weights = fetch("dnsmos")
    return Dnsmos(
        weights.artefact.licence,
        weights.artefact.sha256,
        open_session(weights.path, threads=threads),
    )


def _by_name(_name: str) -> Dnsmos:
    return load_dnsmos()
