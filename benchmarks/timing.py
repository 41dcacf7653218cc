"""Times several jobs in turn, so that what else the machine does falls on all of them alike."""

from __future__ import annotations

import platform
from collections.abc import Callable, Mapping
from time import perf_counter

import numpy as np
import scipy


def interleaved_seconds(
    jobs: Mapping[str, Callable[[], object]], *, rounds: int = 9
) -> dict[str, list[float]]:
    """Time of each job in each of the interleaved rounds, after one round that is not counted."""
    spent: dict[str, list[float]] = {name: [] for name in jobs}
    for counted in [False] + [True] * rounds:
        for name, job in jobs.items():
            start = perf_counter()
            job()
            if counted:
                spent[name].append(perf_counter() - start)
    return spent


def print_ratios(
    title: str, spent: Mapping[str, list[float]], reference: str, targets: Mapping[str, float]
) -> None:
    """One line per job: its median time, its ratio to the reference, and the ratio asked for.

    ``best`` is the ratio of the fastest rounds: what a machine that does nothing else would show.
    """
    width = max(len(name) for name in spent)
    print(title)
    print(f"  {'':{width}}  {'median':>12}  {'ratio':>7}  {'best':>7}")
    for name, times in spent.items():
        ratio = float(np.median(times) / np.median(spent[reference]))
        best = min(times) / min(spent[reference])
        line = f"  {name:{width}}  {1e3 * np.median(times):9.2f} ms  {ratio:6.2f}×  {best:6.2f}×"
        if name in targets:
            line += f"  target {targets[name]:g}× {'met' if ratio <= targets[name] else 'MISSED'}"
        print(line)


def versions() -> str:
    """What the numbers depend on besides the machine."""
    return f"Python {platform.python_version()}, NumPy {np.__version__}, SciPy {scipy.__version__}"
