"""The study under test, its page as a file, and a reader of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import page_study
import pytest

from pseudovoice.page import Study, page_html, write_page
from reading import Reader


@pytest.fixture(scope="session")
def study() -> Study:
    return page_study.study()


@pytest.fixture(scope="session")
def html(study: Study) -> str:
    return page_html(study)


@pytest.fixture(scope="session")
def page(study: Study, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "report.html"
    write_page(path, study)
    return path


@pytest.fixture
def reader(driver: Any, page: Path) -> Reader:
    """The page, freshly opened at 1440 px in a light theme, drawn to the end."""
    opened = Reader(driver)
    opened.look(width=1440, height=900, dark=False)
    opened.open(page)
    return opened
