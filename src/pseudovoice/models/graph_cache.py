"""The cache of the ONNX graphs that we write ourselves.

Two encoders come as bare tensors, and a decoder with packed ones. Their networks are written down
once as ONNX; from then on they run like any other. The file is named by the hash of the tensors and
the version of the writer, so that a correction of the writer is never hidden by an old file.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

from pseudovoice.models.cache import cache_directory, sha256_of, store


def written_graph(name: str, weights_sha256: str, version: int, write: Callable[[], bytes]) -> Path:
    """The path of the graph that ``write`` makes of those weights, written if it is not there."""
    path = _place(name, weights_sha256, version)
    if not _whole(path):
        _write(path, write())
    return path


def written_graph_beside(
    name: str, weights_sha256: str, version: int, write: Callable[[str], tuple[bytes, bytes]]
) -> Path:
    """The same for a graph with its weights in another file, of which ``write`` is told the name.

    Such weights are read where they lie on the disk; in one file with the graph they would be held
    several times while it is being opened.
    """
    path = _place(name, weights_sha256, version)
    weights = path.with_suffix(".weights")
    if not _whole(path) or not _whole(weights):
        graph, data = write(weights.name)
        _write(weights, data)
        _write(path, graph)
    return path


def _place(name: str, weights_sha256: str, version: int) -> Path:
    identity = hashlib.sha256(f"{name} {version} {weights_sha256}".encode()).hexdigest()
    return cache_directory() / "graphs" / f"{name}-{identity[:16]}.onnx"


def _whole(path: Path) -> bool:
    note = _note(path)
    return path.is_file() and note.is_file() and note.read_text().strip() == sha256_of(path)


def _write(path: Path, data: bytes) -> None:
    store(data, path)
    store(hashlib.sha256(data).hexdigest().encode(), _note(path))


def _note(path: Path) -> Path:
    return path.with_suffix(".sha256" if path.suffix == ".onnx" else f"{path.suffix}.sha256")
