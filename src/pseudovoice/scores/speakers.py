"""Who is behind the ids of a key: from utt2spk, or from the key's own mated trials."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from pseudovoice.errors import InputError, Problem, few
from pseudovoice.scores.formats.lines import check_file
from pseudovoice.scores.trials import Trials, conflicting, first_of_equal


def read_utt2spk(path: str | Path) -> tuple[dict[str, str], list[Problem]]:
    """Read ``utterance speaker`` lines; a second speaker for an utterance is a problem."""
    from pseudovoice.scores.formats.text import read_columns  # brings pyarrow, 25 MB

    path = Path(path)
    check_file(path)
    read = read_columns(path, ("utt", "spk"))
    utt, spk = read.names("utt"), read.names("spk")
    speakers: dict[str, str] = {}
    problems = list(read.problems)
    for u, s, line in zip(utt.codes.tolist(), spk.codes.tolist(), read.line.tolist(), strict=True):
        before = speakers.setdefault(utt.values[u], spk.values[s])
        if before != spk.values[s]:
            problems.append(
                Problem(
                    f"{path}:{line}",
                    f"utterance {utt.values[u]} belongs to {before} already",
                    "the line is left out; correct it",
                )
            )
    if not speakers:
        first = f" First: {problems[0]}" if problems else ""
        raise InputError(
            f"{path}: no line reads 'utterance speaker'; name the file that does as "
            f"`utt2spk`.{first}"
        )
    return speakers, problems


@dataclass(frozen=True)
class Speakers:
    """The speaker of each enrolment id and of each trial id, −1 where nobody knows."""

    names: tuple[str, ...]
    of_enrol: NDArray[np.int32]
    of_trial: NDArray[np.int32]
    guessed: int = 0
    """Trial ids without a mated trial: each was taken for a speaker of its own."""


def speakers_from_table(key: Trials) -> tuple[Speakers, list[Problem]] | None:
    """Speakers that the key's own columns name; an id with two of them has none."""
    if key.enrol_speaker is None or key.trial_speaker is None:
        return None
    assert key.enrol is not None
    assert key.trial is not None
    names = sorted({*key.enrol_speaker.values, *key.trial_speaker.values} - {""})
    code = {name: k for k, name in enumerate(names)}
    of: list[NDArray[np.int32]] = []
    problems = []
    for ids, speakers in ((key.enrol, key.enrol_speaker), (key.trial, key.trial_speaker)):
        said = speakers.recode(code)
        mine = np.full(len(ids.values), -1, np.int32)
        mine[ids.codes] = said
        differs = mine[ids.codes] != said
        if differs.any():
            twice = ids.take(differs).values
            mine[np.unique(ids.codes[differs])] = -1
            problems.append(
                Problem(
                    f"{key.path}:{key.line[differs][0]}",
                    f"{len(twice)} id(s) have two speakers ({few(twice)})",
                    "their trials are left out; name one speaker for each id",
                )
            )
        of.append(mine)
    return Speakers(tuple(names), of[0], of[1]), problems


def speakers_from_utt2spk(key: Trials, utt2spk: Mapping[str, str]) -> Speakers:
    """Speakers as utt2spk names them.

    An enrolment id it does not list is a speaker's own name, as in Kaldi's trials; but where
    the key enrols utterances, as VoxCeleb's does, it is an utterance of nobody knows whom.
    """
    assert key.enrol is not None
    assert key.trial is not None
    people = {*utt2spk.values()}
    utterances = any(value in utt2spk and value not in people for value in key.enrol.values)
    enrol = [
        utt2spk.get(value, "" if utterances and value not in people else value)
        for value in key.enrol.values
    ]
    trial = [utt2spk.get(value, "") for value in key.trial.values]
    names = sorted({*enrol, *trial} - {""})
    code = {name: k for k, name in enumerate(names)}
    return Speakers(
        tuple(names),
        np.array([code.get(name, -1) for name in enrol], np.int32),
        np.array([code.get(name, -1) for name in trial], np.int32),
    )


def speakers_from_key(key: Trials) -> Speakers:
    """Speakers as the key implies them: whatever mated trials connect is one speaker.

    The same id on both sides is the same segment. A trial id that is never mated could be
    anybody; it is counted as a speaker of its own, and ``guessed`` says how many there are.
    """
    assert key.enrol is not None
    assert key.trial is not None
    assert key.label is not None
    ids = sorted({*key.enrol.values, *key.trial.values})
    code = {value: k for k, value in enumerate(ids)}
    enrol, trial = key.enrol.recode(code), key.trial.recode(code)
    n = len(ids)
    pair = enrol * n + trial
    first = first_of_equal(pair, np.argsort(pair, kind="stable"))
    # A trial with both labels is a slip; it must not make one person of two.
    mated = key.label & ~conflicting(first, key.label)
    a, b = enrol[mated], trial[mated]
    _, component = connected_components(coo_array((np.ones(a.size), (a, b)), shape=(n, n)), False)
    node_of_enrol = np.array([code[value] for value in key.enrol.values], np.intp)
    node_of_trial = np.array([code[value] for value in key.trial.values], np.intp)
    # A component takes the name of its first enrolment id, or of its only trial id.
    names: dict[int, str] = {}
    for node in (*sorted(set(node_of_enrol.tolist())), *node_of_trial.tolist()):
        names.setdefault(int(component[node]), ids[node])
    order = sorted(names, key=names.__getitem__)
    rank = np.full(int(component.max()) + 1, -1, np.int32)
    rank[order] = np.arange(len(order))
    alone = np.setdiff1d(node_of_trial, np.concatenate([b, node_of_enrol]))
    return Speakers(
        tuple(names[k] for k in order),
        rank[component[node_of_enrol]],
        rank[component[node_of_trial]],
        int(alone.size),
    )
