"""Metrics written from METRICS.md alone, slowly, with another PAV (scikit-learn's)."""

from __future__ import annotations

import numpy as np
from scipy.integrate import quad
from sklearn.isotonic import IsotonicRegression

Array = np.ndarray


def oracle_llr(mated: Array, nonmated: Array, *, laplace: bool = False) -> tuple[Array, Array]:
    """LLRs of both classes: logit of the isotonic posterior minus the prior log-odds."""
    x = np.concatenate([mated, nonmated])
    y = np.repeat([1.0, 0.0], [mated.size, nonmated.size])
    if laplace:
        x = np.concatenate([x, [x.min() - 1, x.min() - 1, x.max() + 1, x.max() + 1]])
        y = np.concatenate([y, [1.0, 0.0, 1.0, 0.0]])
        # A pseudo-score of each class below and above everything: one rung of its own each.
    p = IsotonicRegression(y_min=0, y_max=1).fit(x, y).predict(x)[: mated.size + nonmated.size]
    with np.errstate(divide="ignore"):
        llr = np.log(p) - np.log1p(-p) - np.log(mated.size / nonmated.size)
    return llr[: mated.size], llr[mated.size :]


def softplus(x: Array) -> Array:
    return np.logaddexp(0.0, x)


def ece(logit_prior: float, mated: Array, nonmated: Array) -> float:
    """Empirical cross-entropy in bits at a prior."""
    p = 1 / (1 + np.exp(-logit_prior))
    return float(
        (
            p * softplus(-(mated + logit_prior)).mean()
            + (1 - p) * softplus(nonmated + logit_prior).mean()
        )
        / np.log(2)
    )


def d_ece(mated: Array, nonmated: Array) -> float:
    """The gap between no evidence and the evidence, integrated over the prior."""
    a, b = oracle_llr(mated, nonmated)
    zero = np.zeros(1)

    def gap(p: float) -> float:
        at = np.log(p / (1 - p))
        return ece(at, zero, zero) - ece(at, a, b)

    return float(quad(gap, 0, 1, limit=400, epsabs=1e-11, epsrel=1e-11)[0])


def cllr(mated: Array, nonmated: Array) -> float:
    return ece(0.0, mated, nonmated)


def roc(mated: Array, nonmated: Array) -> tuple[Array, Array]:
    """Miss and false-alarm rates at every threshold that separates two scores."""
    at = np.unique(np.concatenate([mated, nonmated]))
    cuts = np.concatenate([at, [np.inf]])
    miss = np.array([(mated < c).mean() for c in cuts])
    alarm = np.array([(nonmated >= c).mean() for c in cuts])
    return miss, alarm


def rocch_eer(mated: Array, nonmated: Array) -> float:
    """The hull meets miss = alarm where the least mixed error is largest over all mixtures."""
    miss, alarm = roc(mated, nonmated)
    best = 0.0
    for i in range(miss.size):
        for j in range(i + 1, miss.size):
            # p that makes vertices i and j equally good
            d = (miss[j] - miss[i]) + (alarm[i] - alarm[j])
            if d > 0:
                p = (alarm[i] - alarm[j]) / d
                best = max(best, float((p * miss + (1 - p) * alarm).min()))
    return best


def kaldi_eer(mated: Array, nonmated: Array) -> float:
    """As Kaldi's compute-eer walks: up the target scores, down the matching non-target ones."""
    a, b = np.sort(mated), np.sort(nonmated)
    for position in range(a.size):
        at = b.size - 1 - int(b.size * position / a.size)
        if b[at] < a[position]:
            break
    return position / a.size


def min_dcf(mated: Array, nonmated: Array, p: float) -> float:
    miss, alarm = roc(mated, nonmated)
    return float((p * miss + (1 - p) * alarm).min() / min(p, 1 - p))


def l_w(mated: Array, nonmated: Array) -> float:
    a, b = oracle_llr(mated, nonmated, laplace=True)
    return float(np.abs(np.concatenate([a, b])).max() / np.log(10))


def d_sys(mated: Array, nonmated: Array) -> float:
    bins = min(mated.size // 10, 100)
    both = np.concatenate([mated, nonmated])
    edges = np.linspace(both.min(), both.max(), bins + 1)
    f = np.histogram(mated, edges, density=True)[0]
    g = np.histogram(nonmated, edges, density=True)[0]
    local = np.zeros(bins)
    for k in range(bins):
        if f[k] > 0:
            local[k] = 1.0 if g[k] == 0 else max(0.0, 2 * (f[k] / g[k]) / (1 + f[k] / g[k]) - 1)
    return float(np.trapezoid(local * f, (edges[1:] + edges[:-1]) / 2))


def d_diag(names: list[str], pairs: list[tuple[str, str]], llr: Array, kind: str) -> float:
    """Eq. 8 on a matrix filled cell by cell."""
    cells = np.empty((len(names), len(names)))
    for i, one in enumerate(names):
        for j, other in enumerate(names):
            mine = llr[[pair == (one, other) for pair in pairs]]
            cells[i, j] = (
                1 / (1 + np.exp(-mine.mean()))
                if kind == "arithmetic"
                else np.exp(-softplus(-mine).mean())
            )
    n = len(names)
    diagonal = cells.diagonal().mean()
    rest = (cells.sum() - cells.diagonal().sum()) / (n * (n - 1))
    return float(abs(diagonal - rest))
