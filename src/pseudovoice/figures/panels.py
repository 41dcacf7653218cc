"""Panels side by side, one per condition, in one figure."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from pseudovoice.figures.style import COLUMN, CONDITION_TITLES, DOUBLE


def grid(n: int, height: float) -> tuple[tuple[float, float], tuple[int, int]]:
    """Size of a figure of n panels, and its rows and columns: side by side up to three."""
    down, across = (2, 2) if n == 4 else (1, n)
    return (COLUMN if n == 1 else DOUBLE, down * height), (down, across)


def legend(figure: Figure, handles: Sequence[Artist], labels: Sequence[str]) -> None:
    """One legend below all panels, as wide as the figure allows."""
    # About 4 pt a letter at 7 pt, and 32 pt for the handle and the space beside it.
    widest = (4.0 * max(len(label) for label in labels) + 32.0) / 72.0
    across = int(min(len(labels), max(1.0, figure.get_figwidth() // widest)))
    figure.legend(list(handles), list(labels), loc="outside lower center", ncols=across)


def panels(
    figure: Figure,
    shape: tuple[int, int],
    names: Sequence[str],
    panel: Callable[[Axes, str], None],
) -> None:
    """One panel per condition, titled; the first of a row keeps the label of the y axis."""
    axes = figure.subplots(*shape, squeeze=False)
    for k, (ax, name) in enumerate(zip(axes.flat, names, strict=True)):
        ax.set_title(CONDITION_TITLES[name], loc="left", fontsize=8.0)
        panel(ax, name)
        if k % shape[1]:
            ax.set_ylabel("")
