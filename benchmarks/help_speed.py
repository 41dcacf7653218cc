"""How long each `--help` keeps the processor busy, as a ratio to `python -c pass` in one run.

The time is that of the whole process, user and system, as the system counts it for a child that has
ended; bytecode is written before anything is counted. The target is 20, and 0.4 s in any case.

    python benchmarks/help_speed.py [--rounds 5]
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import median

import click

from pseudovoice.cli.main import app

PROGRAM = str(Path(sys.executable).parent / "pseudovoice")
REFERENCE = "python -c pass"
TARGET, MOST_SECONDS = 20.0, 0.4


def verbs(command: click.Command, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Every verb and what stands below it."""
    yield path
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            yield from verbs(below, (*path, name))


def processor_seconds(*command: str) -> float:
    """User and system time of one process from its start to its end; its output is dropped."""
    silent = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
    child = os.posix_spawn(command[0], command, os.environ, file_actions=silent)
    _, status, used = os.wait4(child, 0)
    assert status == 0, command
    return used.ru_utime + used.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    jobs = {REFERENCE: (sys.executable, "-c", "pass")}
    jobs |= {" ".join((*path, "--help")): (PROGRAM, *path, "--help") for path in verbs(app)}
    spent: dict[str, list[float]] = {name: [] for name in jobs}
    for counted in [False] + [True] * rounds:
        for name, command in jobs.items():
            seconds = processor_seconds(*command)
            if counted:
                spent[name].append(seconds)
    reference = median(spent[REFERENCE])
    width = max(map(len, jobs))
    print(f"{'':{width}}  {'median':>7}  {'ratio':>6}")
    for name, times in spent.items():
        seconds, ratio = median(times), median(times) / reference
        met = ratio <= TARGET and seconds <= MOST_SECONDS
        print(f"{name:{width}}  {seconds:5.2f} s  {ratio:5.1f}×{'' if met else '  MISSED'}")


if __name__ == "__main__":
    main()
