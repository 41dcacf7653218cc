"""Who tries voices on undoes a safeguard that has two, and nothing that replaces speech."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from pseudovoice.attacks.adaptive import ADAPTIVE
from pseudovoice.attacks.assess import AudioAssessment, assess_audio
from pseudovoice.attacks.material import Material
from pseudovoice.backends.best_of import best_of, normalised
from pseudovoice.backends.compare import score_matrix
from pseudovoice.corpus import Corpus, decode, read_corpus
from pseudovoice.embeddings.embeddings import Embeddings
from pseudovoice.encoders.encoder import Encoder
from pseudovoice.encoders.registry import load_encoder
from pseudovoice.keys import Key
from pseudovoice.protection.protect import protect_corpus
from pseudovoice.safeguards import Chain
from pseudovoice.safeguards.channel import Channel, whole
from pseudovoice.safeguards.draws import draws
from pseudovoice.safeguards.mcadams import move_poles
from pseudovoice.safeguards.safeguard import Samples, Voice, describe

TRIES = 6


@dataclass(frozen=True)
class TwoVoices:
    """B2r as a careless person might do it: a coin decides between two coefficients."""

    low: float = 0.6
    high: float = 0.95

    name: ClassVar[str] = "two-voices"
    reference: ClassVar[str] = "this test"
    deterministic: ClassVar[bool] = False
    level: ClassVar[str] = "speaker"

    def to_dict(self) -> dict[str, Any]:
        return describe(self)

    def __call__(self, samples: Samples, sample_rate: int, voice: Voice) -> Samples:
        coin = voice.uniform("two-voices", 0.0, 1.0) < 0.5
        alpha = self.low if coin else self.high
        return whole(move_poles(Channel(None, [samples]), sample_rate, alpha))


@dataclass(frozen=True)
class Replaced:
    """Perfect, and useless: what somebody else once said, whoever speaks."""

    recordings: list[Samples] = field(repr=False, compare=False)

    name: ClassVar[str] = "replaced"
    reference: ClassVar[str] = "this test"
    deterministic: ClassVar[bool] = False
    level: ClassVar[str] = "utterance"

    def to_dict(self) -> dict[str, Any]:
        return {"safeguard": self.name}

    def __call__(self, samples: Samples, sample_rate: int, voice: Voice) -> Samples:
        del sample_rate
        chosen = int(voice.uniform("replaced", 0.0, len(self.recordings)))
        return np.resize(self.recordings[chosen], samples.size)


@pytest.fixture(scope="module")
def people(shared: Path) -> Corpus:
    dev = read_corpus(shared / "speech" / "dev")
    names = sorted(dev.speakers)[::4]
    return dev.subset(ids=[u.id for name in names for u in dev.speakers[name][:5]])


@pytest.fixture(scope="module")
def encoder() -> Encoder:
    return load_encoder("ge2e")


Attacked = Callable[[Any], AudioAssessment]


@pytest.fixture
def attacked(people: Corpus, encoder: Encoder, tmp_path: Path) -> Attacked:
    def run(safeguard: Any) -> AudioAssessment:
        ours, theirs = Key(bytes(range(32))), Key(bytes(range(1, 33)))
        chain = Chain((safeguard,))
        released = protect_corpus(people, tmp_path / "ours", chain, key=ours).corpus
        lazy = protect_corpus(people, tmp_path / "lazy", chain, key=theirs).corpus
        tries = tuple(
            protect_corpus(
                people, tmp_path / one.session, one.chain, key=theirs, key_session=one.session
            ).corpus
            for one in draws(chain, TRIES)
        )
        return assess_audio(
            Material(people, released, lazy, attacker_tries=tries),
            [encoder],
            attackers=("lazy", "adaptive", "gathering", "ensemble"),
            by_gender=False,
            replicates=100,
            permutations=100,
        )

    return run


@pytest.mark.weights
def test_two_voices_are_soon_tried(attacked: Attacked) -> None:
    found = attacked(TwoVoices())
    lazy, adaptive = (found.result(name, "ge2e") for name in ("lazy", "adaptive"))
    assert adaptive.condition == "pq"
    ignorant = found.result("ignorant", "ge2e")
    assert adaptive.disclosure.value > lazy.disclosure.value + 0.05
    # It learns about as much as whoever has the key.
    assert adaptive.value("pq", "eer") < ignorant.value("pp", "eer")
    assert adaptive.value("pq", "eer") < 0.5 * ignorant.value("op", "eer")
    curve = {
        less: next(float(row.value) for row in rows if row.metric == "d_ece")
        for less, rows in ((str(one.had), one.rows) for one in adaptive.along)
    }
    assert list(curve) == ["1 try", "2 tries", "4 tries"]
    assert curve["4 tries"] > curve["1 try"]
    assert str(adaptive.budget) == "6 tries"
    rows = {(row.condition, row.attacker) for row in found.whole.rows}
    assert ("pq", "adaptive, ge2e") in rows
    assert ("pq", "adaptive (2 tries), ge2e") in rows


@pytest.mark.weights
def test_nothing_is_found_where_nothing_is_left(attacked: Attacked, shared: Path) -> None:
    others = read_corpus(shared / "speech" / "voice")
    sounds = [decode(people[0]).samples.ravel() for people in list(others.speakers.values())[:20]]
    assessed = attacked(Replaced(sounds))
    found = {one.attacker: one for one in assessed.results}
    assert list(found) == ["ignorant", "lazy", "adaptive", "gathering", "ensemble"]
    for who in ("adaptive", "gathering", "ensemble"):
        disclosure = found[who].disclosure
        assert disclosure.low is not None
        assert disclosure.low <= (disclosure.null_95 or 0.0)
        assert float(found[who].value("pq", "eer")) > 0.35


def of(vectors: np.ndarray) -> Embeddings:
    names = [f"{who}{k}" for who in "abcd" for k in range(3)]
    return Embeddings(vectors, tuple(names), tuple(name[0] for name in names))


def test_the_best_of_the_tries_counts_and_how_usual_it_is() -> None:
    noise = np.random.default_rng(0).normal
    clear = of(noise(size=(12, 8)))
    tries = [of(noise(size=(12, 8))) for _ in range(5)]
    found = dict(best_of(tries, clear))
    assert list(found) == [1, 2, 4, 5]
    each = [score_matrix(one, clear, None) for one in tries]
    is_trial = each[0][1]
    for count, scores in found.items():
        best = np.max([normalised(score, is_trial) for score, _ in each[:count]], axis=0)
        np.testing.assert_allclose(scores.score, normalised(best, is_trial)[is_trial])
    # Nobody is compared with another version of the same utterance.
    assert found[5].score.size == 12 * 11


def test_a_voice_counts_by_the_mean_of_both_ways() -> None:
    noise = np.random.default_rng(2).normal
    clear, protected = of(noise(size=(12, 8))), of(noise(size=(12, 8)))
    tried, undone = of(noise(size=(12, 8))), of(noise(size=(12, 8)))
    ((_, both),) = best_of([tried], protected, clear=clear, undone=[undone])
    on, off = (score_matrix(a, b, None) for a, b in ((tried, protected), (clear, undone)))
    is_trial = on[1]
    mean = np.mean([normalised(score, is_trial) for score, _ in (on, off)], axis=0)
    np.testing.assert_allclose(both.score, normalised(mean, is_trial)[is_trial])


def test_a_score_counts_as_both_sides_see_it() -> None:
    score = np.array([[9.0, 1.0, 2.0], [3.0, 9.0, 5.0], [4.0, 8.0, 9.0]])
    is_trial = ~np.eye(3, dtype=bool)
    z = normalised(score, is_trial)
    # Row 0 has 1 and 2 (mean 1.5, sd 0.5), column 1 has 1 and 8 (mean 4.5, sd 3.5).
    assert z[0, 1] == pytest.approx(((1 - 1.5) / 0.5 + (1 - 4.5) / 3.5) / 2)
    assert (np.diag(z) == 0).all()


def test_too_many_to_try_are_tried_on_some() -> None:
    noise = np.random.default_rng(1).normal
    tries = [of(noise(size=(12, 8))) for _ in range(2)]
    found = dict(best_of(tries, of(noise(size=(12, 8))), most_exact=48))
    assert found[2].score.size == 4 * 12 - 4


def test_it_is_known_by_name() -> None:
    assert ADAPTIVE.attacker.tries
    assert ADAPTIVE.attacker.protects
