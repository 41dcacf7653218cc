"""What people are is told from their speech, and from nothing where nothing of it is left."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from test_adaptive import Replaced

from pseudovoice.attacks.assess import AudioAssessment, assess_audio
from pseudovoice.attacks.heard import Heard
from pseudovoice.attacks.inference import NOTHING
from pseudovoice.attacks.material import Material
from pseudovoice.attacks.probe import cross_fitted, folds_of
from pseudovoice.attacks.room import tell_room
from pseudovoice.attacks.telling import tell
from pseudovoice.attacks.told import Draws, Told
from pseudovoice.attacks.traits import Trait, traits_of
from pseudovoice.corpus import Corpus, Labels, Utterance, decode, read_corpus
from pseudovoice.embeddings.embeddings import Embeddings
from pseudovoice.encoders.registry import load_encoder
from pseudovoice.keys import Key
from pseudovoice.protection.protect import protect_corpus
from pseudovoice.safeguards import Chain, parse_chain

DRAWS = Draws(100, 100, 0)


@pytest.fixture(scope="module")
def people(shared: Path) -> Corpus:
    """Ten women and ten men, two utterances of one chapter and one of another."""
    dev = read_corpus(shared / "speech" / "dev")
    chosen: list[str] = []
    for gender in "fm":
        several = [
            own
            for name, own in dev.speakers.items()
            if dev.genders[name] == gender and len({u.session for u in own}) > 1
        ]
        for own in several[:10]:
            first = [u.id for u in own if u.session == own[0].session]
            chosen += [*first[:2], next(u.id for u in own if u.session != own[0].session)]
    return dev.subset(ids=chosen)


Asked = Callable[[Corpus, Chain], AudioAssessment]


@pytest.fixture
def asked(tmp_path: Path) -> Asked:
    def run(corpus: Corpus, chain: Chain) -> AudioAssessment:
        ours, theirs = (
            protect_corpus(
                corpus, tmp_path / f"{k}", chain, key=Key(bytes(range(k, k + 32)))
            ).corpus
            for k in (0, 1)
        )
        return assess_audio(
            Material(corpus, ours, theirs),
            [load_encoder("ge2e")],
            attackers=["attributes"],
            by_gender=False,
            replicates=100,
            permutations=100,
        )

    return run


def of(told: tuple[Told, ...], trait: str, encoder: str) -> Told:
    (one,) = (one for one in told if (one.trait, one.encoder) == (trait, encoder))
    return one


@pytest.mark.weights
def test_sex_and_room_are_told_and_not_where_speech_is_replaced(
    asked: Asked, people: Corpus, shared: Path
) -> None:
    others = read_corpus(shared / "speech" / "voice")
    sounds = [decode(own[0]).samples.ravel() for own in list(others.speakers.values())[:20]]
    found = asked(people, Chain((Replaced(sounds),)))
    sex = of(found.told, "sex", "ge2e")
    assert sex.people == {"f": 10, "m": 10}
    assert float(sex.control.value) > 0.95
    assert not sex.control.chance
    for condition in ("op", "pq"):
        row = sex.row(condition)
        assert row is not None
        assert float(row.low) <= 0.5 <= float(row.high)  # type: ignore[arg-type]
        assert row.chance
        assert row.direction == "lower"
    assert sex.verdict.startswith("sex can no longer be told from chance")
    left: list[float] = []
    for ear in ("ge2e", "noise floor"):
        room = of(found.told, "room", ear)
        assert float(room.control.value) > 0.65
        assert not room.control.chance
        assert [row.condition for row in room.rows] == ["oo", "op", "pp"]
        left += [float(row.value) for row in room.rows[1:]]
        assert {row.direction for row in room.rows[1:]} == {"lower"}
    assert np.mean(left) == pytest.approx(0.5, abs=0.1)
    assert {one.encoder for one in found.told if one.trait == "sex"} == {"ge2e", "prosody"}
    # In the one table too; nobody who infers competes for who recognises people best.
    rows = {(row.condition, row.attacker) for row in found.whole.rows if row.metric == "auc"}
    assert ("pq", "attributes (sex), ge2e") in rows
    assert not any("attributes" in row.attacker for row in found.whole.rows if row.metric != "auc")
    assert [one["trait"] for one in found.to_dict()["told"]] == [one.trait for one in found.told]


@pytest.mark.weights
def test_a_corpus_without_labels_is_told_so(asked: Asked, people: Corpus) -> None:
    bare = tuple(replace(u, gender=None, session=None) for u in people)
    bare = tuple(u for k, u in enumerate(bare) if k % 3 < 2)[:8]
    found = asked(replace(people, utterances=bare), parse_chain("mcadams-random"))
    assert found.told == ()
    assert NOTHING in found.whole.warnings


def heard(vectors: np.ndarray, speakers: int) -> Heard:
    each = len(vectors) // speakers
    ids = tuple(f"s{k:02d}-{take}" for k in range(speakers) for take in range(each))
    side = Embeddings(vectors, ids, tuple(name.split("-")[0] for name in ids))
    return Heard("simulated", side, side, side)


def simulated(leak: float, *, seed: int, of_speaker: bool = True) -> tuple[Heard, Trait]:
    """Twenty speakers of three classes, as ``leak`` of a direction each; the rest is noise."""
    rng = np.random.default_rng(seed)
    kinds = np.repeat(np.arange(20) % 3, 6) if of_speaker else np.tile(np.arange(6) % 3, 20)
    voices = np.repeat(rng.normal(size=(20, 16)), 6, axis=0)
    vectors = voices + 0.5 * rng.normal(size=voices.shape) + leak * 4 * np.eye(16)[kinds]
    found = heard(vectors, 20)
    classes = dict(zip(found.original.ids, (f"k{k}" for k in kinds), strict=True))
    return found, Trait("kind", classes, {f"k{k}": 6 for k in range(3)})


@pytest.mark.parametrize("of_speaker", [True, False])
def test_what_is_there_is_told_and_what_is_not_is_chance(of_speaker: bool) -> None:
    there = tell(*simulated(1.0, seed=0, of_speaker=of_speaker), DRAWS)
    assert there is not None
    assert float(there.control.value) > 0.95
    assert not there.worst.chance
    by_chance = []
    for seed in range(8):
        nothing = tell(*simulated(0.0, seed=seed, of_speaker=of_speaker), DRAWS)
        assert nothing is not None
        assert nothing.control.null == pytest.approx(0.5, abs=0.04)
        by_chance.append(nothing.control.chance)
    assert sum(by_chance) >= 6


def test_a_probe_never_hears_whom_it_judges() -> None:
    # Labels that are the speakers' own and of nobody else's kind: whoever had heard a speaker would
    # know his label; who has not is no better than a coin.
    rng = np.random.default_rng(1)
    names = [f"s{k:02d}" for k in range(30) for _ in range(4)]
    marks = np.repeat(rng.permutation(30) % 2, 4).astype(float)
    vectors = np.repeat(10 * rng.normal(size=(30, 40)), 4, axis=0)
    labels = [str(int(mark)) for mark in marks]
    fold = folds_of(names, labels, np.random.default_rng(0))
    for name in set(names):
        assert len({f for f, who in zip(fold, names, strict=True) if who == name}) == 1
    said = cross_fitted(vectors, vectors, marks[:, None], fold)[:, 0]
    apart = said[marks == 1].mean() - said[marks == 0].mean()
    own = cross_fitted(vectors, vectors, marks[:, None], np.tile(np.arange(4), 30))[:, 0]
    assert abs(apart) < 0.3 * (own[marks == 1].mean() - own[marks == 0].mean())


def test_sessions_are_compared_within_a_speaker_only() -> None:
    rng = np.random.default_rng(2)
    voices = np.repeat(20 * rng.normal(size=(8, 12)), 6, axis=0)
    rooms = np.repeat(rng.normal(size=(16, 12)), 3, axis=0)
    noise = 0.4 * rng.normal(size=voices.shape)
    place = Path("/a.wav")
    ids = heard(voices, 8).original.ids
    corpus = Corpus(
        "c",
        place,
        tuple(Utterance(i, i[:3], place, session=str(k % 6 // 3)) for k, i in enumerate(ids)),
    )
    told = tell_room(heard(voices + rooms + noise, 8), corpus, DRAWS)
    assert told is not None
    assert float(told.control.value) > 0.9
    assert (told.control.n_mated, told.control.n_nonmated) == (8 * 12, 8 * 18)
    silent = tell_room(heard(voices + noise, 8), corpus, DRAWS)
    assert silent is not None
    assert silent.control.chance
    assert silent.control.null == pytest.approx(0.5, abs=0.03)
    once = replace(corpus, utterances=tuple(replace(u, session="1") for u in corpus))
    assert tell_room(heard(voices, 8), once, DRAWS) is None


def test_classes_of_few_people_are_left_out_and_ages_halved() -> None:
    place = Path("/a.wav")
    accents = ["north"] * 5 + ["south"] * 6 + ["island"]
    corpus = Corpus(
        "c",
        place,
        tuple(
            Utterance(f"u{k}", f"s{k}", place, labels=Labels(age=str(20 + k), accent=accent))
            for k, accent in enumerate(accents)
        ),
    )
    age, accent = traits_of(corpus, corpus.by_id)
    assert (age.name, age.people) == ("age", {"over 25.5": 6, "up to 25.5": 6})
    assert (accent.name, accent.people) == ("accent", {"north": 5, "south": 6})
    assert "u11" not in accent.classes
    words = tuple(replace(u, labels=Labels(age="twenties")) for u in corpus)
    assert traits_of(replace(corpus, utterances=words), corpus.by_id) == []
