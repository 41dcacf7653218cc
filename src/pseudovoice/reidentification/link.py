"""Linking public segments to people an attacker has speech of: scores, linkability and EER.

The linkage function LF(a, b) of maouche2022 §2 is the score of a back-end; D_sys measures how far
its values for one person and for two lie apart, 0 not at all and 1 completely.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from pseudovoice.assessment.assess import assess_scores
from pseudovoice.assessment.estimate import Estimate, Row
from pseudovoice.backends import Backend, Cosine
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
) -> ScoreSet:
    """Score all trials with all models; cosine without a ``backend``.

    ``models`` is ``speaker``, one model of all that the attacker has of a person, or ``segment``,
    each piece by itself. Trials cut from an utterance that was enrolled are left out.
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
    names = tuple(sorted({*enrolment.speakers, *trials.speakers}))
    code = {name: k for k, name in enumerate(names)}
    who = np.array([code[name] for name in enrolment.speakers], np.int32)
    rows = backend.prepare(enrolment.vectors)
    if models == "speaker":
        people, model_of = np.unique(who, return_inverse=True)
        rows = backend.enrol(rows, model_of.astype(np.int32), people.size)
        who = people.astype(np.int32)
    score = backend.score(rows, backend.prepare(trials.vectors))
    tried = np.array([code[name] for name in trials.speakers], np.int32)
    return named_scores(
        score.ravel(),
        np.repeat(who, tried.size),
        np.tile(tried, who.size),
        names,
        method="enrolment" if models == "speaker" else "exhaustive",
    )


def link(
    enrolment: Embeddings,
    trials: Embeddings,
    backend: Backend | None = None,
    *,
    models: str = "speaker",
    replicates: int = IDENTITY_REPLICATES,
    seed: int = 0,
) -> Linked:
    """Attack: scores of :func:`link_scores`, and what they are worth."""
    scores = link_scores(enrolment, trials, backend, models=models)
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
