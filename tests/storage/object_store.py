"""The store of these tests: what opens it, which nobody may see anywhere, and what it holds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result

from pseudovoice.cli.main import app

SECRET = "wJalrXUtnFEMIK7MDENGbPxRfiCYSECRETVALUE"
KEY_ID = "AKIAIOSFODNN7TESTING"


def run(*words: object) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words])


def said(result: Result) -> str:
    return " ".join(result.output.split())


def held(store: Any, folder: str) -> dict[str, bytes]:
    store.invalidate_cache()
    return {name.removeprefix(f"{folder}/"): store.cat_file(name) for name in store.find(folder)}


def content(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }
