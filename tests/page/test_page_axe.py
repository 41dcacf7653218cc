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
    with reader.without_policy():
        reader.open(page)
        reader.js("for (const d of document.querySelectorAll('#glossary details')) d.open = true")
        assert reader.serious(axe) == []
