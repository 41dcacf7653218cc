"""Alignments made elsewhere, read from the formats in use."""

from pseudovoice.alignment.readers.read import ReadAlignments, read_alignments

__all__ = ["ReadAlignments", "read_alignments"]
