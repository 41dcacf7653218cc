"""The study under test, its page as a file, and a real browser to read it with."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import page_study
import pytest
from reading import Reader

from pseudovoice.page import Study, page_html, write_page


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


@pytest.fixture(scope="session")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Debian's chromium without a window; the same one for all tests."""
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    chromedriver = shutil.which("chromedriver")
    if chromium is None or chromedriver is None:
        pytest.skip(
            "there is no chromium with its driver: apt-get install chromium chromium-driver"
        )
    downloads = tmp_path_factory.mktemp("downloads")
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for argument in (
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--disable-background-networking",
        "--disable-component-update",
        "--no-first-run",
        "--mute-audio",
    ):
        options.add_argument(argument)
    options.add_experimental_option("prefs", {"download.default_directory": str(downloads)})
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    browser = webdriver.Chrome(options=options, service=webdriver.ChromeService(chromedriver))
    browser.downloads = downloads
    yield browser
    browser.quit()


@pytest.fixture
def reader(driver: Any, page: Path) -> Reader:
    """The page, freshly opened at 1440 px in a light theme, drawn to the end."""
    opened = Reader(driver)
    opened.look(width=1440, height=900, dark=False)
    opened.open(page)
    return opened
