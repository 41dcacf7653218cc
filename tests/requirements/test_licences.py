"""Licences: every package and every weight has one that somebody has looked at."""

from __future__ import annotations

import re
from importlib.metadata import Distribution, distribution
from pathlib import Path

import pytest

import licences
from pseudovoice.demo.recordings import COLLECTION
from pseudovoice.models import ARTEFACTS

ROOT = Path(__file__).parents[2]


def made_up(folder: Path, metadata: str, text: str = "") -> Distribution:
    """A package that says this of itself, installed in ``folder``."""
    place = folder / "fancy-1.0.dist-info"
    place.mkdir()
    (place / "METADATA").write_text(f"Metadata-Version: 2.4\nName: Fancy\nVersion: 1.0\n{metadata}")
    (place / "LICENSE").write_text(text)
    (place / "RECORD").write_text("fancy-1.0.dist-info/LICENSE,,\n")
    return Distribution.at(place)


def test_nothing_we_lean_on_is_in_doubt() -> None:
    assert licences.doubts(distribution(name) for name in licences.locked()) == []


@pytest.mark.parametrize(
    ("metadata", "text", "says"),
    [
        ("License-Expression: MIT", "", None),
        ("License-Expression: Apache-2.0 OR BSD-2-Clause", "", None),
        ("License: MIT", "", None),
        ("Classifier: License :: OSI Approved :: BSD License", "", None),
        ("License-Expression: GPL-3.0-or-later", "", "on no list"),
        ("License-Expression: MIT AND AGPL-3.0-only", "", "on no list"),
        ("License-Expression: LGPL-2.1-or-later", "", "on no list"),  # soxr's name is not Fancy
        ("License: Free for good people", "", "no licence that we understand"),
        ("", "", "no licence that we understand"),
        ("Classifier: License :: Other/Proprietary License", "", "no licence that we understand"),
        ("License-Expression: MIT", "GNU LESSER GENERAL PUBLIC LICENSE", "brings the text"),
    ],
)
def test_a_package_that_comes_along_is_looked_at(
    tmp_path: Path, metadata: str, text: str, says: str | None
) -> None:
    found = licences.doubts([made_up(tmp_path, metadata, text)])
    assert found == [] if says is None else says in found[0]


def test_what_is_decided_by_name_still_needs_deciding() -> None:
    for name, (licence, _) in licences.UNSAID.items():
        package = distribution(name)
        assert not package.metadata.get_all("License-Expression"), f"{name} says it itself by now"
        texts = [f.read_text() for f in package.files or () if f.name == "LICENSE"]
        assert any(text.startswith(f"{licence} License") for text in texts)
    for name in licences.COPYLEFT:
        assert licences.carried(distribution(name)) is not None, (
            f"{name} has nothing of it any more"
        )
    for name, (library, _) in licences.WITHOUT_TEXT.items():
        files = [file.name for file in distribution(name).files or ()]
        assert any(file.startswith(library) for file in files), f"{name} has no {library} any more"


def test_weights_and_the_speech_of_the_demo() -> None:
    for item in ARTEFACTS.values():
        bare = re.sub(r"\([^)]*\)", "", item.licence)
        assert {part.strip() for part in bare.split(";")} <= licences.OF_WEIGHTS, item.name
    page = (ROOT / "docs" / "reference" / "licences.md").read_text(encoding="utf-8")
    assert COLLECTION.licence in page


def test_the_page_is_the_one_made_of_all_this() -> None:
    page = (ROOT / "docs" / "reference" / "licences.md").read_text(encoding="utf-8")
    assert page == licences.page(), "run make licences"
