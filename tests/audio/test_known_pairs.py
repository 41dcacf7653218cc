"""Who has a release in part in clear: the mapping is told, what is known is no trial."""

from __future__ import annotations

from pathlib import Path

import pytest

import pseudovoice as pv
from pseudovoice.attacks.assess import AudioAssessment
from pseudovoice.attacks.heard import Heard
from pseudovoice.attacks.known_pairs import KNOWN_PAIRS
from pseudovoice.corpus import Corpus, read_corpus
from pseudovoice.embeddings.embeddings import Embeddings
from pseudovoice.errors import InputError, UsageError
from pseudovoice.keys import Key
from pseudovoice.protection.known_pairs import fitted_to, known_utterances
from pseudovoice.protection.protect import protect_corpus
from pseudovoice.safeguards import parse_chain
from pseudovoice.scores.scoreset import ScoreSet

SAFEGUARD = "mcadams-random:low=0.5,high=0.9"


@pytest.fixture(scope="module")
def people(shared: Path) -> Corpus:
    dev = read_corpus(shared / "speech" / "dev")
    names = sorted(dev.speakers)[::5]
    return dev.subset(ids=[u.id for name in names for u in dev.speakers[name][:4]])


@pytest.fixture(scope="module")
def released(people: Corpus, tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    key, out = Key(bytes(range(32))), tmp_path_factory.mktemp("release") / "ours"
    return protect_corpus(people, out, parse_chain(SAFEGUARD), key=key).corpus


@pytest.fixture(scope="module")
def attacked(people: Corpus, released: Corpus) -> AudioAssessment:
    """Both ways round at once: what is known of some, and tries that are undone."""
    return pv.assess(
        people,
        released,
        encoders="ge2e",
        attackers=["lazy", "adaptive", "known-pairs"],
        attacker_safeguard=SAFEGUARD,
        attacker_key=Key(bytes(range(1, 33))),
        tries=2,
        by_gender=False,
        cache=False,
        replicates=20,
        permutations=20,
    )


@pytest.mark.weights
def test_one_pair_tells_more_than_a_key_of_ones_own(attacked: AudioAssessment) -> None:
    lazy, known = (attacked.result(name, "ge2e") for name in ("lazy", "known-pairs"))
    assert known.condition == "pq"
    assert known.disclosure.value > lazy.disclosure.value + 0.05
    assert known.value("pq", "eer") < lazy.value("pq", "eer")
    # Control, floor and interval stand beside it.
    assert known.conclusive
    assert known.disclosure.null is not None
    assert known.disclosure.low is not None
    assert not known.who.competes


@pytest.mark.weights
def test_undoing_is_part_of_trying(attacked: AudioAssessment) -> None:
    corpora = attacked.whole.provenance["corpora"]
    assert {"attacker_try_2", "attacker_undone_2", "attacker_fitted"} <= {*corpora}
    lazy, adaptive = (attacked.result(name, "ge2e") for name in ("lazy", "adaptive"))
    assert adaptive.disclosure.value > lazy.disclosure.value


def test_what_is_known_is_no_trial() -> None:
    import numpy as np

    names = [f"{who}{k}" for who in "abcd" for k in range(4)]

    def heard() -> Embeddings:
        vectors = np.random.default_rng(0).normal(size=(16, 8))
        return Embeddings(vectors, tuple(names), tuple(name[0] for name in names))

    known = frozenset(f"{who}0" for who in "abcd")
    made = KNOWN_PAIRS.scores(Heard("any", heard(), heard(), fitted=heard(), leaked=known))
    assert made is not None
    scores = made.conditions["pq"]
    assert isinstance(scores, ScoreSet)
    assert scores.score.size == 12 * 11
    assert KNOWN_PAIRS.scores(Heard("any", heard(), heard())) is None


def test_somebody_is_left_to_recognise(people: Corpus) -> None:
    assert len(known_utterances(people, 1)) == len(people.speakers)
    assert len(known_utterances(people, 99)) == 2 * len(people.speakers)
    alone = people.subset(ids=[told[0].id for told in people.speakers.values()])
    assert not known_utterances(alone, 1)
    with pytest.raises(InputError, match="fewer than two speakers"):
        fitted_to(alone, alone, parse_chain("mcadams"), known=frozenset(), key=None, tries=1)


def test_it_needs_the_safeguard_and_mostly_no_key(people: Corpus, released: Corpus) -> None:
    with pytest.raises(UsageError, match=r"known pairs.*`attacker_safeguard`"):
        pv.assess(people, released, attackers="known-pairs")
    with pytest.raises(UsageError, match=r"cannot be told from pairs alone.*`attacker_key`"):
        pv.assess(
            people,
            released,
            attackers="known-pairs",
            attacker_safeguard="mcadams-random+persona",
            cache=False,
        )


def test_coefficients_are_told_without_a_key(
    people: Corpus, released: Corpus, tmp_path: Path
) -> None:
    known = known_utterances(people, 1)
    chain = parse_chain(SAFEGUARD)
    enrolled, found = fitted_to(people, released, chain, known=known, key=None, tries=1)
    assert enrolled.utterances == people.utterances
    # What was not known comes out as it was released.
    two = [told[-1] for told in people.speakers.values()][:2]
    part = people.subset(ids=[u.id for u in two])
    made = protect_corpus(part, tmp_path / "fitted", found, key=None).corpus
    from pseudovoice.corpus import load
    from pseudovoice.safeguards.unlikeness import unlikeness

    for one in two:
        ours, theirs, clear = (
            load(side.by_id[one.id], sample_rate=16_000).astype(float)
            for side in (released, made, people)
        )
        assert unlikeness(ours, theirs, 16_000) < 0.05 * unlikeness(ours, clear, 16_000)
