"""Accessibility of the page as axe-core sees it: light and dark, wide and narrow, every state."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from loopback_client import Client

from pseudovoice.serve.pace import Progress
from pseudovoice.serve.runs import RunState
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
