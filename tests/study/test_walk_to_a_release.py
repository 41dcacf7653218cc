"""The page that leads from recordings to a release: its console lines, run as they stand."""

from __future__ import annotations

import re
import shlex
import shutil
import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from studies import fresh_cache

from pseudovoice.cli.main import app

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "release.md"
NAMES = ("anna", "bruno", "clara", "dieter", "emilia", "fridolin")
QUICKLY = "--encoder ge2e --attacker ignorant --replicates 20 --permutations 20 --no-utility"
"""What is added to `compare`: the walk is tested here, not the numbers."""


def lines() -> list[str]:
    blocks = re.findall(r"^```console\n(.*?)^```$", PAGE.read_text("utf-8"), re.M | re.S)
    return [line.removeprefix("$ ") for block in blocks for line in block.strip().splitlines()]


def run(line: str) -> Result | None:
    program, *words = shlex.split(line)
    if program == "rm":
        assert words[0] == "-r"
        shutil.rmtree(words[1])
        return None
    assert program == "pseudovoice"
    if words[0] == "compare":
        words += [*QUICKLY.split(), "--no-figures"]
    return CliRunner().invoke(app, words)


def readable(place: str, data: bytes) -> bytes:
    """Without sound and what is packed, which hold any four letters sooner or later."""
    return data[:200] if place.endswith(".flac") else re.sub(rb"[A-Za-z0-9+/=]{200,}", b"", data)


def test_the_whole_way(
    speech: Path, weights: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PSEUDOVOICE_CACHE", str(fresh_cache(weights, tmp_path / "cache")))
    folders = sorted(path for path in speech.iterdir() if path.is_dir())
    for name, folder in zip(NAMES, folders, strict=True):
        shutil.copytree(folder, tmp_path / "received" / name)
    (tmp_path / "signed.pdf").write_bytes(b"%PDF-1.4\n% signed\n")
    verbs = []
    told: dict[str, Result] = {}
    for line in lines():
        done = run(line)
        verbs.append(line.split()[1])
        if done is not None:
            assert done.exit_code == 0, f"{line}\n{done.output}"
            told[line] = done
    assert verbs == [
        *("key", "inspect", "protect", "compare", "release", "key"),
        *("-r", "protect", "compare", "release"),
    ]
    with zipfile.ZipFile("release.zip") as first, zipfile.ZipFile("release-2.zip") as second:
        before, after = set(first.namelist()), set(second.namelist())
        assert {"annex/signed.pdf", "report/report.html", "speech/metadata.csv"} <= after
        # Who withdrew is out of the speech, and out of the report: nobody else is.
        asked = next(result.stdout for line, result in told.items() if "pseudonym" in line)
        anna = dict(line.split("\t") for line in asked.splitlines())
        gone = before - after
        assert {Path(place).stem for place in gone} == set(anna.values()) - {anna["anna"]}
        assert all(f"speech/{anna['anna']}/" in place for place in gone)
        for place in after:
            assert anna["anna"].encode() not in second.read(place), place
        for pack, places in ((first, before), (second, after)):
            for place in places:
                data = readable(place, pack.read(place)).lower()
                assert not [name for name in NAMES if name.encode() in data], place
