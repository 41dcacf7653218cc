"""The glossary: what every metric, condition and word means, for the terminal and the docs."""

from pseudovoice.glossary.lookup import SECTIONS, TERMS, find
from pseudovoice.glossary.term import Term

__all__ = ["SECTIONS", "TERMS", "Term", "find"]
