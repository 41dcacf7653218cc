"""The cache of the ONNX graphs that we write ourselves.

Two encoders come as bare tensors. Their networks are written down once as ONNX; from then on they
run like any other. The file is named by the hash of the tensors and the version of the writer, so
that a correction of the writer is never hidden by an old file.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

from pseudovoice.models.cache import cache_directory, sha256_of, store


def written_graph(name: str, weights_sha256: str, version: int, write: Callable[[], bytes]) -> Path:
    """The path of the graph that ``write`` makes of those weights, written if it is not there."""
    identity = hashlib.sha256(f"{name} {version} {weights_sha256}".encode()).hexdigest()
    path = cache_directory() / "graphs" / f"{name}-{identity[:16]}.onnx"
    note = path.with_suffix(".sha256")
    if path.is_file() and note.is_file() and note.read_text().strip() == sha256_of(path):
        return path
    data = write()
    store(data, path)
    store(hashlib.sha256(data).hexdigest().encode(), note)
    return path
