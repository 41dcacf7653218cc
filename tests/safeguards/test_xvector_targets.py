"""Targets of the x-vector safeguard: pools, a density over voices, and who gets which."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import pytest

from pseudovoice.errors import InputError
from pseudovoice.safeguards.xvector.choice import (
    AVERAGED,
    KEPT,
    LIKE_ANOTHER,
    LIKE_SPEAKER,
    Chooser,
    Source,
    balanced_sexes,
    drawn,
)
from pseudovoice.safeguards.xvector.contour import moved, statistics
from pseudovoice.safeguards.xvector.density import Uniform, density_of
from pseudovoice.safeguards.xvector.pool import Pool, read_pool, write_pool
from pseudovoice.safeguards.xvector.space import Space, space_of
from pseudovoice.safeguards.xvector.target import Target

RNG = np.random.default_rng(7)


def _keyed(key: str) -> Uniform:
    def uniform(purpose: str) -> float:
        digest = hashlib.sha256(f"{key}|{purpose}".encode()).digest()
        return int.from_bytes(digest[:6], "big") / (1 << 48)

    return uniform


@pytest.fixture(scope="module")
def pool() -> Pool:
    """250 women and 250 men; the sexes differ in one direction and in pitch."""
    rng = np.random.default_rng(3)
    sex = np.array(["F"] * 250 + ["M"] * 250)
    rows = rng.standard_normal((500, 32)) * np.linspace(1.0, 0.4, 32)
    rows[:, 0] += np.where(sex == "F", 1.0, -1.0)
    rows[:, 5] += 1.0  # what all embeddings have in common
    pitch = np.exp(rng.normal(np.where(sex == "F", np.log(200), np.log(115)), 0.1))
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return Pool(unit, pitch, rng.uniform(0.1, 0.25, 500), sex, {"encoder": "ours"})


@pytest.fixture(scope="module")
def space(pool: Pool) -> Space:
    return space_of("ours", pool.embeddings, 16)


def test_a_pool_is_read_as_it_was_written_and_holds_no_name(pool: Pool, tmp_path: Path) -> None:
    write_pool(pool, tmp_path / "pool.npz")
    again = read_pool(tmp_path / "pool.npz")
    assert len(again) == 500
    assert again.encoder == "ours"
    np.testing.assert_allclose(again.embeddings, pool.embeddings, atol=1e-3)
    np.testing.assert_allclose(again.pitch, pool.pitch, rtol=1e-6)
    assert (again.sex == pool.sex).all()
    with np.load(tmp_path / "pool.npz") as arrays:
        assert set(arrays.files) == {"embeddings", "pitch", "spread", "sex", "json"}


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"pitch": np.zeros(500)}, "no voice"),
        ({"pitch": np.ones(3)}, "different lengths"),
        ({"spread": np.full(500, np.nan)}, "are none"),
        ({"sex": np.full(500, "X")}, "another sex"),
        ({"embeddings": np.zeros((0, 4))}, "no people"),
        ({"json": np.array("[]")}, "another format"),
    ],
)
def test_what_is_no_pool_is_said(
    pool: Pool, tmp_path: Path, change: dict[str, np.ndarray], what: str
) -> None:
    write_pool(pool, tmp_path / "pool.npz")
    with np.load(tmp_path / "pool.npz") as arrays:
        parts = {**{name: arrays[name] for name in arrays.files}, **change}
    np.savez(tmp_path / "pool.npz", **parts)
    with pytest.raises(InputError, match=what):
        read_pool(tmp_path / "pool.npz")


def test_places_and_directions_are_inverse_where_the_space_is_whole(pool: Pool) -> None:
    space = space_of("ours", pool.embeddings, 32)
    places = space.places(pool.embeddings)
    np.testing.assert_allclose(space.directions(places), pool.embeddings, atol=1e-9)
    np.testing.assert_allclose(places.mean(axis=0), 0, atol=1e-9)
    np.testing.assert_allclose(places.std(axis=0), 1, atol=1e-9)


def test_synthetic_targets_are_distributed_as_people_and_are_nobody(
    pool: Pool, space: Space
) -> None:
    density = density_of(pool, space)
    targets = [density.of["F"].draw(_keyed(f"{k}")) for k in range(400)]
    places = np.array([t.place for t in targets])
    people = space.places(pool.embeddings[pool.sex == "F"])
    assert np.abs(places.mean(axis=0) - people.mean(axis=0)).max() < 0.25
    assert np.abs(places.std(axis=0) / people.std(axis=0) - 1).max() < 0.25
    pitches = np.log([t.pitch for t in targets])
    assert abs(pitches.mean() - np.log(200)) < 0.03
    nearest = (space.directions(places) @ pool.embeddings.T).max()
    assert nearest < 0.99
    assert all(Target.from_dict(t.to_dict()) == t for t in targets[:5])
    assert density.sex_of(places[0], targets[0].pitch) == "F"


def test_the_farthest_are_averaged_and_lose_distinctness(pool: Pool, space: Space) -> None:
    far, near, one = (
        Chooser(pool, space, strategy, "same") for strategy in ("farthest", "nearest", "random")
    )
    sources = [Source(row, f0) for row, f0 in zip(pool.embeddings[:6], pool.pitch[:6], strict=True)]

    def directions(chooser: Chooser) -> np.ndarray:
        places = [chooser.target(s, "F", _keyed(f"{k}")).place for k, s in enumerate(sources)]
        return space.directions(np.array(places))

    own = np.stack([s.embedding for s in sources])
    far_away, close, single = (directions(c) for c in (far, near, one))
    assert ((far_away * own).sum(axis=1) < (close * own).sum(axis=1)).all()

    def apart(rows: np.ndarray) -> float:
        return float((rows @ rows.T)[np.triu_indices(len(rows), 1)].mean())

    # The papers' signature: averages of far speakers are alike, single people are not.
    assert apart(far_away) > 0.7 > 0.4 > apart(single)


def test_farthest_is_100_of_the_200_farthest(pool: Pool, space: Space) -> None:
    chooser = Chooser(pool, space, "farthest", "any")
    source = Source(pool.embeddings[0], 200.0)
    uniform = _keyed("k")
    women = np.flatnonzero(pool.sex == "F")
    far = women[np.argsort(pool.embeddings[women] @ source.embedding)[:KEPT]]
    chosen = drawn(far, AVERAGED, uniform)
    assert len(set(chosen.tolist())) == AVERAGED
    expected = space.places(pool.embeddings[chosen]).mean(axis=0)
    np.testing.assert_allclose(chooser.target(source, "F", uniform).place, expected)


@pytest.mark.parametrize("strategy", ["farthest", "nearest"])
def test_of_whom_nothing_could_be_heard_nobody_is_far(
    pool: Pool, space: Space, strategy: str
) -> None:
    chooser = Chooser(pool, space, strategy, "any")
    chosen = drawn(np.flatnonzero(pool.sex == "M"), AVERAGED, _keyed("k"))
    expected = space.places(pool.embeddings[chosen]).mean(axis=0)
    np.testing.assert_allclose(chooser.target(None, "M", _keyed("k")).place, expected)


def test_a_pool_that_is_too_small_is_an_error(pool: Pool, space: Space) -> None:
    few = Pool(pool.embeddings[:60], pool.pitch[:60], pool.spread[:60], pool.sex[:60], pool.told)
    source = Source(pool.embeddings[0], 200.0)
    with pytest.raises(InputError, match=r"60 people of sex F.*needs 200"):
        Chooser(few, space, "farthest", "any").target(source, "F", _keyed("k"))
    with pytest.raises(InputError, match="0 people of sex M"):
        Chooser(few, space, "synthetic", "any").target(source, "M", _keyed("k"))


def test_dense_targets_are_averages_within_one_region(pool: Pool, space: Space) -> None:
    chooser = Chooser(pool, space, "dense", "any")
    targets = {chooser.target(None, "M", _keyed(f"{k}")).place for k in range(30)}
    assert 5 < len(targets) <= 30
    assert chooser.target(None, "M", _keyed("1")) == chooser.target(None, "M", _keyed("1"))


def test_synthetic_targets_keep_away_from_the_speaker_and_from_each_other(
    pool: Pool, space: Space
) -> None:
    chooser = Chooser(pool, space, "synthetic", "any")
    given: list[np.ndarray] = []
    for k in range(25):
        source = Source(pool.embeddings[k], 200.0)  # a woman
        target = chooser.distinct(source, "FM"[k % 2], given, _keyed(f"{k}"))
        direction = space.directions(np.array([target.place]))[0]
        assert all(direction @ other <= pool.likeness(LIKE_ANOTHER) for other in given)
        assert direction @ source.embedding <= pool.likeness(LIKE_SPEAKER)
        given.append(direction)


def test_gender_is_any_same_or_cross(pool: Pool, space: Space) -> None:
    woman, man = Source(pool.embeddings[0], 205.0), Source(pool.embeddings[-1], 112.0)
    for gender, expected in (("same", "FM"), ("cross", "MF")):
        chooser = Chooser(pool, space, "random", gender)
        assert "".join(chooser.sex(s, _keyed("k")) for s in (woman, man)) == expected
    either = {Chooser(pool, space, "random", "any").sex(woman, _keyed(f"{k}")) for k in range(20)}
    assert either == {"F", "M"}


@pytest.mark.parametrize("key", ["a", "b", "c", "d"])
def test_women_s_and_men_s_voices_are_balanced_in_a_session(key: str) -> None:
    sexes = ["F"] * 10 + ["M"] * 7
    given: list[str | None] = [None] * 17
    given[3] = "F"
    chosen = balanced_sexes(sexes, given, lambda k: _keyed(key)(f"{k}"))
    assert chosen[3] == "F"
    assert chosen[:10].count("F") in (4, 5, 6)
    assert chosen[10:].count("F") in (3, 4)


def _contour() -> np.ndarray:
    frames = np.arange(500)
    f0 = 120 * np.exp(0.2 * np.sin(frames / 20) + 0.05 * np.sin(frames))
    f0[100:150] = 0
    return f0


def test_a_contour_is_moved_to_the_target_s_range() -> None:
    target = Target((0.0,), 210.0, 0.12)
    f0 = _contour()
    new = moved(f0, target, "keep", _keyed("k"))
    assert ((new > 0) == (f0 > 0)).all()
    told = statistics(new)
    assert told is not None
    assert abs(np.exp(told[0]) - 210) < 2
    assert abs(told[1] - 0.12) < 0.01
    voiced = f0 > 0
    assert np.corrcoef(np.log(f0[voiced]), np.log(new[voiced]))[0, 1] > 0.999


def test_a_smoothed_contour_keeps_the_melody_and_a_new_one_does_not() -> None:
    target, f0 = Target((0.0,), 210.0, 0.12), _contour()
    voiced = f0 > 0

    def likeness(contour: str, key: str = "k") -> float:
        new = moved(f0, target, contour, _keyed(key))
        assert ((new > 0) == voiced).all()
        return float(np.corrcoef(np.log(f0[voiced]), np.log(new[voiced]))[0, 1])

    assert 0.8 < likeness("smooth") < 0.99
    assert all(abs(likeness("redraw", key)) < 0.5 for key in "abc")
    one, other = (moved(f0, target, "redraw", _keyed(key)) for key in "ab")
    assert not np.allclose(one, other)


def test_a_person_s_recordings_have_drifts_of_their_own_and_channels_share_one() -> None:
    """One that came back would be a mark of theirs; two at once would be out of tune."""
    target, f0 = Target((0.0,), 210.0, 0.12), _contour()

    def drawn(tracked: np.ndarray) -> np.ndarray:
        return np.log(moved(tracked, target, "redraw", _keyed("k"))[200:400])

    one, shorter = drawn(f0), drawn(f0[:-30])
    assert np.abs(one - shorter).std() > 0.02
    # Another microphone: what is voiced differs here and there, the pitch a little.
    another = 1.01 * f0
    another[[90, 91, 160]] = 0
    np.testing.assert_allclose(drawn(another), one, atol=0.002)


def test_speech_without_voice_has_no_contour_to_move() -> None:
    silent = np.zeros(40)
    np.testing.assert_array_equal(
        moved(silent, Target((0.0,), 100.0, 0.1), "keep", _keyed("k")), silent
    )
