"""Who has several recordings of a voice, and several releases, learns more than from one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pseudovoice as pv
from pseudovoice.assessment.assess import assess_scores
from pseudovoice.attacks.assess import AudioAssessment, assess_audio
from pseudovoice.attacks.curves import Fewer, curves
from pseudovoice.attacks.gathering import GATHERING, KNOWN_SESSIONS, released_sessions
from pseudovoice.attacks.had import Had
from pseudovoice.attacks.heard import Heard
from pseudovoice.attacks.material import Material
from pseudovoice.attacks.result import AttackResult
from pseudovoice.attacks.saturation import said_of_budget, saturation
from pseudovoice.backends.best_of import best_of, both_ways, normalised
from pseudovoice.backends.compare import score_matrix
from pseudovoice.backends.gathered import deal, most_gathered
from pseudovoice.backends.gathered import gathered as all_gathered
from pseudovoice.corpus import Corpus, read_corpus
from pseudovoice.embeddings.embeddings import Embeddings
from pseudovoice.encoders.registry import load_encoder
from pseudovoice.errors import UsageError
from pseudovoice.keys import Key
from pseudovoice.protection.protect import protect_corpus
from pseudovoice.safeguards import parse_chain
from pseudovoice.safeguards.draws import draws
from pseudovoice.scores.scoreset import ScoreSet

PEOPLE, TAKES, DIMENSIONS, DRAWS = 12, 8, 24, 4
WHO = np.repeat(np.arange(PEOPLE), TAKES)


def of(vectors: np.ndarray, who: np.ndarray = WHO) -> Embeddings:
    ids = tuple(f"{person:02d}-{k}" for k, person in enumerate(who))
    return Embeddings(vectors, ids, tuple(f"p{person:02d}" for person in who))


class Imagined:
    """People whose voices a draw turns into others, and noise of each recording."""

    def __init__(self, seed: int, noise: float = 1.2) -> None:
        self.rng = np.random.default_rng(seed)
        self.voices = self.rng.normal(size=(PEOPLE, DIMENSIONS))
        self.draws = self.rng.normal(size=(DRAWS, DIMENSIONS, DIMENSIONS)) / DIMENSIONS**0.5
        self.said = self.voices[WHO] + noise * self.rng.normal(size=(WHO.size, DIMENSIONS))

    def release(self) -> Embeddings:
        """A voice for everybody, whichever it is."""
        drawn = self.draws[self.rng.integers(DRAWS, size=PEOPLE)][WHO]
        return of(np.einsum("ni,nij->nj", self.said, drawn))

    def tries(self) -> list[Embeddings]:
        return [of(self.said @ draw) for draw in self.draws]


def gathered(tries: Any, releases: Any, groups: Any, clear: Any = None, undone: Any = ()) -> Any:
    """Groups of one size on both sides, in releases of which the first is undone, too."""
    sessions = [
        both_ways(tries, release, clear if k == 0 else None, undone if k == 0 else ())
        for k, release in enumerate(releases)
    ]
    return all_gathered(sessions, groups, groups)


def d_ece(scores: ScoreSet) -> float:
    return float(assess_scores({"pq": scores}, replicates=0, permutations=0).value("pq", "d_ece"))


def test_groups_are_disjoint_and_depend_on_no_order() -> None:
    speech = of(np.ones((WHO.size, 2)))
    groups = deal(speech, 3)
    everything = [name for names in groups.members for name in names]
    assert len(everything) == len(set(everything)) == PEOPLE * 6
    assert {len(names) for names in groups.members} == {3}
    for speaker, names in zip(groups.speakers, groups.members, strict=True):
        assert {name[:2] for name in names} == {speaker[1:]}
    backwards = speech.take(range(len(speech))[::-1])
    assert deal(backwards, 3) == groups
    # Larger groups are smaller ones put together: a curve over their size is of the same speech.
    pairs = deal(speech, 2).members
    assert {a + b for a, b in zip(pairs[::2], pairs[1::2], strict=True)} == set(
        deal(speech, 4).members
    )


def test_who_has_few_recordings_takes_part_with_those() -> None:
    who = np.repeat([0, 1, 2, 3], [8, 8, 3, 1])
    speech = of(np.ones((who.size, 2)), who)
    assert most_gathered(speech) == 2
    sizes: dict[str, list[int]] = {}
    groups = deal(speech, 4)
    for speaker, names in zip(groups.speakers, groups.members, strict=True):
        sizes.setdefault(speaker, []).append(len(names))
    assert sizes == {"p00": [4, 4], "p01": [4, 4], "p02": [1, 1, 1], "p03": [1]}
    assert len(deal(speech, 1, most_exact=49)) == 7


def test_groups_of_one_are_what_adaptive_compares() -> None:
    people = Imagined(0)
    released, tries = people.release(), people.tries()
    ((_, one),) = gathered(tries, [released], deal(released, 1))
    assert np.sort(one.score) == pytest.approx(np.sort(dict(best_of(tries, released))[4].score))
    # And so it is where voices are taken away as well.
    back = {"clear": people.tries()[0], "undone": people.tries()}
    ((_, one),) = gathered(tries, [released], deal(released, 1), **back)
    both = dict(best_of(tries, released, **back))[4]
    assert np.sort(one.score) == pytest.approx(np.sort(both.score))


def test_gathering_before_choosing_beats_choosing_before_gathering() -> None:
    gain = []
    for seed in range(4):
        people = Imagined(seed, noise=2.0)
        released, tries = people.release(), people.tries()
        groups = deal(released, 4)
        (_, one), (_, few) = (
            next(gathered(tries, [released], deal(released, size))) for size in (1, 4)
        )
        best = np.max([_matrix(one_try, released) for one_try in tries], axis=0)
        best = normalised(best, ~np.eye(len(released), dtype=bool))
        place = {name: k for k, name in enumerate(released.ids)}
        rows = [[place[name] for name in names] for names in groups.members]
        later = np.array([[best[np.ix_(a, b)].mean() for b in rows] for a in rows])
        chosen_first = ScoreSet(
            later[~np.eye(len(rows), dtype=bool)], few.mated, few.enrol, few.trial, few.speakers
        )
        gain.append((d_ece(few), d_ece(chosen_first), d_ece(one)))
    gathered_first, chosen, single = np.mean(gain, axis=0)
    assert gathered_first > single + 0.1
    assert gathered_first > chosen + 0.02


def _matrix(one: Embeddings, other: Embeddings) -> np.ndarray:
    return normalised(*score_matrix(one, other, None))


def test_every_release_tells_more() -> None:
    people = Imagined(5, noise=0.8)
    releases = [people.release() for _ in range(3)]
    found = dict(gathered(people.tries(), releases, deal(releases[0], 1)))
    assert list(found) == [1, 2, 3]
    assert d_ece(found[3]) > d_ece(found[1]) + 0.05


def test_what_a_release_lacks_is_left_to_the_others() -> None:
    people = Imagined(6)
    whole, part = people.release(), people.release()
    part = part.take([k for k, person in enumerate(WHO) if person > 0])
    groups = deal(whole, 2)
    (_, one), (_, both) = gathered(people.tries(), [whole, part], groups)
    assert one.score.size == both.score.size == len(groups) * (len(groups) - 1)
    mine = (one.enrol == 0) | (one.trial == 0)
    # Nobody is there in the second release whom the first person could be compared with.
    assert (one.score[one.trial == 0] == both.score[both.trial == 0]).all()
    assert (one.score[~mine] != both.score[~mine]).all()


def test_more_on_one_side_is_more_and_on_both_is_most() -> None:
    gain = []
    for seed in range(4):
        people = Imagined(seed, noise=2.5)
        heard, own = people.release(), of(people.said)
        dealt = {n: deal(heard, n) for n in (1, 4)}
        # One draw for everybody: what is left is the noise of the recordings.
        session = [[[(own, own)]]]
        gain.append(
            [
                d_ece(next(all_gathered(session, dealt[e], dealt[t]))[1])
                for e, t in ((1, 1), (4, 1), (1, 4), (4, 4))
            ]
        )
    one, of_person, of_voice, both = np.mean(gain, axis=0)
    assert of_person > one + 0.05
    assert of_voice > one + 0.05
    assert of_person == pytest.approx(of_voice, abs=0.05)
    assert both > max(of_person, of_voice) + 0.05


def test_groups_that_share_an_utterance_are_no_trial() -> None:
    speech = of(np.random.default_rng(8).normal(size=(WHO.size, 5)))
    ((_, found),) = all_gathered([[[(speech, speech)]]], deal(speech, 4), deal(speech, 1))
    # Two groups of four against eight single ones, four of which are in each group.
    assert found.mated.sum() == PEOPLE * 2 * 4
    assert found.score.size == PEOPLE * 2 * (PEOPLE * TAKES - 4)


def test_who_knows_sessions_links_the_next_one_and_each_known_one_helps() -> None:
    people = Imagined(9, noise=0.5)
    # A mapping that leaves some of every voice alone, another draw of it in every session.
    left = 0.4 * np.eye(DIMENSIONS)
    people.draws = np.array([draw + left for draw in people.draws])
    first, *others = (people.release() for _ in range(5))
    clear = of(people.said)
    assert KNOWN_SESSIONS.scores(Heard("tiny", clear, first)) is None
    found = KNOWN_SESSIONS.scores(Heard("tiny", clear, first, releases=tuple(others)))
    assert found is not None
    assert str(found.budget) == "4 utterances, 4 known sessions"
    told = {str(had): d_ece(scores) for had, scores in found.along.items()}
    assert told["1 utterance, 4 known sessions"] > told["1 utterance, 1 known session"] + 0.02
    assert told["4 utterances, 1 known session"] > told["1 utterance, 1 known session"] + 0.02


def test_curves_run_along_one_thing_at_a_time() -> None:
    def point(**had: int) -> Fewer:
        return Fewer(Had(**had), ())

    few = {"enrolled": 1, "tried": 1}
    found = list(
        curves(
            [
                point(**few, sessions=1),
                point(**few, sessions=3),
                point(enrolled=2, tried=1, sessions=1),
                point(enrolled=2, tried=2, sessions=1),
                point(enrolled=2, tried=2, sessions=3),
            ]
        )
    )
    assert [(one.over, one.beside, one.n) for one in found] == [
        ("recordings of the person", "1 utterance of a voice", (1, 2)),
        ("recordings of both", "", (1, 2)),
        ("recordings of both", "3 sessions", (1, 2)),
        ("sessions looked in", "1 utterance", (1, 3)),
        ("sessions looked in", "2 utterances", (1, 3)),
    ]
    assert not list(curves([point(tries=2), point(tries=8)])), "nothing says what one would give"


def test_without_what_it_needs_it_stays_away() -> None:
    clear = of(np.random.default_rng(7).normal(size=(WHO.size, 5)))
    assert GATHERING.scores(Heard("tiny", clear, clear)) is None
    found = GATHERING.scores(Heard("tiny", clear, clear, own=clear, releases=(clear,)))
    assert found is not None
    assert [str(had) for had in found.along] == [
        "1 utterance",
        "1 utterance, 2 sessions",
        "2 utterances of a person, 1 utterance of a voice",
        "4 utterances of a person, 1 utterance of a voice",
        "1 utterance of a person, 2 utterances of a voice",
        "1 utterance of a person, 4 utterances of a voice",
        "2 utterances",
        "2 utterances, 2 sessions",
        "4 utterances",
    ]
    assert str(found.budget) == "4 utterances, 2 sessions"


def test_it_says_what_it_lacks(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"protects its own.*`attacker_safeguard`"):
        pv.assess(tmp_path, tmp_path, attackers="gathering")
    with pytest.raises(UsageError, match="`releases` are for whoever gathers"):
        pv.assess(tmp_path, tmp_path, attackers="lazy", releases=tmp_path)
    with pytest.raises(UsageError, match=r"needs one at least: .*`releases`"):
        pv.assess(tmp_path, tmp_path, attackers="known-sessions")
    with pytest.raises(UsageError, match="name others, such as lazy"):
        pv.assess(tmp_path, tmp_path, attackers="ensemble")


@pytest.fixture(scope="module")
def attacked(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> AudioAssessment:
    """B2r on real people: two releases, two tries."""
    out = tmp_path_factory.mktemp("gathering")
    voice = read_corpus(shared / "speech" / "voice")
    names = sorted(voice.speakers)[:6]
    people = voice.subset(
        ids=[
            u.id
            for name in names
            for u in sorted(voice.speakers[name], key=lambda u: len(u.transcript or ""))[4:8]
        ]
    )
    ours, theirs = Key(bytes(range(32))), Key(bytes(range(1, 33)))
    chain = parse_chain("mcadams-random")
    tried = draws(chain, 2)

    def protected(name: str, how: Any, key: Key) -> Corpus:
        return protect_corpus(people, out / name, how, key=key, key_session=name).corpus

    (again,) = released_sessions("default", 2)
    return assess_audio(
        Material(
            people,
            protected("default", chain, ours),
            protected("attacker", chain, theirs),
            attacker_tries=tuple(protected(draw.session, draw.chain, theirs) for draw in tried),
            releases=(protected(again, chain, ours),),
        ),
        [load_encoder("ge2e")],
        attackers=("lazy", "adaptive", "gathering", "known-sessions", "ensemble"),
        by_gender=False,
        replicates=50,
        permutations=50,
    )


@pytest.mark.weights
def test_real_people_are_found_by_whoever_gathers(attacked: AudioAssessment) -> None:
    adaptive, gathering = (attacked.result(name, "ge2e") for name in ("adaptive", "gathering"))
    assert str(gathering.budget) == "2 utterances, 2 sessions"
    assert {curve.over: curve.n for curve in gathering.curves} == {
        "recordings of the person": (1, 2),
        "recordings of the pseudo-voice": (1, 2),
        "recordings of both": (1, 2),
        "sessions looked in": (1, 2),
    }
    single = next(row for row in gathering.along[0].rows if row.metric == "d_ece")
    assert {row.metric for row in gathering.along[0].rows} == {"eer", "d_ece", "l_w"}
    assert single.value == pytest.approx(adaptive.disclosure.value, abs=0.05)
    assert float(gathering.disclosure.value) > float(single.value) + 0.02
    assert gathering.disclosure.null is not None
    assert gathering.disclosure.low is not None
    # Its control gathers too, and stands in the table beside that of single utterances.
    assert gathering.row("oo", "d_ece").n_mated < adaptive.row("oo", "d_ece").n_mated
    rows = {row.attacker for row in attacked.whole.rows if row.condition == "oo"}
    assert rows == {
        "none (unprotected), ge2e",
        "none (unprotected), ge2e, gathered",
        "none (unprotected), all encoders",
    }


@pytest.mark.weights
def test_real_attackers_are_fused(attacked: AudioAssessment) -> None:
    fused = attacked.result("ensemble", "all encoders")
    assert fused.condition == "pq"
    assert not fused.disclosure.chance
    lazy = attacked.result("lazy", "ge2e")
    assert float(fused.disclosure.value) > float(lazy.disclosure.value)
    assert any("gathering, ge2e: no part of the ensemble" in w for w in attacked.whole.warnings)
    assert ("pq", "all together, all encoders") in {
        (row.condition, row.attacker) for row in attacked.whole.rows
    }


@pytest.mark.weights
def test_a_budget_is_enough_or_not(attacked: AudioAssessment) -> None:
    adaptive = attacked.result("adaptive", "ge2e")
    assert [str(point.had) for point in adaptive.along] == ["1 try"]
    whole = float(adaptive.disclosure.value)
    fewer = next(row for row in adaptive.along[0].rows if row.metric == "d_ece")

    def with_points(*values: float) -> AttackResult:
        points = [Fewer(Had(tries=2**k), (replace(fewer, value=v),)) for k, v in enumerate(values)]
        return replace(adaptive, along=tuple(points))

    for values, enough in (
        ((whole - 0.3, whole - 0.1), None),
        ((whole - 0.3, whole - 0.01), Had(tries=2)),
        ((whole + 0.01, whole - 0.01), Had(tries=1)),
        # What once was as much by chance, and then no longer, was not enough.
        ((whole, whole - 0.1, whole + 0.01), Had(tries=4)),
        ((whole, whole + 0.05), None),
    ):
        assert saturation(with_points(*values)) == enough
    assert said_of_budget(with_points(whole - 0.3)) == "still rises"
    assert said_of_budget(with_points(whole)) == "saturates after 1 try"
    assert said_of_budget(attacked.result("lazy", "ge2e")) == ""
