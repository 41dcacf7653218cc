"""Linking public segments to people an attacker has speech of: scores, linkability and EER.

The linkage function LF(a, b) of maouche2022 §2 is the score of a back-end; D_sys measures how far
its values for one person and for two lie apart, 0 not at all and 1 completely.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pseudovoice.assessment.assess import assess_scores
from pseudovoice.assessment.estimate import Estimate, Row
from pseudovoice.backends import Backend, Cosine, EnrolmentTrials
from pseudovoice.choices import ENROLLED_MODELS, IDENTITY_REPLICATES
from pseudovoice.embeddings.embeddings import Embeddings
from pseudovoice.errors import InputError, UsageError
from pseudovoice.scores.scoreset import ScoreSet, named_scores

FIGURES = ("d_sys", "eer", "d_ece")


@dataclass(frozen=True)
class Linked:
    """How well segments are linked, each figure with its interval over speakers and null level."""

    d_sys: Estimate
    eer: Estimate
    d_ece: Estimate
    n_mated: int
    n_nonmated: int

    def to_dict(self) -> dict[str, Any]:
        facts: dict[str, Any] = {"n_mated": self.n_mated, "n_nonmated": self.n_nonmated}
        for name in FIGURES:
            figure: Estimate = getattr(self, name)
            facts[name] = {k: getattr(figure, k) for k in ("value", "low", "high", "null")}
        return facts


def link_scores(
    enrolment: Embeddings,
    trials: Embeddings,
    backend: Backend | None = None,
    *,
    models: str = "speaker",
    lists: EnrolmentTrials | None = None,
) -> ScoreSet:
    """Score all trials with all models; cosine without a ``backend``.

    ``models`` is ``speaker``, one model of all that the attacker has of a person, or ``segment``,
    each piece by itself. With ``lists`` the models are those listed, and each is tried with the
    pieces of the utterances that it is listed with. Trials cut from an utterance that was enrolled
    are left out.
    """
    if models not in ENROLLED_MODELS:
        raise UsageError(
            f"There are no models {models!r}; choose from {', '.join(ENROLLED_MODELS)}."
        )
    known = frozenset(enrolment.ids)
    trials = trials.take([k for k, name in enumerate(trials.ids) if name not in known])
    if not len(trials) or not len(enrolment):
        raise InputError(
            "Nothing is left to compare: every trial comes from an utterance that was enrolled; "
            "enrol other utterances of these people."
        )
    backend = backend or Cosine()
    at, called = _modelled(enrolment, lists)
    people = [enrolment.speakers[k] for k in at]
    rows = backend.prepare(enrolment.vectors[at])
    if models == "speaker":
        called, first, model_of = np.unique(called, return_index=True, return_inverse=True)
        rows = backend.enrol(rows, model_of.astype(np.int32), called.size)
        people = [people[k] for k in first]
    names = tuple(sorted({*people, *trials.speakers}))
    code = {name: k for k, name in enumerate(names)}
    score = backend.score(rows, backend.prepare(trials.vectors))
    is_trial = _listed(called, trials.ids, lists)
    who, tried = (
        np.array([code[name] for name in side], np.int32) for side in (people, trials.speakers)
    )
    return named_scores(
        score[is_trial],
        np.broadcast_to(who[:, None], score.shape)[is_trial],
        np.broadcast_to(tried, score.shape)[is_trial],
        names,
        method="enrolment" if models == "speaker" else "exhaustive",
    )


def _modelled(
    enrolment: Embeddings, lists: EnrolmentTrials | None
) -> tuple[NDArray[np.intp], NDArray[np.str_]]:
    """The segments that models are made of, and the model of each: a person, or who is listed."""
    if lists is None:
        return np.arange(len(enrolment)), np.array(enrolment.speakers)
    of: dict[str, list[str]] = {}
    for model, utterances in lists.models.items():
        for name in utterances:
            of.setdefault(name, []).append(model)
    made = [(k, model) for k, name in enumerate(enrolment.ids) for model in of.get(name, ())]
    if not made:
        raise InputError(
            f"{lists.key.path}: none of its models is enrolled with speech that is here; check "
            "that lists and corpus belong together."
        )
    return np.array([k for k, _ in made]), np.array([model for _, model in made])


def _listed(
    models: NDArray[np.str_], tried: Sequence[str], lists: EnrolmentTrials | None
) -> NDArray[np.bool_]:
    """Which models are tried with which pieces."""
    if lists is None:
        return np.ones((models.size, len(tried)), np.bool_)
    key = lists.key
    assert key.enrol is not None
    assert key.trial is not None
    pairs = np.zeros((len(key.enrol.values), len(key.trial.values)), np.bool_)
    pairs[key.enrol.codes, key.trial.codes] = True
    row = {name: k for k, name in enumerate(key.enrol.values)}
    column = {name: k for k, name in enumerate(key.trial.values)}
    # Who is in no list has no trial: the last row and column are empty.
    pairs = np.pad(pairs, ((0, 1), (0, 1)))
    rows = [row.get(str(name), -1) for name in models]
    return pairs[np.ix_(rows, [column.get(name, -1) for name in tried])]


def link(
    enrolment: Embeddings,
    trials: Embeddings,
    backend: Backend | None = None,
    *,
    models: str = "speaker",
    lists: EnrolmentTrials | None = None,
    replicates: int = IDENTITY_REPLICATES,
    seed: int = 0,
) -> Linked:
    """Attack: scores of :func:`link_scores`, and what they are worth."""
    scores = link_scores(enrolment, trials, backend, models=models, lists=lists)
    # The condition's name does not change a figure; which attack it is, the caller knows.
    found = assess_scores({"pq": scores}, replicates=replicates, permutations=replicates, seed=seed)
    rows = {row.metric: row for row in found.rows if row.condition == "pq"}
    if "d_sys" not in rows:
        raise InputError(
            "There are fewer than ten trials of enrolled people; linkability needs more."
        )
    return Linked(
        _estimate(rows["d_sys"]),
        _estimate(rows["eer"]),
        _estimate(rows["d_ece"]),
        rows["eer"].n_mated,
        rows["eer"].n_nonmated,
    )


def _estimate(row: Row) -> Estimate:
    return Estimate(row.value, row.low, row.high, row.null, row.null_95, row.chance)
