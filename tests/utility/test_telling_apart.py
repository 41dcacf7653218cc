"""Who spoke when in composed conversations, before and after."""

from __future__ import annotations

import shutil
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from pseudovoice.corpus import read_corpus
from pseudovoice.diarisation.activity import load_activity
from pseudovoice.diarisation.conversations import TURNS_EACH, conversations
from pseudovoice.encoders import load_encoder
from pseudovoice.utility.telling_apart import Conversing, told_apart

PEOPLE = {f"p{k}": [f"p{k}-{n}" for n in range(6)] for k in range(8)}


def test_the_plan_is_that_of_its_seed() -> None:
    made = conversations(PEOPLE, 10, seed=3)
    assert made == conversations(PEOPLE, 10, seed=3)
    assert made != conversations(PEOPLE, 10, seed=4)
    sizes = [len({one.person for one in talk.said}) for talk in made]
    assert sizes == [2, 3, 4, 5, 6] * 2
    turns: dict[str, int] = {}
    for talk in made:
        assert len({one.utterance for one in talk.said}) == len(talk.said)
        assert all(one.person != other.person for one, other in pairwise(talk.said))
        assert all(one.utterance in PEOPLE[one.person] for one in talk.said)
        for person in {one.person for one in talk.said}:
            turns[person] = turns.get(person, 0) + 1
    assert set(turns) == set(PEOPLE)
    assert max(turns.values()) - min(turns.values()) <= 2


def test_who_has_one_utterance_does_not_converse() -> None:
    assert conversations({"a": ["a1"], "b": ["b1", "b2"]}, 3) == []
    (talk,) = conversations({"a": ["a1", "a2"], "b": ["b1", "b2"], "c": ["c1"]}, 1)
    assert {one.person for one in talk.said} == {"a", "b"}
    assert len(talk.said) <= 2 * TURNS_EACH


def test_turns_lie_where_the_sound_is() -> None:
    (talk,) = conversations({"a": ["a1", "a2"], "b": ["b1", "b2"]}, 1)
    samples = talk.samples(lambda _: np.ones(500, np.float32), 1000)
    turns = talk.turns(lambda _: [(0.0, 0.5)], lambda _: 0.5)
    for turn in turns.turns:
        assert samples[round(turn.start * 1000) + 2 : round(turn.end * 1000) - 2].all()
    assert sum(turn.seconds for turn in turns.turns) == pytest.approx(samples.sum() / 1000)


@pytest.mark.weights
def test_one_voice_for_all_is_not_told_apart(shared: Path, tmp_path: Path) -> None:
    whole = read_corpus(shared / "speech" / "dev")
    chosen = sorted(whole.speakers)[:4]
    for side in ("o", "p"):
        for speaker in chosen:
            (tmp_path / side / speaker).mkdir(parents=True)
    donors = [u.path for u in whole.speakers[sorted(whole.speakers)[9]]]
    for speaker in chosen:
        for k, utterance in enumerate(whole.speakers[speaker][:3]):
            name = f"{speaker}-{k}.flac"
            shutil.copy(utterance.path, tmp_path / "o" / speaker / name)
            shutil.copy(donors.pop(), tmp_path / "p" / speaker / name)
    original, one_voice = (read_corpus(tmp_path / side) for side in ("o", "p"))
    ear, activity = load_encoder(), load_activity()
    ids = [utterance.id for utterance in original]

    def rows(protected: Path) -> dict[tuple[str, str], float]:
        who = Conversing(original, read_corpus(protected), ear, activity)
        found, problems = told_apart(who, ids, count=2, workers=2, replicates=20)
        assert not problems
        return {(row.metric, row.condition): row.value for row in found}

    same, lost = rows(original.root), rows(one_voice.root)
    assert same["confusion", "change"] == same["der", "change"] == 0.0
    assert same["der_given", "original"] <= same["der", "original"] + 0.05
    assert same["confusion", "original"] < 0.15
    assert lost["confusion", "original"] == same["confusion", "original"]
    assert lost["confusion", "protected"] > 0.3
