"""PLDA's likelihood ratios against brute-force Gaussian densities, and their invariances."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import multivariate_normal
from two_covariance_world import covariance, world

from pseudovoice.backends.two_covariance import TwoCovariance
from pseudovoice.errors import InputError


def log_density(model: TwoCovariance, utterances: np.ndarray) -> float:
    """Joint log-density of utterances of one speaker, from the covariance of all of them."""
    n = len(utterances)
    joint = np.kron(np.ones((n, n)), model.between) + np.kron(np.eye(n), model.within)
    return float(multivariate_normal(np.tile(model.mean, n), joint).logpdf(utterances.ravel()))


def brute_force(model: TwoCovariance, one: np.ndarray, other: np.ndarray) -> float:
    together = log_density(model, np.vstack([one, other]))
    return together - log_density(model, one) - log_density(model, other)


@pytest.fixture
def drawn():
    return world(3, [4] * 8, 5)


def test_single_segments_equal_brute_force(drawn):
    sides = drawn.truth.diagonal
    x = drawn.vectors[:9]
    score = sides.linear_form(sides.segments(x), sides.segments(x)).matrix()
    expected = [[brute_force(drawn.truth, a[None], b[None]) for b in x] for a in x]
    np.testing.assert_allclose(score, expected, rtol=0, atol=1e-8)


@pytest.mark.parametrize("sizes", [[3, 3, 3], [1, 2, 5]], ids=["equal", "unequal"])
def test_models_of_several_utterances_equal_brute_force(drawn, sizes):
    sides = drawn.truth.diagonal
    code = np.repeat(np.arange(3), sizes).astype(np.int32)
    used, tried = drawn.vectors[: code.size], drawn.vectors[20:25]
    models = sides.enrol(sides.segments(used), code, 3)
    score = sides.linear_form(models, sides.segments(tried)).matrix()
    expected = [
        [brute_force(drawn.truth, used[code == k], t[None]) for t in tried] for k in (0, 1, 2)
    ]
    np.testing.assert_allclose(score, expected, rtol=0, atol=1e-8)
    swapped = sides.linear_form(sides.segments(tried), models).matrix()
    np.testing.assert_allclose(swapped, score.T, rtol=0, atol=1e-10)


def test_models_against_models_equal_brute_force(drawn):
    sides = drawn.truth.diagonal
    x = drawn.vectors
    rows = sides.enrol(sides.segments(x[:5]), np.array([0, 0, 1, 1, 1], np.int32), 2)
    columns = sides.enrol(sides.segments(x[8:12]), np.array([0, 0, 1, 1], np.int32), 2)
    score = sides.linear_form(rows, columns).matrix()
    expected = [
        [brute_force(drawn.truth, a, b) for b in (x[8:10], x[10:12])] for a in (x[:2], x[2:5])
    ]
    np.testing.assert_allclose(score, expected, rtol=0, atol=1e-8)
    mixed = np.vstack([columns, sides.segments(x[:1])])
    with pytest.raises(InputError, match="put the models on the rows"):
        sides.linear_form(np.vstack([rows, sides.segments(x[:1])]), mixed)


def test_enrolling_models_again_counts_all_their_utterances(drawn):
    sides = drawn.truth.diagonal
    segments = sides.segments(drawn.vectors[:6])
    at_once = sides.enrol(segments, np.zeros(6, np.int32), 1)
    parts = sides.enrol(segments, np.array([0, 0, 1, 1, 1, 1], np.int32), 2)
    in_steps = sides.enrol(parts, np.zeros(2, np.int32), 1)
    np.testing.assert_allclose(in_steps, at_once, rtol=1e-12)


@given(seed=st.integers(0, 10_000), d=st.integers(1, 6))
def test_affine_maps_of_the_world_do_not_change_the_ratios(seed, d):
    rng = np.random.default_rng(seed)
    truth = TwoCovariance(rng.standard_normal(d), covariance(rng, d), covariance(rng, d))
    turn = rng.standard_normal((d, d)) + 3 * np.eye(d)
    shift = rng.standard_normal(d)
    seen = TwoCovariance(
        turn @ truth.mean + shift, turn @ truth.between @ turn.T, turn @ truth.within @ turn.T
    )
    x = rng.standard_normal((6, d))

    def ratios(model: TwoCovariance, vectors: np.ndarray) -> np.ndarray:
        side = model.diagonal.segments(vectors)
        return model.diagonal.linear_form(side, side).matrix()

    np.testing.assert_allclose(
        ratios(seen, x @ turn.T + shift), ratios(truth, x), rtol=1e-5, atol=1e-6
    )


def test_equal_sides_give_an_exactly_symmetric_matrix(drawn):
    sides = drawn.truth.diagonal
    segments = sides.segments(drawn.vectors)
    form = sides.linear_form(segments, segments.copy())
    assert (form.a == form.b).all()
    assert (form.row_term == form.column_term).all()
    score = sides.linear_form(segments, segments).matrix()
    assert (score == score.T).all()


def test_ratios_of_a_true_model_are_calibrated():
    """E[exp(-llr) | mated] = 1: the ratio of densities integrates to one."""
    drawn = world(11, [2] * 20_000, 2, loudness=2.0)
    sides = drawn.truth.diagonal
    segments = sides.segments(drawn.vectors)
    form = sides.linear_form(segments[::2], segments[1::2])
    k = np.arange(20_000)
    assert np.exp(-form.pairs(k, k)).mean() == pytest.approx(1, abs=0.03)


def test_a_direction_without_speakers_adds_nothing(drawn):
    flat = TwoCovariance(drawn.truth.mean, 0 * drawn.truth.between, drawn.truth.within)
    segments = flat.diagonal.segments(drawn.vectors)
    assert (flat.diagonal.linear_form(segments, segments).matrix() == 0).all()
