"""From files to score sets: scores, key and speakers of each condition."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pseudovoice.errors import InputError, Problem, UsageError, few
from pseudovoice.scores.formats.detect import read_trials
from pseudovoice.scores.formats.lines import check_file
from pseudovoice.scores.formats.text import read_columns
from pseudovoice.scores.join import LARGEST, Joined, is_usable, join, join_unnamed
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
    chosen = _formats_by_path(formats or {}, [*files.values(), *([trials] if trials else [])])

    def read(path: str | Path, needs: str) -> Trials:
        return read_trials(path, needs, chosen.get(str(path), "auto"))

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
    speakers, said = (None, []) if key is None else _speakers(key, people)
    problems += said
    sets: dict[str, ScoreSet] = {}
    for name, path in files.items():
        scores = read(path, "score")
        used[name] = describe(path, scores.format, len(scores))
        if scores.label is None and used[name]["sha256"] == used.get("trials", {}).get("sha256"):
            raise UsageError(
                f"{path}: this is the key itself ({trials}); name the file with the scores."
            )
        joined = _join(scores, key, speakers, people)
        sets[name] = joined.scores
        problems += [p for p in joined.problems if p not in problems]
        notes += [note for note in joined.notes if note not in notes]
        notes += _like_labels(scores)
    notes += _repeated_files({name: used[name] for name in files})
    return Reading(sets, tuple(problems), tuple(notes), used)


def _formats_by_path(formats: Mapping[str, str], paths: Sequence[str | Path]) -> dict[str, str]:
    """The format of each path; a file may be called by its name or by the path it was given."""
    chosen: dict[str, str] = {}
    for name, format in formats.items():
        exact = [str(p) for p in paths if Path(p) == Path(name)]
        found = exact or [str(p) for p in paths if Path(p).name == name]
        if not found:
            known = few([Path(p).name for p in paths])
            raise UsageError(f"`formats` names {name}, but the files given are {known}; name one.")
        chosen.update(dict.fromkeys(found, format))
    return chosen


def _like_labels(scores: Trials) -> list[str]:
    """A remark where scores look like the labels of a key."""
    x = scores.score
    if scores.label is None and x is not None and ((x == 0) | (x == 1)).all() and np.ptp(x) == 1:
        return [
            f"{scores.path}: every score is 0 or 1, like the labels of a key; check that these "
            "are scores."
        ]
    return []


def _repeated_files(used: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """A remark where two conditions have the same scores: often a slip on the command line."""
    first: dict[str, str] = {}
    notes = []
    for name, file in used.items():
        before = first.setdefault(file["sha256"], name)
        # f0 and f1 of a deterministic safeguard are alike; the assessment says so itself.
        if before != name and before.partition("/")[0] != name.partition("/")[0]:
            notes.append(
                f"{name} and {before} were read from files with the same content "
                f"({file['file']}); check that this is meant."
            )
    return notes


def _join(
    scores: Trials,
    key: Trials | None,
    speakers: Speakers | None,
    people: dict[str, str] | None,
) -> Joined:
    if scores.enrol is None or scores.trial is None:
        joined = join_unnamed(scores)
        if key is None:
            return joined
        note = f"{scores.path}: the scores name no trials, so the key {key.path} was not used."
        return Joined(joined.scores, joined.problems, (*joined.notes, note))
    if key is not None and speakers is not None:
        return join(scores, key, speakers)
    if scores.label is None:
        raise UsageError(
            f"{scores.path}: the scores carry no labels, so a key is needed: name it with `trials`."
        )
    speakers, said = _speakers(scores, people)
    joined = join(scores, scores, speakers)
    return Joined(joined.scores, (*said, *joined.problems), joined.notes)


def _speakers(key: Trials, people: dict[str, str] | None) -> tuple[Speakers, list[Problem]]:
    if people is not None:
        return speakers_from_utt2spk(key, people), []
    return speakers_from_table(key) or (speakers_from_key(key), [])


def read_classes(mated: str | Path, nonmated: str | Path) -> Reading:
    """Read two files of one score a line, one for each class."""
    scores: list[NDArray[np.float64]] = []
    problems: list[Problem] = []
    used = {}
    for name, path in (("mated", Path(mated)), ("nonmated", Path(nonmated))):
        check_file(path)
        read = read_columns(path, ("score",), ("score",))
        values = read.numbers("score")
        problems += read.problems
        usable = is_usable(values)
        if not usable.all():
            lines = read.line[~usable].tolist()
            problems.append(
                Problem(
                    f"{path}:{lines[0]}",
                    f"{len(lines)} score(s) are NaN, infinite or beyond ±{LARGEST:g} "
                    f"(lines {few(lines)})",
                    "they are left out; rescore these trials",
                )
            )
        if not usable.any():
            raise InputError(f"{path}: there is no score in this file; write one number a line.")
        scores.append(values[usable])
        used[name] = describe(path, "one score a line", int(values.size))
    return Reading({"": unnamed_scores(scores[0], scores[1])}, tuple(problems), (), used)


def describe(path: str | Path, format: str, count: int) -> dict[str, Any]:
    """What provenance says of an input file: its name without folders, format, size and hash."""
    with Path(path).open("rb") as raw:
        digest = hashlib.file_digest(raw, "sha256").hexdigest()
    # A name that is no UTF-8 could not be written into JSON; show its bytes instead.
    name = Path(path).name.encode("utf-8", "backslashreplace").decode("utf-8")
    return {"file": name, "format": format, "items": count, "sha256": digest}
