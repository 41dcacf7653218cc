"""Accessibility as axe-core sees it: nothing serious, in light and dark, wide and narrow."""

from __future__ import annotations

import os
import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest
from reading import Reader

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
