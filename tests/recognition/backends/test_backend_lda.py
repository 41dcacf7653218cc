"""LDA against scikit-learn, and what it does where scikit-learn would not."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import subspace_angles
from sklearn.covariance import oas
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from two_covariance_world import world

from pseudovoice.backends import train_lda
from pseudovoice.backends.lda import oracle_approximating_shrinkage
from pseudovoice.errors import InputError


@pytest.fixture
def drawn():
    counts = np.random.default_rng(0).integers(2, 9, 30).tolist()
    return world(0, counts, 10)


@pytest.mark.parametrize("k", [1, 3, 9])
def test_subspace_is_that_of_scikit_learn(drawn, k):
    mine = train_lda(drawn.vectors, drawn.speakers, k)
    theirs = LinearDiscriminantAnalysis(solver="eigen", n_components=k)
    theirs.fit(drawn.vectors, drawn.speakers)
    assert subspace_angles(mine.projection, theirs.scalings_[:, :k]).max() < 1e-6
    assert mine.shrinkage == 0


def test_projected_speakers_have_unit_covariance_within(drawn):
    lda = train_lda(drawn.vectors, drawn.speakers, 4)
    y, names = lda(drawn.vectors), np.array(drawn.speakers)
    residual = np.vstack([y[names == n] - y[names == n].mean(axis=0) for n in np.unique(names)])
    freedom = len(names) - len(np.unique(names))
    np.testing.assert_allclose(residual.T @ residual / freedom, np.eye(4), atol=1e-9)
    assert (np.diff(lda.ratio) <= 0).all()


def test_default_dimension_is_the_most_there_can_be(drawn):
    assert train_lda(drawn.vectors, drawn.speakers).projection.shape == (10, 10)
    few = [k for k, name in enumerate(drawn.speakers) if name < "s00004"]
    lda = train_lda(drawn.vectors[few], [drawn.speakers[k] for k in few])
    assert lda.projection.shape == (10, 3)


def test_singular_within_covariance_is_shrunk():
    drawn = world(1, [2] * 6, 20)
    lda = train_lda(drawn.vectors, drawn.speakers, 5)
    assert 0 < lda.shrinkage <= 1
    assert np.isfinite(lda.projection).all()
    with pytest.raises(InputError, match="do not span their 20 dimensions"):
        train_lda(drawn.vectors, drawn.speakers, 5, shrinkage=0.0)


def test_shrinkage_agrees_with_scikit_learn_up_to_its_simplification():
    """scikit-learn leaves out the terms 2/d, which vanish with growing dimension."""
    x = np.random.default_rng(2).standard_normal((30, 200)) * np.linspace(0.2, 3, 200)
    x -= x.mean(axis=0)
    theirs = oas(x, assume_centered=True)[1]
    assert oracle_approximating_shrinkage(x.T @ x / 30, 30) == pytest.approx(theirs, rel=0.02)
    assert oracle_approximating_shrinkage(np.eye(3), 10) == 1


@pytest.mark.parametrize("k", [0, -1, 11, 100])
def test_impossible_dimension_gets_a_sentence(drawn, k):
    with pytest.raises(InputError, match=rf"LDA to {k} dimensions is not possible.*allow 1 to 10"):
        train_lda(drawn.vectors, drawn.speakers, k)


def test_shrinkage_is_a_share(drawn):
    with pytest.raises(InputError, match="a share between 0 and 1"):
        train_lda(drawn.vectors, drawn.speakers, 2, shrinkage=1.5)
