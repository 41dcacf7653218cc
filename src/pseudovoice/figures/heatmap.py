"""Four-quadrant heat map of the voice similarity matrices (noe2020 Fig. 2, noe2022 Fig. 9).

M_OO stands upper left, M_OP upper right, its transpose lower left, M_PP lower right: a good
safeguard shows a diagonal in M_OO, none in M_OP, and one again in M_PP.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from pseudovoice.assessment.estimate import Row
from pseudovoice.assessment.similarity import SimilarityMatrix
from pseudovoice.calibration.ladder import Floats
from pseudovoice.errors import InputError
from pseudovoice.figures.labels import text_size
from pseudovoice.figures.style import GREY, LIGHT, SMALL, shown
from pseudovoice.figures.tidy import Columns, columns, stack
from pseudovoice.figures.wording import all_measured, attacker_of, count, find, measured

QUADRANTS = (("oo", 0, 0, False), ("op", 0, 1, False), ("op", 1, 0, True), ("pp", 1, 1, False))
"""Condition, row and column of each quadrant, and whether it is transposed."""


def draw_heatmap(ax: Axes, matrices: Mapping[str, SimilarityMatrix]) -> None:
    """Draw the quadrants that there are; a condition without a matrix is hatched and says so."""
    speakers = _speakers(matrices)
    n = len(speakers)
    cmap = matplotlib.colormaps["cividis"].with_extremes(bad="white")
    picture = _mosaic(matrices, speakers)
    # Viewers of PDF and SVG blur enlarged pixels; cells of many pixels each keep their edges.
    fine = max(1, -(-800 // (2 * n)))
    image = ax.imshow(
        np.ma.masked_invalid(picture.repeat(fine, 0).repeat(fine, 1)),
        cmap=cmap,
        vmin=0.0,
        vmax=1.0,
        extent=(0, 2 * n, 2 * n, 0),
        interpolation="none",
    )
    for name, down, right, _ in QUADRANTS:
        if name not in matrices:
            _hatch(ax, down * n, right * n, n)
    for line in (ax.axhline, ax.axvline):
        line(n, color="white", lw=2.0)
    ax.spines[:].set_visible(False)
    _label(ax, speakers)
    figure = ax.get_figure()
    assert figure is not None
    # An inset is as high as the square picture itself, which a bar beside the axes is not.
    bar = figure.colorbar(image, cax=ax.inset_axes((1.03, 0.0, 0.045, 1.0)), ticks=[0, 0.5, 1])
    bar.ax.set_yticklabels(["0 unlike", "0.5 no evidence", "1 alike"], rotation=90)
    lowest, middle, highest = bar.ax.get_yticklabels()
    lowest.set_verticalalignment("bottom")
    middle.set_verticalalignment("center")
    highest.set_verticalalignment("top")
    bar.outline.set_visible(False)


def heatmap_data(matrices: Mapping[str, SimilarityMatrix]) -> Columns:
    """One row per condition and pair of speakers; in OP rows are original, columns protected."""
    return stack(
        columns(condition=[name] * matrix.values.size, **matrix.table())
        for name, matrix in matrices.items()
        if name in ("oo", "op", "pp")
    )


def heatmap_caption(matrices: Mapping[str, SimilarityMatrix], rows: Sequence[Row]) -> str:
    """What is seen, D_diag of each matrix, DeID and G_VD."""
    speakers = _speakers(matrices)
    kind = next(iter(matrices.values())).similarity
    mean = "geometric mean of posteriors" if kind == "geometric" else "posterior of the mean LLR"
    places = {
        "oo": "upper left M_OO (original against original)",
        "op": "upper right M_OP (rows original, columns protected), lower left its transpose",
        "pp": "lower right M_PP (protected against protected)",
    }
    parts = []
    for name, place in places.items():
        row = find(rows, name, "d_diag")
        value = "absent" if name not in matrices else "" if row is None else measured(row)
        parts.append(f"{place}: {value}" if value else place)
    text = (
        f"Voice similarity of {count(len(speakers), 'speaker')} ({mean}; 0.5 is no evidence). "
        f"{'; '.join(parts)[0].upper()}{'; '.join(parts)[1:]}."
    )
    ratios = all_measured(rows, [("op", "deid"), ("pp", "g_vd")])
    attacker = attacker_of(rows, "op")
    lead = f"{attacker[0].upper()}{attacker[1:]}: " if attacker else ""
    return f"{text} {lead}{ratios}." if ratios else text


def _speakers(matrices: Mapping[str, SimilarityMatrix]) -> tuple[str, ...]:
    """All speakers of all matrices, in the order they are met."""
    used = [matrices[name] for name in ("oo", "op", "pp") if name in matrices]
    if not used:
        raise InputError(
            "There is no similarity matrix to draw; give scores of OO, OP or PP that have every "
            "pair of speakers."
        )
    return tuple(dict.fromkeys(s for matrix in used for s in matrix.speakers))


def _mosaic(matrices: Mapping[str, SimilarityMatrix], speakers: Sequence[str]) -> Floats:
    n = len(speakers)
    place = {s: k for k, s in enumerate(speakers)}
    picture = np.full((2 * n, 2 * n), np.nan)
    for name, down, right, transposed in QUADRANTS:
        if name in matrices:
            matrix = matrices[name]
            at = np.array([place[s] for s in matrix.speakers])
            values = matrix.values.T if transposed else matrix.values
            picture[np.ix_(at + down * n, at + right * n)] = values
    return picture


def _hatch(ax: Axes, top: int, left: int, n: int) -> None:
    ax.add_patch(
        Rectangle((left, top), n, n, facecolor="white", edgecolor=LIGHT, hatch="////", lw=0.0)
    )
    ax.text(
        left + n / 2,
        top + n / 2,
        "absent",
        ha="center",
        va="center",
        color=GREY,
        bbox={"facecolor": "white", "edgecolor": "none", "pad": 2.0},
    )


def _label(ax: Axes, speakers: Sequence[str]) -> None:
    """Speaker ids down the left side, thinned to what 7 pt allows; O and P along both axes."""
    n = len(speakers)
    figure = ax.get_figure(root=True)
    assert figure is not None
    room = 0.95 * ax.bbox.height / figure.dpi * 72.0 / (2 * n)
    every = max(1, int(np.ceil(SMALL * 1.1 / room)))
    # The last name of the upper half must not run into the first of the lower.
    some = [k for k in range(0, n, every) if k == 0 or n - k >= every]
    rows = [k + half * n for half in (0, 1) for k in some]
    ax.set_yticks(
        [k + 0.5 for k in rows], [shown(speakers[k % n], 10) for k in rows], parse_math=False
    )
    sides = ["original (O)", "protected (P)"]
    widest = max(text_size(ax, label.get_text())[0] for label in ax.get_yticklabels())
    beside = 5.0 + widest * 72.0 / figure.dpi
    for k, side in enumerate(sides):
        ax.annotate(
            side,
            (0.0, 0.75 - k / 2),
            (-beside, 0.0),
            xycoords="axes fraction",
            textcoords="offset points",
            rotation=90,
            ha="right",
            va="center",
        )
    ax.set_xticks([n / 2, 3 * n / 2], sides, fontsize=8.0)
    ax.tick_params(length=0, pad=2)
    ax.tick_params(axis="x", pad=14)
    for name, down, right, transposed in QUADRANTS:
        ax.annotate(
            rf"$M_\mathrm{{{name.upper()}}}" + ("^{\\,T}$" if transposed else "$"),
            (0.25 + right / 2, 1 - down),
            (0, -3 if down else 3),
            xycoords="axes fraction",
            textcoords="offset points",
            ha="center",
            va="top" if down else "bottom",
        )
