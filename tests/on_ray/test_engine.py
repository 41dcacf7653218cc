"""The engine itself: order, failures, workers that die, and what Ray writes down."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest

pytest.importorskip("ray", reason="Ray is not installed; `make test-ray` installs it")

from ray_cluster import OneMachine

from pseudovoice.engines import Lost, in_parallel, using
from pseudovoice.errors import InputError, UsageError


def doubled(number: int) -> int:
    return 2 * number


def slowly(number: int) -> int:
    time.sleep(0.15)
    return 2 * number


def deadly(number: int) -> int:
    if number == 7:
        os.kill(os.getpid(), signal.SIGKILL)  # as the system does when there is no memory left
    return 2 * number


def refused(number: int) -> int:
    if number == 3:
        raise UsageError("Not this one.")
    return number


def test_every_item_comes_once(cluster: OneMachine) -> None:
    with using(cluster.engine):
        found = list(in_parallel(doubled, range(5000)))
    assert sorted(found) == [(number, 2 * number) for number in range(5000)]


def test_errors_arrive_as_they_were(cluster: OneMachine) -> None:
    with using(cluster.engine), pytest.raises(UsageError, match=r"Not this one\."):
        list(in_parallel(refused, range(10)))


def test_an_item_that_kills_is_one_problem(cluster: OneMachine) -> None:
    lost: list[tuple[int, Lost]] = []

    def note(number: int, how: Lost) -> int:
        lost.append((number, how))
        return -1

    with using(cluster.engine):
        found = dict(in_parallel(deadly, range(40), lost=note))
    assert [number for number, _ in lost] == [7]
    assert lost[0][1].reason == "the process was killed"
    assert found == {number: -1 if number == 7 else 2 * number for number in range(40)}


def test_numbers_that_need_all_items_are_an_error(cluster: OneMachine) -> None:
    with (
        using(cluster.engine),
        pytest.raises(InputError, match="cost every process that took it its life"),
    ):
        list(in_parallel(deadly, range(40)))


def test_a_node_that_goes_away_loses_nothing(cluster: OneMachine) -> None:
    found: dict[int, int] = {}
    with using(cluster.engine):
        for number, result in in_parallel(slowly, range(60)):
            found[number] = result
            if len(found) == 6:
                cluster.kill()
    assert found == {number: 2 * number for number in range(60)}


def test_whoever_stops_listening_stops_the_work(cluster: OneMachine, tmp_path: Path) -> None:
    begun = tmp_path / "begun"
    begun.mkdir()
    with using(cluster.engine):
        for _ in in_parallel(Begins(begun), range(1000)):
            break
        time.sleep(1.0)
        before = len(list(begun.iterdir()))
        time.sleep(1.0)
        assert len(list(begun.iterdir())) == before < 100


class Begins:
    """Leaves a file for every item that was begun."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __call__(self, number: int) -> int:
        (self.folder / str(number)).touch()
        time.sleep(0.1)
        return number


def test_no_cluster_is_a_sentence() -> None:
    with using("ray:127.0.0.1:1"), pytest.raises(InputError, match="there is no Ray cluster"):
        list(in_parallel(doubled, [1]))
