"""Empirical calibration plot: does a posterior of 0.8 come true in 80 % of trials? noe2022 Fig. 4.

Calibrated scores lie on the 45° line. What is drawn is a `Reliability`, at π = ½ or at the prior of
the trials, as in the paper.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.lines import Line2D

from pseudovoice.assessment.estimate import Row
from pseudovoice.assessment.reliability import Bins, Reliability
from pseudovoice.figures.style import BLUE, LIGHT, VERMILLION, plain_legend
from pseudovoice.figures.tidy import Columns, columns, stack
from pseudovoice.figures.wording import attacker_of, find, measured

STAGES = {"as they are": (VERMILLION, "s"), "oracle-calibrated": (BLUE, "o")}
"""Colour and marker of the scores before and after calibration."""


def draw_calibration(ax: Axes, found: Reliability, *, legend: bool = True) -> None:
    """Mated fraction over posterior, before and after; a marker's area is its share of trials."""
    ax.plot([0, 1], [0, 1], color=LIGHT, lw=2.5, zorder=1)
    for bins, (colour, marker) in zip(_stages(found).values(), STAGES.values(), strict=True):
        x, y = bins.mean_posterior, bins.mated_fraction
        ax.plot(x, y, color=colour, lw=0.8, alpha=0.4, zorder=2)
        ax.scatter(
            x,
            y,
            s=8.0 + 70.0 * bins.share,
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
    at = "at the prior of the trials" if found.empirical else f"at π = {found.prior:g}"
    ax.set_xlabel(f"posterior {at}")
    ax.set_ylabel("mated fraction")
    if legend:
        plain_legend(ax, legend_handles(), list(STAGES), loc="lower right", handlelength=1.2)


def legend_handles() -> list[Line2D]:
    """What the stages look like, for a legend of several panels."""
    return [
        Line2D([], [], color=c, marker=m, ms=4, lw=0.8, mfc=to_rgba(c, 0.45), mew=0.8)
        for c, m in STAGES.values()
    ]


def calibration_data(found: Mapping[str, Reliability]) -> Columns:
    """One row per condition, stage and filled bin."""
    return stack(
        _rows(name, stage, bins, one.prior)
        for name, one in found.items()
        for stage, bins in _stages(one).items()
    )


def calibration_caption(found: Mapping[str, Reliability], rows: Sequence[Row]) -> str:
    """Cllr before and after, and how many scores claim certainty."""
    parts = []
    for name, one in found.items():
        told = [find(rows, name, metric) for metric in ("cllr", "cllr_min")]
        values = " → ".join(measured(row) for row in told if row is not None)
        attacker = attacker_of(rows, name)
        parts.append(
            f"{name.upper()}{f', {attacker}' if attacker else ''}: {values or 'no rows'}; "
            f"{100.0 * one.certain:.0f} % of the posteriors are within 1e−6 of 0 or 1 before "
            "calibration."
        )
    first = next(iter(found.values()))
    at = "at the prior of the trials"
    if not first.empirical:
        at = f"at π = {first.prior:g} with the classes weighted accordingly"
    return (
        "Empirical calibration: mated fraction over posterior, of the scores read as LLRs and "
        f"after oracle calibration, {at}; the area of a marker is its share of trials, the "
        f"diagonal is perfect calibration. {' '.join(parts)}"
    )


def _stages(found: Reliability) -> dict[str, Bins]:
    return dict(zip(STAGES, (found.raw, found.oracle), strict=True))


def _rows(condition: str, stage: str, bins: Bins, prior: float) -> Columns:
    count = bins.low.size
    return columns(
        condition=[condition] * count,
        scores=[stage] * count,
        prior=[prior] * count,
        low=bins.low,
        high=bins.high,
        mean_posterior=bins.mean_posterior,
        mated_fraction=bins.mated_fraction,
        n_mated=bins.n_mated.astype(int),
        n_nonmated=bins.n_nonmated.astype(int),
        share=bins.share,
    )
