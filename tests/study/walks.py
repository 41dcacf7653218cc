"""Pages that lead through the product: their console lines, run as they stand."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

from click.testing import CliRunner, Result

from pseudovoice.cli.main import app

DOCS = Path(__file__).parents[2] / "docs"
QUICKLY = "--encoder ge2e --attacker ignorant --replicates 20 --permutations 20 --no-figures"
"""What is added to `compare`: walks are tested here, not numbers."""


def lines(page: str) -> list[str]:
    text = (DOCS / page).read_text("utf-8")
    blocks = re.findall(r"^```console\n(.*?)^```$", text, re.M | re.S)
    return [line.removeprefix("$ ") for block in blocks for line in block.strip().splitlines()]


def run(line: str, more: str = "--no-utility") -> Result | None:
    """What `pseudovoice` said, `compare` told ``more``; None for a line that removes a folder."""
    program, *words = shlex.split(line)
    if program == "rm":
        assert words[0] == "-r"
        shutil.rmtree(words[1])
        return None
    assert program == "pseudovoice"
    if words[0] == "compare":
        words += [*QUICKLY.split(), *more.split()]
    return CliRunner().invoke(app, words)


def walked(page: str, more: str = "--no-utility") -> dict[str, Result]:
    """What every line of a page said; all but the last must have gone well."""
    told: dict[str, Result] = {}
    every = lines(page)
    for k, line in enumerate(every):
        done = run(line, more)
        if done is not None:
            assert done.exit_code == 0 or k == len(every) - 1, f"{line}\n{done.output}"
            told[line] = done
    return told
