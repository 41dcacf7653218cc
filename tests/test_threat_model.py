"""The threat model names tests: each of them exists, so that no promise outlives its proof."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "explanation" / "threat-model.md").read_text(encoding="utf-8")
NAMED = sorted(set(re.findall(r"(tests/[\w/]+\.py)::(\w+)", PAGE)))


@pytest.mark.parametrize(("file", "test"), NAMED)
def test_what_the_page_names_exists(file: str, test: str) -> None:
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    assert test in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


def test_every_promise_has_a_proof() -> None:
    rows = [line for line in PAGE.splitlines() if line.startswith("|") and "---" not in line]
    promises = [row for row in rows if not row.startswith("| we promise")]
    assert len(promises) >= 40
    for row in promises:
        assert "::test_" in row or "TODO(test)" in row, row
    assert len(NAMED) >= 60


def test_who_finds_a_weakness_is_led_here() -> None:
    text = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    assert "docs/explanation/threat-model.md" in text
