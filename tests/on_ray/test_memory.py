"""A worker that takes all memory is ended by Ray; its item is tried again, or one listed problem.

On a node whose monitor of memory is set just above what the machine has in use: who takes two
gigabytes more is killed, as it would be where the machine has no more.
"""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("ray", reason="Ray is not installed; `make test-ray` installs it")

from ray_cluster import OneMachine

from pseudovoice.engines import Lost, in_parallel, using
from pseudovoice.errors import InputError

GB = 1 << 30
ROOM, GREED = 2 * GB, 5 * GB
STEP = GB // 4


def take_all() -> None:
    """Take memory, and use it, until somebody ends this; give up before the machine suffers."""
    taken = []
    for _ in range(GREED // STEP):
        taken.append(np.ones(STEP, np.uint8))
        time.sleep(0.1)
    time.sleep(20)


def greedy(number: int) -> int:
    if number == 7:
        take_all()
    return 2 * number


class GreedyOnce:
    """Takes all memory the first time that it is asked for seven."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __call__(self, number: int) -> int:
        mark = self.folder / "tried"
        if number == 7 and not mark.exists():
            mark.touch()
            take_all()
        return 2 * number


@pytest.fixture
def narrow(machine: OneMachine) -> OneMachine:
    """The cluster with one node, which has little memory left."""
    facts = dict(line.split(":") for line in Path("/proc/meminfo").read_text().splitlines())
    total, there = (int(facts[name].split()[0]) << 10 for name in ("MemTotal", "MemAvailable"))
    if there < ROOM + GREED:
        pytest.skip("the machine itself has too little memory for this")
    share = (total - there + ROOM) / total
    machine.alone(
        {"RAY_memory_usage_threshold": f"{share:.4f}", "RAY_memory_monitor_refresh_ms": "50"}
    )
    return machine


def test_out_of_memory_is_one_problem(narrow: OneMachine) -> None:
    lost: list[tuple[int, Lost]] = []

    def note(number: int, how: Lost) -> int:
        lost.append((number, how))
        return -1

    with using(narrow.engine):
        found = dict(in_parallel(greedy, range(12), lost=note))
        assert [number for number, _ in lost] == [7]
        assert lost[0][1].reason == "out of memory"
        assert found == {number: -1 if number == 7 else 2 * number for number in range(12)}
        # Of numbers that need all items there are none.
        with pytest.raises(InputError, match="its life \\(out of memory\\)"):
            list(in_parallel(greedy, range(6, 9)))


def test_out_of_memory_once_is_a_retry(narrow: OneMachine, tmp_path: Path) -> None:
    with using(narrow.engine):
        found = dict(in_parallel(GreedyOnce(tmp_path), range(12)))
    assert (tmp_path / "tried").exists()
    assert found == {number: 2 * number for number in range(12)}
