"""A Ray cluster as an engine, or a Ray of this machine alone.

Ray's own retries are switched off: whatever dies, a process, a node, what a node held, ends in one
error here, and the item is handed out again, a bounded number of times. Items that take little time
go out several at once, for a task of Ray's costs about a millisecond.

Ray writes logs of its own. Names of tasks are constant, and what is packed is packed here, so that
there is nothing of the work in them.
"""

from __future__ import annotations

import os
import socket
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from itertools import islice
from typing import Any, TypeVar

from pseudovoice.engines.engine import Lost
from pseudovoice.engines.in_ray import InStore, run_in_ray
from pseudovoice.engines.shipped import Raised, Shipment, packed
from pseudovoice.errors import InputError, MissingExtraError, UsageError

T = TypeVar("T")
R = TypeVar("R")

ATTEMPTS = 4
"""Times that an item is handed out before it is given up."""

SECONDS_A_CHUNK = 0.25
"""What a task of several items should take: much beside a millisecond, little to lose."""

MOST_A_CHUNK = 1024
CONNECTS = 10.0
"""Seconds within which a cluster has to answer."""

LOOK_AGAIN = 2.0
"""Seconds after which the cluster is asked again how large it is."""

PATIENCE = 5.0
"""Seconds in which whoever is asked to stop should have stopped."""


@dataclass
class _Chunk:
    """Items that go to a worker together, and how often they have."""

    tasks: list[Any]
    attempt: int = 1


class OnRay:
    """An :class:`~pseudovoice.engines.engine.Engine` on the Ray cluster at an address.

    Without one it begins a Ray of this machine alone. It connects when there is something to do,
    and ends a connection that it made; where this process is connected already, that one is taken.
    """

    ships = True

    def __init__(self, address: str = "") -> None:
        if "://" in address:
            raise UsageError(
                f"ray:{address}: a driver outside of the cluster would send everything through its "
                "head; start this command on a machine of the cluster, and name ray:HOST:PORT or "
                "ray:auto as `engine`."
            )
        if find_spec("ray") is None:
            raise MissingExtraError("ray", "ray", "The engine ray")
        self._address, self._began = address, False

    @cached_property
    def _ray(self) -> Any:
        # Nobody is told what is done here, and nothing listens that was not asked for.
        os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
        ray = import_module("ray")
        if ray.is_initialized():
            return ray
        alone = {} if self._address else {"include_dashboard": False}
        try:
            _answers(self._address)
            ray.init(
                address=self._address or "local",
                log_to_driver=False,
                logging_level="ERROR",
                **alone,
            )
        except Exception as error:  # those of Ray share no base class of theirs
            reason = next(iter(str(error).splitlines()), type(error).__name__).rstrip(".")
            if not self._address:
                raise InputError(
                    f"A Ray of this machine cannot be started ({reason}); leave out `engine` to "
                    "work in threads."
                ) from None
            raise InputError(
                f"ray:{self._address}: there is no Ray cluster to connect to ({reason}); start one "
                "as docs/how-to/cluster.md shows, or leave out the address for a Ray of this "
                "machine alone."
            ) from None
        self._began = True
        return ray

    @cached_property
    def _run(self) -> Any:
        return self._ray.remote(num_cpus=1, max_retries=0)(run_in_ray).options(name="pseudovoice")

    @property
    def alone(self) -> bool:
        """By address: nodes come and go, but those of a cluster that spans machines do at once."""
        here = self._ray.util.get_node_ip_address()
        nodes = [node for node in self._ray.nodes() if node["Alive"]]
        return all(
            node["NodeManagerAddress"] == here
            for node in nodes
            if node["Resources"].get("CPU", 0) > 0
        )

    def close(self) -> None:
        if self._began:
            self._began = False
            self._ray.shutdown()
            del self.__dict__["_ray"]
            self.__dict__.pop("_run", None)

    def map(
        self, work: Callable[[T], R], tasks: Iterable[T], workers: int | None
    ) -> Generator[tuple[T, R | Lost], None, None]:
        shipment = packed(work)
        # One copy a node; a list keeps Ray from unpacking it for every task.
        data = [self._ray.put(shipment.data)]
        yield from _Map(self, shipment, data, iter(tasks), workers).results()

    def share(self, value: T) -> Callable[[], T]:
        return InStore(self._ray.put(value))

    def submit(self, shipment: Shipment, data: list[Any], chunk: _Chunk) -> Any:
        return self._run.remote(shipment.name, shipment.version, data, chunk.tasks)

    def finished(self, refs: list[Any]) -> list[Any]:
        """Those of which something has come, at least one."""
        ready, _ = self._ray.wait(refs, num_returns=1)
        # All that are there: one at a time would ask for every one of them again.
        more, _ = self._ray.wait(refs, num_returns=len(refs), timeout=0)
        there: list[Any] = more or ready
        return there

    def result(self, ref: Any) -> tuple[float, list[Any]] | Lost:
        """Seconds and results of a chunk."""
        try:
            seconds, results = self._ray.get(ref)
        except self._ray.exceptions.RayTaskError as error:
            raise RuntimeError(f"A worker failed: {error.cause!r}") from None
        except self._ray.exceptions.RayError as error:
            return Lost(_how(error))
        return seconds, results

    def cancel(self, refs: Iterable[Any]) -> None:
        """End what is under way in a Ray that is somebody else's; ours ends all of it as it closes.

        Ray aborts the program, now and then, whose task ends just as it is cancelled. So what need
        not be cancelled is not, and what is killed was asked first.
        """
        if self._began:
            return
        left = list(refs)
        for force in (False, True):
            for ref in left:
                with suppress(Exception):  # it may be over, or its node gone
                    self._ray.cancel(ref, force=force)
            if left and not force:
                with suppress(Exception):
                    _, left = self._ray.wait(
                        left, num_returns=len(left), timeout=PATIENCE, fetch_local=False
                    )

    def cores(self) -> int:
        return max(1, int(self._ray.cluster_resources().get("CPU", 1)))


