"""Work on its way to another process: pickled once, unpickled once in each process that does it.

Only what this program has just pickled itself is unpickled, by workers it trusts as much as itself.
"""

from __future__ import annotations

import hashlib
import pickle
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from pseudovoice.errors import InputError, PseudovoiceError, UsageError
from pseudovoice.version import __version__

KEPT = 4
"""Pieces of work that a process keeps: a study goes from one to the next and seldom back."""

_WORK: OrderedDict[str, Callable[[Any], Any]] = OrderedDict()


@dataclass(frozen=True)
class Shipment:
    """Work as bytes, by their hash; ``version`` is that of the program that packed them."""

    name: str
    data: bytes
    version: str = __version__

    def __repr__(self) -> str:
        return f"Shipment({self.name})"  # what is in it is for nobody's log


@dataclass(frozen=True)
class Raised:
    """In place of a result: what the work raised."""

    error: BaseException


def packed(work: Callable[[Any], Any]) -> Shipment:
    """The work as bytes; what cannot be taken apart is a sentence."""
    try:
        data = pickle.dumps(work, protocol=pickle.HIGHEST_PROTOCOL)
    except Exception as error:  # whatever an object of somebody else's raises
        raise UsageError(
            f"This work cannot be handed to other processes ({type(error).__name__}: {error}); "
            "leave out `engine`, or take safeguards, encoders and recognisers that are named."
        ) from None
    return Shipment(hashlib.sha256(data).hexdigest()[:16], data)


def unpacked(name: str, data: Callable[[], bytes]) -> Callable[[Any], Any]:
    """The work in this process; ``data`` is asked only the first time."""
    if name not in _WORK:
        from threadpoolctl import threadpool_limits

        # One thread each, as where the work comes from: the workers are the parallelism.
        threadpool_limits(1)
        _WORK[name] = pickle.loads(data())
        while len(_WORK) > KEPT:
            _WORK.popitem(last=False)
    _WORK.move_to_end(name)
    return _WORK[name]


def done(name: str, version: str, data: Callable[[], bytes], tasks: Sequence[Any]) -> list[Any]:
    """What the work gives for each task: a result, or :class:`Raised`."""
    if version != __version__:
        return [Raised(_other_version(version))] * len(tasks)
    try:
        work = unpacked(name, data)
    except Exception as error:  # a model that cannot be opened here, most often
        return [Raised(_portable(error))] * len(tasks)
    return [_tried(work, task) for task in tasks]


def run(shipment: Shipment, tasks: Sequence[Any]) -> list[Any]:
    """What a worker of an executor does."""
    return done(shipment.name, shipment.version, lambda: shipment.data, tasks)


def _tried(work: Callable[[Any], Any], task: Any) -> Any:
    try:
        return work(task)
    except Exception as error:
        return Raised(_portable(error))


def _portable(error: BaseException) -> BaseException:
    """An error that arrives: some cannot be put together again elsewhere."""
    try:
        there = pickle.loads(pickle.dumps(error))
    except Exception:
        there = None
    if type(there) is type(error) and str(there) == str(error):
        return error
    kind = InputError if isinstance(error, PseudovoiceError) else RuntimeError
    return kind(str(error) if kind is InputError else f"{type(error).__name__}: {error}")


def _other_version(theirs: str) -> InputError:
    return InputError(
        f"A worker has pseudovoice {__version__}, and this is {theirs}; install the same version "
        "on all machines."
    )
