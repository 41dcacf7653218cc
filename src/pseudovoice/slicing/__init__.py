"""Slicing: less speech in each piece, and pieces that nobody can put back in order."""

from pseudovoice.slicing.algorithm import Slice, fixed, shorten, slice_words
from pseudovoice.slicing.settings import Slicing
from pseudovoice.slicing.slice_corpus import Sliced, slice_corpus
from pseudovoice.slicing.summary import Summary
from pseudovoice.slicing.table import Origin, read_table, write_table

__all__ = [
    "Origin",
    "Slice",
    "Sliced",
    "Slicing",
    "Summary",
    "fixed",
    "read_table",
    "shorten",
    "slice_corpus",
    "slice_words",
    "write_table",
]
