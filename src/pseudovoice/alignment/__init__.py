"""When each word of an utterance is said: forced alignment, and alignments made elsewhere."""

from pseudovoice.alignment.align import Aligned, Aligner, align, align_corpus
from pseudovoice.alignment.readers import ReadAlignments, read_alignments
from pseudovoice.alignment.sphinx import SphinxAligner
from pseudovoice.alignment.word import Alignment, AlignmentError, Word

__all__ = [
    "Aligned",
    "Aligner",
    "Alignment",
    "AlignmentError",
    "ReadAlignments",
    "SphinxAligner",
    "Word",
    "align",
    "align_corpus",
    "read_alignments",
]
