"""A real browser, and axe-core to judge what it shows."""

from __future__ import annotations

import os
import shutil
import subprocess
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "pseudovoice-tests"


@pytest.fixture(scope="session")
def axe() -> str:
    """The one file of axe-core, fetched once by its name from the package registry."""
    kept = CACHE / "axe.min.js"
    if not kept.exists():
        npm = shutil.which("npm")
        if npm is None:
            pytest.skip("axe-core comes with npm, which is not installed")
        CACHE.mkdir(parents=True, exist_ok=True)
        try:
            packed = subprocess.run(
                [npm, "pack", "--silent", "axe-core@4"],
                cwd=CACHE,
                capture_output=True,
                text=True,
                timeout=120,
                check=True,
            )
        except (subprocess.SubprocessError, OSError) as error:
            pytest.skip(f"axe-core cannot be fetched: {error}")
        archive = CACHE / packed.stdout.split()[-1]
        with tarfile.open(archive) as tar:
            file = tar.extractfile("package/axe.min.js")
            assert file is not None
            kept.write_bytes(file.read())
        archive.unlink()
    return kept.read_text(encoding="utf-8")


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
