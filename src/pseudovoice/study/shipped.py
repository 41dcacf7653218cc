"""Plans that come along: the papers' case studies, to be run by anyone who has the corpora."""

from __future__ import annotations

from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from pseudovoice.errors import InputError

SUFFIX = ".yaml"


def shipped_plans() -> dict[str, str]:
    """What each plan that comes along is, by name: the first comment of its file."""
    found = {}
    for file in sorted(_folder().iterdir(), key=lambda entry: entry.name):
        if file.name.endswith(SUFFIX):
            first = file.read_text(encoding="utf-8").splitlines()[0]
            found[file.name.removesuffix(SUFFIX)] = first.lstrip("# ").rstrip()
    return found


def find_plan(name: str) -> Path:
    """A plan's file: a path if there is such a file, else the plan of that name."""
    here = Path(name)
    if here.exists() or here.suffix.lower() in (".yaml", ".yml") or len(here.parts) > 1:
        return here
    if name in (known := shipped_plans()):
        return Path(str(_folder() / f"{name}{SUFFIX}"))
    raise InputError(
        f"{name}: there is neither such a file nor a plan of that name; those that come along are "
        f"{', '.join(known)}."
    )


def default_output(file: Path) -> Path:
    """The folder of a plan's report if none is named."""
    return Path(f"{file.stem}-report")


def _folder() -> Traversable:
    return files("pseudovoice.study") / "plans"
