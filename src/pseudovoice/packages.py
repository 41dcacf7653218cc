"""What other packages add, by entry point: loaded, or named in a warning and left out."""

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
                f"The {what} {entry.name!r} of {entry.value} cannot be loaded ({error}); it is "
                "left out.",
                stacklevel=3,
            )
            continue
        if name not in seen:
            seen.add(name)
            yield name, found
