"""A recording in a real browser: dropped, diarised, corrected, protected, heard, signed, saved."""

from __future__ import annotations

import json
import time
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
from conversation import compose
from loopback_client import Client
from test_serve_browser import state, type_into, visit

import reading
from pseudovoice.diarisation import Turns, diarisation_error
from pseudovoice.diarisation.formats import read_turns, write_turns
from reading import Reader

RATE = 8_000
GIVEN = [(0.0, 2.0, "Anna"), (2.5, 4.0, "Ben"), (4.5, 6.0, "Anna"), (6.5, 8.0, "Cem")]


def turns(reader: Reader) -> list[str]:
    return list(
        reader.js(
            "return [...document.querySelectorAll('.turn')]"
            ".map((e) => e.getAttribute('aria-label'))"
        )
    )


def chosen(reader: Reader) -> list[str]:
    return [
        str(label)
        for label in reader.js(
            "return [...document.querySelectorAll('.turn[aria-selected=true]')]"
            ".map((e) => e.getAttribute('aria-label'))"
        )
    ]


def saved(path: Path) -> list[tuple[float, float, str]]:
    (found,) = read_turns(path).values()
    return [(t.start, t.end, t.person) for t in found.turns]


@pytest.fixture
def talk(tmp_path: Path) -> Path:
    """Ten seconds of noise with turns; what is corrected is not listened to here."""
    path = tmp_path / "speech" / "talk.wav"
    path.parent.mkdir()
    soundfile.write(path, 0.1 * np.random.default_rng(1).normal(size=10 * RATE), RATE)
    lines = [
        f"SPEAKER talk 1 {start:.3f} {end - start:.3f} <NA> <NA> {who} <NA> <NA>\n"
        for start, end, who in GIVEN
    ]
    path.with_suffix(".rttm").write_text("".join(lines), encoding="utf-8")
    return path


def open_talk(reader: Reader, client: Client, name: str = "talk.wav") -> None:
    visit(reader, client.home)
    reader.focus("#path")
    reader.cdp("Input.insertText", {"text": name})
    reader.press("Enter")
    reader.until(lambda: not reader.js("return document.getElementById('who').hidden"))


def until_saved(reader: Reader, path: Path, wanted: list[tuple[float, float, str]]) -> None:
    def same() -> bool:
        found = saved(path)
        return len(found) == len(wanted) and all(
            who == other and abs(a - b) < 0.06 and abs(c - d) < 0.06
            for (a, c, who), (b, d, other) in zip(found, wanted, strict=True)
        )

    try:
        reader.until(same)
    except AssertionError:
        assert saved(path) == wanted


