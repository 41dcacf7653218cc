"""The section on slices: made-up figures through the real words, and drawn in a real browser."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import page_study
import pytest

from pseudovoice.assessment.estimate import Estimate
from pseudovoice.page import Study, write_page
from pseudovoice.page.gather import compose
from pseudovoice.page.slices import NO_TEXT, SliceFigures, sliced_results
from pseudovoice.reassembly import Ranking, Sampled
from pseudovoice.reidentification import IdentityResult, Linked
from pseudovoice.report.maouche import Duration, SlicedEntry, slice_tables
from pseudovoice.slicing import Summary
from reading import Reader

NAME = page_study.MARKUP
SUMMARY = Summary(68, 24, 0, 1, 86.0, 4.0, 235, 4, 1.3, 0.2)


def estimate(value: float, null: float | None = 0.05, *, chance: bool = False) -> Estimate:
    return Estimate(value, value - 0.02, value + 0.02, null, null and null + 0.01, chance)


def linked(d_ece: float, eer: float, mated: int = 60, *, chance: bool = False) -> Linked:
    d_sys = estimate(0.9 - 2 * eer, chance=chance)
    disclosed = estimate(d_ece, 0.02, chance=chance)
    return Linked(d_sys, estimate(eer, 0.5), disclosed, mated, 5 * mated)


def attacked(
    attacker: str, enrolment: str, ours: Linked, clear: Linked | None = None
) -> IdentityResult:
    return IdentityResult(attacker, "clear", enrolment, ours, clear or linked(0.6, 0.05))


RANKED = Ranking(68, 44, estimate(0.4, 0.5), estimate(0.4, 0.5), estimate(0.1), estimate(0.2, 0.1))
HEARD = Sampled(
    68.0, 5, estimate(0.02, 0.5), estimate(0.02, 0.5), estimate(0.9), estimate(0.97, 0.1),
    estimate(0.8, None),
)  # fmt: skip
ATTACKS = (
    attacked("ignorant", "sliced", linked(0.2, 0.25)),
    attacked("ignorant", "whole", linked(0.25, 0.2)),
    attacked("lazy", "sliced", linked(0.3, 0.15)),
    attacked("lazy", "whole", linked(0.45, 0.12)),
)


def figures(**changes: Any) -> SliceFigures:
    made = SliceFigures(
        name=NAME,
        parameters={"slice: duration": 1.0},
        key="1234abcd",
        summary=SUMMARY,
        attacks=ATTACKS,
        whole=(attacked("lazy", "whole", linked(0.5, 0.06, 12)),),
        whole_seconds=(3.6, 0.8),
        reference=page_study.PLAIN,
        text={"text, Eq. 2": RANKED},
        sound={"waveform": HEARD, "silence": replace(HEARD, recovered=estimate(0.0, None))},
        nothing="",
        reads=True,
    )
    return replace(made, **changes)


def entry(found: SliceFigures) -> SlicedEntry:
    return SlicedEntry(
        page_study.PATH, found.name, "words", 1.0, Duration(1.3, 0.2), found.text, found.sound,
        found.attacks, found.whole, Duration(3.6, 0.8), found.reference,
    )  # fmt: skip


def alone(*found: SliceFigures) -> Study:
    """A study of nothing but slices."""
    return compose(
        "Slices",
        page_study.corpus(),
        [],
        slices=[sliced_results(one) for one in found],
        slice_tables=slice_tables([entry(one) for one in found]),
    )


def beside(study: Study) -> Study:
    """Slices beside whole speech."""
    cut = alone(figures())
    return replace(study, slices=cut.slices, slice_tables=cut.slice_tables)


def test_who_attacks_and_what_they_know_stands_before_the_number() -> None:
    one = sliced_results(figures())
    assert one.whose == (
        "The strongest attacker tested knows the safeguard and protects its own recordings of the "
        "speakers with its own key; with whole recordings of each person, heard through clear, "
        "this attacker still learns 75 % of what unprotected slices tell it (equal error rate "
        "12.0 % [10.0, 14.0], where guessing gives 50 %; mcadams-random, not cut: 6.0 % [4.0, 8.0]"
        "; linkability D_sys 0.66 [0.64, 0.68], where shuffled names give 0.05)."
    )
    assert one.together == (
        "Somebody who has nothing but the slices (neither names nor key) puts 80.0 % (78.0 to "
        "82.0) of the utterances together again (looking at whether the waveform goes on across "
        "the cut; 5 samples of utterances): a slice's successor is found in 90.0 % (88.0 to 92.0) "
        "of the cases, where guessing finds it in 5.0 %."
    )


def test_what_was_not_tried_or_cannot_be_told_is_said() -> None:
    assert sliced_results(figures(reads=False)).not_tried == (NO_TEXT,)
    bare = sliced_results(figures(attacks=(), whole=(), text={}, sound={}, nothing="none follow"))
    assert bare.headline == (
        "Whose slices they are was not tried. Putting slices together: none follow."
    )
    deaf = attacked("ignorant", "whole", linked(0.2, 0.3), linked(0.1, 0.4))
    assert "too weak to conclude" in sliced_results(figures(attacks=(deaf,))).whose
    hidden = attacked("ignorant", "whole", linked(0.01, 0.48, chance=True))
    assert "cannot be told from chance" in sliced_results(figures(attacks=(hidden,))).whose
    few = sliced_results(figures(whole=(attacked("lazy", "whole", linked(0.5, 0.06, 12)),)))
    assert few.attacks[-1].d_sys is None, "a single bin tells nothing"


def test_a_study_of_slices_alone_has_its_own_method_and_annex() -> None:
    study = alone(figures())
    assert "slices of others" in study.comparisons
    found = {row.property: row.found for row in study.annex}
    assert all(found.values())
    assert study.slices[0].whose in found["Unlinkability"][0]


@pytest.fixture(params=["beside", "alone"])
def shown(request: pytest.FixtureRequest, study: Study, driver: Any, tmp_path: Path) -> Reader:
    other = figures(name="other")
    made = beside(study) if request.param == "beside" else alone(figures(), other)
    write_page(tmp_path / "report.html", made)
    assert NAME not in (tmp_path / "report.html").read_text(encoding="utf-8")
    reader = Reader(driver)
    reader.look(width=1440, height=900, dark=False)
    reader.open(tmp_path / "report.html")
    return reader


def test_the_section_is_drawn_and_works_by_keyboard(shown: Reader) -> None:
    assert shown.console() == []
    assert shown.texts("main .alert") == [], "every part could be drawn"
    whole = len(shown.texts("#map"))
    contents = shown.texts(".contents a")
    assert "Slices" in contents
    assert len(contents) == len(shown.texts("main > section"))
    assert ("Hidden, and still distinct" in contents) == bool(whole)
    verdicts = " ".join(shown.texts(".verdicts .knows"))
    assert "Whose slices? Lazy-informed attacker" in verdicts
    assert "In order again?" in verdicts
    assert NAME in shown.texts(".verdicts .safeguard-name")
    assert shown.texts("#slices img") == []
    shown.focus("#slices .chart")
    shown.press("ArrowRight")
    assert "D_sys" in shown.text("#slices .readout")
    shown.js("document.querySelector('#slices .segments input[value=sliced]').click()")
    summary = shown.text("#slices figure .summary")
    assert "equal error rate 15.0 %" in summary, "that of the sliced enrolment"
    shown.js("document.querySelector('#slices .segments input[value=eer]').click()")
    assert "guessing" in shown.text("#slices .chart")
    captions = shown.texts("#slices .papers caption")
    assert [caption.split(" of ")[0] for caption in captions] == ["Table 2", "Table 3", "Fig. 3"]
    assert "asr_training in a plan does" in shown.text("#slices")


def test_no_serious_violation_and_nothing_hangs_over(shown: Reader, axe: str) -> None:
    shown.look(width=390, height=900, dark=False)
    with shown.without_policy():
        shown.driver.refresh()
        shown.until(lambda: shown.js("return document.documentElement.dataset.ready === 'yes'"))
        wide = shown.js(
            "return [...document.querySelectorAll('#slices *')].filter((e) => "
            "!e.closest('.scroll') && e.getBoundingClientRect().right > 391).length"
        )
        assert wide == 0
        assert shown.serious(axe, "#slices, #verdict") == []
