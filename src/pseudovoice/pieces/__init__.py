"""Recordings cut into utterances: at pauses, or by who speaks when."""

from pseudovoice.pieces.cut import Cutting, Piece
from pseudovoice.pieces.listen import cut_by_turns, cut_recordings

__all__ = ["Cutting", "Piece", "cut_by_turns", "cut_recordings"]
