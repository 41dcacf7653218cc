"""Captions carry the numbers, their intervals, the attacker, and what chance gives."""

from __future__ import annotations

import pytest

from pseudovoice.assessment.assess import Assessment
from pseudovoice.figures import figure_specs
from pseudovoice.figures.style import shown
from pseudovoice.figures.wording import markdown, measured, named, number
from pseudovoice.scores.scoreset import ScoreSet


@pytest.fixture(scope="module")
def captions(nasty: Assessment, nasty_f0: ScoreSet) -> dict[str, str]:
    return {p.name: p.caption for p in figure_specs(nasty, f0={"op": nasty_f0}, system="mine")}


def test_ratios_stand_with_interval_and_attacker(
    captions: dict[str, str], nasty: Assessment
) -> None:
    row = nasty.row("op", "deid")
    value, low, high = (100.0 * float(v) for v in (row.value, row.low, row.high))  # type: ignore[arg-type]
    words = f"DeID {value:.1f} % [{low:.1f}, {high:.1f}]"
    for name in ("similarity", "map"):
        assert words in captions[name]
        assert "gnorant attacker" in captions[name]
        assert measured(nasty.row("pp", "g_vd")) in captions[name]
    assert "8 speakers" in captions["similarity"]


def test_profiles_and_histograms_name_every_condition(
    captions: dict[str, str], nasty: Assessment
) -> None:
    for condition in ("oo", "op", "pp", "pq"):
        assert measured(nasty.row(condition, "d_ece")) in captions["profiles"]
        assert measured(nasty.row(condition, "eer")) in captions["histograms"]
        assert measured(nasty.row(condition, "cllr")) in captions["calibration"]
    assert "PQ, lazy-informed attacker" in captions["profiles"]
    assert measured(nasty.row("op", "c_ece_linear")) in captions["distortion_op"]


def test_the_worst_speaker_is_named_with_its_number(
    captions: dict[str, str], nasty: Assessment
) -> None:
    worst = max((r for r in nasty.speakers if r.condition == "op"), key=lambda r: r.d_ece)
    assert (
        f"most disclosed {named(worst.speaker)} with D_ECE {worst.d_ece:.3f} bit"
        in captions["speakers"]
    )


def test_chance_is_said_and_no_verdict_given(captions: dict[str, str], nasty: Assessment) -> None:
    assert any(row.chance for row in nasty.rows)
    assert "not distinguishable from chance" in captions["profiles"]
    assert not any("anonym" in caption.lower() for caption in captions.values())


@pytest.mark.parametrize(
    ("value", "decimals", "text"),
    [
        (-6.4014, 1, "−6.4"),
        (-0.04, 1, "0.0"),
        (3e-5, 3, "3e−5"),
        (-4e-7, 3, "−4e−7"),
        (1e-17, 3, "0.000"),
        (float("-inf"), 1, "−∞"),
        (0.0046, 3, "0.005"),
    ],
)
def test_numbers_read_as_in_the_papers(value: float, decimals: int, text: str) -> None:
    assert number(value, decimals) == text


def test_names_are_shown_in_one_drawable_line() -> None:
    assert shown("a\nb") == "a\\u000ab"
    assert shown("张") == "\\u5f20"
    assert shown("speaker-of-the-house-0001", 11) == "speak…-0001"
    assert shown("$x$") == "$x$"


def test_markdown_shows_names_literally() -> None:
    text = markdown("D_ECE of <b>, *x*, `y`, [z](w), _u_ & more\nhere")
    assert text == ("D_ECE of &lt;b&gt;, \\*x\\*, \\`y\\`, [z]\\(w), \\_u\\_ &amp; more here")
