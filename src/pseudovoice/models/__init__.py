"""Model weights that install by name: known artefacts, the user's cache, a weights-only reader."""

from pseudovoice.models.artefacts import ARTEFACTS, Artefact, artefact
from pseudovoice.models.cache import cache_directory
from pseudovoice.models.tensors import read_tensors
from pseudovoice.models.weights import (
    Check,
    FallbackWarning,
    FetchError,
    Weights,
    cached_path,
    fetch,
    verify,
)

__all__ = [
    "ARTEFACTS",
    "Artefact",
    "Check",
    "FallbackWarning",
    "FetchError",
    "Weights",
    "artefact",
    "cache_directory",
    "cached_path",
    "fetch",
    "read_tensors",
    "verify",
]
