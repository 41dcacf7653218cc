"""How shards are run in these tests, and what of two folders has to be the same."""

from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner, Result

from pseudovoice.cli.main import app


def run(*words: object) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words])


def said(result: Result) -> str:
    return " ".join(result.output.split())


def content(folder: Path) -> dict[str, bytes]:
    """Every file and folder below one, with its bytes."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() if path.is_file() else b""
        for path in sorted(folder.rglob("*"))
    }


def times(folder: Path) -> set[int]:
    return {path.stat().st_mtime_ns for path in [folder, *folder.rglob("*")]}
