"""What is wrong with a key: trials listed twice or with both labels, speakers that do not fit."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pseudovoice.errors import Problem, few
from pseudovoice.scores.speakers import Speakers
from pseudovoice.scores.trials import Trials, conflicting

Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class CheckedKey:
    """Which trials of a key can be used, and which compare a segment with itself.

    ``first`` is the row where each trial is listed for the first time.
    """

    usable: Mask
    same: Mask
    first: NDArray[np.intp]
    problems: list[Problem]
    notes: list[str]


def check_key(
    key: Trials, first: NDArray[np.intp], speakers: Speakers, *, repeats: bool
) -> CheckedKey:
    """Find the trials of a key that cannot be used; with ``repeats``, list repetitions too."""
    assert key.label is not None
    assert key.enrol is not None
    assert key.trial is not None
    problems: list[Problem] = []
    trial_code = {value: k for k, value in enumerate(key.trial.values)}
    same: Mask = key.enrol.recode(trial_code) == key.trial.codes
    a, b = speakers.of_enrol[key.enrol.codes], speakers.of_trial[key.trial.codes]
    known = (a >= 0) & (b >= 0)
    if not known.all():
        who = sorted({*key.trial.take(b < 0).values, *key.enrol.take(a < 0).values})
        lines = key.line[~known].tolist()
        problems.append(
            Problem(
                f"{key.path}:{lines[0]}",
                f"the speaker of {len(who)} utterance(s) is "
                f"not known ({few(who)}), {len(lines)} trial(s) in all",
                "they are left out; name their speakers (`utt2spk`)",
            )
        )
    twice = conflicting(first, key.label)
    contradicts = known & ((a == b) != key.label) & ~same & ~twice
    if contradicts.any():
        lines = key.line[contradicts].tolist()
        k = int(np.flatnonzero(contradicts)[0])
        says = "target" if key.label[k] else "nontarget"
        problems.append(
            Problem(
                f"{key.path}:{lines[0]}",
                f"the key says {says} but the speakers are {speakers.names[a[k]]} and "
                f"{speakers.names[b[k]]}; {len(lines)} trial(s) like this (lines {few(lines)})",
                "they are left out; correct the key or utt2spk",
            )
        )
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
    repeated = (first != np.arange(first.size)) & ~twice
    if repeats and repeated.any():
        lines = key.line[repeated].tolist()
        problems.append(
            Problem(
                f"{key.path}:{lines[0]}",
                f"{len(lines)} line(s) list a trial again (lines {few(lines)})",
                "each trial is counted once; remove the repetition",
            )
        )
    notes = []
    if speakers.guessed:
        notes.append(
            f"{key.path}: {speakers.guessed} trial utterance(s) have no mated trial, so "
            "nobody can tell who speaks; each counts as a speaker of its own: give "
            "`utt2spk` for right intervals."
        )
    return CheckedKey(known & ~contradicts & ~twice, same, first, problems, notes)
