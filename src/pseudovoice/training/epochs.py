"""The epochs that every training has: learn, judge, keep the best, and note how far it came."""

from __future__ import annotations

import math
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Generic, TypeVar

import torch

from pseudovoice.errors import InputError, UsageError, few
from pseudovoice.progress import Progress
from pseudovoice.training.archive import Arrays, read_archive, write_archive
from pseudovoice.training.learner import Learner

CHECKPOINT_FILE = "checkpoint.npz"

_WARM_UP = 0.15
_LAST_RATE = 1e-3
"""As a share of the highest learning rate."""

Judged = TypeVar("Judged")
"""How well the held-out speech is dealt with."""
Line = TypeVar("Line")
"""What is reported of one epoch."""


@dataclass(frozen=True)
class Standing(Generic[Judged, Line]):
    """How far a training has come. ``seconds`` adds up over all the runs it took."""

    epoch: int
    best_epoch: int
    before: Judged
    best: Judged
    seconds: float
    history: tuple[Line, ...] = field(default=())


class Training(ABC, Generic[Judged, Line]):
    """One training: what learns, on what, judged on what, into which folder.

    ``identity`` is everything the result depends on; a checkpoint of another identity is refused.
    """

    learner: Learner
    out: Path
    identity: dict[str, Any]
    threads: int
    progress: Progress

    @property
    @abstractmethod
    def epochs(self) -> int: ...

    def begin(self) -> None:
        """What is done to the networks once, before the first epoch."""

    @abstractmethod
    def learn(self, number: int) -> tuple[float, ...]:
        """One pass over the training speech: the mean loss, and what else it tells."""

    @abstractmethod
    def judge(self) -> Judged:
        """The held-out speech with the weights as they are."""

    @abstractmethod
    def cost(self, judged: Judged) -> float:
        """The number by which the best epoch is chosen, the lower the better."""

    @abstractmethod
    def line(self, number: int, learnt: tuple[float, ...], judged: Judged) -> Line: ...

    @abstractmethod
    def keep(self) -> None:
        """Write the weights as they are, the best so far, as a model that already works."""

    @abstractmethod
    def read(
        self, judged: dict[str, Any], lines: list[dict[str, Any]]
    ) -> tuple[Judged, list[Line]]:
        """From a checkpoint's notes."""


def run(training: Training[Judged, Line], *, resume: bool) -> Standing[Judged, Line]:
    """Train to the last epoch, from the checkpoint in the folder if there is one to go on from."""
    with _torch_threads(training.threads):
        standing = _restore(training) if resume else None
        if standing is None:
            # Gone first: were this run killed early, the next must not go on from an older one.
            (training.out / CHECKPOINT_FILE).unlink(missing_ok=True)
            standing = _begin(training)
        while standing.epoch < training.epochs:
            standing = _advance(training, standing)
    return standing


def _begin(training: Training[Judged, Line]) -> Standing[Judged, Line]:
    """Epoch 0: the weights as they are, which is what training must improve on."""
    began = time.perf_counter()
    training.begin()
    judged = training.judge()
    training.keep()
    return Standing(0, 0, judged, judged, time.perf_counter() - began)


def _advance(
    training: Training[Judged, Line], standing: Standing[Judged, Line]
) -> Standing[Judged, Line]:
    began = time.perf_counter()
    number = standing.epoch + 1
    learnt = training.learn(number)
    judged = training.judge()
    # Of equals the later: it has seen more, and few speakers make equal rates common.
    better = training.cost(judged) <= training.cost(standing.best)
    if better:
        # Before the checkpoint: a run killed in between repeats the epoch and keeps it again.
        training.keep()
    standing = replace(
        standing,
        epoch=number,
        best_epoch=number if better else standing.best_epoch,
        best=judged if better else standing.best,
        history=(*standing.history, training.line(number, learnt, judged)),
        seconds=standing.seconds + time.perf_counter() - began,
    )
    notes = {"identity": training.identity, "standing": asdict(standing)}
    write_archive(training.out / CHECKPOINT_FILE, training.learner.state(), notes)
    return standing


def _restore(training: Training[Judged, Line]) -> Standing[Judged, Line] | None:
    found = _checkpoint(training)
    if found is None:
        return None
    arrays, notes = found
    try:
        training.learner.restore(arrays)
        told = notes["standing"]
        before, _ = training.read(told["before"], [])
        best, history = training.read(told["best"], told["history"])
        return Standing(
            told["epoch"], told["best_epoch"], before, best, told["seconds"], tuple(history)
        )
    except (KeyError, TypeError, RuntimeError) as error:
        raise InputError(
            f"{training.out / CHECKPOINT_FILE} lacks a part of the state of training ({error}); "
            "`resume=False` begins anew."
        ) from None


def _checkpoint(training: Training[Judged, Line]) -> tuple[Arrays, dict[str, Any]] | None:
    """The state a former run left, None if there is none; that of another training is refused."""
    path = training.out / CHECKPOINT_FILE
    if not path.is_file():
        return None
    arrays, notes = read_archive(path)
    found = notes.get("identity", {})
    if other := [name for name, value in training.identity.items() if found.get(name) != value]:
        raise UsageError(
            f"{training.out} holds a training with another {few(other)}: give another folder, the "
            "same choices to go on with it, or `resume=False` to begin anew."
        )
    return arrays, notes


def one_cycle(share: float) -> float:
    """The learning rate at a share of the training: up, then down, along half cosines."""
    if share < _WARM_UP:
        return 0.5 - 0.5 * math.cos(math.pi * max(share, _LAST_RATE) / _WARM_UP)
    down = 0.5 + 0.5 * math.cos(math.pi * (share - _WARM_UP) / (1.0 - _WARM_UP))
    return _LAST_RATE + (1.0 - _LAST_RATE) * down


@contextmanager
def _torch_threads(count: int) -> Iterator[None]:
    """torch's threads are a setting of the whole process: put it back afterwards."""
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)
