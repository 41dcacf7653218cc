"""The McAdams coefficient of speech that is known in clear and protected."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize_scalar

from pseudovoice.safeguards.channel import Channel, whole
from pseudovoice.safeguards.mcadams import move_poles
from pseudovoice.safeguards.safeguard import Pairs
from pseudovoice.safeguards.unlikeness import unlikeness

STEP = 0.02
"""Between coefficients that are tried first; the best of them has no other minimum beside it."""

ENOUGH = 5.0
"""Seconds of each pair: more tell nothing new."""


EXACT = 1e-3
"""Of α: nobody hears less."""


def fitted_alpha(pairs: Pairs, sample_rate: int, low: float, high: float) -> float:
    """The α in [low, high] whose transformation of the clear side is most like the protected."""
    most = int(ENOUGH * sample_rate)
    heard = [(clear[:most], protected[:most]) for clear, protected in pairs]

    def cost(alpha: float) -> float:
        return sum(
            unlikeness(
                whole(move_poles(Channel(None, [clear]), sample_rate, alpha)), other, sample_rate
            )
            for clear, other in heard
        )

    tried = np.linspace(low, high, 1 + max(1, round((high - low) / STEP)))
    best = tried[int(np.argmin([cost(alpha) for alpha in tried]))]
    around = max(low, best - STEP), min(high, best + STEP)
    if around[0] == around[1]:
        return float(best)
    found = minimize_scalar(cost, bounds=around, method="bounded", options={"xatol": EXACT})
    return float(found.x)
