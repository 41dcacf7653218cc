"""EM training of the two-covariance model, exact for unequal numbers of utterances."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pseudovoice.backends.backend import Floats
from pseudovoice.backends.labelled import (
    Labelled,
    Moments,
    moments,
    towards_sphere,
)
from pseudovoice.backends.lda import is_singular
from pseudovoice.backends.two_covariance import TwoCovariance
from pseudovoice.errors import InputError

ITERATIONS = 50
TOLERANCE = 1e-5
"""EM stops when an iteration gains less than this, in nats per utterance."""


@dataclass(frozen=True, eq=False)
class Fit:
    """A trained model and what each iteration made of the objective (see :func:`fit_em`)."""

    model: TwoCovariance
    objective: tuple[float, ...]


@dataclass(frozen=True, eq=False)
class _Sphere:
    """The prior: each covariance is drawn towards a sphere, as if ``odds`` times the data said so.

    Inverse-Wishart priors with scale ν b I and ν w I, where ν = odds × S for B and odds × N for W;
    their M-step is the maximum-likelihood one mixed with the sphere at a share odds/(1 + odds).
    """

    odds: float
    between: float
    within: float


def fit_em(
    training: Labelled,
    *,
    shrinkage: float = 0.0,
    iterations: int = ITERATIONS,
    tolerance: float = TOLERANCE,
) -> Fit:
    """Learn μ, B and W from a training set.

    E-step: posterior of each speaker's y. M-step: μ = mean of the posterior means, B = their
    mean outer product plus posterior covariance, W = what is left of the data (Sizov et al. 2014,
    Algorithm 3). ``objective[t]`` is the log-likelihood before iteration t, plus the log-prior
    where ``shrinkage`` λ > 0; it never decreases. With λ the M-step is (1 − λ) B + λ b I and
    (1 − λ) W + λ w I, with b and w the mean variances of the training set. ``iterations`` = 0
    gives the moment estimates that EM starts from.
    """
    if not 0 <= shrinkage < 1:
        raise InputError(f"The shrinkage is {shrinkage}; EM takes a share from 0 to below 1.")
    found = moments(training)
    if shrinkage == 0 and is_singular(found.within):
        raise InputError(
            f"{training.utterances} training utterances of {training.speakers} speakers are too "
            f"few for a covariance in {training.dimension} dimensions; allow shrinkage, ask for "
            "fewer LDA dimensions or name a larger training corpus."
        )
    model, prior = _start(found, shrinkage)
    centred = training.vectors - found.mean
    scatter = centred.T @ centred
    objective: list[float] = []
    for _ in range(iterations):
        stepped, value = _step(model, prior, training, found.mean, scatter)
        objective.append(value)
        enough = tolerance * training.utterances
        if len(objective) > 1 and objective[-1] - objective[-2] < enough:
            break
        model = stepped
    return Fit(model, tuple(objective))


def _start(found: Moments, shrinkage: float) -> tuple[TwoCovariance, _Sphere]:
    d = found.mean.size
    w = float(np.trace(found.within)) / d
    b = max(float(np.trace(found.between)) / d, 1e-3 * w)
    within = towards_sphere(found.within, shrinkage)
    drawn = (1 - shrinkage) * found.between + shrinkage * b * np.eye(d)
    spectrum, axes = np.linalg.eigh(drawn)
    # The moment estimate may be indefinite; EM needs a start inside, and a direction that starts
    # at exactly 0 would stay there.
    between = (axes * np.maximum(spectrum, 1e-2 * b)) @ axes.T
    model = TwoCovariance(found.mean, between, within)
    return model, _Sphere(shrinkage / (1 - shrinkage), b, w)


def _step(
    model: TwoCovariance, prior: _Sphere, training: Labelled, centre: Floats, scatter: Floats
) -> tuple[TwoCovariance, float]:
    """One EM iteration, and the objective of the model it started from."""
    diagonal = model.diagonal
    axes, psi = diagonal.directions, diagonal.ratio
    n = training.counts[:, None]
    speakers, utterances = training.speakers, training.utterances
    sums = (training.sums - n * model.mean) @ axes
    shift = centre - model.mean
    spread = axes.T @ (scatter + utterances * np.outer(shift, shift)) @ axes
    variance = psi / (1 + n * psi)
    y = variance * sums

    gained = 0.5 * float((sums * y - np.log1p(n * psi)).sum())
    log_det_within = -2 * float(np.linalg.slogdet(axes)[1])
    value = gained - 0.5 * (
        utterances * (psi.size * np.log(2 * np.pi) + log_det_within) + float(np.trace(spread))
    )
    if prior.odds > 0:
        squared = (axes**2).sum(axis=0)
        value -= 0.5 * prior.odds * utterances * (log_det_within + prior.within * squared.sum())
        log_det_between = log_det_within + float(np.log(psi).sum())
        value -= (
            0.5 * prior.odds * speakers * (log_det_between + prior.between * (squared / psi).sum())
        )

    move = y.mean(axis=0)
    between = ((y - move).T @ (y - move) + np.diag(variance.sum(axis=0))) / speakers
    cross = sums.T @ y
    within = (spread - cross - cross.T + (n * y).T @ y) / utterances
    within += np.diag((n * variance).sum(axis=0)) / utterances
    # x − μ = V⁻ᵀ u, and V⁻ᵀ = W V.
    back = model.within @ axes
    share = prior.odds / (1 + prior.odds)
    sphere = share * np.eye(psi.size)
    stepped = TwoCovariance(
        model.mean + back @ move,
        _symmetric((1 - share) * back @ between @ back.T + prior.between * sphere),
        _symmetric((1 - share) * back @ within @ back.T + prior.within * sphere),
    )
    return stepped, value


def _symmetric(matrix: Floats) -> Floats:
    half: Floats = 0.5 * (matrix + matrix.T)
    return half
