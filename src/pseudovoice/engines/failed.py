"""How many items have failed so far, for whoever watches: they are listed only at the end."""

from __future__ import annotations

from threading import Lock
from typing import Any

from pseudovoice.errors import Problem


class FailedItems:
    """Counts problems among results; a result of several items tells how many have ``failed``."""

    def __init__(self) -> None:
        self._lock, self.count = Lock(), 0

    def begin(self) -> None:
        """Forget the items of a run before this, in the same process."""
        with self._lock:
            self.count = 0

    def look_at(self, result: Any) -> None:
        failed = 1 if isinstance(result, Problem) else getattr(result, "failed", 0)
        if failed:
            with self._lock:
                self.count += int(failed)


FAILED = FailedItems()
