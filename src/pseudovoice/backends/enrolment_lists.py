"""Enrolment and trial lists as VoicePrivacy publishes them.

A folder ``…_enrolls`` holds ``enrolls`` (one utterance a line) or ``spk2utt`` (a model and its
utterances a line), a folder ``…_trials_f`` holds ``trials`` (``model utterance target|nontarget``),
and both hold ``utt2spk``. There a model is a speaker; a ``spk2utt`` may as well name several
models of a speaker, told apart by the trials.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from pseudovoice.errors import InputError, Problem, few
from pseudovoice.scores.speakers import (
    Speakers,
    read_utt2spk,
    speakers_from_key,
    speakers_from_utt2spk,
)
from pseudovoice.scores.trials import Names, Trials

Models = dict[str, tuple[str, ...]]


@dataclass(frozen=True)
class EnrolmentTrials:
    """Who is enrolled with what, and who is tried against whom.

    ``speaker_of`` names the speaker of utterances, and of models that are not called like their
    speaker; empty where nobody but the trials tells.
    """

    models: Models
    key: Trials
    speaker_of: dict[str, str]
    problems: tuple[Problem, ...]

    @property
    def tried(self) -> frozenset[str]:
        """The utterances that are tried: "the trial part" of a set (noe2022 §6)."""
        assert self.key.trial is not None
        return frozenset(self.key.trial.values)

    def speakers(self, key: Trials) -> Speakers:
        """Who is behind the ids of a part of the trials."""
        if self.speaker_of:
            return speakers_from_utt2spk(key, self.speaker_of)
        return speakers_from_key(key)


def read_enrolment_trials(
    enrols: str | Path,
    trials: str | Path | Sequence[str | Path],
    utt2spk: str | Path | None = None,
) -> EnrolmentTrials:
    """Read an enrolment list and a trial list; each may be a VoicePrivacy folder or the file.

    ``enrols`` is ``enrolls`` or ``spk2utt`` (told apart by the fields of the first line);
    ``trials`` may be several lists that count as one, such as those of women and of men. Without
    ``utt2spk`` the files of that name beside the lists are used, where there are any; else the
    trials themselves tell who speaks. Bad lines are listed and left out.
    """
    enrol_path, trial_paths = _file(enrols, ("enrolls", "spk2utt")), trial_files(trials)
    people: dict[str, str] = {}
    problems: list[Problem] = []
    beside = dict.fromkeys(p.parent / "utt2spk" for p in (enrol_path, *trial_paths))
    named = [Path(utt2spk)] if utt2spk is not None else [p for p in beside if p.is_file()]
    for path in named:
        found, said = read_utt2spk(path)
        people = found | people
        problems += said
    models = _models(enrol_path, people, problems)
    models, people = _one_speaker_each(enrol_path, models, people, problems)
    key = _as_one([_key(path) for path in trial_paths])
    problems += key.problems
    assert key.enrol is not None
    if not set(models) & set(key.enrol.values):
        raise InputError(
            f"{key.path}: none of its {len(key.enrol.values)} models "
            f"({few(key.enrol.values, 3)}) is enrolled in {enrol_path}; check that the two lists "
            "belong together."
        )
    return EnrolmentTrials(models, key, people, tuple(problems))


def trial_files(trials: str | Path | Sequence[str | Path]) -> tuple[Path, ...]:
    """The files of one list of trials or of several, each named itself or by its folder."""
    several = [trials] if isinstance(trials, str | Path) else trials
    return tuple(_file(one, ("trials",)) for one in several)


def _key(path: Path) -> Trials:
    from pseudovoice.scores.formats.detect import read_trials  # brings pyarrow, 25 MB

    key = read_trials(path, "label")
    if key.enrol is None or key.trial is None:
        raise InputError(
            f"{path}: this {key.format} file names no trials; expected the enrolment and "
            "the trial id of each."
        )
    return key


def _as_one(keys: Sequence[Trials]) -> Trials:
    """Several lists as one; lines count within their own file."""
    first = keys[0]
    if len(keys) == 1:
        return first
    labels = [key.label for key in keys if key.label is not None]
    return replace(
        first,
        path=" and ".join(key.path for key in keys),
        line=np.concatenate([key.line for key in keys]),
        enrol=_joined([key.enrol for key in keys if key.enrol is not None]),
        trial=_joined([key.trial for key in keys if key.trial is not None]),
        label=np.concatenate(labels) if len(labels) == len(keys) else None,
        enrol_speaker=None,
        trial_speaker=None,
        problems=tuple(problem for key in keys for problem in key.problems),
    )


def _joined(columns: Sequence[Names]) -> Names:
    values = tuple(value for names in columns for value in names.values)
    begins = np.cumsum([0, *(len(names.values) for names in columns)])
    codes = [n.codes + begin for n, begin in zip(columns, begins[:-1].tolist(), strict=True)]
    return Names(np.concatenate(codes).astype(np.int32), values).distinct()


def _file(path: str | Path, names: tuple[str, ...]) -> Path:
    path = Path(path)
    if path.is_dir():
        for name in names:
            if (path / name).is_file():
                return path / name
        raise InputError(f"{path}: the folder holds no {' or '.join(names)}; name the file itself.")
    if not path.is_file():
        raise InputError(f"{path}: there is no such file; check the path.")
    return path


def _models(path: Path, people: dict[str, str], problems: list[Problem]) -> Models:
    lines = list(_lines(path))
    if not lines:
        raise InputError(f"{path}: the file is empty; list the enrolment utterances.")
    utterances: dict[str, dict[str, None]] = {}
    if len(lines[0][1]) == 1:
        _collect_by_speaker(path, lines, people, utterances, problems)
    else:
        _collect_by_model(path, lines, utterances, problems)
    return {model: tuple(mine) for model, mine in utterances.items()}


def _collect_by_speaker(
    path: Path,
    lines: list[tuple[int, list[str]]],
    people: dict[str, str],
    utterances: dict[str, dict[str, None]],
    problems: list[Problem],
) -> None:
    """``enrolls``: one utterance a line, its speaker is the model."""
    if not people:
        raise InputError(
            f"{path}: the list names utterances only, and nobody says who speaks; give utt2spk, "
            "or a spk2utt with a model and its utterances a line."
        )
    unknown = []
    for number, (name, *more) in lines:
        if more:
            problems.append(
                Problem(
                    f"{path}:{number}",
                    f"the line has {1 + len(more)} fields where one utterance is expected",
                    "it is left out; correct the line",
                )
            )
        elif name in people:
            utterances.setdefault(people[name], {})[name] = None
        else:
            unknown.append(name)
    if unknown:
        problems.append(
            Problem(
                str(path),
                f"the speaker of {len(unknown)} enrolment utterance(s) is not known "
                f"({few(unknown)})",
                "they are left out; add them to utt2spk",
            )
        )


def _collect_by_model(
    path: Path,
    lines: list[tuple[int, list[str]]],
    utterances: dict[str, dict[str, None]],
    problems: list[Problem],
) -> None:
    """``spk2utt``: a model and its utterances a line."""
    for number, (model, *mine) in lines:
        if not mine:
            what, remedy = f"model {model} has no utterance", "it is left out; add its utterances"
        elif model in utterances:
            what = f"model {model} is listed already"
            remedy = "the line is left out; write all utterances of a model in one line"
        else:
            utterances[model] = dict.fromkeys(mine)
            continue
        problems.append(Problem(f"{path}:{number}", what, remedy))


def _one_speaker_each(
    path: Path, models: Models, people: dict[str, str], problems: list[Problem]
) -> tuple[Models, dict[str, str]]:
    """Models of one speaker, and the speakers of models that have another name."""
    behind = {m: {people[u] for u in mine if u in people} for m, mine in models.items()}
    if mixed := [model for model, who in behind.items() if len(who) > 1]:
        problems.append(
            Problem(
                str(path),
                f"{len(mixed)} model(s) mix utterances of several speakers ({few(mixed)})",
                "they are left out; correct the list or utt2spk",
            )
        )
    known = set(people.values())
    own = {m: min(who) for m, who in behind.items() if len(who) == 1 and m not in known}
    return {m: mine for m, mine in models.items() if m not in mixed}, people | own


def _lines(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Number and fields of each line that is not blank."""
    try:
        text = path.read_bytes().removeprefix(b"\xef\xbb\xbf").decode("utf-8")
    except UnicodeDecodeError:
        raise InputError(f"{path}: this is not UTF-8 text; convert the file to UTF-8.") from None
    for number, line in enumerate(text.split("\n"), start=1):
        if fields := line.split():
            yield number, fields
