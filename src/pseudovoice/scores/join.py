"""Scores and key brought together trial by trial; what does not fit is listed, never filled in."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pseudovoice.errors import InputError, Problem, few
from pseudovoice.scores.scoreset import ScoreSet, named_scores, unnamed_scores
from pseudovoice.scores.speakers import Speakers
from pseudovoice.scores.trials import Trials

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
    assert scores.label is not None
    finite = np.isfinite(scores.score)
    problems = [*scores.problems, *_not_finite(scores, finite)]
    score, label = scores.score[finite], scores.label[finite]
    _check_classes(scores.path, label)
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
    notes: list[str] = []
    enrol = scores.enrol.recode({v: k for k, v in enumerate(key.enrol.values)})
    trial = scores.trial.recode({v: k for k, v in enumerate(key.trial.values)})
    width = np.int64(len(key.trial.values))
    pair = np.where((enrol < 0) | (trial < 0), -1, enrol * width + trial)
    wanted = key.enrol.codes * width + key.trial.codes

    keep = np.isfinite(scores.score)
    problems += _not_finite(scores, keep)
    keep, said = _drop_duplicates(
        scores, scores.enrol.codes * np.int64(len(scores.trial.values)) + scores.trial.codes, keep
    )
    problems += said

    order = np.argsort(wanted, kind="stable")
    at = np.minimum(np.searchsorted(wanted, pair, sorter=order), wanted.size - 1)
    row = order[at]
    listed = (pair >= 0) & (wanted[row] == pair)
    problems += _not_listed(scores, key, listed)
    keep &= listed
    problems += _missing(scores, key, wanted, pair[keep])

    problems_of_row, ok, same, guessed = _check_key(key, wanted, speakers)
    problems += problems_of_row
    notes += guessed
    keep &= ok[row]
    if (same[row] & keep).any():
        notes.append(
            f"{scores.path}: {int((same[row] & keep).sum())} scores of a segment against "
            "itself are no trials and are left out."
        )
        keep &= ~same[row]
    row = row[keep]
    _check_classes(scores.path, key.label[row])
    return Joined(
        named_scores(
            scores.score[keep],
            speakers.of_enrol[key.enrol.codes[row]],
            speakers.of_trial[key.trial.codes[row]],
            speakers.names,
            method="exhaustive" if set(key.enrol.values) <= set(key.trial.values) else "enrolment",
        ),
        tuple(problems),
        tuple(notes),
    )


def _not_finite(scores: Trials, finite: Mask) -> list[Problem]:
    if finite.all():
        return []
    lines = scores.line[~finite].tolist()
    return [
        Problem(
            f"{scores.path}:{lines[0]}",
            f"{len(lines)} score(s) are NaN or infinite (lines {few(lines)})",
            "they are left out; rescore these trials",
        )
    ]


def _drop_duplicates(
    scores: Trials, pair: NDArray[np.int64], keep: Mask
) -> tuple[Mask, list[Problem]]:
    """A trial scored twice alike counts once; scored twice differently it does not count at all."""
    assert scores.score is not None
    order = np.lexsort((scores.line, pair))
    again = np.flatnonzero(pair[order][1:] == pair[order][:-1]) + 1
    if not again.size:
        return keep, []
    keep = keep.copy()
    differs = scores.score[order[again]] != scores.score[order[again - 1]]
    problems = []
    lines = scores.line[order[again]]
    if (~differs).any():
        alike = np.sort(lines[~differs]).tolist()
        problems.append(
            Problem(
                f"{scores.path}:{alike[0]}",
                f"{len(alike)} trial(s) are scored twice with the same score (lines {few(alike)})",
                "each is counted once; remove the repetition",
            )
        )
    if differs.any():
        unlike = np.sort(lines[differs]).tolist()
        problems.append(
            Problem(
                f"{scores.path}:{unlike[0]}",
                f"{len(unlike)} trial(s) are scored "
                f"twice with different scores (lines {few(unlike)})",
                "they are left out, nobody can tell which score is right; rescore these trials",
            )
        )
    keep[order[again]] = False
    keep[np.isin(pair, pair[order[again[differs]]])] = False
    return keep, problems


def _not_listed(scores: Trials, key: Trials, listed: Mask) -> list[Problem]:
    if listed.all():
        return []
    assert scores.enrol is not None
    assert key.enrol is not None
    lines = scores.line[~listed].tolist()
    strangers = sorted({*scores.enrol.take(~listed).present()} - set(key.enrol.values))
    who = f"; not in the key at all: {few(strangers)}" if strangers else ""
    return [
        Problem(
            f"{scores.path}:{lines[0]}",
            f"{len(lines)} score(s) belong to no trial of {key.path} (lines {few(lines)}{who})",
            "they are left out; check that scores and key belong together",
        )
    ]


def _missing(
    scores: Trials,
    key: Trials,
    wanted: NDArray[np.int64],
    have: NDArray[np.int64],
) -> list[Problem]:
    missing = ~np.isin(wanted, have)
    if not missing.any():
        return []
    if missing.all():
        raise InputError(
            f"{scores.path}: none of the {len(key)} trials of {key.path} has a score here; "
            "check that scores and key belong together."
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


def _check_key(
    key: Trials,
    wanted: NDArray[np.int64],
    speakers: Speakers,
) -> tuple[list[Problem], Mask, Mask, list[str]]:
    """Which trials of the key can be used, and which compare a segment with itself."""
    assert key.label is not None
    assert key.enrol is not None
    assert key.trial is not None
    problems: list[Problem] = []
    trial_code = {value: k for k, value in enumerate(key.trial.values)}
    same: Mask = key.enrol.recode(trial_code) == key.trial.codes
    a, b = speakers.of_enrol[key.enrol.codes], speakers.of_trial[key.trial.codes]
    known = (a >= 0) & (b >= 0)
    if not known.all():
        who = sorted(set(key.trial.take(~known).present()))
        lines = key.line[~known].tolist()
        problems.append(
            Problem(
                f"{key.path}:{lines[0]}",
                f"the speaker of {len(who)} utterance(s) is "
                f"not known ({few(who)}), {len(lines)} trial(s) in all",
                "they are left out; add the utterances to utt2spk",
            )
        )
    contradicts = known & ((a == b) != key.label) & ~same
    if contradicts.any():
        lines = key.line[contradicts].tolist()
        k = int(np.flatnonzero(contradicts)[0])
        says = "target" if key.label[k] else "nontarget"
        problems.append(
            Problem(
                f"{key.path}:{lines[0]}",
                f"the key says {says} but the speakers are "
                f"{speakers.names[a[k]]} and {speakers.names[b[k]]}; {len(lines)} trial(s) like "
                f"this (lines {few(lines)})",
                "they are left out; correct the key or utt2spk",
            )
        )
    twice = _conflicting(wanted, key.label)
    if twice.any():
        lines = key.line[twice].tolist()
        problems.append(
            Problem(
                f"{key.path}:{lines[0]}",
                f"{len(lines)} line(s) list a trial both as "
                f"target and as nontarget (lines {few(lines)})",
                "they are left out; correct the key",
            )
        )
    notes = []
    if speakers.guessed:
        notes.append(
            f"{key.path}: {speakers.guessed} trial utterance(s) have no mated trial, so "
            "nobody can tell who speaks; each counts as a speaker of its own: give "
            "--utt2spk for right intervals."
        )
    return problems, known & ~contradicts & ~twice, same, notes


def _conflicting(wanted: NDArray[np.int64], label: Mask) -> Mask:
    """Trials that are listed with both labels."""
    return np.isin(wanted, np.intersect1d(wanted[label], wanted[~label]))


def _check_classes(path: str, label: Mask) -> None:
    for there, name in ((label.any(), "mated (target)"), ((~label).any(), "non-mated (nontarget)")):
        if not there:
            raise InputError(
                f"{path}: no {name} trial is left; both classes are needed, check the key "
                "and the speaker names."
            )
