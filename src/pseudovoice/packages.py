"""Other packages: what they add by entry point, and those that we need and are not there.

Their code may do anything. Whatever it raises becomes a sentence that names it.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Collection, Iterator
from importlib.metadata import PackageNotFoundError, entry_points, requires
from importlib.util import find_spec
from typing import Any

from pseudovoice.errors import UsageError

_CALLED_OTHERWISE = {"pyworld": "pyworld-prebuilt", "yaml": "PyYAML", "swift_f0": "swift-f0"}
"""Packages that are imported under another name than they are installed by."""


def installed(
    group: str, what: str, name_of: Callable[[Any], str], taken: Collection[str] = ()
) -> Iterator[tuple[str, Any]]:
    """All that packages name in a group and that can be loaded, by name.

    ``what`` says what it is, for a sentence; names that are ``taken`` are ours. Of two packages
    with one name the first counts.
    """
    seen: set[str] = set()
    for entry in entry_points(group=group):
        try:
            found = entry.load()
            name = name_of(found)
            if name in taken:
                raise ValueError("the name is taken")
        except Exception as error:  # somebody else's code
            warnings.warn(
                f"The {what} {entry.name!r} of {entry.value} cannot be loaded ({reason(error)}); "
                "it is left out.",
                stacklevel=3,
            )
            continue
        if name not in seen:
            seen.add(name)
            yield name, found


def why_not(group: str, what: str, name: str) -> str | None:
    """Why an entry point of this name cannot be loaded, a sentence; None if there is none."""
    for entry in entry_points(group=group, name=name):
        try:
            entry.load()
        except Exception as error:  # somebody else's code
            return (
                f"The {what} {name!r} of {entry.value} cannot be loaded ({reason(error)}); ask "
                "whoever made the package, or remove it."
            )
    return None


def reason(error: BaseException) -> str:
    """What an error of somebody else's code says, in one line."""
    said = next(iter(str(error).splitlines()), "").strip().rstrip(".")
    return f"{type(error).__name__}: {said}" if said else type(error).__name__


def check_installed(module: str, purpose: str) -> None:
    """Say before the work that a package is missing which is needed after it."""
    if find_spec(module) is None:
        raise UsageError(f"{purpose} need {_to_install(module)}.")


def missing(error: ModuleNotFoundError) -> str | None:
    """Which package of ours an import did not find, a sentence; None if it is none of ours.

    Whoever installed a part of what we need (docs/how-to/install.md) hears it from what needs more.
    """
    module = (error.name or "").partition(".")[0]
    name = _CALLED_OTHERWISE.get(module, module)
    if not name or name.casefold() not in _needed():
        return None
    return f"This needs {_to_install(name)}."


def _to_install(name: str) -> str:
    return (
        f"the package {name}, which is not installed here; `pip install {name}` brings it, and "
        "`pip install pseudovoice` all that is ever needed"
    )


def _needed() -> set[str]:
    try:
        lines = requires("pseudovoice") or []
    except PackageNotFoundError:  # run from a checkout that nobody installed
        return set()
    return {re.split(r"[^\w.-]", line, maxsplit=1)[0].casefold() for line in lines}
