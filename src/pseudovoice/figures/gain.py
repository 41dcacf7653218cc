"""What an attack gains with more: EER, D_ECE and l_w against how much it had.

noe2020 §6 and noe2022 §8 ask for an assessment over several sessions; here n recordings, of the
person or of the pseudo-voice, and n sessions under n keys are the horizontal axis.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from pseudovoice.assessment.estimate import Row
from pseudovoice.attacks.curves import Curve
from pseudovoice.figures.panels import legend
from pseudovoice.figures.specs import FigureSpec
from pseudovoice.figures.style import DOUBLE, SERIES_LINES, Line
from pseudovoice.figures.tidy import Columns, columns
from pseudovoice.figures.wording import measured, named

METRICS: Mapping[str, tuple[str, float]] = {
    "eer": ("EER [%]", 100.0),
    "d_ece": ("D_ECE [bit]", 1.0),
    "l_w": ("l_w, log10", 1.0),
}


def gain_figure(who: str, found: Sequence[Curve]) -> FigureSpec | None:
    """One panel for each figure, a line for each thing there was more of; None without any."""
    if not found:
        return None

    def draw(figure: Figure) -> None:
        for ax, metric in zip(figure.subplots(1, len(METRICS)), METRICS, strict=True):
            draw_gain(ax, found, metric)
        handles = [
            Line2D([], [], color=look.colour, ls=look.dash, marker=look.marker, ms=4)
            for look in map(_look, range(len(found)))
        ]
        legend(figure, handles, [_label(curve) for curve in found])

    return FigureSpec(
        "gain",
        "What more of it tells",
        (DOUBLE, 2.3 + 0.14 * len(found)),
        draw,
        gain_data(found),
        gain_caption(who, found),
    )


def draw_gain(ax: Axes, found: Sequence[Curve], metric: str) -> None:
    """One figure over n, with 95 % intervals over speakers; n doubles from tick to tick."""
    title, factor = METRICS[metric]
    numbers = sorted({n for curve in found for n in curve.n})
    for k, curve in enumerate(found):
        look = _look(k)
        rows = [_row(one, metric) for one in curve.rows]
        values = [factor * float(row.value) for row in rows]
        # Side by side, or the intervals of several lines would hide each other.
        places = [n * 1.035 ** (k - (len(found) - 1) / 2) for n in curve.n]
        ax.plot(places, values, color=look.colour, ls=look.dash, marker=look.marker, ms=3.5)
        for place, row in zip(places, rows, strict=True):
            if row.low is not None and row.high is not None:
                ends = [factor * float(row.low), factor * float(row.high)]
                ax.plot([place, place], ends, color=look.colour, lw=0.7)
    ax.set_xscale("log", base=2)
    ax.set_xticks(numbers, [str(n) for n in numbers], minor=False)
    ax.set_xlim(numbers[0] / 1.25, numbers[-1] * 1.25)
    ax.set_ylim(bottom=0.0)
    ax.set_xlabel("n")
    ax.set_title(title, loc="left", fontsize=8.0)


def gain_data(found: Sequence[Curve]) -> Columns:
    """One row for each point of each panel."""
    rows = [
        (curve, n, _row(some, metric))
        for curve in found
        for n, some in zip(curve.n, curve.rows, strict=True)
        for metric in METRICS
    ]
    return columns(
        over=[curve.over for curve, _, _ in rows],
        beside=[curve.beside for curve, _, _ in rows],
        n=[n for _, n, _ in rows],
        metric=[row.metric for _, _, row in rows],
        value=[row.value for _, _, row in rows],
        low=[row.low for _, _, row in rows],
        high=[row.high for _, _, row in rows],
        n_mated=[row.n_mated for _, _, row in rows],
        n_nonmated=[row.n_nonmated for _, _, row in rows],
    )


def gain_caption(who: str, found: Sequence[Curve]) -> str:
    """The two ends of each line in words."""
    said = [
        f"{_label(curve)}: from {curve.n[0]} to {curve.n[-1]}, "
        f"{measured(_row(curve.rows[0], 'd_ece'))} becomes "
        f"{measured(_row(curve.rows[-1], 'd_ece'), '')}".replace("becomes  ", "becomes ")
        for curve in found
    ]
    return (
        f"What the attacker ({named(who)}) gains with n in place of one: equal error rate, "
        f"expected and worst-case disclosure, bars 95 % over speakers. {'; '.join(said)}. Few "
        "trials cannot show a large l_w, and larger groups make fewer trials."
    )


def _label(curve: Curve) -> str:
    return f"{curve.over} ({curve.beside})" if curve.beside else curve.over


def _look(k: int) -> Line:
    return SERIES_LINES[k % len(SERIES_LINES)]


def _row(rows: Sequence[Row], metric: str) -> Row:
    return next(row for row in rows if row.metric == metric)
