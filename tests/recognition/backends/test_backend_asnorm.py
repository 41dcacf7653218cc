"""AS-norm against the definition written as a double loop, and what it is invariant to."""

from __future__ import annotations

import numpy as np
import pytest
from two_covariance_world import world

from pseudovoice.backends import Backend, Cosine, train_plda, with_as_norm
from pseudovoice.errors import InputError


@pytest.fixture(scope="module", params=["cosine", "plda"])
def inner(request) -> Backend:
    if request.param == "cosine":
        return Cosine()
    training = world(1, [3] * 40, 6)
    return train_plda(training.vectors, training.speakers, shrinkage=0.1)


@pytest.fixture(scope="module")
def cohort() -> np.ndarray:
    return world(2, [1] * 50, 6).vectors


@pytest.fixture(scope="module")
def segments() -> np.ndarray:
    return world(3, [3] * 4, 6).vectors


def double_loop(inner, rows, columns, cohort, top):
    voices = inner.prepare(cohort)

    def nearest(one):
        scores = sorted(float(inner.score(one[None], v[None])[0, 0]) for v in voices)[-top:]
        mean = sum(scores) / top
        return mean, (sum((s - mean) ** 2 for s in scores) / top) ** 0.5

    score = np.empty((len(rows), len(columns)))
    for i, e in enumerate(rows):
        for j, t in enumerate(columns):
            s = float(inner.score(e[None], t[None])[0, 0])
            (mean_e, dev_e), (mean_t, dev_t) = nearest(e), nearest(t)
            score[i, j] = 0.5 * ((s - mean_e) / dev_e + (s - mean_t) / dev_t)
    return score


@pytest.mark.parametrize("top", [2, 17, 50])
def test_equals_the_double_loop(inner, cohort, segments, top, monkeypatch):
    # A few rows at a time, so that blocks are joined.
    monkeypatch.setattr("pseudovoice.backends.asnorm._SCORES_AT_ONCE", 150)
    normed = with_as_norm(inner, cohort, top)
    rows, columns = segments[:5], segments[5:]
    score = normed.score(normed.prepare(rows), normed.prepare(columns))
    expected = double_loop(inner, inner.prepare(rows), inner.prepare(columns), cohort, top)
    np.testing.assert_allclose(score, expected, rtol=1e-8, atol=1e-8)


def test_models_are_normalised_as_models(inner, cohort, segments):
    normed = with_as_norm(inner, cohort, 20)
    code = np.array([0, 0, 0, 1, 1, 2], np.int32)
    models = normed.enrol(normed.prepare(segments[:6]), code, 3)
    score = normed.score(models, normed.prepare(segments[6:]))
    plain = inner.enrol(inner.prepare(segments[:6]), code, 3)
    expected = double_loop(inner, plain, inner.prepare(segments[6:]), cohort, 20)
    np.testing.assert_allclose(score, expected, rtol=1e-8, atol=1e-8)


def test_order_of_the_cohort_does_not_matter(inner, cohort, segments):
    one, other = with_as_norm(inner, cohort, 20), with_as_norm(inner, cohort[::-1], 20)
    rows = one.prepare(segments)
    np.testing.assert_allclose(other.prepare(segments), rows, rtol=1e-9)


def test_default_top_is_the_cohort_where_it_is_small(inner, cohort):
    assert with_as_norm(inner, cohort).top == 50
    assert with_as_norm(inner, np.repeat(cohort, 7, axis=0)).top == 300


@pytest.mark.parametrize("top", [0, 1, 51])
def test_impossible_top_gets_a_sentence(inner, cohort, top):
    with pytest.raises(InputError, match=rf"over the {top} nearest .* choose 2 to 50"):
        with_as_norm(inner, cohort, top)


def test_cohort_that_is_none_gets_a_sentence(inner, cohort, segments):
    with pytest.raises(InputError, match=r"The cohort has 1 embedding"):
        with_as_norm(inner, cohort[:1])
    same = with_as_norm(inner, np.repeat(cohort[:1], 5, axis=0))
    with pytest.raises(InputError, match="all have the same score"):
        same.prepare(segments)
    with pytest.raises(InputError, match="normalised already"):
        with_as_norm(with_as_norm(inner, cohort), cohort)
