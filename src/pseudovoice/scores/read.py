"""From files to score sets: scores, key and speakers of each condition."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pseudovoice.errors import InputError, Problem, UsageError
from pseudovoice.scores.formats.detect import read_trials
from pseudovoice.scores.formats.text import read_columns
from pseudovoice.scores.join import Joined, join, join_unnamed
from pseudovoice.scores.scoreset import ScoreSet, unnamed_scores
from pseudovoice.scores.speakers import (
    Speakers,
    read_utt2spk,
    speakers_from_key,
    speakers_from_table,
    speakers_from_utt2spk,
)
from pseudovoice.scores.trials import Trials


@dataclass(frozen=True)
class Reading:
    """What was read: a score set per name, what was left out, remarks, and the files used."""

    sets: dict[str, ScoreSet]
    problems: tuple[Problem, ...]
    notes: tuple[str, ...]
    files: dict[str, Any]


def read_scores(
    files: Mapping[str, str | Path],
    *,
    trials: str | Path | None = None,
    utt2spk: str | Path | None = None,
    formats: Mapping[str, str] | None = None,
) -> Reading:
    """Read the score files of some conditions with one key.

    ``files`` maps a condition to its file; ``trials`` is the key, which score files with
    labels of their own do not need; ``utt2spk`` says who speaks in each trial utterance (else
    the key's mated trials do). ``formats`` settles the format of a file (by its name) where
    detection cannot. Bad lines are listed in ``problems`` and left out.
    """
    chosen = dict(formats or {})

    def read(path: str | Path, needs: str) -> Trials:
        return read_trials(path, needs, chosen.get(Path(path).name, "auto"))

    problems: list[Problem] = []
    notes: list[str] = []
    used: dict[str, Any] = {}
    people: dict[str, str] | None = None
    if utt2spk is not None:
        people, said = read_utt2spk(utt2spk)
        problems += said
        used["utt2spk"] = describe(utt2spk, "utt2spk", len(people))
    key = None
    if trials is not None:
        key = read(trials, "label")
        problems += key.problems
        used["trials"] = describe(trials, key.format, len(key))
        if key.enrol is None or key.trial is None:
            raise InputError(
                f"{trials}: this {key.format} file names no trials; a key needs the "
                "enrolment and the trial id of each."
            )
    speakers = None if key is None else _speakers(key, people)
    sets: dict[str, ScoreSet] = {}
    for name, path in files.items():
        scores = read(path, "score")
        used[name] = describe(path, scores.format, len(scores))
        joined = _join(scores, key, speakers, people)
        sets[name] = joined.scores
        problems += [p for p in joined.problems if p not in problems]
        notes += [note for note in joined.notes if note not in notes]
    return Reading(sets, tuple(problems), tuple(notes), used)


def _join(
    scores: Trials,
    key: Trials | None,
    speakers: Speakers | None,
    people: dict[str, str] | None,
) -> Joined:
    if scores.enrol is None or scores.trial is None:
        return join_unnamed(scores)
    if key is not None and speakers is not None:
        return join(scores, key, speakers)
    if scores.label is None:
        raise UsageError(
            f"{scores.path}: the scores carry no labels, so a key is needed: name it with --trials."
        )
    return join(scores, scores, _speakers(scores, people))


def _speakers(key: Trials, people: dict[str, str] | None) -> Speakers:
    if people is not None:
        return speakers_from_utt2spk(key, people)
    return speakers_from_table(key) or speakers_from_key(key)


def read_classes(mated: str | Path, nonmated: str | Path) -> Reading:
    """Read two files of one score a line, one for each class."""
    scores: list[NDArray[np.float64]] = []
    problems: list[Problem] = []
    used = {}
    for name, path in (("mated", Path(mated)), ("nonmated", Path(nonmated))):
        if not path.is_file():
            raise InputError(f"{path}: there is no such file; check the path of --{name}.")
        read = read_columns(path, ("score",), ("score",))
        values = read.columns["score"]
        assert isinstance(values, np.ndarray)
        problems += read.problems
        finite = np.isfinite(values)
        if not finite.all():
            lines = read.line[~finite].tolist()
            problems.append(
                Problem(
                    f"{path}:{lines[0]}",
                    f"{len(lines)} score(s) are NaN or infinite",
                    "they are left out; rescore these trials",
                )
            )
        if not finite.any():
            raise InputError(f"{path}: there is no score in this file; write one number a line.")
        scores.append(values[finite])
        used[name] = describe(path, "one score a line", int(values.size))
    return Reading({"": unnamed_scores(scores[0], scores[1])}, tuple(problems), (), used)


def describe(path: str | Path, format: str, count: int) -> dict[str, Any]:
    """What provenance says of an input file: its name without folders, format, size and hash."""
    with Path(path).open("rb") as raw:
        digest = hashlib.file_digest(raw, "sha256").hexdigest()
    return {"file": Path(path).name, "format": format, "items": count, "sha256": digest}
