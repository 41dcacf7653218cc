"""Figures of an assessment, each with its tidy data and a caption that carries the numbers."""

from pseudovoice.figures.comparison import comparison_plates
from pseudovoice.figures.draw import draw_all, draw_comparison, render
from pseudovoice.figures.plates import Plate, plates

__all__ = ["Plate", "comparison_plates", "draw_all", "draw_comparison", "plates", "render"]
