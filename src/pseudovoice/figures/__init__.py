"""Figures of an assessment, each with its tidy data and a caption that carries the numbers."""

from pseudovoice.figures.comparison import Compared, compared, comparison_figures
from pseudovoice.figures.draw import draw_all, draw_comparison, render, write_figures
from pseudovoice.figures.gain import gain_figure
from pseudovoice.figures.specs import FigureSpec, figure_specs

__all__ = [
    "Compared",
    "FigureSpec",
    "compared",
    "comparison_figures",
    "draw_all",
    "draw_comparison",
    "figure_specs",
    "gain_figure",
    "render",
    "write_figures",
]
