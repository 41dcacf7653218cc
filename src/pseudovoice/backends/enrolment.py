"""Scores of enrolment models against trial segments (method ``enrolment``)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from pseudovoice.backends.backend import Backend
from pseudovoice.backends.enrolment_lists import EnrolmentTrials, Models
from pseudovoice.embeddings.embeddings import Embeddings
from pseudovoice.errors import InputError, Problem, few
from pseudovoice.scores.embeddings import has_direction
from pseudovoice.scores.join import Joined, join
from pseudovoice.scores.trials import Trials

Mask = NDArray[np.bool_]


def score_enrolment(
    backend: Backend, lists: EnrolmentTrials, enrol: Embeddings, trial: Embeddings
) -> Joined:
    """Score the listed trials: one model per enrolled id, from all of its utterances.

    ``enrol`` and ``trial`` hold the embeddings of the two sides, for instance original and
    protected speech; they may be the same. An utterance without a usable embedding is listed and
    left out, a model without any utterance takes its trials with it, and a trial utterance that
    its model was enrolled with is no trial. The score set has the method ``enrolment``.
    """
    key = lists.key
    assert key.enrol is not None
    assert key.trial is not None
    problems = list(lists.problems)
    wanted = {name: lists.models[name] for name in key.enrol.values if name in lists.models}
    row_of = _rows(enrol, problems)
    column_of = row_of if trial is enrol else _rows(trial, problems)
    models = _complete(wanted, row_of, enrol.source, problems)
    model_at = {name: k for k, name in enumerate(models)}
    row = key.enrol.recode(model_at)
    column = key.trial.recode(column_of)
    keep = ~_own_utterance(key, lists.models, problems)
    keep &= _available(key, row >= 0, "model", problems)
    keep &= _available(key, column >= 0, "trial", problems)
    if not keep.any():
        raise InputError(
            f"{key.path}: no trial has both a model and an embedding; check that lists and "
            "embeddings belong together."
        )
    row, column = row[keep], column[keep]

    used = [row_of[utterance] for mine in models.values() for utterance in mine]
    model_of = np.repeat(np.arange(len(models)), [len(mine) for mine in models.values()])
    prepared = backend.prepare(enrol.vectors[used])
    rows = backend.enrol(prepared, model_of.astype(np.int32), len(models))
    tried, column = np.unique(column, return_inverse=True)
    columns = backend.prepare(trial.vectors[tried])
    score = backend.linear_form(rows, columns).pairs(row, column)
    scored = replace(_take(key, keep), score=score, problems=tuple(problems))
    joined = join(scored, scored, lists.speakers(scored))
    # Models named like utterances do not make the trials segment × segment.
    return replace(joined, scores=replace(joined.scores, method="enrolment"))


def _rows(embeddings: Embeddings, problems: list[Problem]) -> dict[str, int]:
    """The row of each utterance with a vector that has a direction."""
    usable = has_direction(embeddings.vectors)
    row_of: dict[str, int] = {}
    twice = [u for k, u in enumerate(embeddings.ids) if row_of.setdefault(u, k) != k]
    bad = [name for name, k in row_of.items() if not usable[k]]
    for names, what, remedy in (
        (twice, "utterance id(s) stand twice", "the first is used; make ids unique"),
        (bad, "vector(s) are zero or not finite", "they are left out; embed them again"),
    ):
        if names:
            problems.append(
                Problem(embeddings.source, f"{len(names)} {what} ({few(names)})", remedy)
            )
    return {name: k for name, k in row_of.items() if usable[k]}


def _complete(wanted: Models, row_of: dict[str, int], path: str, problems: list[Problem]) -> Models:
    """The models with the utterances that are there; a model without any is left out."""
    models = {name: tuple(u for u in mine if u in row_of) for name, mine in wanted.items()}
    if lost := [u for mine in wanted.values() for u in mine if u not in row_of]:
        problems.append(
            Problem(
                path,
                f"{len(lost)} enrolment utterance(s) have no usable embedding ({few(lost)})",
                "their models do without them; embed them",
            )
        )
    return {name: mine for name, mine in models.items() if mine}


def _own_utterance(key: Trials, models: Models, problems: list[Problem]) -> Mask:
    """Trials whose utterance is among those their model was enrolled with."""
    assert key.enrol is not None
    assert key.trial is not None
    code_of = {name: k for k, name in enumerate(key.trial.values)}
    width = len(code_of)
    pairs = [
        k * width + code_of[utterance]
        for k, name in enumerate(key.enrol.values)
        for utterance in models.get(name, ())
        if utterance in code_of
    ]
    own: Mask = np.isin(key.enrol.codes.astype(np.int64) * width + key.trial.codes, pairs)
    if own.any():
        lines = key.line[own].tolist()
        problems.append(
            Problem(
                f"{key.path}:{lines[0]}",
                f"{len(lines)} trial(s) try an utterance that its model was enrolled with "
                f"(lines {few(lines)})",
                "they are left out; enrol and try with different utterances",
            )
        )
    return own


def _available(key: Trials, there: Mask, side: str, problems: list[Problem]) -> Mask:
    """Which trials have their model or their trial utterance; the others are listed."""
    names = key.enrol if side == "model" else key.trial
    assert names is not None
    if not there.all():
        who, lines = sorted(set(names.take(~there).values)), key.line[~there].tolist()
        what = (
            f"{len(who)} model(s) have no enrolment utterance ({few(who)})"
            if side == "model"
            else f"{len(who)} trial utterance(s) have no usable embedding ({few(who)})"
        )
        problems.append(
            Problem(
                f"{key.path}:{lines[0]}",
                f"{what}, {len(lines)} trial(s) in all",
                "they are left out, not filled in; embed the utterances",
            )
        )
    return there


def _take(key: Trials, keep: Mask) -> Trials:
    """Some of the trials of a key."""
    assert key.enrol is not None
    assert key.trial is not None
    return replace(
        key,
        line=key.line[keep],
        enrol=key.enrol.take(keep),
        trial=key.trial.take(keep),
        label=None if key.label is None else key.label[keep],
        enrol_speaker=None,
        trial_speaker=None,
    )
