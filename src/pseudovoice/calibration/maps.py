"""Calibration maps that are learnt on one set of scores and applied to another.

An attacker who sees one run f0 of a safeguard learns such a map and applies it to the scores
of another run f1 (noe2022 Eq. 15). *Linear* is logistic regression in the logit domain, which
is robust; *isotonic* is the PAV map with interpolation, which follows every bend of f0.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import minimize
from scipy.special import expit, log_expit

from pseudovoice.calibration.ladder import Floats, Ladder, ladder, validate
from pseudovoice.calibration.pav import calibrate_ladder
from pseudovoice.errors import InputError


@dataclass(frozen=True)
class LinearMap:
    """llr = slope · score + offset (Brümmer & De Villiers 2011)."""

    slope: float
    offset: float
    separable: bool = False

    def __call__(self, scores: ArrayLike) -> Floats:
        return self.slope * np.asarray(scores, dtype=np.float64) + self.offset

    def to_dict(self) -> dict[str, Any]:
        return {
            "map": "linear",
            "slope": self.slope,
            "offset": self.offset,
            "separable": self.separable,
        }


@dataclass(frozen=True)
class IsotonicMap:
    """The Laplace PAV map: flat on each block, linear between blocks, constant beyond the ends."""

    score: Floats
    llr: Floats

    def __call__(self, scores: ArrayLike) -> Floats:
        return np.interp(np.asarray(scores, dtype=np.float64), self.score, self.llr)

    def to_dict(self) -> dict[str, Any]:
        return {"map": "isotonic", "score": self.score.tolist(), "llr": self.llr.tolist()}


def learn_linear(mated: ArrayLike, nonmated: ArrayLike) -> LinearMap:
    """Learn the affine map that minimises Cllr on these scores.

    Cllr weighs the two classes equally, so this is class-balanced logistic regression and its
    log-odds are LLRs as they stand (noe2022 §5.3: "the optimisation criterion for score
    calibration is C_llr"). Where a threshold separates the classes perfectly the slope would
    grow without bound; then Platt's soft targets (n+1)/(n+2) are used, and ``separable`` says so.
    """
    a, b = validate(mated, nonmated)
    scores = np.concatenate([a, b])
    labels = np.repeat([1.0, 0.0], [a.size, b.size])
    return fit_linear(scores, labels, 1.0 - labels)


def fit_linear(score: Floats, mated: Floats, nonmated: Floats) -> LinearMap:
    """`learn_linear` for scores that stand for ``mated`` and ``nonmated`` trials each."""
    n_mated, n_nonmated = mated.sum(), nonmated.sum()
    low, high = score.min(), score.max()
    if low == high:
        return LinearMap(0.0, 0.0)
    # Halves first, so that scores near the end of the range do not overflow.
    centre, half = high / 2 + low / 2, high / 2 - low / 2
    x = (score - centre) / half
    spread = x.std()
    x, scale = x / spread, half * spread
    a, b = x[mated > 0], x[nonmated > 0]
    separable = bool(a.min() >= b.max() or a.max() <= b.min())
    sure_a = (n_mated + 1) / (n_mated + 2) if separable else 1.0
    sure_b = (n_nonmated + 1) / (n_nonmated + 2) if separable else 1.0
    # Weight of "mated" and of "non-mated" being the right answer at each score.
    w, v = mated / n_mated, nonmated / n_nonmated
    yes, no = sure_a * w + (1 - sure_b) * v, (1 - sure_a) * w + sure_b * v

    def cost(theta: Floats) -> tuple[float, Floats]:
        llr = theta[0] * x + theta[1]
        slack = (yes + no) * expit(llr) - yes
        return -float(yes @ log_expit(llr) + no @ log_expit(-llr)), np.array(
            [slack @ x, slack.sum()]
        )

    def curvature(theta: Floats) -> Floats:
        p = expit(theta[0] * x + theta[1])
        bend = (yes + no) * p * (1 - p)
        return np.array([[bend @ (x * x), bend @ x], [bend @ x, bend.sum()]])

    fit = minimize(
        cost, np.zeros(2), jac=True, hess=curvature, method="trust-exact", options={"gtol": 1e-6}
    )
    theta = fit.x
    # Below that gradient the cost differs by less than its rounding and a trust region stalls;
    # Newton's own step needs only gradient and curvature, and squares the error each time.
    for _ in range(2):
        theta = theta - np.linalg.solve(curvature(theta), cost(theta)[1])
    slope = float(theta[0] / scale)
    return LinearMap(slope, float(theta[1] - slope * centre), separable)


def learn_isotonic(mated: ArrayLike, nonmated: ArrayLike) -> IsotonicMap:
    """Learn the PAV map of these scores, with Laplace's rule so that it never says ±inf."""
    a, b = validate(mated, nonmated)
    return isotonic_of_ladder(ladder(np.sort(a), np.sort(b)))


def isotonic_of_ladder(rungs: Ladder) -> IsotonicMap:
    """`learn_isotonic` for scores that are a ladder already."""
    oracle = calibrate_ladder(rungs, laplace=True)
    knots = np.column_stack([oracle.low, oracle.high]).ravel()
    values = np.repeat(oracle.llr, 2)
    keep = np.append(True, np.diff(knots) > 0)  # a block of one score needs one knot
    return IsotonicMap(knots[keep], values[keep])


PARTS = {"linear": ("slope", "offset"), "isotonic": ("score", "llr")}


def map_from_dict(record: Mapping[str, Any]) -> LinearMap | IsotonicMap:
    """Read back what ``to_dict`` wrote."""
    kind = record.get("map")
    missing = [name for name in PARTS.get(kind or "", ()) if name not in record]
    if missing:
        raise InputError(
            f"This {kind} calibration map has no {' and no '.join(missing)}; learn it again."
        )
    if kind == "linear":
        return LinearMap(
            float(record["slope"]), float(record["offset"]), bool(record.get("separable", False))
        )
    if kind == "isotonic":
        return IsotonicMap(np.asarray(record["score"], float), np.asarray(record["llr"], float))
    raise InputError(
        f"This is no calibration map ('map' is {kind!r}); expected linear or isotonic."
    )
