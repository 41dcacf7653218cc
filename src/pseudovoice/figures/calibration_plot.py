"""Empirical calibration plot: does a posterior of 0.8 come true in 80 % of trials? (noe2022 Fig. 4;
Ramos & Gonzalez-Rodriguez 2013.)

The posterior of a score s read as an LLR is σ(s + logit π). Trials are binned by it and, bin by
bin, the mated fraction is held against it. Calibrated scores lie on the 45° line. The paper takes
π from the trials; with one mated trial in twenty nearly all posteriors then crowd at 0. The
default here is π = ½, the prior of Cllr, with both classes weighted alike; ``prior=None`` is the
paper's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.lines import Line2D
from numpy.typing import ArrayLike
from scipy.special import expit, logit

from pseudovoice.assessment.estimate import Row
from pseudovoice.calibration.ladder import Floats
from pseudovoice.calibration.pav import calibrate
from pseudovoice.figures.style import BLUE, LIGHT, VERMILLION, plain_legend
from pseudovoice.figures.tidy import Columns, columns, stack
from pseudovoice.figures.wording import attacker_of, find, measured

BINS = 20

STAGES = {"as they are": (VERMILLION, "s"), "oracle-calibrated": (BLUE, "o")}
"""Colour and marker of the scores before and after calibration."""

EXTREME = 1e-6
"""Posteriors closer than this to 0 or 1 are certainty, which uncalibrated scores claim freely."""

Scores = tuple[ArrayLike, ArrayLike]
"""Mated and non-mated scores."""


def draw_calibration(
    ax: Axes,
    mated: ArrayLike,
    nonmated: ArrayLike,
    *,
    prior: float | None = 0.5,
    legend: bool = True,
) -> None:
    """Mated fraction over posterior, before and after; a marker's area is its share of trials."""
    table = calibration_data({"": (mated, nonmated)}, prior=prior)
    ax.plot([0, 1], [0, 1], color=LIGHT, lw=2.5, zorder=1)
    stage = np.array(table["scores"])
    for name, (colour, marker) in STAGES.items():
        here = np.flatnonzero(stage == name)
        x, y, share = (
            np.array(table[c])[here] for c in ("mean_posterior", "mated_fraction", "share")
        )
        ax.plot(x, y, color=colour, lw=0.8, alpha=0.4, zorder=2)
        ax.scatter(
            x,
            y,
            s=8.0 + 70.0 * share,
            marker=marker,
            facecolor=to_rgba(colour, 0.45),
            edgecolor=colour,
            linewidths=0.8,
            zorder=3,
            clip_on=False,
        )
    ax.set(xlim=(0, 1), ylim=(0, 1), aspect="equal")
    ax.set_xticks([0, 0.5, 1], ["0", "0.5", "1"])
    ax.set_yticks([0, 0.5, 1], ["0", "0.5", "1"])
    ax.set_xlabel(
        "posterior at the prior of the trials" if prior is None else f"posterior at π = {prior:g}"
    )
    ax.set_ylabel("mated fraction")
    if legend:
        plain_legend(ax, legend_handles(), list(STAGES), loc="lower right", handlelength=1.2)


def legend_handles() -> list[Line2D]:
    """What the stages look like, for a legend of several panels."""
    return [
        Line2D([], [], color=c, marker=m, ms=4, lw=0.8, mfc=to_rgba(c, 0.45), mew=0.8)
        for c, m in STAGES.values()
    ]


def calibration_data(scores: Mapping[str, Scores], *, prior: float | None = 0.5) -> Columns:
    """One row per condition, stage and filled bin."""
    return stack(
        _bins(name, stage, *llrs, prior)
        for name, (mated, nonmated) in scores.items()
        for stage, llrs in _stages(mated, nonmated).items()
    )


def calibration_caption(
    scores: Mapping[str, Scores], rows: Sequence[Row], *, prior: float | None = 0.5
) -> str:
    """Cllr before and after, and how many scores claim certainty."""
    parts = []
    for name, (mated, nonmated) in scores.items():
        posterior = np.concatenate(_posteriors(np.asarray(mated), np.asarray(nonmated), prior))
        certain = ((posterior < EXTREME) | (posterior > 1.0 - EXTREME)).mean()
        found = [find(rows, name, metric) for metric in ("cllr", "cllr_min")]
        values = " → ".join(measured(row) for row in found if row is not None)
        attacker = attacker_of(rows, name)
        parts.append(
            f"{name.upper()}{f', {attacker}' if attacker else ''}: {values or 'no rows'}; "
            f"{100.0 * certain:.0f} % of the posteriors are within 1e−6 of 0 or 1 before "
            "calibration."
        )
    at = "at the prior of the trials"
    if prior is not None:
        at = f"at π = {prior:g} with the classes weighted accordingly"
    return (
        "Empirical calibration: mated fraction over posterior, of the scores read as LLRs and "
        f"after oracle calibration, {at}; the area of a marker is its share of trials, the "
        f"diagonal is perfect calibration. {' '.join(parts)}"
    )


def _stages(mated: ArrayLike, nonmated: ArrayLike) -> dict[str, tuple[Floats, Floats]]:
    a, b = np.asarray(mated, dtype=np.float64), np.asarray(nonmated, dtype=np.float64)
    oracle = calibrate(a, b)
    return dict(zip(STAGES, ((a, b), (oracle(a), oracle(b))), strict=True))


def _posteriors(mated: Floats, nonmated: Floats, prior: float | None) -> tuple[Floats, Floats]:
    odds = np.log(mated.size / nonmated.size) if prior is None else logit(prior)
    return expit(mated + odds), expit(nonmated + odds)  # saturates quietly at LLRs in the hundreds


def _bins(
    condition: str, stage: str, mated: Floats, nonmated: Floats, prior: float | None
) -> Columns:
    a, b = _posteriors(mated, nonmated, prior)
    pi = a.size / (a.size + b.size) if prior is None else prior
    edges = np.linspace(0.0, 1.0, BINS + 1)
    n_mated, n_nonmated = np.histogram(a, edges)[0], np.histogram(b, edges)[0]
    of_mated, of_nonmated = pi * n_mated / a.size, (1.0 - pi) * n_nonmated / b.size
    share = of_mated + of_nonmated
    total = pi * np.histogram(a, edges, weights=a)[0] / a.size
    total += (1.0 - pi) * np.histogram(b, edges, weights=b)[0] / b.size
    used = share > 0.0
    return columns(
        condition=[condition] * int(used.sum()),
        scores=[stage] * int(used.sum()),
        prior=[pi] * int(used.sum()),
        low=edges[:-1][used],
        high=edges[1:][used],
        mean_posterior=total[used] / share[used],
        mated_fraction=of_mated[used] / share[used],
        n_mated=n_mated[used],
        n_nonmated=n_nonmated[used],
        share=share[used],
    )
