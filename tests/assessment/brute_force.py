"""The definitions of METRICS.md as slow, obvious code: oracles for what the package does fast."""

from __future__ import annotations

from fractions import Fraction

import numpy as np


def pav_posteriors(mated: list[float], nonmated: list[float]) -> dict[float, Fraction]:
    """Posterior of each distinct score by pooling adjacent violators, in exact arithmetic."""
    blocks: list[list] = []
    for value in sorted({*mated, *nonmated}):
        yes, no = list(mated).count(value), list(nonmated).count(value)
        blocks.append([yes, yes + no, [value]])
        while len(blocks) > 1 and _share(blocks[-2]) >= _share(blocks[-1]):
            last = blocks.pop()
            blocks[-1] = [a + b for a, b in zip(blocks[-1], last, strict=True)]
    return {value: _share(block) for block in blocks for value in block[2]}


def _share(block: list) -> Fraction:
    return Fraction(block[0], block[1])


def oracle_llrs(
    mated: np.ndarray, nonmated: np.ndarray, *, laplace: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    """Plain or Laplace oracle LLRs of both classes."""
    a, b = [float(s) for s in mated], [float(s) for s in nonmated]
    extra = [min(a + b) - 1.0, max(a + b) + 1.0] if laplace else []
    posterior = pav_posteriors(a + extra, b + extra)
    prior = np.log(len(a) / len(b))

    def llr(score: float) -> float:
        p = posterior[score]
        if p in (0, 1):
            return np.inf if p == 1 else -np.inf
        return float(np.log(float(p / (1 - p))) - prior)

    return np.array([llr(s) for s in a]), np.array([llr(s) for s in b])


def kaldi_eer(mated: np.ndarray, nonmated: np.ndarray) -> float:
    """The walk that Kaldi's compute-eer makes over the sorted mated scores, step by step.

    At the i-th mated score the miss rate is i / n_mated; the walk stops when the same share of
    non-mated scores, rounded down, is enough to hold all that reach this score.
    """
    a, b = np.sort(mated), np.sort(nonmated)
    for i in range(a.size - 1):
        may_pass = (b.size * i) // a.size
        if np.count_nonzero(b >= a[i]) <= may_pass:
            return i / a.size
    return (a.size - 1) / a.size


def operating_points(mated: np.ndarray, nonmated: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Miss and false-alarm rate of every threshold "accept from here on"."""
    thresholds = np.append(np.unique(np.concatenate([mated, nonmated])), np.inf)
    p_miss = np.array([(mated < t).mean() for t in thresholds])
    p_fa = np.array([(nonmated >= t).mean() for t in thresholds])
    return p_miss, p_fa


def rocch_eer(mated: np.ndarray, nonmated: np.ndarray) -> float:
    """EER of the convex hull as a game: the worst prior against the best threshold.

    min over thresholds of p·miss + (1−p)·fa is concave in p and peaks where the hull crosses
    the diagonal; the peak lies where two of those lines meet, so all crossings are tried.
    """
    miss, fa = operating_points(mated, nonmated)
    slope = miss - fa
    crossings = [0.0, 1.0]
    for i in range(miss.size):
        for j in range(i):
            if slope[i] != slope[j]:
                crossings.append((fa[j] - fa[i]) / (slope[i] - slope[j]))
    return max(float((p * miss + (1 - p) * fa).min()) for p in crossings if 0.0 <= p <= 1.0)


def min_dcf(mated: np.ndarray, nonmated: np.ndarray, p_target: float) -> float:
    miss, fa = operating_points(mated, nonmated)
    return float((p_target * miss + (1 - p_target) * fa).min() / min(p_target, 1 - p_target))


def d_sys(mated: np.ndarray, nonmated: np.ndarray, edges: np.ndarray, omega: float = 1.0) -> float:
    """Linkability from NumPy's own density histograms."""
    a = np.histogram(mated, edges, density=True)[0]
    b = np.histogram(nonmated, edges, density=True)[0]
    local = np.empty(a.size)
    for k in range(a.size):
        if b[k] == 0.0:
            local[k] = 1.0
        else:
            ratio = omega * a[k] / b[k]
            local[k] = max(0.0, 2.0 * ratio / (1.0 + ratio) - 1.0)
    centre = (edges[1:] + edges[:-1]) / 2.0
    return float(np.trapezoid(local * a, centre))


def similarities(
    llr: np.ndarray, enrol: np.ndarray, trial: np.ndarray, speakers: int, similarity: str
) -> np.ndarray:
    """Sim(i, j) from one LLR per trial, by a double loop over the speakers."""
    out = np.full((speakers, speakers), np.nan)
    for i in range(speakers):
        for j in range(speakers):
            of_pair = llr[(enrol == i) & (trial == j)]
            if of_pair.size == 0:
                continue
            posterior = 1.0 / (1.0 + np.exp(-of_pair))
            if similarity == "geometric":
                out[i, j] = np.exp(np.mean(np.log(posterior)))
            else:
                out[i, j] = 1.0 / (1.0 + np.exp(-np.mean(of_pair)))
    return out
