"""What the pages on the library tell people to type."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pseudovoice as pv
from pseudovoice.library.figure import DRAWN

ROOT = Path(__file__).parents[2]
PAGE = "\n".join(
    (ROOT / "docs" / "how-to" / name).read_text(encoding="utf-8")
    for name in ("use-python.md", "extend.md")
)


def test_its_python_runs(folder: Path, weights: None, tmp_path: Path) -> None:
    del weights
    shutil.copytree(folder, tmp_path / "recordings")
    script = tmp_path / "page.py"
    script.write_text("\n".join(re.findall(r"```python\n(.*?)```", PAGE, re.S)), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, script.name], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "The strongest attacker tested" in done.stdout
    assert (tmp_path / "study" / "report.html").is_file()


def test_its_names_and_links_are_there() -> None:
    for name in re.findall(r"\bpv\.(\w+)", PAGE):
        assert hasattr(pv, name), name
    for name in DRAWN:
        assert f"`{name}`" in PAGE
    for place in re.findall(r"`(examples/[^`]+)`", PAGE):
        assert (ROOT / place).exists(), place
