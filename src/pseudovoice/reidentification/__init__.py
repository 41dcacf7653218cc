"""Whose slice is it: how well an attacker links short pieces of speech to people it knows."""

from pseudovoice.reidentification.attack import (
    IdentityResult,
    OwnSpeech,
    SlicedSpeech,
    attack_identity,
    attack_uncut,
)
from pseudovoice.reidentification.link import Linked, link, link_scores
from pseudovoice.reidentification.split import split_utterances

__all__ = [
    "IdentityResult",
    "Linked",
    "OwnSpeech",
    "SlicedSpeech",
    "attack_identity",
    "attack_uncut",
    "link",
    "link_scores",
    "split_utterances",
]
