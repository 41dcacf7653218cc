"""What a worker of Ray does; the one file of ours that is first imported there."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from pseudovoice.engines.shipped import done


def run_in_ray(
    name: str, version: str, data: list[Any], tasks: list[Any]
) -> tuple[float, list[Any]]:
    """Seconds and results: how long it took tells how many items the next should get."""
    import ray

    begin = time.perf_counter()
    results = done(name, version, lambda: bytes(ray.get(data[0])), tasks)
    return time.perf_counter() - begin, results


@dataclass(frozen=True)
class InStore:
    """A value in the object store: a machine has it once, and processes look at it there."""

    reference: Any

    def __call__(self) -> Any:
        import ray

        return ray.get(self.reference)
