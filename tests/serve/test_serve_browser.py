"""The page in a real browser, on real speech: choose, watch, cancel, resume, read."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from loopback_client import Client

import reading
from pseudovoice.attacks.assess import assess_audio
from pseudovoice.attacks.material import Material
from pseudovoice.corpus import read_corpus
from pseudovoice.encoders import load_encoder
from pseudovoice.report.tables import rows_csv
from reading import Reader

ODD = "Readers <img src=x onerror=alert(1)>"


def visit(reader: Reader, address: str) -> None:
    for kind in ("browser", "performance"):
        reader.driver.get_log(kind)  # what went before is not this page's
    reader.driver.get(address)
    reader.until(lambda: reader.js("return document.documentElement.dataset.ready === 'yes'"))


def type_into(reader: Reader, selector: str, text: str) -> None:
    """Put a text where there was another, as with the keyboard, and leave the field."""
    reader.focus(selector)
    reader.js("document.activeElement.select()")
    reader.cdp("Input.insertText", {"text": text})
    reader.press("Tab")


def choose_only(reader: Reader, encoder: str) -> None:
    reader.js(
        "for (const l of document.querySelectorAll('fieldset.checks label')) "
        "l.querySelector('input').checked = l.querySelector('span').textContent === arguments[0]",
        encoder,
    )


def state(reader: Reader) -> str | None:
    return reader.js("return document.getElementById('run').dataset.state")


def heard(cache: Path) -> int:
    with sqlite3.connect(cache / "embeddings.sqlite") as store:
        (number,) = store.execute("SELECT count(*) FROM embedding").fetchone()
    store.close()
    return int(number)


@pytest.mark.parametrize("page", ["", "assess"])
def test_it_loads_without_a_word_to_the_console_and_asks_only_its_server(
    visitor: Reader, serve: Any, page: str
) -> None:
    client: Client = serve()
    visit(visitor, client.home + page)
    assert visitor.console() == []
    asked = [address for address in visitor.requests() if not address.startswith("data:")]
    assert asked
    assert all(address.startswith(client.home) for address in asked), asked
    tried = "try { document.body.insertAdjacentHTML('beforeend', '<i>x</i>'); return 'made' } "
    assert visitor.js(tried + "catch (error) { return error.name }") == "TypeError"


def test_folders_are_looked_for_by_keyboard(visitor: Reader, serve: Any, tmp_path: Path) -> None:
    (tmp_path / "speech" / "original").mkdir(parents=True)
    record = {"safeguard": {"chain": [{"safeguard": "persona"}]}, "key": "x"}
    (tmp_path / "speech" / "shielded" / "<i>anna").mkdir(parents=True)
    (tmp_path / "speech" / "shielded" / "protection.json").write_text(json.dumps(record))
    client: Client = serve(tmp_path / "speech")
    visit(visitor, client.assess)
    visitor.focus("#path-protected")
    visitor.press("Tab", "Enter")  # Browse…
    visitor.until(lambda: visitor.texts("dialog .folders button") == ["original", "shielded"])
    visitor.press("Tab", "Enter")  # into the second folder
    visitor.until(lambda: visitor.texts("dialog .folders button") == ["<i>anna"])
    visitor.press("Tab", "Enter")  # Take this folder
    visitor.until(lambda: not visitor.js("return document.querySelector('dialog').open"))
    chosen = visitor.js("return document.getElementById('path-protected').value")
    assert Path(chosen) == (tmp_path / "speech" / "shielded").resolve()
    assert visitor.js("return document.getElementById('safeguard').value") == "persona"
    assert visitor.js("return document.activeElement.textContent") == "Browse…"


def test_what_is_wrong_is_said(visitor: Reader, serve: Any, tmp_path: Path) -> None:
    client: Client = serve(tmp_path)
    visit(visitor, client.assess)
    type_into(visitor, "#path-original", "/etc")
    hint = "document.getElementById('help-original').textContent"
    visitor.until(lambda: visitor.js(f"return {hint}.includes('lies outside')"))
    assert visitor.js(
        "return document.getElementById('path-original').getAttribute('aria-invalid')"
    )
    visitor.focus("#form button[type=submit]")
    visitor.press("Enter")
    alert = "#form .alert"
    visitor.until(lambda: not visitor.js(f"return document.querySelector('{alert}').hidden"))
    assert "lies outside" in visitor.text(alert)
    assert visitor.js("return document.activeElement.type") == "submit"
    # Refused is not started: nothing but the refusal came of it.
    assert client.get("report-list").tree == {"reports": [], "unfinished": []}


@pytest.mark.weights
def test_start_watch_cancel_resume_and_read(
    visitor: Reader,
    serve: Any,
    speech: Path,
    empty_cache: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(reading, "PATIENCE", 300.0)
    client: Client = serve(speech)
    visit(visitor, client.assess)
    type_into(visitor, "#path-original", "original")
    type_into(visitor, "#path-protected", str(speech / "protected"))
    visitor.until(lambda: visitor.js("return document.getElementById('safeguard').value"))
    type_into(visitor, "#title", ODD)
    choose_only(visitor, "ge2e")
    visitor.focus("#form summary")
    visitor.press(" ")
    type_into(visitor, "#replicates", "10")
    visitor.focus("#form button[type=submit]")
    visitor.press("Enter")

    visitor.until(
        lambda: " of 32" in visitor.text(".numbers") and "a second" in visitor.text(".numbers")
    )
    assert state(visitor) == "running"
    assert visitor.text("#run-title") == f"Assessing: {ODD}"
    assert visitor.text(".stage").startswith("Embedding original with ge2e")
    assert visitor.js("return document.activeElement.id") == "run-title"
    # One at a time, whoever asks; and a second window sees the same run.
    wanted = {"original": "original", "protected": "protected", "encoders": ["ge2e"]}
    busy = client.post("run/start", wanted)
    assert (busy.status, busy.sentence) == (409, "A run is under way; wait for it, or cancel it.")
    (run,) = (tmp_path / "out").iterdir()
    assert client.post("run/resume", {"name": run.name}).status == 409
    assert next(client.states())["title"] == ODD

    visitor.focus("#cancel")
    visitor.press("Enter")
    visitor.until(lambda: state(visitor) == "cancelled")
    kept = heard(empty_cache)
    assert 0 < kept < 64
    assert "can be resumed" in visitor.text(".message")
    assert [path.name for path in run.iterdir()] == ["unfinished.json"]

    visitor.until(lambda: visitor.js("return document.activeElement.id") == "resume")
    visitor.press("Enter")
    known = f"{min(kept, 32)} of them known from before"
    visitor.until(lambda: known in visitor.text(".numbers") or state(visitor) == "finished")
    visitor.until(lambda: state(visitor) in ("finished", "failed"))
    assert state(visitor) == "finished", visitor.text(".message")
    assert heard(empty_cache) == 64
    assert "The strongest attacker tested" in visitor.text(".message")
    assert not (run / "unfinished.json").exists()
    # The same as in one go.
    whole = assess_audio(
        Material(read_corpus(speech / "original"), read_corpus(speech / "protected")),
        [load_encoder("ge2e")],
        replicates=10,
        permutations=10,
        workers=1,
    ).whole
    assert (run / "table.csv").read_text(encoding="utf-8") == rows_csv(whole)
    visitor.until(lambda: visitor.texts(".report-list a") == [ODD])
    assert visitor.console() == [] or all("409" in line for line in visitor.console())

    visitor.until(lambda: visitor.js("return document.activeElement.id") == "open")
    visitor.press("Enter")
    visitor.until(lambda: visitor.texts("tr.attack"))
    assert visitor.text("h1") == ODD
    assert visitor.js("return window.origin") == "null"  # an origin of its own
    assert visitor.console() == []
    # Its own origin lets it give files away all the same.
    before = set(visitor.driver.downloads.iterdir())
    visitor.click("#verdict button")
    visitor.until(
        lambda: {p.suffix for p in set(visitor.driver.downloads.iterdir()) - before} == {".csv"}
    )
    assert visitor.texts(".desk a") == ["To the start"]
    visitor.focus(".desk a")
    visitor.press("Enter")
    visitor.until(lambda: visitor.texts("#choose-title"))


def test_a_folder_is_copied_and_forgotten(visitor: Reader, serve: Any, tmp_path: Path) -> None:
    folder = tmp_path / "dropped here"
    (folder / "anna").mkdir(parents=True)
    for name in ("01.wav", "02.wav", ".hidden"):
        (folder / "anna" / name).write_bytes(name.encode())
    client: Client = serve(tmp_path)
    visit(visitor, client.assess)
    # What the button opens, the system's own window, is not the page's; its answer is.
    visitor.find("input[type=file]").send_keys(str(folder))
    hint = "#help-original"
    visitor.until(lambda: visitor.text(hint).startswith("A copy of"))
    assert visitor.text(hint) == "A copy of 2 files, 0.0 MB."
    there = sorted(p for p in client.server.dropped.root.rglob("*") if p.is_file())
    assert [p.read_bytes() for p in there] == [b"01.wav", b"02.wav"]
    assert there[0].parts[-3:] == ("dropped here", "anna", "01.wav")
    assert visitor.js("return document.activeElement.textContent") == "Remove the copy"
    visitor.press("Enter")
    assert visitor.js("return document.activeElement.id") == "path-original"
    assert visitor.js("return document.getElementById('path-original').value") == ""


def test_a_folder_is_dropped(visitor: Reader, serve: Any, tmp_path: Path) -> None:
    folder = tmp_path / "dropped & gone"
    for name in ("anna/01.wav", "ben/b/02.wav", ".git/config"):
        (folder / name).parent.mkdir(parents=True)
        (folder / name).write_bytes(name.encode())
    client: Client = serve(tmp_path)
    visit(visitor, client.assess)
    x, y = visitor.middle(".zone:last-child")
    data = {"items": [], "files": [str(folder)], "dragOperationsMask": 1}
    for kind in ("dragEnter", "dragOver", "drop"):
        visitor.cdp("Input.dispatchDragEvent", {"type": kind, "x": x, "y": y, "data": data})
    visitor.until(lambda: visitor.text("#help-protected") == "A copy of 2 files, 0.0 MB.")
    root = client.server.dropped.root
    there = {p.relative_to(root).parts[1:]: p.read_bytes() for p in root.rglob("*.wav")}
    assert there == {
        ("dropped & gone", "anna", "01.wav"): b"anna/01.wav",
        ("dropped & gone", "ben", "b", "02.wav"): b"ben/b/02.wav",
    }
    # One that misses its box does nothing, least of all replace the page.
    for kind in ("dragEnter", "dragOver", "drop"):
        visitor.cdp("Input.dispatchDragEvent", {"type": kind, "x": 5, "y": 5, "data": data})
    assert visitor.driver.current_url == client.assess
    assert visitor.console() == []


def test_a_server_that_has_gone_is_noticed(visitor: Reader, serve: Any) -> None:
    client: Client = serve()
    visit(visitor, client.assess)
    client.server.runs.close()  # ends the stream of events
    client.server.socket.close()  # and takes no new connection
    visitor.until(lambda: not visitor.js("return document.querySelector('body > .alert').hidden"))
    assert "does not answer" in visitor.text("body > .alert")
