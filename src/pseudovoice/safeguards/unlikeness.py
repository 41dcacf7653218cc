"""How unlike two versions of one recording sound, spectrum by spectrum."""

from __future__ import annotations

import numpy as np

from pseudovoice.safeguards.safeguard import Samples
from pseudovoice.signal.fbank import kaldi_fbank

FLOOR = 40.0
"""dB under the loudest band of a recording: what lies below is noise, and makes no voice."""


def unlikeness(one: Samples, other: Samples, sample_rate: int, *, in_time: bool = True) -> float:
    """Mean squared difference of log mel spectra in dB², whatever the level of either.

    Frame by frame where both are said at the same time (``in_time``), else of the means and
    standard deviations over time.
    """
    a, b = _decibels(one, sample_rate), _decibels(other, sample_rate)
    if in_time:
        a, b = a[: len(b)], b[: len(a)]
    else:
        a, b = (np.stack([side.mean(axis=0), side.std(axis=0)]) for side in (a, b))
    return float(np.square(a - b).mean())


def _decibels(samples: Samples, sample_rate: int) -> Samples:
    peak = max(float(np.abs(samples).max()), 1e-9)
    heard = kaldi_fbank((samples / peak).astype(np.float32), rate=sample_rate)
    bands: Samples = heard.astype(np.float64) * 10 / np.log(10)
    bands = np.maximum(bands, bands.max() - FLOOR)
    bands -= bands.mean()
    return bands
