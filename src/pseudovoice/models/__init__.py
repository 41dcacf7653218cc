"""Files that install by name: weights and recordings, the user's cache, a weights-only reader."""

from pseudovoice.models.artefacts import ARTEFACTS, Artefact, artefact
from pseudovoice.models.cache import cache_directory
from pseudovoice.models.collection import Collection, Member, fetch_collection
from pseudovoice.models.tensors import read_tensors
from pseudovoice.models.weights import (
    Check,
    FallbackWarning,
    FetchError,
    WeightFile,
    cached_path,
    fetch,
    verify,
)

__all__ = [
    "ARTEFACTS",
    "Artefact",
    "Check",
    "Collection",
    "FallbackWarning",
    "FetchError",
    "Member",
    "WeightFile",
    "artefact",
    "cache_directory",
    "cached_path",
    "fetch",
    "fetch_collection",
    "read_tensors",
    "verify",
]
