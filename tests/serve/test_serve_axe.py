"""Accessibility of the page as axe-core sees it: light and dark, wide and narrow, every state."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
from loopback_client import Client

from pseudovoice.serve.pace import Progress
from pseudovoice.serve.runs import RunState
from pseudovoice.serve.takes import Take
from reading import Reader

STATES = {
    "form": None,
    "running": RunState(
        "r", "Readers", "mcadams", progress=Progress("embedding", 8, 48, 0, 4.0, 10.0),
        stages=("reading the original speech",),
    ),
    "failed": RunState(
        "r", "Readers", "mcadams", "failed", message="No group is left.", problems=("a: b; c.",)
    ),
    "finished": RunState("r", "Readers", "mcadams", "finished", message="This attacker learns."),
}  # fmt: skip


@pytest.mark.parametrize(
    ("which", "width", "dark"),
    [
        ("form", 1440, False),
        ("form", 390, True),
        ("running", 390, False),
        ("running", 1440, True),
        ("failed", 1440, False),
        ("failed", 390, True),
        ("finished", 390, False),
        ("browsing", 390, True),
        ("browsing", 1440, False),
    ],
)
def test_no_serious_violation(
    visitor: Reader, serve: Any, tmp_path: Path, axe: str, *, which: str, width: int, dark: bool
) -> None:
    (tmp_path / "some" / "folder").mkdir(parents=True)
    client: Client = serve(tmp_path, tmp_path / "some")
    shown = STATES.get(which)
    if shown is not None:
        client.server.runs._become(shown)
    (tmp_path / "out" / "report.html").write_text("<title>A report</title>", encoding="utf-8")
    visitor.look(width=width, height=900, dark=dark)
    with visitor.without_policy():
        visitor.driver.get(client.assess)
        visitor.until(lambda: visitor.js("return document.documentElement.dataset.ready"))
        visitor.until(lambda: visitor.texts(".report-list a"))
        visitor.js("for (const d of document.querySelectorAll('details')) d.open = true")
        if which == "browsing":
            visitor.click(".zone button")
            visitor.until(lambda: visitor.texts("dialog .folders button"))
        assert visitor.js("return document.documentElement.scrollWidth") <= width
        assert visitor.serious(axe) == []


@pytest.mark.parametrize(
    ("which", "width", "dark"),
    [
        ("nothing", 390, True),
        ("nothing", 1440, False),
        ("opened", 390, False),
        ("opened", 1440, True),
        ("browsing", 1440, False),
    ],
)
def test_no_serious_violation_on_the_page_of_a_recording(
    visitor: Reader, serve: Any, tmp_path: Path, axe: str, *, which: str, width: int, dark: bool
) -> None:
    talk = tmp_path / "a conversation with a long name.wav"
    soundfile.write(talk, 0.1 * np.random.default_rng(1).normal(size=80_000), 8000)
    talk.with_suffix(".rttm").write_text(
        "SPEAKER x 1 0.5 3.0 <NA> <NA> a-person-with-a-name-of-many-letters <NA> <NA>\n"
        "SPEAKER x 1 3.0 2.0 <NA> <NA> Ben <NA> <NA>\n",
        encoding="utf-8",
    )
    client: Client = serve(tmp_path)
    known = client.post("recording/open", {"path": talk.name}).tree
    take = Take(tmp_path / "out" / "take", known["id"], "mcadams", "voice", ("Ben",), "Made.")
    take.sound.parent.mkdir(parents=True)
    take.sound.write_bytes(talk.read_bytes())
    take.write()
    if which == "opened":
        state = RunState("take", talk.name, "mcadams", "protect", known["id"])
        client.server.runs._become(state)
    visitor.look(width=width, height=900, dark=dark)
    with visitor.without_policy():
        visitor.driver.get("about:blank")
        visitor.driver.get(client.home + (f"#{known['id']}" if which == "opened" else ""))
        visitor.until(lambda: visitor.js("return document.documentElement.dataset.ready"))
        if which == "opened":
            visitor.until(lambda: visitor.texts(".turn") and visitor.texts(".take-card"))
            visitor.click(".lane:nth-child(2) .turn")
        elif which == "browsing":
            visitor.click("#choose .actions button")
            visitor.until(lambda: talk.name in visitor.texts("dialog .folders button"))
        visitor.js("for (const d of document.querySelectorAll('details')) d.open = true")
        assert visitor.js("return document.documentElement.scrollWidth") <= width
        assert visitor.serious(axe) == []
