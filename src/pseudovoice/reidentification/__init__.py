"""Whose slice is it: how well an attacker links short pieces of speech to people it knows."""

from pseudovoice.reidentification.attack import (
    ENROLMENTS,
    Attacked,
    Found,
    Known,
    attack_identity,
)
from pseudovoice.reidentification.link import MODELS, Linked, link, link_scores
from pseudovoice.reidentification.segments import Segments, embed_segments
from pseudovoice.reidentification.split import split_utterances

__all__ = [
    "ENROLMENTS",
    "MODELS",
    "Attacked",
    "Found",
    "Known",
    "Linked",
    "Segments",
    "attack_identity",
    "embed_segments",
    "link",
    "link_scores",
    "split_utterances",
]
