"""The page in a real browser: it works by pointer and by keyboard, and asks nobody for anything."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import page_study
import pytest

from pseudovoice.attacks.registry import attackers
from pseudovoice.attacks.verdict import TOO_FEW
from pseudovoice.page import Study, write_page
from reading import Reader

STAGE = "#matrices .stage"
READOUT = "#matrices .readout"


def choose(reader: Reader, section: str, label: str) -> None:
    """Click the radio button of that name."""
    reader.js(
        "for (const e of document.querySelectorAll(arguments[0] + ' .segments label')) "
        "if (e.textContent === arguments[1]) e.dataset.wanted = 'yes'; "
        "else delete e.dataset.wanted",
        section,
        label,
    )
    reader.click(f"{section} .segments label[data-wanted]")


def show_speaker(reader: Reader, name: str) -> None:
    reader.js(
        "const s = document.querySelector('#speaker select'); s.value = arguments[0]; "
        "s.dispatchEvent(new Event('change'))",
        name,
    )


def worst(study: Study, attacker: str = "ignorant") -> list[str]:
    return [
        r.speaker
        for r in study.safeguards[0].speakers
        if (r.attacker, r.encoder, r.group) == (attacker, "clear", "all")
    ]


def visible(name: str) -> str:
    """A name as the page shows it."""
    return "".join(f"\\u{ord(c):04x}" if c in "\u202e\u2028" else c for c in name)


def test_it_loads_without_a_word_to_the_console_or_a_request(reader: Reader, page: Path) -> None:
    assert reader.console() == []
    inside = [address for address in reader.requests() if not address.startswith("data:")]
    assert inside == [page.as_uri()]


def test_strings_cannot_be_made_markup_not_even_by_its_own_script(reader: Reader) -> None:
    tried = "try { document.body.insertAdjacentHTML('beforeend', '<i>x</i>'); return 'made' } "
    assert reader.js(tried + "catch (error) { return error.name }") == "TypeError"
    asked = (
        "const done = arguments[0]; const i = new Image(); i.onload = () => done('loaded'); "
        "i.onerror = () => done('refused'); i.src = 'file:///etc/hostname'"
    )
    assert reader.driver.execute_async_script(asked) == "refused"
    assert any("Content Security Policy" in text for text in reader.console())


def test_what_cannot_be_told_from_chance_says_how_much_is_left_open(
    reader: Reader, study: Study
) -> None:
    attack = next(
        a
        for a in study.safeguards[1].attacks
        if (a.attacker, a.encoder, a.group) == ("ignorant", "clear", "all")
    )
    d, control = attack.metrics["d_ece"], attack.control["d_ece"]
    assert d.chance
    left = 100 * float(d.high or 0) / float(control.value)
    assert reader.texts("#verdict tr.chance .open-end")[0] == (
        f" Its interval leaves room for {left:.0f}\u00a0% of what unprotected speech tells."
    )


def test_the_first_screen_states_knowledge_before_numbers(reader: Reader, study: Study) -> None:
    rows = reader.js(
        "return [...document.querySelectorAll('#verdict tr.attack')]"
        ".map((r) => [...r.cells].map((c) => c.innerText))"
    )
    assert len(rows) == 4  # two safeguards, two attackers, the strongest recogniser
    for knows, learns, disclosed, case in rows:
        assert "attacker" in knows
        assert not any(c.isdigit() for c in knows)
        assert "learn" in learns
        assert "unprotected" in disclosed
        assert "chance up to" in disclosed
        assert "odds" in case or "evidence" in case
    box = reader.js("return document.querySelector('tr.attack').getBoundingClientRect().bottom")
    assert box < 900
    attack = next(a for a in study.safeguards[0].attacks if a.attacker == "ignorant")
    d = attack.metrics["d_ece"]
    assert f"{d.value:.3f} bit [{d.low:.3f}, {d.high:.3f}]" in rows[0][2]
    assert reader.js("return document.querySelector('.ladder').getAttribute('aria-label')") == (
        _ladder(attack)
    )


def test_the_strongest_attacker_stands_first_and_who_did_not_attack_is_named(
    reader: Reader, study: Study
) -> None:
    bodies = reader.js(
        "return [...document.querySelectorAll('#verdict tbody')].map((b) =>"
        " [...b.querySelectorAll('tr.attack')].map((r) => r.cells[0].innerText))"
    )
    for one, rows in zip(study.safeguards, bodies, strict=True):
        able = [a for a in one.attacks if a.group == "all" and not a.too_weak]
        worst = max(able, key=lambda a: float(a.metrics["d_ece"].value))
        title = attackers()[worst.attacker].title
        assert rows[0].lower().startswith(title)
        assert ["strongest" in text for text in rows] == [True, False]
    missing = reader.texts("#verdict tr.not-tried")
    assert len(missing) == len(study.safeguards)
    assert "semi-informed, " in missing[0]
    assert "adaptive" in missing[0]
    assert "lazy" not in missing[0]
    assert "oracle" not in missing[0]  # a leak is no attack on the safeguard
    assert missing[0].endswith("Measured on other speech: Everybody knows it.")
    assert "Measured" not in missing[1]


def _ladder(attack: object) -> str:
    tag = attack.metrics["tag"]  # type: ignore[attr-defined]
    spans = f", between {tag.low} and {tag.high}" if tag.low != tag.high else ""
    bounds = (1, 2, 4, 5, 6)
    top = "0ABCDEF"[1 + sum(attack.ceiling >= b for b in bounds)]  # type: ignore[attr-defined]
    return f"Worst case: tag {tag.value}{spans}; this test could have shown {top} at most"


def test_calibration_distortion_stands_where_there_was_another_run(
    reader: Reader, study: Study
) -> None:
    cells = reader.js(
        "return [...document.querySelectorAll('#verdict tr.attack')]"
        ".map((r) => r.cells[2].innerText)"
    )
    assert ["C_ECE" in text for text in cells] == [False, False, True, False]
    attack = next(a for a in study.safeguards[1].attacks if a.attacker == "ignorant")
    c = attack.metrics["c_ece_linear"]
    shown = f"C_ECE {c.value:.3f} bit [{c.low:.3f}, {c.high:.3f}]".replace("-", "−")
    assert shown in cells[2]


def test_the_tables_of_the_paper_hold_its_columns_and_our_names(
    reader: Reader, study: Study
) -> None:
    tables = reader.js(
        "return [...document.querySelectorAll('#papers table')].map((t) =>"
        " [...t.rows].map((r) => [...r.cells].map((c) => c.innerText)))"
    )
    assert len(tables) == 3
    assert tables[0][0] == ["Set", "System", *study.tables[0].columns]
    assert len(tables[0]) == 1 + len(study.tables[0].lines)
    for row, line in zip(tables[0][1:], study.tables[0].lines, strict=True):
        assert row[1] == visible(line.system)
        shown = [cell.text + ("°" if cell.chance else "") for cell in line.cells]
        assert [text.split("\n")[0] for text in row[2:]] == shown
    named = [row[0] for row in tables[0][1:] if row[0]]
    assert len(named) == 3, "each set is named once"
    assert named[0].startswith(page_study.corpus().name)
    assert reader.js("return document.querySelectorAll('#papers img, #papers b').length") == 0


def test_a_weak_attack_is_called_so(reader: Reader) -> None:
    reader.click("#verdict details.data summary")
    said = reader.until(lambda: reader.texts("#verdict .plain td"))
    assert any("attack too weak to conclude" in text for text in said)


def test_awkward_names_are_names(reader: Reader) -> None:
    reader.click("#people .more")
    names = reader.texts("#people .name")
    assert sorted(names) == sorted(visible(name) for name in page_study.SPEAKERS)
    assert (
        reader.js("return document.querySelectorAll('img:not([src^=\"data:image/png\"])').length")
        == 0
    )
    assert reader.js("return document.scripts.length") == 2
    assert visible(page_study.SAFEGUARD) in reader.text("#verdict")
    assert reader.text("h1") == f"Awkward {page_study.MARKUP} {{{{data}}}}"
    assert reader.console() == []


def test_hovering_tells_the_cell(reader: Reader, study: Study) -> None:
    order = worst(study)
    found = next(
        m for m in study.safeguards[0].matrices if (m.group, m.encoder) == ("all", "clear")
    )
    n = len(order)
    row, column = 1, 4  # in the quadrant OP
    reader.hover(STAGE, (n + column + 0.5) / (2 * n), (row + 0.5) / (2 * n))
    assert found.op is not None
    value = found.op[found.speakers.index(order[row]), found.speakers.index(order[column])]
    text = reader.text(READOUT)
    assert text.startswith(
        f"OP: {visible(order[row])}, original, with {visible(order[column])}, protected: "
        f"{value:.3f}"
    )


def test_sorting_changes_who_stands_first(reader: Reader, study: Study) -> None:
    found = next(
        m for m in study.safeguards[0].matrices if (m.group, m.encoder) == ("all", "clear")
    )
    by_gender = sorted(worst(study), key=lambda s: page_study.GENDERS[s])  # a stable sort
    expected = {
        "disclosure": worst(study)[0],
        "gender": by_gender[0],
        "likeness": found.speakers[found.clustered[0]],
        "name": "=HYPERLINK",
    }
    firsts = {}
    for label in ("likeness", "gender", "name", "disclosure"):
        choose(reader, "#matrices", label)
        reader.hover(STAGE, 0.01, 0.01)
        firsts[label] = reader.text(READOUT)
    for label in ("disclosure", "gender", "likeness"):
        assert firsts[label].startswith(
            f"OO: {visible(expected[label])}, original, with themselves"
        )
    assert reader.js("return document.querySelectorAll('.seam').length") == 0
    choose(reader, "#matrices", "gender")
    assert reader.js("return document.querySelectorAll('.seam.across').length") == 2


def test_a_click_leads_to_the_speaker_and_back(reader: Reader, study: Study) -> None:
    order = worst(study)
    reader.middle(STAGE)
    n = len(order)
    x, y = reader.middle(STAGE, 0.1, (n + 3.5) / (2 * n))
    reader.mouse("mousePressed", x, y)
    reader.mouse("mouseReleased", x, y)
    assert reader.text("#speaker-title") == f"Speaker {visible(order[3])}"
    assert reader.js("return document.activeElement.id") == "speaker-title"
    reader.click(".back")
    assert reader.js("return document.activeElement.className").startswith("stage")


def test_a_single_matrix_names_its_rows(reader: Reader, study: Study) -> None:
    choose(reader, "#matrices", "PP")
    assert reader.texts(".row-name") == [visible(name) for name in worst(study)]
    reader.hover(STAGE, 0.05, 0.05)
    assert reader.text(READOUT).startswith("PP:")


def test_the_matrix_is_walked_by_keyboard(reader: Reader, study: Study) -> None:
    order = worst(study)
    reader.focus(STAGE)
    reader.press("ArrowDown", "ArrowDown", "ArrowRight", "End")
    assert reader.text(READOUT).startswith(f"OP: {visible(order[2])}, original")
    assert reader.text("#announce") == reader.text(READOUT)
    reader.press("Enter")
    assert reader.text("#speaker-title") == f"Speaker {visible(order[2])}"


def test_the_zoo_is_walked_by_keyboard(reader: Reader, study: Study) -> None:
    zoo = next(
        z
        for z in study.safeguards[0].zoos
        if (z.group, z.encoder, z.condition) == ("all", "clear", "op")
    )
    left = zoo.speakers[zoo.mated.index(min(zoo.mated))]
    reader.focus("#zoo .chart")
    reader.press("ArrowRight")
    assert reader.text("#zoo .readout").startswith(visible(left))
    reader.press("Enter")
    assert reader.text("#speaker-title") == f"Speaker {visible(left)}"


def test_the_zoo_can_be_pointed_at(reader: Reader) -> None:
    choose(reader, "#zoo", "PP")
    at = reader.js(
        "const e = document.querySelector('#zoo .chart .animal'); "
        "e.scrollIntoView({ block: 'center' }); "
        "const b = e.getBoundingClientRect(); return [b.left + b.width / 2, b.top + b.height / 2]"
    )
    reader.mouse("mouseMoved", *at)
    assert "with themselves" in reader.text("#zoo .readout")


def test_the_map_tells_ours_and_the_published(reader: Reader, study: Study) -> None:
    reader.focus("#map .chart")
    reader.press("Home")
    said = reader.text("#map .readout")
    place = next(p for p in study.safeguards[1].places if (p.group, p.encoder) == ("all", "clear"))
    assert "ignorant attacker" in said
    assert f"{100 * float(place.deid.value):.1f} %" in said or "mcadams" in said
    reader.press("End")
    assert reader.text("#map .readout").startswith("Published: B1")
    assert reader.js("return document.querySelectorAll('#map .chart .published').length") == 30


def test_the_slider_moves_the_belief(reader: Reader, study: Study) -> None:
    profiles = next(
        p for p in study.safeguards[0].profiles if (p.group, p.encoder) == ("all", "clear")
    )
    assert reader.text("#profiles output").startswith("one in two")
    reader.focus("#profiles input[type=range]")
    reader.press("ArrowLeft", "ArrowLeft", "ArrowLeft", "ArrowLeft", "ArrowLeft")
    k = profiles.logit_prior.index(0.0) - 5
    cells = reader.js(
        "return [...document.querySelectorAll('#profiles .curves tbody tr')]"
        ".map((r) => [...r.querySelectorAll('td')].map((c) => c.textContent))"
    )
    curves = [profiles.prior, *(c.ece for c in profiles.curves)]
    assert [float(left) for left, _ in cells] == pytest.approx([c[k] for c in curves], abs=6e-4)
    assert float(cells[1][1].replace("−", "-")) == pytest.approx(
        profiles.prior[k] - profiles.curves[0].ece[k], abs=6e-4
    )
    assert "about 1 in 3" in reader.text("#profiles output")
    choose(reader, "#profiles", "every safeguard")
    names = reader.texts("#profiles .curves th[scope=row]")
    assert any(page_study.PLAIN in name for name in names)


def test_a_clip_plays_and_stops(reader: Reader) -> None:
    show_speaker(reader, page_study.MARKUP)
    assert reader.texts(".clip-name")[0].startswith("original voice")
    reader.js(
        "HTMLMediaElement.prototype.play = ((old) => function () { window.heard = this; "
        "return old.call(this); })(HTMLMediaElement.prototype.play)"
    )
    reader.focus(".clip:nth-child(2) .play")
    reader.press(" ")
    reader.until(lambda: reader.js("return window.heard && window.heard.currentTime > 0.05"))
    assert reader.text(".clip:nth-child(2) .play") == "Stop"
    assert reader.js("return window.heard.duration") == pytest.approx(1.5, abs=0.2)
    reader.until(
        lambda: reader.js(
            "return parseFloat(document.querySelectorAll('.playhead')[1].style.left) > 0"
        )
    )
    reader.press(" ")
    assert reader.js("return window.heard.paused")
    assert reader.js("return [...document.images].every((i) => i.naturalWidth > 20)")
    assert reader.console() == []


def test_everything_can_be_reached_by_tab(reader: Reader) -> None:
    reader.js("document.body.focus(); window.scrollTo(0, 0)")
    reached = set()
    for _ in range(60):
        reader.press("Tab")
        reached.add(
            reader.js(
                "const e = document.activeElement; "
                "const s = e.closest('main > section, .bar, .rail');"
                "return (s ? s.id || s.className : '') + ' ' + e.tagName + ' ' + (e.type || '')"
            )
        )
    for wanted in (
        "verdict INPUT radio",
        "map svg ",
        "matrices DIV ",
        "matrices INPUT radio",
        "zoo svg ",
        "profiles INPUT range",
        "people BUTTON button",
    ):
        assert wanted in reached


def test_groups_are_chosen_in_one_place_and_followed_everywhere(
    reader: Reader, study: Study
) -> None:
    choose(reader, "#verdict", "women")
    assert reader.js("return document.activeElement.value") == "f"  # the keyboard stays here
    women = [name for name, gender in page_study.GENDERS.items() if gender == "f"]
    assert sorted(reader.texts("#people .name")) == sorted(visible(name) for name in women)
    assert reader.js(
        "return [...document.querySelectorAll('#choices select')].map((s) => s.value)"
    ) == [page_study.SAFEGUARD, "ignorant", "f", "clear"]
    attack = next(
        a
        for a in study.safeguards[0].attacks
        if (a.attacker, a.encoder, a.group) == ("ignorant", "clear", "f")
    )
    assert f"{attack.metrics['d_ece'].value:.3f} bit" in reader.text("#verdict .meter-words")


def test_too_few_people_are_not_called_a_weak_attack(
    driver: Any, study: Study, tmp_path: Path
) -> None:
    safeguards = tuple(
        replace(
            one,
            attacks=tuple(replace(a, verdict=TOO_FEW, too_weak=True) for a in one.attacks),
            places=tuple(replace(place, too_weak=True) for place in one.places),
        )
        for one in study.safeguards
    )
    write_page(tmp_path / "report.html", replace(study, safeguards=safeguards))
    reader = Reader(driver)
    reader.open(tmp_path / "report.html")
    assert set(reader.texts("#verdict .attack .figure")) == {"too few"}
    assert reader.texts("#verdict .key-word") == ["too few"]
    assert "too few speakers to conclude" in reader.text("#map")
    assert "nobody can be told from chance" in reader.text("#people")
    assert "too weak" not in reader.text("#verdict") + reader.text("#map") + reader.text("#people")
    assert reader.console() == []


def test_a_recogniser_of_ones_own_choice(reader: Reader) -> None:
    reader.js(
        "const s = document.querySelectorAll('#choices select')[3]; s.value = 'deaf'; "
        "s.dispatchEvent(new Event('change'))"
    )
    assert "heard through deaf are too weak to conclude" in reader.text("#map")
    assert reader.console() == []


def test_dark_and_light(reader: Reader) -> None:
    paper = "return getComputedStyle(document.body).backgroundColor"
    light = reader.js(paper)
    reader.click("#theme")
    dark = reader.js(paper)
    assert dark != light
    assert reader.text("#theme") == "Light page"
    reader.click("#theme")
    assert reader.js(paper) == light
    reader.look(width=1440, height=900, dark=True)
    assert reader.js(paper) == light  # the reader's word counts more than the system's
    reader.js("delete document.documentElement.dataset.theme")
    assert reader.js(paper) == dark


@pytest.mark.parametrize("width", [390, 768, 1440])
def test_nothing_runs_out_of_the_window(reader: Reader, page: Path, width: int) -> None:
    reader.look(width=width, height=844, dark=False)
    reader.open(page)
    assert reader.js("return document.documentElement.scrollWidth") <= width


def test_data_can_be_taken_along(reader: Reader) -> None:
    reader.click("#people .take button")
    folder: Path = reader.driver.downloads
    reader.until(lambda: (folder / "speakers.csv").exists())
    lines = (folder / "speakers.csv").read_text(encoding="utf-8").splitlines()
    assert lines[0].startswith("speaker,gender,D_ECE [bit],low,high")
    assert not any(line.startswith("=") for line in lines)
    assert any(line.startswith("\"'=HYPERLINK") for line in lines)
    reader.click("#zoo .take button + button")
    reader.until(lambda: (folder / "zoo.svg").exists())
    assert (folder / "zoo.svg").read_text(encoding="utf-8").startswith("<svg")
    assert reader.console() == []


def test_it_prints_the_annex_with_blanks(reader: Reader) -> None:
    show_speaker(reader, page_study.MARKUP)
    reader.js("document.querySelector('#annex-purpose').value = 'release to a university'")
    document = reader.pdf()
    assert document.startswith(b"%PDF")
    pages = document.count(b"/Type /Page\n") or document.count(b"/Type/Page/")
    assert 5 <= pages <= 30
    reader.cdp("Emulation.setEmulatedMedia", {"media": "print"})
    hidden = "return getComputedStyle(document.querySelector(arguments[0])).display"
    for selector in ("#choices", ".rail", ".desk", ".take", ".play"):
        shown = reader.js(
            "const e = document.querySelector(arguments[0]); return e.getClientRects().length",
            selector,
        )
        assert shown == 0, selector
    assert reader.js(hidden, "#annex") == "block"
    assert reader.js("return document.querySelector('#annex-purpose').value")
    reader.cdp("Emulation.setEmulatedMedia", {"media": ""})
    text = reader.text("#annex")
    for word in (
        "Irreversibility",
        "Unlinkability",
        "Renewability",
        "Singling out",
        "Linkability",
        "Inference",
        "Decision of the controller",
        "Signature",
    ):
        assert word in text


def test_every_figure_has_words_and_a_table(reader: Reader) -> None:
    for section in ("map", "matrices", "zoo", "profiles", "people", "utility", "sessions", "told"):
        assert len(reader.text(f"#{section} .summary")) > 80, section
        reader.click(f"#{section} details.data > summary")
        rows = reader.until(lambda s=section: reader.texts(f"#{s} .plain tbody tr"))  # type: ignore[misc]
        assert rows
    assert reader.console() == []


def test_the_glossary_can_be_searched(reader: Reader) -> None:
    reader.focus("#glossary input")
    reader.js(
        "const e = document.querySelector('#glossary input'); e.value = 'deid'; "
        "e.dispatchEvent(new Event('input'))"
    )
    assert "deid" in reader.texts("#glossary .term-name")
    assert reader.js("return document.querySelectorAll('#glossary .term:not([open])').length") == 0
