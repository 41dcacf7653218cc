"""All attackers together: better than each of them, and on nobody's own trials."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pseudovoice.assessment.assess import assess_scores
from pseudovoice.attacks.attack import AttackScores
from pseudovoice.attacks.ensemble import ENSEMBLE, Part, lacks_others
from pseudovoice.attacks.registry import attacker
from pseudovoice.backends.cross_fit import cross_fitted
from pseudovoice.scores.scoreset import ScoreSet, named_scores

PEOPLE, TAKES = 20, 4
WHO = np.repeat(np.arange(PEOPLE), TAKES).astype(np.int32)
TRIAL = ~np.eye(WHO.size, dtype=bool)
NAMES = tuple(f"p{k:02d}" for k in range(PEOPLE))


def part(rng: np.random.Generator, alike: float) -> ScoreSet:
    """Cosines of one ear: a person's two sides share a direction as far as ``alike`` says."""
    voice = rng.normal(size=(PEOPLE, 6))
    sides = [
        alike * voice[WHO] + rng.normal(size=(PEOPLE, 6))[WHO] + rng.normal(size=(WHO.size, 6))
        for _ in range(2)
    ]
    a, b = (side / np.linalg.norm(side, axis=1, keepdims=True) for side in sides)
    grid = np.broadcast_to(WHO[:, None], TRIAL.shape)
    return named_scores((a @ b.T)[TRIAL], grid[TRIAL], grid.T[TRIAL], NAMES, method="exhaustive")


def d_ece(scores: ScoreSet, permutations: int = 0) -> tuple[float, float | None]:
    row = assess_scores({"pq": scores}, replicates=0, permutations=permutations).row("pq", "d_ece")
    return float(row.value), row.null


def test_ears_that_hear_different_things_hear_more_together() -> None:
    rng = np.random.default_rng(0)
    parts = [part(rng, 1.5), part(rng, 1.5), part(rng, 0.0)]
    each = [d_ece(one)[0] for one in parts]
    assert d_ece(cross_fitted(parts))[0] > max(each) + 0.05


def test_of_one_part_nothing_changes_but_the_scale() -> None:
    one = part(np.random.default_rng(5), 1.0)
    fused = cross_fitted([one]).score
    np.testing.assert_allclose(fused, (one.score - one.score.mean()) / one.score.std(), atol=1e-9)


def test_where_nothing_is_left_nothing_is_learnt() -> None:
    """Weights learnt on more people for trials within a fold would tell mated trials from others:
    with them it is half as much again as chance gives."""
    rng = np.random.default_rng(1)
    found = [d_ece(cross_fitted([part(rng, 0.0) for _ in range(4)]), 20) for _ in range(24)]
    value, null = np.array(found).mean(axis=0)
    assert value < 1.25 * null


def test_nobodys_own_trials_train_what_judges_them() -> None:
    rng = np.random.default_rng(2)
    parts = [part(rng, 1.0), part(rng, 0.5)]
    mine = (parts[0].enrol == 3) | (parts[0].trial == 3)
    lied = replace(parts[0], mated=parts[0].mated ^ mine)
    before, after = (cross_fitted([first, parts[1]]).score for first in (parts[0], lied))
    assert (before[mine] == after[mine]).all()
    # They do train what judges others.
    assert (before[~mine] != after[~mine]).any()


def a_part(name: str, encoder: str, scores: ScoreSet, control: ScoreSet) -> Part:
    who = attacker(name)
    return Part(who, encoder, AttackScores({"oo": control, who.condition: scores}))


def test_who_compares_other_trials_is_no_part_of_it() -> None:
    rng = np.random.default_rng(3)
    clear = part(rng, 3.0)
    whole = part(rng, 1.0)
    fewer = replace(
        whole,
        score=whole.score[9:],
        mated=whole.mated[9:],
        enrol=whole.enrol[9:],
        trial=whole.trial[9:],
    )
    parts = [
        a_part("ignorant", "a", part(rng, 0.5), clear),
        a_part("lazy", "a", whole, clear),
        a_part("gathering", "a", fewer, clear),
    ]
    made = ENSEMBLE.fused(parts)
    assert made.notes == ("gathering, a: no part of the ensemble, since it compares other trials.",)
    assert made.scores is not None
    assert made.scores.conditions["pq"].mated_scores.size == whole.mated_scores.size
    # One control of both: fusing it alone leaves who is more alike than whom.
    assert d_ece(made.scores.conditions["oo"])[0] == pytest.approx(d_ece(clear)[0], abs=1e-9)


def test_it_says_why_it_cannot() -> None:
    rng = np.random.default_rng(4)
    clear = part(rng, 3.0)
    ignorant = [a_part("ignorant", name, part(rng, 0.5), clear) for name in "ab"]
    for some in (ignorant, [a_part("lazy", "a", part(rng, 1.0), clear)]):
        made = ENSEMBLE.fused(some)
        assert made.scores is None
        assert made.notes == ("the ensemble has no informed attackers to fuse.",)
    three = [a_part("lazy", name, _people(part(rng, 1.0), 3), _people(clear, 3)) for name in "ab"]
    assert ENSEMBLE.fused(three).notes == ("the ensemble learns on 6 people or more.",)


def _people(scores: ScoreSet, most: int) -> ScoreSet:
    keep = (scores.enrol < most) & (scores.trial < most)
    return named_scores(
        scores.score[keep], scores.enrol[keep], scores.trial[keep], scores.speakers[:most]
    )


def test_it_needs_others() -> None:
    assert lacks_others([attacker("ensemble"), attacker("ignorant"), attacker("oracle-key")])
    assert not lacks_others([attacker("ensemble"), attacker("lazy")])
    assert not lacks_others([attacker("ignorant")])