def test_turns_are_corrected_by_keyboard(
    visitor: Reader, serve: Any, talk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "PATIENCE", 20.0)
    client: Client = serve(talk.parent)
    rttm = talk.with_suffix(".rttm")
    open_talk(visitor, client)
    assert visitor.texts(".person bdi") == ["Anna", "Ben", "Cem"]
    assert len(turns(visitor)) == 4
    visitor.focus(".turn")
    visitor.press("ArrowRight")
    assert chosen(visitor) == ["Ben, from 0:02.5 to 0:04.0"]
    # Given to the third person, and back.
    visitor.press("3")
    until_saved(visitor, rttm, [GIVEN[0], (2.5, 4.0, "Cem"), *GIVEN[2:]])
    visitor.press("Ctrl+z")
    until_saved(visitor, rttm, GIVEN)
    assert "Undone" in visitor.text("#announce")
    # Split where the cursor is: on the wave, a second further, then back to the turn.
    visitor.press("Home")
    assert chosen(visitor) == ["Anna, from 0:00.0 to 0:02.0"]
    visitor.focus(".slider")
    visitor.press("Shift+ArrowRight")
    visitor.focus(".turn")
    visitor.press("s", "n")
    until_saved(visitor, rttm, [(0.0, 1.0, "Anna"), (1.0, 2.0, "talk-1"), *GIVEN[1:]])
    visitor.press("Delete")
    until_saved(visitor, rttm, [(0.0, 1.0, "Anna"), *GIVEN[1:]])
    # A turn more, at the cursor, for the person that was looked at; its borders by numbers.
    visitor.focus(".slider")
    visitor.press("End", *["ArrowLeft"] * 10, "a")
    type_into(visitor, "#turn-start", "8.5")
    until_saved(visitor, rttm, [(0.0, 1.0, "Anna"), *GIVEN[1:], (8.5, 10.0, "Ben")])
    # Two people who are one, and one under another name.
    visitor.focus(".names .person:nth-of-type(3)")
    visitor.press("Enter")
    visitor.js("document.getElementById('person-same').value = 'Ben'")
    visitor.focus("#merge")
    visitor.press("Enter")
    visitor.until(lambda: visitor.texts(".person bdi") == ["Anna", "Ben"])
    type_into(visitor, "#person-name", "Frau  Ö <i>")
    visitor.focus("#rename")
    visitor.press("Enter")
    visitor.until(lambda: visitor.texts(".person bdi") == ["Anna", "Frau_Ö_<i>"])
    visitor.until(lambda: {who for *_, who in saved(rttm)} == {"Anna", "Frau_Ö_<i>"})
    # All the way back, and forth again.
    while not visitor.js("return document.getElementById('undo').disabled"):
        visitor.click("#undo")
    until_saved(visitor, rttm, GIVEN)
    visitor.click("#redo")
    visitor.until(lambda: len(turns(visitor)) == 5)
    assert visitor.console() == []


def test_borders_are_dragged_and_people_split(
    visitor: Reader, serve: Any, talk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "PATIENCE", 20.0)
    client: Client = serve(talk.parent)
    rttm = talk.with_suffix(".rttm")
    open_talk(visitor, client)
    a_second = visitor.js("return document.querySelector('.strip').clientWidth / 10")
    x, y = visitor.middle(".lane:nth-child(2) .turn .edge.end")
    visitor.mouse("mousePressed", x, y)
    for part in (0.2, 0.6, 1.0):
        visitor.cdp(
            "Input.dispatchMouseEvent",
            {
                "type": "mouseMoved",
                "x": x + part * a_second,
                "y": y,
                "button": "left",
                "buttons": 1,
            },
        )
    visitor.mouse("mouseReleased", x + a_second, y)
    until_saved(visitor, rttm, [GIVEN[0], (2.5, 5.0, "Ben"), *GIVEN[2:]])
    # From five seconds on Anna is somebody else.
    visitor.click(".names .person")
    x, y = visitor.middle(".slider", 0.5)
    visitor.mouse("mousePressed", x, y)
    visitor.mouse("mouseReleased", x, y)
    visitor.click("#after")
    until_saved(
        visitor,
        rttm,
        [GIVEN[0], (2.5, 5.0, "Ben"), (4.5, 5.0, "Anna"), (5.0, 6.0, "talk-1"), GIVEN[3]],
    )
    # Somebody else corrects the file meanwhile: nothing of theirs is overwritten.
    theirs = "SPEAKER talk 1 1.000 1.000 <NA> <NA> Dora <NA> <NA>\n"
    rttm.write_text(theirs, encoding="utf-8")
    visitor.click("#undo")
    visitor.until(lambda: "changed elsewhere" in visitor.text("#who .alert"))
    assert rttm.read_text(encoding="utf-8") == theirs


