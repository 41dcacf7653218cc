"""persona: a pseudo-voice made of a new vocal tract, a new pitch and a new timbre."""

from pseudovoice.safeguards.persona.pseudovoice import PseudoVoice
from pseudovoice.safeguards.persona.safeguard import Persona

__all__ = ["Persona", "PseudoVoice"]
