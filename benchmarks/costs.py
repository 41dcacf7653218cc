"""What a command costs: the memory of all its processes together, and their processor time.

Time is the processor's (user and system, of everything the command started and waited for), which
other work on the machine hardly changes; a clock beside it says how busy the machine was.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

EVERY = 1.0
"""Seconds between looks: the peak of each process is the kernel's, their sum is sampled."""


@dataclass(frozen=True)
class Cost:
    """MB at the peak, seconds of processor and on the clock, and how the command ended."""

    peak: float
    processor: float
    clock: float
    code: int
    said: str


def tree(root: int) -> list[int]:
    """A process and all that descend from it."""
    parents: dict[int, list[int]] = {}
    for place in Path("/proc").iterdir():
        if place.name.isdigit():
            try:
                told = (place / "stat").read_text(errors="replace")
            except OSError:  # it has just ended
                continue
            # The name of a program may hold blanks and brackets; what follows the last bracket not.
            parents.setdefault(int(told.rpartition(")")[2].split()[1]), []).append(int(place.name))
    found = [root]
    for one in found:
        found += parents.get(one, [])
    return found


def resident(processes: Sequence[int]) -> float:
    """MB that processes hold together, or that the largest of them held, if that was more.

    What they share counts for each of them. The kernel's own answer for a child that has ended
    (`ru_maxrss`) is of no use: it counts what its parent held when it was started.
    """
    together, largest = 0, 0
    for one in processes:
        try:
            told = Path(f"/proc/{one}/status").read_text(errors="replace")
        except OSError:  # it has just ended
            continue
        held = {key: int(kb) for key, kb in re.findall(r"^(VmRSS|VmHWM):\s+(\d+) kB", told, re.M)}
        together += held.get("VmRSS", 0)
        largest = max(largest, held.get("VmHWM", 0))
    return max(together, largest) / 1024


def spent(processes: Sequence[int]) -> float:
    """Seconds of processor of processes, and of all that they started and that has ended."""
    ticks = 0
    for one in processes:
        try:
            told = Path(f"/proc/{one}/stat").read_text(errors="replace")
        except OSError:
            continue
        ticks += sum(map(int, told.rpartition(")")[2].split()[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")


def cost(words: Sequence[str], **places: Path) -> Cost:
    """Run `pseudovoice` with these words in a process of its own; ``places`` may hold ``cwd``."""
    begin = perf_counter()
    program = [sys.executable, "-m", "pseudovoice", *words]
    child = subprocess.Popen(program, stdout=subprocess.PIPE, text=True, **places)
    ended, seen = threading.Event(), [0.0]

    def look() -> None:
        while not ended.wait(EVERY):
            seen.append(max(seen.pop(), resident(tree(child.pid))))

    watching = threading.Thread(target=look)
    watching.start()
    assert child.stdout is not None
    said = child.stdout.read()
    _, status, used = os.wait4(child.pid, 0)
    ended.set()
    watching.join()
    child.returncode = os.waitstatus_to_exitcode(status)
    return Cost(
        seen[0],
        used.ru_utime + used.ru_stime,
        perf_counter() - begin,
        child.returncode,
        said,
    )
