"""Saved results, which colleagues hand each other."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from fuzz.target import DEEP, Target
from pseudovoice.assessment.assess import assess_scores
from pseudovoice.library.keep import load
from pseudovoice.library.tables import tables
from pseudovoice.scores.embeddings import score_embeddings


def _load(folder: Path, data: bytes) -> None:
    path = folder / "result.json"
    path.write_bytes(data)
    result = load(path)
    tables(result)
    again = result.save(folder / "again.json").read_bytes()
    assert load(folder / "again.json").save(folder / "third.json").read_bytes() == again


def _seeds(folder: Path) -> Sequence[bytes]:
    vectors = np.eye(4)[[0, 0, 1, 1]]
    scores = score_embeddings(vectors, vectors, ["a", "a", "b", "b"])
    found = assess_scores({"oo": scores}, replicates=0, permutations=0)
    return [found.save(folder / "result.json").read_bytes(), DEEP]


TARGETS = (
    Target(
        "result",
        _load,
        _seeds,
        (
            *(b'"record"', b'"rows"', b'"conditions"', b'"ScoreSet"', b'"BinnedScores"'),
            *(b'"Outcome"', b'"AudioAssessment"', b'"format": 1', b"null", b"NaN", b"1e999"),
            *(b"k05VTVBZ", b"[", b"{}", b'""'),
        ),
        longest=16_384,
        smoke=100,
    ),
)