class _Map:
    """One map under way."""

    def __init__(
        self,
        engine: OnRay,
        shipment: Shipment,
        data: list[Any],
        tasks: Iterator[Any],
        workers: int | None,
    ) -> None:
        self._engine, self._shipment, self._data = engine, shipment, data
        self._tasks, self._workers = tasks, workers
        self._again: deque[_Chunk] = deque()
        self._under_way: dict[Any, _Chunk] = {}
        self._size = 1
        self._looked = 0.0
        self._cores = 1

    def results(self) -> Generator[tuple[Any, Any], None, None]:
        try:
            while True:
                self._hand_out()
                if not self._under_way:
                    return
                failed: BaseException | None = None
                for ref in self._engine.finished(list(self._under_way)):
                    chunk = self._under_way.pop(ref)
                    for task, result in self._taken(chunk, self._engine.result(ref)):
                        # What was finished beside it is not to be lost.
                        if isinstance(result, Raised):
                            failed = failed or result.error
                        else:
                            yield task, result
                if failed is not None:
                    raise failed
        finally:
            self._engine.cancel(self._under_way)

    def _hand_out(self) -> None:
        most = self._most()
        while len(self._under_way) < most:
            chunk = self._next()
            if chunk is None:
                return
            self._under_way[self._engine.submit(self._shipment, self._data, chunk)] = chunk

    def _most(self) -> int:
        """Twice as many as there are cores, so that nobody waits for work; or as many as asked.

        Nodes come and go: a larger cluster gets more to do at once.
        """
        if self._workers is not None:
            return self._workers
        if time.monotonic() - self._looked > LOOK_AGAIN:
            self._cores, self._looked = self._engine.cores(), time.monotonic()
        return 2 * self._cores

    def _next(self) -> _Chunk | None:
        if self._again:
            return self._again.popleft()
        tasks = list(islice(self._tasks, self._size))
        return _Chunk(tasks) if tasks else None

    def _taken(
        self, chunk: _Chunk, result: tuple[float, list[Any]] | Lost
    ) -> Iterator[tuple[Any, Any]]:
        if not isinstance(result, Lost):
            seconds, results = result
            self._learn(seconds / len(chunk.tasks))
            yield from zip(chunk.tasks, results, strict=True)
        elif chunk.attempt < ATTEMPTS:
            # One by one: which of them it was is not known.
            self._again.extend(_Chunk([task], chunk.attempt + 1) for task in chunk.tasks)
        else:
            yield from ((task, result) for task in chunk.tasks)

    def _learn(self, seconds: float) -> None:
        """How many items make a task, from the latest; it at most doubles."""
        fitting = int(SECONDS_A_CHUNK / max(seconds, 1e-6))
        self._size = max(1, min(fitting, 2 * self._size, MOST_A_CHUNK))


def _answers(address: str) -> None:
    """Whether anybody listens; Ray itself would try for minutes."""
    host, colon, port = address.rpartition(":")
    if colon and port.isdecimal():
        socket.create_connection((host.strip("[]"), int(port)), CONNECTS).close()


def _how(error: Exception) -> str:
    """The kind of death; Ray's own account is long, and names machines."""
    kinds = {
        "OutOfMemoryError": "out of memory",
        "WorkerCrashedError": "the process was killed",
        "NodeDiedError": "its machine went away",
        "ObjectLostError": "its machine went away",
        "OwnerDiedError": "its machine went away",
    }
    name = type(error).__name__
    return kinds.get(name, name)
