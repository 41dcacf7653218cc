"""What other packages add, by entry point: loaded, or named in a warning and left out."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from importlib.metadata import entry_points
from typing import Any


def installed(group: str, what: str, taken: frozenset[str] = frozenset()) -> Iterator[Any]:
    """All that packages name in a group and that can be loaded; ``what`` says what it is.

    Its name is its own ``name``, or that of its attacker; the ``taken`` ones are ours.
    """
    for entry in entry_points(group=group):
        try:
            found = entry.load()
            if getattr(found, "attacker", found).name in taken:
                raise ValueError("the name is taken")
        except Exception as error:  # somebody else's code
            warnings.warn(
                f"The {what} {entry.name!r} of {entry.value} cannot be loaded ({error}); it is "
                "left out.",
                stacklevel=3,
            )
        else:
            yield found
