"""The language model of whoever reads slices: learnt from the texts that a plan names."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

from pseudovoice.reassembly import read_arpa
from pseudovoice.reassembly.language import Learnt, learn_from_texts, read_text
from pseudovoice.slicing import Origin


def is_arpa(path: Path) -> bool:
    """Whether a file is a finished model by its name: ``.arpa``, perhaps gzipped."""
    return path.name.lower().removesuffix(".gz").endswith(".arpa")


def texts_sha256(paths: Sequence[Path]) -> str | None:
    """Hash of the texts; None if there are none. One that cannot be read is said at once."""
    if not paths:
        return None
    digest = hashlib.sha256()
    for path in paths:
        digest.update(hashlib.sha256(read_text(path)).digest())
    return digest.hexdigest()


def learn_language(paths: Sequence[Path], origins: Sequence[Origin]) -> Learnt:
    """What the plan names: a finished model, or texts to learn one from."""
    if is_arpa(paths[0]):
        return Learnt(read_arpa(paths[0]), None, None)
    return learn_from_texts(paths, origins)
