"""The McAdams transformation written plainly, frame by frame, to hold the fast one against."""

from __future__ import annotations

import numpy as np
from scipy.signal import lfilter


def slow_burg(frame: np.ndarray, order: int) -> np.ndarray:
    """Burg's recursion with whole-array steps."""
    a = np.array([1.0])
    forward, backward = frame[1:], frame[:-1]
    for _ in range(order):
        energy = forward @ forward + backward @ backward
        k = 0.0 if energy == 0 else -2.0 * (forward @ backward) / energy
        a = np.append(a, 0.0) + k * np.append(a, 0.0)[::-1]
        forward, backward = (forward + k * backward)[1:], (backward + k * forward)[:-1]
    return a


def slow_frame(frame: np.ndarray, alpha: float, order: int = 20) -> np.ndarray:
    """One windowed 16 kHz frame with its complex poles moved from φ to φ^α."""
    a = slow_burg(frame, order)
    roots = np.roots(a)
    moved = roots.astype(complex)
    for k, p in enumerate(roots):
        if abs(p.imag) > 0:
            moved[k] = abs(p) * np.exp(1j * np.sign(p.imag) * abs(np.angle(p)) ** alpha)
    return lfilter([1.0], np.real(np.poly(moved)), lfilter(a, [1.0], frame))
