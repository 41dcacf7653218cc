"""All scalars of one condition, from two classes of scores."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import log_expit

from pseudovoice.assessment import goodness, linkability, zebra
from pseudovoice.calibration.ladder import Floats, Ladder, ladder, validate
from pseudovoice.calibration.pav import Blocks, pool_adjacent_violators, with_pseudo_scores


@dataclass(frozen=True)
class Evaluation:
    """Every scalar of one condition; see ``pseudovoice explain NAME`` for each.

    ``d_sys`` is None below ten mated scores. EERs are fractions, costs and disclosures bits
    (costs of detection have no unit), l_w decades. ``l_w_ceiling`` is the largest l_w that so
    few trials could have shown.
    """

    eer: float
    eer_kaldi: float
    min_dcf: float
    min_dcf_001: float
    cllr: float
    cllr_min: float
    cllr_cal: float
    d_ece: float
    l_w: float
    tag: str
    d_sys: float | None
    l_w_ceiling: float
    n_mated: int
    n_nonmated: int
    constant: bool

    def scalars(self) -> dict[str, float]:
        """The numbers among the metrics, by name."""
        return {
            f.name: getattr(self, f.name)
            for f in fields(self)
            if f.name in BATCH_METRICS and getattr(self, f.name) is not None
        }


BATCH_METRICS = (
    "eer",
    "eer_kaldi",
    "min_dcf",
    "min_dcf_001",
    "cllr",
    "cllr_min",
    "cllr_cal",
    "d_ece",
    "l_w",
    "d_sys",
)


def evaluate(mated: ArrayLike, nonmated: ArrayLike, *, omega: float = 1.0) -> Evaluation:
    """All scalars of one condition (OO, OP, PP or PQ).

    ``mated`` are the scores of same-speaker trials, ``nonmated`` of different-speaker trials.
    Scores need no particular scale except for `cllr` and `cllr_cal`, which read them as
    natural-log LLRs. Raises InputError for an empty class or a score that is not finite.

    >>> evaluate([1.0, 2.0, 3.0], [1.0, 2.0, 3.0]).d_ece
    0.0
    """
    a, b = validate(mated, nonmated)
    a, b = np.sort(a), np.sort(b)
    rungs = ladder(a, b)
    edges = linkability.bin_edges(a, b) if a.size >= linkability.FEWEST_MATED else None
    histograms = (
        None
        if edges is None
        else (linkability.histogram(a, edges)[None], linkability.histogram(b, edges)[None])
    )
    with np.errstate(over="ignore"):  # scores of 1e308 cost infinitely much
        cost = -(log_expit(a).mean() + log_expit(-b).mean()) / (2.0 * np.log(2.0))
    batch, _ = evaluate_counts(
        rungs.mated[None], rungs.nonmated[None], np.array([cost]), histograms, edges, omega=omega
    )
    scalars = {name: float(values[0]) for name, values in batch.items()}
    return Evaluation(
        **scalars,
        **({} if edges is not None else {"d_sys": None}),  # type: ignore[arg-type]
        tag=zebra.tag(scalars["l_w"]),
        l_w_ceiling=zebra.ceiling(a.size, b.size),
        n_mated=a.size,
        n_nonmated=b.size,
        constant=bool(min(a[0], b[0]) == max(a[-1], b[-1])),
    )


def evaluate_counts(
    mated: Floats,
    nonmated: Floats,
    cllr: Floats,
    histograms: tuple[Floats, Floats] | None,
    edges: Floats | None,
    *,
    omega: float = 1.0,
) -> tuple[dict[str, Floats], Oracle]:
    """Every scalar for each row of counts (rows, rungs): one row, or a batch of replicates.

    The calibration they rest on comes with them, for what is made of it besides.
    """
    plain = pool_adjacent_violators(mated, nonmated)
    oracle = Oracle(plain, with_pseudo_scores(plain))
    cllr_min = goodness.cllr_of_blocks(oracle.plain)
    out = {
        "eer": goodness.rocch_eer(oracle.plain),
        "eer_kaldi": goodness.kaldi_eer(mated, nonmated),
        "min_dcf": goodness.min_dcf(oracle.plain, 0.01),
        "min_dcf_001": goodness.min_dcf(oracle.plain, 0.001),
        "cllr": cllr,
        "cllr_min": cllr_min,
        "cllr_cal": cllr - cllr_min,
        "d_ece": zebra.d_ece_of_blocks(oracle.plain),
        "l_w": zebra.worst_case(oracle.laplace, oracle.plain),
    }
    if histograms is not None and edges is not None:
        out["d_sys"] = linkability.d_sys_of_histograms(*histograms, edges, omega)
    return out, oracle


@dataclass(frozen=True)
class Oracle:
    """Both oracle calibrations of the same counts."""

    plain: Blocks
    laplace: Blocks


def ece_profile(
    mated: ArrayLike,
    nonmated: ArrayLike,
    *,
    logit_prior: ArrayLike | None = None,
    actual: bool = True,
) -> zebra.EceProfile:
    """ECE curves of one condition over the prior log-odds, −10…10 in steps of 0.1 by default."""
    a, b = validate(mated, nonmated)
    lp = np.linspace(-10.0, 10.0, 201) if logit_prior is None else np.asarray(logit_prior, float)
    blocks = blocks_of(ladder(np.sort(a), np.sort(b)))
    oracle = zebra.ece(lp, blocks.llr, blocks.llr, blocks.mated, blocks.nonmated)
    zero = np.zeros(1)
    return zebra.EceProfile(
        lp, zebra.ece(lp, zero, zero), zebra.ece(lp, a, b) if actual else None, oracle
    )


def blocks_of(rungs: Ladder, *, laplace: bool = False) -> Blocks:
    """The oracle calibration of one ladder."""
    return pool_adjacent_violators(rungs.mated[None], rungs.nonmated[None], laplace=laplace)
