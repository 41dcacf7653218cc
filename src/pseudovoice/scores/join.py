"""Scores and key brought together trial by trial; what does not fit is listed, never filled in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pseudovoice.errors import InputError, Problem, few
from pseudovoice.scores.key import check_key
from pseudovoice.scores.scoreset import ScoreSet, named_scores, unnamed_scores
from pseudovoice.scores.speakers import Speakers
from pseudovoice.scores.trials import Trials, first_of_equal

Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Joined:
    """A score set, the items left out of it, and remarks that are no faults."""

    scores: ScoreSet
    problems: tuple[Problem, ...]
    notes: tuple[str, ...]


def join_unnamed(scores: Trials) -> Joined:
    """Scores of which only the labels are known (``score label`` files)."""
    assert scores.score is not None
    assert scores.label is not None  # every format has trials or labels
    usable = is_usable(scores.score)
    problems = [*scores.problems, *_not_usable(scores, usable)]
    score, label = scores.score[usable], scores.label[usable]
    _check_classes(scores.path, label, problems)
    return Joined(unnamed_scores(score[label], score[~label]), tuple(problems), ())


def join(scores: Trials, key: Trials, speakers: Speakers) -> Joined:
    """Scores with the labels of a key and the speakers behind it."""
    assert scores.score is not None
    assert scores.enrol is not None
    assert scores.trial is not None
    assert key.label is not None
    assert key.enrol is not None
    assert key.trial is not None
    problems = list(scores.problems)
    enrol = scores.enrol.recode({v: k for k, v in enumerate(key.enrol.values)})
    trial = scores.trial.recode({v: k for k, v in enumerate(key.trial.values)})
    width = np.int64(len(key.trial.values))
    pair = np.where((enrol < 0) | (trial < 0), -1, enrol * width + trial)
    wanted = key.enrol.codes * width + key.trial.codes
    order = np.argsort(wanted, kind="stable")

    keep = is_usable(scores.score)
    problems += _not_usable(scores, keep)
    own = scores.enrol.codes * np.int64(len(scores.trial.values)) + scores.trial.codes
    once, said = _drop_duplicates(scores, own, keep)
    keep &= once
    problems += said

    at = np.minimum(np.searchsorted(wanted, pair, sorter=order), wanted.size - 1)
    row = order[at]
    listed = (pair >= 0) & (wanted[row] == pair)
    problems += _not_listed(scores, key, listed)
    keep &= listed
    # A score that is left out for itself is not missing: it has had its sentence.
    checked = check_key(key, first_of_equal(wanted, order), speakers, repeats=scores is not key)
    scored = np.zeros(len(key), bool)
    scored[row[listed]] = True
    problems += _missing(scores, key, checked.same | scored[checked.first])
    disagree = _other_label(scores, key, row, keep)
    problems += disagree
    if disagree:
        assert scores.label is not None
        keep &= scores.label == key.label[row]

    problems += checked.problems
    notes = list(checked.notes)
    keep &= checked.usable[row]
    itself = keep & checked.same[row]
    if itself.any():
        notes.append(
            f"{scores.path}: {int(itself.sum())} scores of a segment against "
            "itself are no trials and are left out."
        )
        keep &= ~itself
    row = row[keep]
    _check_classes(scores.path, key.label[row], problems)
    # Only people who are in a trial: others would thin out the speaker bootstrap.
    one, other = speakers.of_enrol[key.enrol.codes[row]], speakers.of_trial[key.trial.codes[row]]
    there = np.zeros(len(speakers.names), bool)
    there[one] = there[other] = True
    recode = np.cumsum(there, dtype=np.int32) - np.int32(1)
    return Joined(
        named_scores(
            scores.score[keep],
            recode[one],
            recode[other],
            tuple(speakers.names[k] for k in np.flatnonzero(there)),
            method="exhaustive" if set(key.enrol.values) <= set(key.trial.values) else "enrolment",
        ),
        tuple(problems),
        tuple(notes),
    )


LARGEST = 1e100
"""Beyond this a score is a filler, not a measurement, and sums of scores overflow."""


def is_usable(score: NDArray[np.float64]) -> Mask:
    """Where a score is a number one can calculate with."""
    return np.abs(score) <= LARGEST  # False for NaN


def _not_usable(scores: Trials, usable: Mask) -> list[Problem]:
    if usable.all():
        return []
    lines = scores.line[~usable].tolist()
    return [
        Problem(
            f"{scores.path}:{lines[0]}",
            f"{len(lines)} score(s) are NaN, infinite or beyond ±{LARGEST:g} (lines {few(lines)})",
            "they are left out; rescore these trials",
        )
    ]


def _drop_duplicates(
    scores: Trials, pair: NDArray[np.int64], usable: Mask
) -> tuple[Mask, list[Problem]]:
    """A trial scored twice alike counts once; scored twice differently it does not count at all."""
    assert scores.score is not None
    keep = np.ones(pair.size, bool)
    at = np.flatnonzero(usable)
    order = at[np.argsort(pair[at], kind="stable")]
    again = np.flatnonzero(pair[order][1:] == pair[order][:-1]) + 1
    if not again.size:
        return keep, []
    first = first_of_equal(pair, order)
    keep[order[again]] = False
    differs = ~keep & (scores.score != scores.score[first])
    trials = np.zeros(pair.size, bool)
    trials[first[differs]] = True
    unlike = usable & trials[first]
    alike = ~keep & ~unlike
    keep &= ~unlike
    problems = []
    if alike.any():
        lines = scores.line[alike].tolist()
        problems.append(
            Problem(
                f"{scores.path}:{lines[0]}",
                f"{len(lines)} line(s) score a trial again with the same score "
                f"(lines {few(lines)})",
                "each trial is counted once; remove the repetition",
            )
        )
    if unlike.any():
        lines = scores.line[unlike].tolist()
        problems.append(
            Problem(
                f"{scores.path}:{lines[0]}",
                f"{int(trials.sum())} trial(s) are scored more than once with different scores "
                f"(lines {few(lines)})",
                "they are left out, nobody can tell which score is right; rescore these trials",
            )
        )
    return keep, problems


def _other_label(scores: Trials, key: Trials, row: NDArray[np.intp], keep: Mask) -> list[Problem]:
    """Labels in the score file that are not those of the key."""
    if scores is key or scores.label is None:
        return []
    assert key.label is not None
    other = keep & (scores.label != key.label[row])
    if not other.any():
        return []
    lines = scores.line[other].tolist()
    return [
        Problem(
            f"{scores.path}:{lines[0]}",
            f"{len(lines)} line(s) carry another label than {key.path} (lines {few(lines)})",
            "they are left out; correct one of the files",
        )
    ]


def _not_listed(scores: Trials, key: Trials, listed: Mask) -> list[Problem]:
    if listed.all():
        return []
    assert scores.enrol is not None
    assert key.enrol is not None
    lines = scores.line[~listed].tolist()
    strangers = sorted({*scores.enrol.take(~listed).values} - set(key.enrol.values))
    who = f"; not in the key at all: {few(strangers)}" if strangers else ""
    return [
        Problem(
            f"{scores.path}:{lines[0]}",
            f"{len(lines)} score(s) belong to no trial of {key.path} (lines {few(lines)}{who})",
            "they are left out; check that scores and key belong together",
        )
    ]


def _missing(scores: Trials, key: Trials, scored: Mask) -> list[Problem]:
    missing = ~scored
    if not missing.any():
        return []
    if missing.all():
        raise InputError(
            f"{scores.path}: none of the {len(key)} trials of {key.path} has a score here "
            f"({_first(scores)} comes first here, {_first(key)} there); check that scores and key "
            "belong together."
        )
    lines = key.line[missing].tolist()
    return [
        Problem(
            f"{key.path}:{lines[0]}",
            f"{len(lines)} of {len(key)} trials have no score in "
            f"{scores.path} (lines {few(lines)} of the key)",
            "they are left out, not filled in; score them",
        )
    ]


def _first(trials: Trials) -> str:
    assert trials.enrol is not None
    assert trials.trial is not None
    one, other = (side.values[side.codes[0]] for side in (trials.enrol, trials.trial))
    return f"'{one} {other}'"


def _check_classes(path: str, label: Mask, problems: Sequence[Problem]) -> None:
    for there, name in ((label.any(), "mated (target)"), ((~label).any(), "non-mated (nontarget)")):
        if not there:
            raise InputError(
                f"{path}: no {name} trial is left; both classes are needed, check the key "
                "and the speaker names." + (f" Left out: {problems[0]}" if problems else "")
            )