def test_turns_are_measured_against_a_reference(
    visitor: Reader, serve: Any, talk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "PATIENCE", 20.0)
    client: Client = serve(talk.parent)
    open_talk(visitor, client)
    # As Audacity writes it, under other names: the last turn is Ben's, and he was not heard at 9 s.
    labels = tmp_path / "wer spricht.txt"
    lines = [(0, 2, "A"), (2.5, 4, "B"), (4.5, 6, "A"), (6.5, 8, "B"), (9, 9.5, "B")]
    labels.write_text("".join(f"{a}\t{b}\t{who}\n" for a, b, who in lines), encoding="utf-8")
    visitor.click("details.reference summary")
    visitor.find("#pick-reference").send_keys(str(labels))
    visitor.until(lambda: visitor.text("#reference-says"))
    # 7 s of speech, of which 0.5 s are missed and 1.5 s somebody else's.
    told = visitor.text("#reference-says")
    assert "The reference has 5 turns of 2 people." in told
    assert "DER 28.6 % (7.1 % missed, 0.0 % false alarm, 21.4 % confusion; no collar)" in told
    # Corrected, it is measured again: the last turn is given to the second person.
    visitor.focus(".turn")
    visitor.press("End", "2")
    visitor.until(lambda: "DER 7.1 % (7.1 % missed" in visitor.text("#reference-says"))
    # A file of something else is a sentence, and the reference stays; then it is left out.
    other = tmp_path / "notes.txt"
    other.write_text("not a label\n", encoding="utf-8")
    visitor.find("#pick-reference").send_keys(str(other))
    visitor.until(lambda: "notes.txt:1:" in visitor.text("#who .alert"))
    assert "DER 7.1 %" in visitor.text("#reference-says")
    (kept,) = (tmp_path / "out" / "turns").glob("*.reference.rttm")
    visitor.click("#forget-reference")
    visitor.until(lambda: not visitor.text("#reference-says"))
    assert not kept.exists()
    assert visitor.js("return document.querySelector('#who .alert').hidden")
    (said,) = visitor.console()  # the browser itself tells of every refusal
    assert "recording/reference" in said
    assert "422" in said


def test_one_person_is_never_taken_for_granted(
    visitor: Reader, serve: Any, talk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "PATIENCE", 60.0)
    talk.with_suffix(".rttm").unlink()
    client: Client = serve(talk.parent)
    open_talk(visitor, client)
    visitor.click("#safeguard-mcadams")
    visitor.click("#go")
    visitor.until(lambda: "Nobody has said who speaks when" in visitor.text("#protect .alert"))
    # Two people, added by hand: each has a voice of their own, without a word about it.
    visitor.focus(".slider")
    visitor.press("Home", "a")
    visitor.until(lambda: len(turns(visitor)) == 1)
    visitor.focus(".slider")
    visitor.press("Home", *["Shift+ArrowRight"] * 5, "a")
    visitor.until(lambda: len(turns(visitor)) == 2)
    visitor.focus(".turn[aria-selected=true]")
    visitor.press("n")
    visitor.until(lambda: len(visitor.texts(".person")) == 2)
    visitor.click("#go")
    visitor.until(lambda: state(visitor) == "running")
    visitor.until(lambda: state(visitor) != "running")
    assert "2 people have a new voice" in visitor.text("#run .message")


