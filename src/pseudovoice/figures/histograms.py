"""Score histograms of mated and non-mated trials, one panel per condition."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.patches import Patch
from numpy.typing import ArrayLike

from pseudovoice.assessment.estimate import Row
from pseudovoice.calibration.ladder import Floats
from pseudovoice.figures.style import BLUE, ORANGE, plain_legend
from pseudovoice.figures.tidy import Columns, columns, stack
from pseudovoice.figures.wording import all_measured, attacker_of, count

CLASSES = {"mated": (BLUE, "////"), "non-mated": (ORANGE, "\\\\\\\\")}
"""Colour and hatch of each class of trials."""

MOST_BINS = 50
TAIL = 0.005


def draw_histogram(ax: Axes, mated: ArrayLike, nonmated: ArrayLike, *, legend: bool = True) -> None:
    """Both densities over a range that a few extreme scores cannot stretch."""
    edges = robust_edges(mated, nonmated)
    for (colour, hatch), scores in zip(CLASSES.values(), (mated, nonmated), strict=True):
        values = np.asarray(scores, dtype=np.float64)
        density = np.histogram(values, edges)[0] / (values.size * np.diff(edges))
        ax.stairs(density, edges, fill=True, color=colour, alpha=0.25, lw=0)
        ax.stairs(density, edges, fill=True, facecolor="none", edgecolor=colour, hatch=hatch, lw=0)
        ax.stairs(density, edges, color=colour, lw=1.0)
    ax.set_xlim(edges[0], edges[-1])
    ax.set_ylim(bottom=0.0)
    ax.set_xlabel("score")
    ax.set_ylabel("density")
    ax.set_yticks([])  # the shapes are compared; the numbers are in the tidy data
    if legend:
        plain_legend(ax, legend_handles(), list(CLASSES), handlelength=1.4)


def legend_handles() -> list[Patch]:
    """What the classes look like, for a legend of several panels."""
    return [
        Patch(facecolor=to_rgba(colour, 0.25), edgecolor=colour, hatch=hatch, lw=0.8)
        for colour, hatch in CLASSES.values()
    ]


def robust_edges(mated: ArrayLike, nonmated: ArrayLike) -> Floats:
    """Bin edges from the 0.5 % to the 99.5 % quantile of either class, with a margin."""
    quantiles = [
        np.quantile(np.asarray(scores, dtype=np.float64), [TAIL, 1.0 - TAIL])
        for scores in (mated, nonmated)
    ]
    low, high = min(q[0] for q in quantiles), max(q[1] for q in quantiles)
    margin = 0.03 * (high - low) if high > low else 0.5
    rarer = min(np.size(mated), np.size(nonmated))
    # Three times the cube root: enough bins to see two humps, too few to see only noise.
    bins = int(np.clip(3.0 * rarer ** (1.0 / 3.0), 10, MOST_BINS))
    return np.linspace(low - margin, high + margin, bins + 1)


def histogram_data(scores: Mapping[str, tuple[ArrayLike, ArrayLike]]) -> Columns:
    """One row per condition, class and bin; first and last rows count what lies outside."""
    return stack(
        _counts(name, label, np.asarray(values, dtype=np.float64), robust_edges(*both))
        for name, both in scores.items()
        for label, values in zip(CLASSES, both, strict=True)
    )


def histogram_caption(
    scores: Mapping[str, tuple[ArrayLike, ArrayLike]], rows: Sequence[Row]
) -> str:
    """How many trials each condition has, how many lie outside the axes, and its EER."""
    parts = []
    for name, (mated, nonmated) in scores.items():
        edges = robust_edges(mated, nonmated)
        sizes, outside = [], 0
        for values in (np.asarray(mated), np.asarray(nonmated)):
            sizes.append(values.size)
            outside += int(((values < edges[0]) | (values > edges[-1])).sum())
        attacker, eer = attacker_of(rows, name), all_measured(rows, [(name, "eer")])
        parts.append(
            f"{name.upper()}{f', {attacker}' if attacker else ''}: {sizes[0]:,} mated and "
            f"{count(sizes[1], 'non-mated trial')}, {outside:,} outside the axis"
            f"{f', {eer}' if eer else ''}."
        )
    return f"Scores of mated and non-mated trials as densities. {' '.join(parts)}"


def _counts(condition: str, label: str, values: Floats, edges: Floats) -> Columns:
    full = np.concatenate([[-np.inf], edges, [np.inf]])
    # np.histogram closes the last bin only, so scores on the axis' upper edge stay inside it.
    inner = np.histogram(values, edges)[0]
    counts = np.concatenate([[(values < edges[0]).sum()], inner, [(values > edges[-1]).sum()]])
    density = np.concatenate([[0.0], inner / (values.size * np.diff(edges)), [0.0]])
    return columns(
        condition=[condition] * counts.size,
        trials=[label] * counts.size,
        low=full[:-1],
        high=full[1:],
        count=counts,
        density=density,
    )
