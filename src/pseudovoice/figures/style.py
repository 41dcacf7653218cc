"""The look that all figures share: sizes, colours, line styles, and text that is user data.

Colours are those of Okabe & Ito, which the common kinds of colour blindness keep apart; no
figure relies on them alone, so every colour comes with a marker, a dash or a hatch.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cache
from typing import Any

from matplotlib import style as mpl_style
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.font_manager import findfont, get_font
from matplotlib.legend import Legend

COLUMN, DOUBLE = 3.4, 7.0
"""Widths of one and of two columns of a paper, in inches."""

SMALL = 7.0
"""The smallest text, in points."""

BLACK, GREY, LIGHT = "#000000", "#6b6b6b", "#c9c9c9"
BLUE, VERMILLION, GREEN, ORANGE = "#0072B2", "#D55E00", "#009E73", "#E69F00"
PURPLE, SKY = "#CC79A7", "#56B4E9"

Dash = str | tuple[float, tuple[float, ...]]


@dataclass(frozen=True)
class Line:
    """How one series is drawn: colour, dash and marker always go together."""

    colour: str
    dash: Dash
    marker: str


CONDITION_LINES = {
    "oo": Line(GREY, (0, (5, 1.5)), "s"),
    "op": Line(BLUE, "-", "o"),
    "pp": Line(GREEN, (0, (5, 1.2, 1, 1.2)), "^"),
    "pq": Line(VERMILLION, (0, (1, 1)), "D"),
}
"""One look per condition, the same in every figure."""

CONDITION_TITLES = {
    "oo": "OO: original – original",
    "op": "OP: original – protected",
    "pp": "PP: protected – protected",
    "pq": "PQ: protected – attacker’s own",
}

SERIES_LINES = (
    Line(BLUE, "-", "o"),
    Line(VERMILLION, (0, (5, 1.5)), "s"),
    Line(GREEN, (0, (5, 1.2, 1, 1.2)), "^"),
    Line(PURPLE, (0, (1, 1)), "D"),
    Line(ORANGE, (0, (3, 1, 1, 1, 1, 1)), "v"),
    Line(SKY, (0, (8, 2)), "P"),
)
"""Looks for systems beside each other, in this order, and round again."""

_RC: dict[str, Any] = {
    "font.family": ["DejaVu Sans"],
    "font.size": 8.0,
    "mathtext.fontset": "dejavusans",
    "axes.titlesize": 8.0,
    "axes.labelsize": 8.0,
    "xtick.labelsize": SMALL,
    "ytick.labelsize": SMALL,
    "legend.fontsize": SMALL,
    "legend.title_fontsize": SMALL,
    "legend.frameon": False,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "xtick.major.size": 2.5,
    "ytick.major.size": 2.5,
    "lines.linewidth": 1.2,
    "hatch.linewidth": 0.5,
    "savefig.dpi": 200.0,
    "figure.dpi": 100.0,
    # Text as outlines and TrueType: the same everywhere, whatever fonts the reader has.
    "svg.fonttype": "path",
    "pdf.fonttype": 42,
    # Matplotlib derives ids in SVG from a random salt unless it is told one.
    "svg.hashsalt": "pseudovoice",
}


def house_style() -> AbstractContextManager[None]:
    """Draw and save within this: the user's own matplotlibrc must not change a figure."""
    return mpl_style.context(["default", _RC])


@cache
def _drawable(character: str) -> bool:
    font = get_font(findfont("DejaVu Sans"))
    return bool(font.get_char_index(ord(character))) and unicodedata.category(character)[0] != "C"


def shown(name: str, most: int = 16) -> str:
    """A speaker or system name as a figure shows it: one line, drawable, not too long.

    Characters that the embedded font lacks, and control characters, become ``\\uXXXX``, so that
    nobody is a row of empty boxes. Long names lose their middle: ids differ at the ends.
    """
    plain = "".join(c if _drawable(c) else f"\\u{ord(c):04x}" for c in name)
    if len(plain) <= most:
        return plain
    head = (most - 1) // 2
    return f"{plain[:head]}…{plain[len(plain) - (most - 1 - head) :]}"


def plain_legend(
    ax: Axes, handles: Sequence[Artist], labels: Sequence[str], **options: Any
) -> Legend:
    """A legend whose labels are taken literally: no mathtext, no meaning of a leading ``_``."""
    legend = ax.legend(list(handles), [f"{k}" for k in range(len(labels))], **options)
    for text, label in zip(legend.get_texts(), labels, strict=True):
        text.set_parse_math(False)
        text.set_text(label)
    return legend
