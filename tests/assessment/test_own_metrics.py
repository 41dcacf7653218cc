"""A metric of one's own is drawn again over speakers as ours are."""

from __future__ import annotations

import numpy as np
import pytest

from pseudovoice import ScoreMetric, assess_scores, score_embeddings
from pseudovoice.assessment import condition, own_metrics
from pseudovoice.assessment.metrics import Metric
from pseudovoice.assessment.own_metrics import Scored, own_value

INFINITY = float("inf")


def cllr(scored: Scored) -> float:
    """Ours once more, the slow way."""
    costs = np.logaddexp(0, -scored.mated).mean() + np.logaddexp(0, scored.nonmated).mean()
    return float(costs / (2 * np.log(2)))


def worst(scored: Scored) -> float:
    return float(
        max(np.abs(scored.mated_llr).max(), np.abs(scored.nonmated_llr).max()) / np.log(10)
    )


def metric(name: str, of: object) -> ScoreMetric:
    return ScoreMetric(Metric(name, "bit", 0.0, INFINITY, -1, "slowly"), of, "", "", "")  # type: ignore[arg-type]


@pytest.fixture
def scores():  # type: ignore[no-untyped-def]
    rng = np.random.default_rng(3)
    vectors = rng.normal(size=(7, 6)).repeat(4, axis=0) + 0.7 * rng.normal(size=(28, 6))
    return score_embeddings(vectors, vectors, [f"s{k // 4}" for k in range(28)])


def install(monkeypatch: pytest.MonkeyPatch, *metrics: ScoreMetric) -> None:
    found = {one.name: one for one in metrics}
    monkeypatch.setattr(own_metrics, "score_metrics", lambda: found)
    monkeypatch.setattr(condition, "score_metrics", lambda: found)


def test_its_interval_and_null_level_are_those_of_the_same_metric_of_ours(
    scores, monkeypatch: pytest.MonkeyPatch
) -> None:  # type: ignore[no-untyped-def]
    install(monkeypatch, metric("own_cllr", cllr), metric("own_l_w", worst))
    found = assess_scores({"oo": scores, "op": scores}, replicates=50, permutations=50, seed=4)
    mine, ours = found.row("op", "own_cllr"), found.row("op", "cllr")
    for name in ("value", "low", "high", "null", "null_95"):
        assert getattr(mine, name) == pytest.approx(getattr(ours, name), rel=1e-9), name
    assert (mine.unit, mine.direction, mine.method) == ("bit", "higher", "slowly")
    part = found.conditions["op"]
    (first, second) = part.own
    assert first.replicates == pytest.approx(part.resampled.scalars["cllr"], rel=1e-9)
    assert first.null == pytest.approx(part.permuted.scalars["cllr"], rel=1e-9)
    assert second.value == pytest.approx(part.evaluation.l_w, rel=1e-9)
    assert second.replicates == pytest.approx(part.resampled.scalars["l_w"], rel=1e-9)


def test_without_any_nothing_changes(scores) -> None:  # type: ignore[no-untyped-def]
    found = assess_scores({"oo": scores}, replicates=0, permutations=0)
    assert {row.metric for row in found.rows} <= set(own_metrics.METRICS)


def test_one_that_fails_is_named_and_costs_itself_only(
    scores, monkeypatch: pytest.MonkeyPatch
) -> None:  # type: ignore[no-untyped-def]
    def broken(scored: Scored) -> float:
        raise ZeroDivisionError(f"{scored.mated.size} by nothing")

    install(monkeypatch, metric("broken", broken), metric("empty", lambda _: None))
    found = assess_scores({"oo": scores}, replicates=20, permutations=20)
    assert found.value("oo", "eer") >= 0
    said = " ".join(found.warnings)
    assert "oo: broken is absent: it failed (ZeroDivisionError: 84 by nothing)." in said
    assert "oo: empty is absent: it cannot be had from these scores." in said
    with pytest.raises(KeyError):
        found.row("oo", "broken")


def test_many_trials_have_no_interval_and_say_so(scores, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setattr(own_metrics, "MOST_TRIALS", 100)
    made = own_value(metric("m", cllr), scores, np.ones((3, 7)), None)
    assert made.value is not None
    assert made.replicates is None
    assert "more than 100 trials" in made.why
