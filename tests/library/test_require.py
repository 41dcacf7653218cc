"""Requirements: how they are written, and that they err on the safe side."""

from __future__ import annotations

import pytest

from pseudovoice.errors import UsageError
from pseudovoice.library.require import Found, Judgement, judge, known_metrics, read_requirements


def judged(text: str, *found: Found, **more: list[Found]) -> Judgement:
    requirements = read_requirements([text], known_metrics())
    (one,) = judge(requirements, {"ours": list(found), **more})
    return one


def number(value: float, low: float | None, high: float | None, metric: str = "d_ece") -> Found:
    return Found(metric, value, low, high, "bit", f"an attacker of {value}")


@pytest.mark.parametrize(
    "text", ["d_ece<0.1", " d_ece < 0.1 ", "d_ece<=.5", "d_ece", "<1", "d_ece<x"]
)
def test_how_they_are_written(text: str) -> None:
    if text.strip().endswith("0.1"):
        assert str(read_requirements([text], known_metrics())[0]) == "d_ece<0.1"
    else:
        with pytest.raises(UsageError, match="is no requirement; write a metric"):
            read_requirements([text], known_metrics())


def test_names_that_are_not_measured_here() -> None:
    with pytest.raises(UsageError, match=r"wer is not measured here; there are eer"):
        read_requirements(["wer<8"], known_metrics(use=False))
    with pytest.raises(UsageError, match="did you mean wer"):
        read_requirements(["were<8"], known_metrics())
    with pytest.raises(UsageError, match="a tag is a letter"):
        read_requirements(["tag<1"], known_metrics())


def test_the_worse_end_of_the_worst_counts() -> None:
    found = number(0.05, 0.0, 0.2), number(0.08, 0.07, 0.09)
    no = judged("d_ece<0.1", *found)
    assert not no.met
    assert (no.counts, no.value) == (0.2, 0.05)
    assert "the worst of 2" in str(no)
    assert judged("d_ece<0.21", *found).met
    assert not judged("d_ece<0.2", *found).met
    assert judged("d_ece<=0.2", *found).met
    least = judged("d_ece>0.01", *found)
    assert not least.met
    assert least.counts == 0.0


def test_what_was_not_shown_is_not_met() -> None:
    assert not judged("d_ece<1").met
    assert "no such number of ours" in judged("d_ece<1").says
    assert "it was not measured of ours" in judged("wer<8").says
    blind = judged("d_ece<1", number(0.1, 0.0, 0.2), number(0.01, None, None))
    assert not blind.met
    assert "has no interval" in blind.says
    failed = judged("d_ece<1", number(0.1, 0.0, 0.2), theirs=[])
    assert not failed.met
    assert "of theirs" in failed.says
