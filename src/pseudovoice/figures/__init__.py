"""Figures of an assessment, each with its tidy data and a caption that carries the numbers."""

from pseudovoice.figures.comparison import Compared, compared, comparison_plates
from pseudovoice.figures.draw import draw_all, draw_comparison, render, write_plates
from pseudovoice.figures.plates import Plate, plates

__all__ = [
    "Compared",
    "Plate",
    "compared",
    "comparison_plates",
    "draw_all",
    "draw_comparison",
    "plates",
    "render",
    "write_plates",
]
