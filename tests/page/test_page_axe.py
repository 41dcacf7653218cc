"""Accessibility as axe-core sees it: nothing serious, in light and dark, wide and narrow."""

from __future__ import annotations

from pathlib import Path

import pytest

from reading import Reader


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [1440, 390])
def test_no_serious_violation(
    reader: Reader, page: Path, axe: str, *, dark: bool, width: int
) -> None:
    reader.look(width=width, height=900, dark=dark)
    # axe makes markup of strings, which the page's policy forbids even to it.
    reader.cdp("Page.setBypassCSP", {"enabled": True})
    try:
        reader.open(page)
        reader.js("for (const d of document.querySelectorAll('#glossary details')) d.open = true")
        reader.js(axe + "; window.axe = axe;")
        reader.driver.set_script_timeout(120)
        found = reader.driver.execute_async_script(
            "const done = arguments[arguments.length - 1]; "
            "window.axe.run(document, { resultTypes: ['violations'] })"
            ".then((r) => done(r.violations))"
        )
    finally:
        reader.cdp("Page.setBypassCSP", {"enabled": False})
    serious = [
        f"{v['id']}: {v['help']}: {[n['target'] for n in v['nodes']][:4]}"
        for v in found
        if v["impact"] in ("serious", "critical")
    ]
    assert serious == []
