"""How work that takes long says how far it is."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[str, int, int], None]
"""Called with what is being done, how many items are done, and how many there are (0: unknown)."""


def counter(progress: Progress | None, what: str, total: int) -> Callable[[int], None]:
    """Turns "so many more" into "so many of all"."""
    done = 0

    def step(count: int) -> None:
        nonlocal done
        done += count
        if progress is not None:
            progress(what, done, total)

    return step
