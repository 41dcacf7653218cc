"""EM of the two-covariance model: monotone, at the optimum, equivariant, and it finds the truth."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import multivariate_normal
from two_covariance_world import world

from pseudovoice.backends.em import fit_em
from pseudovoice.backends.labelled import labelled, moments
from pseudovoice.errors import InputError


@settings(max_examples=25)
@given(
    seed=st.integers(0, 10_000),
    d=st.integers(1, 5),
    shrinkage=st.sampled_from([0.0, 0.1, 0.7, 0.99]),
)
def test_objective_never_decreases(seed, d, shrinkage):
    counts = np.random.default_rng(seed).integers(1, 7, 25).tolist()
    drawn = world(seed, [2, 2, *counts], d)
    fit = fit_em(
        labelled(drawn.vectors, drawn.speakers), shrinkage=shrinkage, iterations=25, tolerance=-1
    )
    gain = np.diff(fit.objective)
    assert gain.size == 24
    assert (gain >= -1e-9 * np.abs(fit.objective[:-1])).all()


def test_objective_is_the_log_likelihood():
    drawn = world(5, [1, 2, 3, 4, 2, 6], 3)
    training = labelled(drawn.vectors, drawn.speakers)
    start = fit_em(training, iterations=0).model
    value = fit_em(training, iterations=1).objective[0]
    expected = 0.0
    for k in range(training.speakers):
        mine = training.vectors[training.speaker_of == k]
        n = len(mine)
        joint = np.kron(np.ones((n, n)), start.between) + np.kron(np.eye(n), start.within)
        expected += multivariate_normal(np.tile(start.mean, n), joint).logpdf(mine.ravel())
    assert value == pytest.approx(expected, abs=1e-8)


def test_balanced_data_reach_the_closed_form():
    """With n utterances each: W = within / (N - S) and B = ML covariance of means - W / n."""
    n, speakers = 4, 60
    drawn = world(8, [n] * speakers, 3)
    training = labelled(drawn.vectors, drawn.speakers)
    found = moments(training)
    means = training.sums / n
    between = np.cov(means.T, bias=True) - found.within / n
    assert np.linalg.eigvalsh(between).min() > 0
    model = fit_em(training, iterations=4000, tolerance=1e-14).model
    np.testing.assert_allclose(model.within, found.within, atol=1e-6)
    np.testing.assert_allclose(model.between, between, atol=1e-5)
    np.testing.assert_allclose(model.mean, means.mean(axis=0), atol=1e-8)


def test_known_covariances_are_recovered_from_unequal_counts():
    counts = np.random.default_rng(0).integers(1, 9, 4000).tolist()
    drawn = world(1, counts, 4, loudness=0.7)
    fit = fit_em(labelled(drawn.vectors, drawn.speakers), iterations=200, tolerance=1e-9)
    for mine, true in (
        (fit.model.between, drawn.truth.between),
        (fit.model.within, drawn.truth.within),
    ):
        assert np.linalg.norm(mine - true) < 0.05 * np.linalg.norm(true)
    np.testing.assert_allclose(fit.model.mean, drawn.truth.mean, atol=0.06)


def test_training_follows_affine_maps():
    drawn = world(2, [1, 2, 3, 4, 5] * 8, 3)
    turn = np.array([[2.0, 0.3, 0.0], [-1.0, 1.5, 0.2], [0.5, 0.0, 4.0]])
    plain = fit_em(labelled(drawn.vectors, drawn.speakers), iterations=3000, tolerance=1e-13).model
    seen = fit_em(
        labelled(drawn.vectors @ turn.T + 7, drawn.speakers), iterations=3000, tolerance=1e-13
    ).model
    np.testing.assert_allclose(seen.within, turn @ plain.within @ turn.T, rtol=1e-3, atol=1e-4)
    np.testing.assert_allclose(seen.between, turn @ plain.between @ turn.T, rtol=1e-2, atol=1e-3)


def test_moments_are_unbiased():
    """Over many small training sets the moment estimates average to the truth."""
    truth = world(4, [2, 2], 2).truth
    estimates = [
        moments(labelled(drawn.vectors, drawn.speakers))
        for drawn in (world(seed, [1, 2, 5, 3, 9], 2, truth=truth) for seed in range(1500))
    ]
    np.testing.assert_allclose(
        np.mean([e.within for e in estimates], axis=0), truth.within, atol=0.05
    )
    np.testing.assert_allclose(
        np.mean([e.between for e in estimates], axis=0), truth.between, atol=0.08
    )
    np.testing.assert_allclose(estimates[0].total, estimates[0].between + estimates[0].within)


def test_too_few_utterances_for_the_dimension_need_shrinkage():
    drawn = world(6, [2] * 5, 12)
    training = labelled(drawn.vectors, drawn.speakers)
    with pytest.raises(InputError, match="too few for a covariance in 12 dimensions"):
        fit_em(training)
    assert np.isfinite(fit_em(training, shrinkage=0.5).objective).all()
    with pytest.raises(InputError, match="from 0 to below 1"):
        fit_em(training, shrinkage=1.0)
