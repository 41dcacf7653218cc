"""What all tests share: the golden data beside the repository, and how Hypothesis behaves."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

pytest_plugins = ("browser",)

# No deadline: a slow machine is no fault of the code. On CI the examples are the same each time.
settings.register_profile("local", deadline=None, max_examples=60)
settings.register_profile("ci", deadline=None, max_examples=60, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "local")


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of golden data and papers that lies next to the repository."""
    folder = Path(__file__).resolve().parents[2] / "shared"
    if not (folder / "golden").is_dir():
        pytest.skip(f"the golden data are not here: there is no {folder / 'golden'}")
    return folder
