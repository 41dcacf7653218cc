"""The page that leads from recordings to a release: its console lines, run as they stand."""

from __future__ import annotations

import re
import shutil
import zipfile
from pathlib import Path

import pytest
from click.testing import Result
from studies import fresh_cache
from walks import lines, run

PAGE = "how-to/release.md"
NAMES = ("anna", "bruno", "clara", "dieter", "emilia", "fridolin")


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
    for line in lines(PAGE):
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
