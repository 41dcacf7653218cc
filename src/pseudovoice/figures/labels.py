"""Names beside points, none on top of another."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke
from matplotlib.transforms import Bbox
from numpy.typing import NDArray

from pseudovoice.figures.style import GREY, SMALL

_WAYS = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, 1), (1, -1), (-1, -1))
_H = {1: "left", 0: "center", -1: "right"}
_V = {1: "bottom", 0: "center", -1: "top"}

_DISTANCES = (5.0, 10.0, 16.0)
"""Of a name from its point, in points; beyond the first a thin line joins them."""

Point = NDArray[np.float64]


def settle(figure: Figure) -> None:
    """Bring the layout to rest without drawing; axes of a fixed shape need a second round."""
    engine = figure.get_layout_engine()
    if engine is not None:
        engine.execute(figure)
        engine.execute(figure)


def place_labels(
    ax: Axes,
    x: Sequence[float],
    y: Sequence[float],
    names: Sequence[str],
    *,
    which: Sequence[int],
    clear_of: Sequence[Bbox] = (),
) -> int:
    """Write ``names[k]`` beside point k for each k in ``which``, most important first.

    A name goes to the first free place around its point: within the axes and clear of all
    points, of the names before it and their lines, and of ``clear_of``, in display units. A name
    that finds no place is left out; the number of written ones is returned. Distances depend on the
    layout: draw all else and `settle` the figure first.
    """
    figure = ax.get_figure(root=True)
    assert figure is not None
    scale = figure.dpi / 72.0
    at = ax.transData.transform(np.column_stack([x, y]))
    taken = [_around(p, 2.5 * scale) for p in at]
    taken += clear_of
    frame = ax.get_window_extent()
    written = 0
    for k in which:
        size = text_size(ax, names[k])
        places = ((d, way) for d in _DISTANCES for way in _WAYS)
        for distance, (right, up) in places:
            # Diagonal ways are longer by √2 unless both steps are shortened.
            reach = distance * (0.75 if right and up else 1.0)
            box = _box(at[k] + scale * reach * np.array([right, up]), size, right, up)
            used = [box] if distance == _DISTANCES[0] else [box, *_line(at[k], box, scale)]
            if _within(box, frame) and not any(u.overlaps(t) for u in used for t in taken):
                _write(ax, (x[k], y[k]), names[k], reach, right, up)
                taken += used
                written += 1
                break
    return written


def _write(
    ax: Axes, point: tuple[float, float], name: str, reach: float, right: int, up: int
) -> None:
    joined = {"arrowstyle": "-", "lw": 0.4, "color": GREY, "shrinkA": 0, "shrinkB": 2}
    ax.annotate(
        name,
        point,
        (reach * right, reach * up),
        textcoords="offset points",
        ha=_H[right],
        va=_V[up],
        fontsize=SMALL,
        parse_math=False,
        zorder=5,
        arrowprops=joined if reach > _DISTANCES[0] else None,
        in_layout=False,
        path_effects=[withStroke(linewidth=1.5, foreground="white")],
    )


def text_size(ax: Axes, name: str) -> Point:
    """Width and height of a name as it would be written."""
    text = ax.text(0, 0, name, fontsize=SMALL, parse_math=False)
    box = text.get_window_extent()
    text.remove()
    return np.array([box.width, box.height])


def _box(anchor: Point, size: Point, right: int, up: int) -> Bbox:
    low = anchor - size * (1 - np.array([right, up])) / 2
    return Bbox.from_extents(*low, *(low + size))


def _around(point: Point, radius: float) -> Bbox:
    return Bbox.from_extents(*(point - radius), *(point + radius))


def _line(point: Point, box: Bbox, scale: float) -> list[Bbox]:
    """The line from a name to its point as a row of small boxes, without its two ends."""
    end = np.clip(point, [box.x0, box.y0], [box.x1, box.y1])
    steps = np.linspace(0.0, 1.0, 9)[1:-1, None]
    far = np.linalg.norm(point - end) > 5.0 * scale
    along = end + steps * (point - end)
    return [
        _around(p, 0.3 * scale) for p in along if far and np.linalg.norm(p - point) > 3.9 * scale
    ]


def _within(box: Bbox, frame: Bbox) -> bool:
    across = frame.x0 <= box.x0 and box.x1 <= frame.x1
    return bool(across and frame.y0 <= box.y0 and box.y1 <= frame.y1)
