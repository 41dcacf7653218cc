"""A corpus of the demo on disk: utterances and their table, made once and kept in the cache."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pseudovoice.corpus import Corpus, Utterance, read_corpus, write_audio, write_table
from pseudovoice.errors import InputError
from pseudovoice.models.cache import cache_directory, workspace

RATE = 16_000
TABLE = "corpus.csv"


@dataclass(frozen=True)
class Said:
    """One utterance before it is written; samples at `RATE`."""

    id: str
    speaker: str
    session: str
    samples: NDArray[np.floating]


def corpus_place(name: str, made_of: Any) -> Path:
    """The folder of a corpus in the cache; other speech or another cut is another folder."""
    text = json.dumps(made_of, sort_keys=True)
    digest = hashlib.sha256(text.encode()).hexdigest()[:12]
    return cache_directory() / "demo" / f"{name}-{digest}"


def kept_corpus(place: Path, make: Callable[[], Iterable[Said]]) -> Corpus:
    """The corpus at ``place``, whole or not at all; made now if it is not there."""
    if not (place / TABLE).is_file():
        with workspace(place.parent) as folder:
            unfinished = folder / place.name
            _write(make(), unfinished)
            try:
                unfinished.rename(place)
            except OSError:
                # Somebody else has just made the same corpus; theirs is as good.
                if not (place / TABLE).is_file():
                    raise
    return read_corpus(place / TABLE)


def _write(said: Iterable[Said], folder: Path) -> None:
    folder = folder.resolve()
    utterances = []
    for one in said:
        path = folder / "audio" / one.speaker / f"{one.id}.flac"
        write_audio(path, one.samples, RATE)
        utterances.append(Utterance(one.id, one.speaker, path, session=one.session))
    if not utterances:
        raise InputError("The recordings of the demo hold no utterance; fetch them again.")
    write_table(Corpus(folder.name, folder, tuple(utterances)), folder / TABLE)
