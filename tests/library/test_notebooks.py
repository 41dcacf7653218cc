"""The notebooks of the examples run as they stand, and show what they showed."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import nbformat
import pytest

from examples.execute import NOTEBOOKS, executed
from pseudovoice.corpus import Corpus

MOST_SECONDS = 60
BUSY = 5
"""A machine that tests run on may be so many times slower than one at rest."""


def shown(notebook: Any) -> list[list[str]]:
    """The kinds of output of every cell."""
    return [
        sorted(
            kind
            for output in cell.get("outputs", ())
            for kind in output.get("data", {"stream": ""})
            if kind != "text/plain" or len(output["data"]) == 1
        )
        for cell in notebook.cells
        if cell.cell_type == "code"
    ]


def test_there_is_one_for_each_kind_of_user() -> None:
    assert [path.stem for path in NOTEBOOKS] == ["engineer", "officer", "researcher"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_it_runs_and_shows_what_it_showed(path: Path, people: Corpus, weights: None) -> None:
    del people, weights  # asked for so that their absence skips the test
    kept = nbformat.read(path, as_version=4)
    begun = time.monotonic()
    made = executed(path)  # a cell that fails is an exception
    assert time.monotonic() - begun < BUSY * MOST_SECONDS
    assert shown(made) == shown(kept)
    assert any("image/png" in kinds for kinds in shown(kept))
    text = path.read_text(encoding="utf-8")
    assert "/tmp" not in text
    assert "/home" not in text
    assert not [
        o for cell in made.cells for o in cell.get("outputs", ()) if o.get("name") == "stderr"
    ]
