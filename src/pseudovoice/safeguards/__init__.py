"""Safeguards: what gives a speaker a pseudo-voice."""

from pseudovoice.safeguards.mcadams import McAdams, RandomMcAdams
from pseudovoice.safeguards.persona import Persona
from pseudovoice.safeguards.registry import available, parse_chain
from pseudovoice.safeguards.safeguard import Chain, Safeguard, Voice
from pseudovoice.safeguards.xvector.safeguard import XVector

__all__ = [
    "Chain",
    "McAdams",
    "Persona",
    "RandomMcAdams",
    "Safeguard",
    "Voice",
    "XVector",
    "available",
    "parse_chain",
]
