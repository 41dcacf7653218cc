"""Headlines are the strongest encoder's, whatever the order, and claim nothing they cannot."""

from __future__ import annotations

import numpy as np
import pytest

from pseudovoice.assessment.assess import Assessment, assess_scores
from pseudovoice.attacks.assess import AudioAssessment
from pseudovoice.attacks.registry import attacker
from pseudovoice.attacks.result import AttackResult, in_full, result_of
from pseudovoice.attacks.verdict import TOO_FEW, verdicts
from pseudovoice.scores.scoreset import ScoreSet, named_scores
from pseudovoice.study.findings import SafeguardFindings
from pseudovoice.study.headlines import headlines
from pseudovoice.study.plan import SafeguardPlan


def scores(seed: int, gap: float, speakers: int) -> ScoreSet:
    """Every pair of speakers six times; own voices score higher by ``gap``."""
    rng = np.random.default_rng(seed)
    enrol, trial = np.repeat(np.indices((speakers, speakers)).reshape(2, -1), 6, axis=1)
    score = rng.normal(size=enrol.size) + gap * (enrol == trial)
    names = tuple(f"s{k}" for k in range(speakers))
    return named_scores(score, enrol.astype(np.int32), trial.astype(np.int32), names)


def assessed(*, clear: float, protected: float, speakers: int = 8) -> Assessment:
    sets = {
        "oo": scores(0, clear, speakers),
        "op": scores(1, protected, speakers),
        "pp": scores(2, clear, speakers),
    }
    return assess_scores(sets, replicates=60, permutations=60)


def heard(encoder: str, assessment: Assessment) -> AttackResult:
    return result_of(attacker("ignorant"), encoder, "all", assessment, llrs=False)


def found(*results: AttackResult) -> SafeguardFindings:
    assert results[0].assessment is not None
    whole = AudioAssessment(results[0].assessment, tuple(results), ())
    return SafeguardFindings("set", SafeguardPlan("mcadams", "mcadams"), None, whole, None, (), ())


@pytest.fixture(scope="module")
def strong() -> AttackResult:
    return heard("strong", assessed(clear=4.0, protected=2.0))


@pytest.fixture(scope="module")
def poor() -> AttackResult:
    return heard("poor", assessed(clear=3.0, protected=0.6))


@pytest.fixture(scope="module")
def deaf() -> AttackResult:
    return heard("deaf", assessed(clear=0.5, protected=0.1))


def test_every_number_is_the_strongest_encoders_in_any_order(
    strong: AttackResult, poor: AttackResult, deaf: AttackResult
) -> None:
    orders = [(strong, poor, deaf), (poor, deaf, strong), (deaf, strong, poor)]
    said = [headlines([found(*order)]) for order in orders]
    assert said[0] == said[1] == said[2]
    assert "heard through strong" in said[0][0]
    deid = 100 * float(strong.value("op", "deid"))
    assert f"(DeID): {deid:.0f} [" in said[0][-1]
    assert said[0][-1].count("under mcadams through strong") == 2
    assert all(in_full(order).encoder == "strong" for order in orders)


def test_a_deaf_encoder_claims_nothing(deaf: AttackResult) -> None:
    assert not deaf.conclusive
    (said,) = headlines([found(deaf)])
    assert said.startswith("mcadams: Every attack was too weak to conclude")
    assert "%" not in said


def test_too_few_people_give_neither_interval_nor_verdict() -> None:
    two = heard("strong", assessed(clear=4.0, protected=2.0, speakers=2))
    assert two.row("op", "d_ece").low is None  # type: ignore[union-attr]
    assert two.verdict == TOO_FEW
    assert headlines([found(two)]) == [f"mcadams: Nothing can be said: {TOO_FEW}."]
    three = heard("strong", assessed(clear=4.0, protected=2.0, speakers=3))
    low, high = (getattr(three.row("op", "d_ece"), end) for end in ("low", "high"))
    assert low < high
    assert three.verdict == TOO_FEW, "3! = 6 names: one in six is everybody's own"


def test_scores_have_the_verdicts_of_audio(strong: AttackResult, deaf: AttackResult) -> None:
    for one in (strong, deaf):
        assert one.assessment is not None
        assert verdicts(one.assessment) == {"op": one.verdict}
    unsettled = [assessed(clear=4.0, protected=gap / 10) for gap in range(1, 8)]
    said = {verdicts(one)["op"].partition(",")[0] for one in unsettled}
    assert "this attacker seems to learn something" in said
    alone = assess_scores({"op": scores(1, 2.0, 8)}, replicates=60, permutations=60)
    assert verdicts(alone)["op"].startswith("this attacker learns something; how much")
