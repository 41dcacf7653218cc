"""From embeddings to score sets."""

from __future__ import annotations

import numpy as np
import pytest

from pseudovoice import score_embeddings
from pseudovoice.scores.embeddings import unit_length
from pseudovoice.scores.scoreset import named_scores, unnamed_scores

VECTORS = np.random.default_rng(0).normal(size=(7, 4))
OTHERS = np.random.default_rng(1).normal(size=(7, 4))
WHO = list("aabbbca")


def cosine(x: np.ndarray, y: np.ndarray) -> float:
    return float(x @ y / np.sqrt((x @ x) * (y @ y)))


@pytest.mark.parametrize("pairing", ["all", "upper"])
def test_cosine_of_every_pair_but_a_segment_with_itself(pairing: str) -> None:
    scores = score_embeddings(VECTORS, OTHERS, WHO, pairing=pairing)
    pairs = [(k, m) for k in range(7) for m in range(7) if (k != m if pairing == "all" else k < m)]
    assert scores.score.size == len(pairs) == (42 if pairing == "all" else 21)
    np.testing.assert_allclose(scores.score, [cosine(VECTORS[k], OTHERS[m]) for k, m in pairs])
    assert [scores.speakers[c] for c in scores.enrol] == [WHO[k] for k, _ in pairs]
    assert [scores.speakers[c] for c in scores.trial] == [WHO[m] for _, m in pairs]
    assert scores.mated.tolist() == [WHO[k] == WHO[m] for k, m in pairs]
    assert (scores.method, scores.pairing, scores.named) == ("exhaustive", pairing, True)


def test_other_segments_on_the_columns() -> None:
    scores = score_embeddings(VECTORS, OTHERS[:3], WHO, ["c", "a", "z"], same_segment=False)
    assert scores.score.size == 21
    assert scores.speakers == ("a", "b", "c", "z")
    np.testing.assert_allclose(scores.score[1], cosine(VECTORS[0], OTHERS[1]))
    assert scores.mated.sum() == 3 + 1


def test_length_does_not_matter() -> None:
    loud = VECTORS * np.arange(1, 8)[:, None]
    np.testing.assert_allclose(
        score_embeddings(loud, OTHERS, WHO).score,
        score_embeddings(VECTORS, OTHERS, WHO).score,
        atol=1e-15,
    )
    np.testing.assert_allclose(np.linalg.norm(unit_length(loud), axis=1), 1.0)
    single = score_embeddings(VECTORS.astype(np.float32), OTHERS, WHO).score
    assert single.dtype == np.float64


def test_sets() -> None:
    scores = named_scores(
        np.array([1.0, 2.0, 3.0]),
        np.array([0, 0, 1], np.int32),
        np.array([0, 1, 1], np.int32),
        ("a", "b"),
    )
    assert scores.mated.tolist() == [True, False, True]
    assert scores.mated_scores.tolist() == [1.0, 3.0]
    assert scores.nonmated_scores.tolist() == [2.0]
    assert scores.named
    plain = unnamed_scores(np.array([1.0, 3.0]), np.array([2.0]))
    assert not plain.named
    assert plain.mated_scores.tolist() == [1.0, 3.0]
    assert plain.nonmated_scores.tolist() == [2.0]
    assert plain.method == "unnamed"
