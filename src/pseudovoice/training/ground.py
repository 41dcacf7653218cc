"""What every training needs before it begins: torch, and a folder to work in."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from pseudovoice.errors import InputError, MissingExtraError

SUMMARY_FILE = "training.json"


def need_torch(what: str) -> None:
    """Raise MissingExtraError where torch is not installed; it is not imported."""
    try:
        there = find_spec("torch") is not None
    except ValueError:  # how Python says that an entry of sys.modules stands for "not there"
        there = False
    if not there:
        raise MissingExtraError("torch", "train", what)


def folder_for(out: str | Path) -> Path:
    out = Path(out)
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(
            f"{out}: the folder cannot be made ({error.strerror}); choose another."
        ) from None
    return out
