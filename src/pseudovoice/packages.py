"""What other packages add, by entry point: loaded, or named in a warning and left out.

Their code may do anything. Whatever it raises becomes a sentence that names it.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Iterator
from importlib.metadata import entry_points
from typing import Any


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
