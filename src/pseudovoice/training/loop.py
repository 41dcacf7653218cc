"""The training itself: epochs of steps, each followed by a look at the held-out speakers."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import torch
from torch import nn

from pseudovoice.errors import InputError, UsageError, few
from pseudovoice.training.aam import warmed_margin
from pseudovoice.training.archive import Arrays, read_archive, write_archive
from pseudovoice.training.data import TrainingSet
from pseudovoice.training.export import export_onnx
from pseudovoice.training.features import Progress, Recording
from pseudovoice.training.held_out import embed_held_out, error_rate, held_out_scores
from pseudovoice.training.network import Network, build, tensors
from pseudovoice.training.outcome import Epoch, ErrorRate
from pseudovoice.training.start import ENCODER_FILE, Start

CHECKPOINT_FILE = "checkpoint.npz"
MODEL_FILE = "model.onnx"

_STEEPEST = 5.0
_WARM_UP = 0.15
_LAST_RATE = 1e-3
"""As a share of the highest learning rate."""


@dataclass(frozen=True)
class Task:
    """One training: on whom, judged on whom, from where, into which folder.

    ``identity`` is everything the result depends on; a checkpoint of another identity is refused.
    """

    training: TrainingSet
    held_out: tuple[Recording, ...]
    start: Start | None
    out: Path
    identity: dict[str, Any]
    threads: int
    progress: Progress


@dataclass(frozen=True)
class Standing:
    """How far a training has come. ``seconds`` adds up over all the runs it took."""

    epoch: int
    best_epoch: int
    before: ErrorRate
    best: ErrorRate
    seconds: float
    history: tuple[Epoch, ...] = field(default=())

    @classmethod
    def of(cls, notes: dict[str, Any]) -> Standing:
        values = dict(notes)
        values["before"], values["best"] = (ErrorRate(**notes[k]) for k in ("before", "best"))
        values["history"] = tuple(Epoch(**epoch) for epoch in notes["history"])
        return cls(**values)


def run(task: Task, *, resume: bool) -> tuple[Standing, Network]:
    """Train to the last epoch, from the checkpoint in the folder if there is one to go on from."""
    recipe = task.training.recipe
    network = build(recipe, task.training.classes, task.start)
    with torch_threads(task.threads):
        standing = _restore(task, network) if resume else None
        if standing is None:
            # Gone first: were this run killed early, the next must not go on from an older one.
            (task.out / CHECKPOINT_FILE).unlink(missing_ok=True)
            standing = _begin(task, network)
        while standing.epoch < recipe.epochs:
            standing = _advance(task, network, standing)
    return standing, network


def _begin(task: Task, network: Network) -> Standing:
    """Epoch 0: the weights as they are, which is what training must improve on."""
    began = time.perf_counter()
    rate = _judge(task, network)
    _keep(task, network)
    return Standing(0, 0, rate, rate, time.perf_counter() - began)


def _advance(task: Task, network: Network, standing: Standing) -> Standing:
    began = time.perf_counter()
    number = standing.epoch + 1
    loss, accuracy = _train_epoch(task, network, number)
    rate = _judge(task, network)
    # Of equals the later: it has seen more, and few speakers make equal rates common.
    better = rate.value <= standing.best.value
    if better:
        # Before the checkpoint: a run killed in between repeats the epoch and keeps it again.
        _keep(task, network)
    standing = replace(
        standing,
        epoch=number,
        best_epoch=number if better else standing.best_epoch,
        best=rate if better else standing.best,
        history=(*standing.history, Epoch(number, loss, accuracy, rate.value)),
        seconds=standing.seconds + time.perf_counter() - began,
    )
    notes = {"identity": task.identity, "standing": asdict(standing)}
    write_archive(task.out / CHECKPOINT_FILE, network.state(), notes)
    return standing


def _train_epoch(task: Task, network: Network, number: int) -> tuple[float, float]:
    """One pass over the speakers: the mean loss and the share of pieces recognised."""
    recipe, steps = task.training.recipe, task.training.steps
    highest = recipe.highest_rate(fine_tuning=task.start is not None)
    network.encoder.train()
    total = right = pieces = 0.0
    for step, batch in enumerate(task.training.batches(number)):
        share = ((number - 1) * steps + step) / (recipe.epochs * steps)
        network.head.margin = warmed_margin(recipe.margin, share)
        for group in network.optimiser.param_groups:
            group["lr"] = highest * one_cycle(share)
        labels = torch.from_numpy(batch.labels)
        cosine = network.head.cosines(network.encoder(torch.from_numpy(batch.features)))
        loss = network.head.loss(cosine, labels)
        if not torch.isfinite(loss):
            raise UsageError(
                f"The training diverged in epoch {number}: begin anew (--restart), at a lower rate."
            )
        network.optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call, unused-ignore]
        nn.utils.clip_grad_norm_(list(network.parameters().values()), _STEEPEST)
        network.optimiser.step()
        total += loss.item() * len(labels)
        right += int((cosine.argmax(dim=1) == labels).sum())
        pieces += len(labels)
        task.progress("training", (number - 1) * steps + step + 1, recipe.epochs * steps)
    return total / pieces, right / pieces


def one_cycle(share: float) -> float:
    """The learning rate at a share of the training: up, then down, along half cosines."""
    if share < _WARM_UP:
        return 0.5 - 0.5 * math.cos(math.pi * max(share, _LAST_RATE) / _WARM_UP)
    down = 0.5 + 0.5 * math.cos(math.pi * (share - _WARM_UP) / (1.0 - _WARM_UP))
    return _LAST_RATE + (1.0 - _LAST_RATE) * down


def _judge(task: Task, network: Network) -> ErrorRate:
    vectors = embed_held_out(task.held_out, network.embed)
    return error_rate(held_out_scores(task.held_out, vectors))


def _keep(task: Task, network: Network) -> None:
    """The best weights so far, to start from again and as an encoder that already works."""
    recipe, state = task.training.recipe, tensors(network.encoder)
    notes = {"model": recipe.model, "width": recipe.channels}
    write_archive(task.out / ENCODER_FILE, state, notes)
    export_onnx(recipe.model, state, task.out / MODEL_FILE)


def _restore(task: Task, network: Network) -> Standing | None:
    found = read_checkpoint(task.out, task.identity)
    if found is None:
        return None
    arrays, notes = found
    try:
        network.restore(arrays)
        return Standing.of(notes["standing"])
    except (KeyError, TypeError, RuntimeError) as error:
        raise InputError(
            f"{task.out / CHECKPOINT_FILE} lacks a part of the state of training ({error}); "
            "--restart begins anew."
        ) from None


def read_checkpoint(out: Path, identity: dict[str, Any]) -> tuple[Arrays, dict[str, Any]] | None:
    """The state a former run left in ``out``, None if there is none; another's is refused."""
    path = out / CHECKPOINT_FILE
    if not path.is_file():
        return None
    arrays, notes = read_archive(path)
    found = notes.get("identity", {})
    if other := [name for name, value in identity.items() if found.get(name) != value]:
        raise UsageError(
            f"{out} holds a training with another {few(other)}: give another folder, the "
            "same choices to go on with it, or --restart to begin anew."
        )
    return arrays, notes


@contextmanager
def torch_threads(count: int) -> Iterator[None]:
    """torch's threads are a setting of the whole process: put it back afterwards."""
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)