@pytest.mark.weights
def test_from_the_file_to_the_signed_release(
    visitor: Reader, serve: Any, shared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "PATIENCE", 240.0)
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    place = tmp_path / "speech" / "Gespräch mit Anna.wav"
    truth = compose(shared / "speech" / "dev", place)
    client: Client = serve(tmp_path)
    visit(visitor, client.home)
    # Dropped as on any page; who speaks is found by ear.
    x, y = visitor.middle("#choose .zone")
    data = {"items": [], "files": [str(place)], "dragOperationsMask": 1}
    for kind in ("dragEnter", "dragOver", "drop"):
        visitor.cdp("Input.dispatchDragEvent", {"type": kind, "x": x, "y": y, "data": data})
    visitor.until(lambda: not visitor.js("return document.getElementById('who').hidden"))
    assert visitor.text(".file") == place.name
    visitor.focus("#find")
    visitor.press("Enter")
    visitor.until(lambda: state(visitor) == "running")
    visitor.until(lambda: state(visitor) != "running")
    assert "2 people were heard" in visitor.text("#run .message")
    visitor.until(lambda: len(visitor.texts(".person")) == 2)
    kept = sorted((tmp_path / "out" / "turns").iterdir(), key=lambda path: len(path.name))
    rttm, as_found = kept
    assert as_found.read_bytes() == rttm.read_bytes()
    (found,) = read_turns(rttm).values()
    error = diarisation_error(Turns.of("x", truth), found)
    assert error.rate < 0.2

    # Measured: somebody wrote down who really speaks when.
    known = tmp_path / "wirklich.rttm"
    write_turns([Turns.of("x", truth)], known)
    visitor.click("details.reference summary")
    visitor.find("#pick-reference").send_keys(str(known))
    visitor.until(lambda: f"DER {100 * error.rate:.1f} %" in visitor.text("#reference-says"))

    # Corrected: the first who speaks has a name.
    visitor.click(".names .person")
    type_into(visitor, "#person-name", "Anna")
    visitor.focus("#rename")
    visitor.press("Enter")
    visitor.until(lambda: "Anna" in {t.person for t in read_turns(rttm)[found.recording].turns})

    visitor.click("#safeguard-mcadams")
    visitor.focus("#go")
    visitor.press("Enter")
    visitor.until(lambda: state(visitor) == "running")
    visitor.until(lambda: state(visitor) != "running")
    assert "2 people have a new voice" in visitor.text("#run .message")
    visitor.until(lambda: visitor.texts(".take-card"))
    (take,) = [path.parents[1] for path in (tmp_path / "out").glob("*/speech/protected.wav")]
    before, after = soundfile.read(place)[0], soundfile.read(take / "speech" / "protected.wav")[0]
    assert before.shape == after.shape
    assert np.corrcoef(before, after)[0, 1] < 0.9

    # Heard: first the original, then what became of it, from where the other was.
    visitor.click(".side:first-child")
    visitor.until(lambda: visitor.js("return document.querySelector('.listening input').value > 0"))
    visitor.click(".side:nth-child(2)")
    visitor.until(lambda: visitor.texts(".side") == ["Play original", "Stop protected"])
    there = float(visitor.js("return document.querySelector('.listening input').value"))
    visitor.until(
        lambda: float(visitor.js("return document.querySelector('.listening input').value")) > there
    )
    visitor.click(".side:nth-child(2)")
    heard = [address for address in visitor.requests() if "recording/sound" in address]
    assert all(address.startswith(client.home) for address in heard)
    assert {"take=" in address for address in heard} == {True, False}

    # Compared: numbers of both people, the words, and that nothing follows from two people.
    visitor.click(".compare")
    visitor.until(lambda: state(visitor) == "running")
    visitor.until(lambda: state(visitor) != "running")
    assert "too few speakers to conclude" in visitor.text("#run .message")
    report = (take / "report.html").read_text(encoding="utf-8")
    against = f"measured against a reference: DER {100 * error.rate:.1f} %"
    for said in ("person-1", "person-2", '"deid"', '"wer"', against):
        assert said in report, said
    visitor.until(lambda: "Read the report" in visitor.texts(".take-card a.button"))

    # Signed and saved.
    visitor.click(".decision summary")
    for field, text in (("purpose", "Teaching"), ("name", "B. C., controller")):
        type_into(visitor, f"#{take.name}-{field}", text)
    visitor.click(".deciding .segments input")
    visitor.click(".deciding button[type=submit]")
    visitor.until(lambda: visitor.texts(".signed"))
    files = set(visitor.driver.downloads.iterdir())
    visitor.click(f"#pack-{take.name}")
    visitor.until(lambda: visitor.texts(f"#release-{take.name}"))
    visitor.click(f"#release-{take.name}")

    def arrived() -> list[Path]:
        new = set(visitor.driver.downloads.iterdir()) - files
        return [path for path in new if path.suffix == ".zip"]

    (packed,) = visitor.until(arrived)
    time.sleep(0.2)
    with zipfile.ZipFile(packed) as release:
        made = (take / "speech" / "protected.wav").read_bytes()
        assert release.read("speech/protected.wav") == made
        assert json.loads(release.read("annex/decision.json"))["purpose"] == "Teaching"
        every = b"".join(release.read(name) for name in release.namelist())
    assert b"Anna" not in every
    assert visitor.console() == []
