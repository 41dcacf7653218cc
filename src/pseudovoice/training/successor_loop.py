"""The training of the successor network: epochs of pairs, each judged on held-out speakers."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from pseudovoice.assessment.replicates import draw_speakers
from pseudovoice.atomic import write_atomic
from pseudovoice.errors import InputError, UsageError
from pseudovoice.reassembly.fusion import balanced_pairs
from pseudovoice.training.archive import write_archive
from pseudovoice.training.draws import generator
from pseudovoice.training.features import Progress
from pseudovoice.training.loop import (
    _STEEPEST,
    CHECKPOINT_FILE,
    MODEL_FILE,
    one_cycle,
    read_checkpoint,
    torch_threads,
)
from pseudovoice.training.network import tensors
from pseudovoice.training.successor_graph import successor_graph
from pseudovoice.training.successor_network import Learner, build
from pseudovoice.training.successor_pairs import PairSet, Slices
from pseudovoice.training.successor_recipe import PairAccuracy, SuccessorEpoch

_REPLICATES = 500
_AT_ONCE = 256


@dataclass(frozen=True)
class SuccessorTask:
    """One training: on which slices, judged on which, into which folder.

    ``identity`` is everything the result depends on; a checkpoint of another identity is refused.
    """

    training: PairSet
    held_out: Slices
    out: Path
    identity: dict[str, Any]
    threads: int
    progress: Progress


@dataclass(frozen=True)
class SuccessorStanding:
    """How far a training has come. ``seconds`` adds up over all the runs it took."""

    epoch: int
    best_epoch: int
    before: PairAccuracy
    best: PairAccuracy
    seconds: float
    history: tuple[SuccessorEpoch, ...] = field(default=())

    @classmethod
    def of(cls, notes: dict[str, Any]) -> SuccessorStanding:
        values = dict(notes)
        values["before"], values["best"] = (PairAccuracy(**notes[k]) for k in ("before", "best"))
        values["history"] = tuple(SuccessorEpoch(**epoch) for epoch in notes["history"])
        return cls(**values)


def run(task: SuccessorTask, *, resume: bool) -> tuple[SuccessorStanding, int]:
    """Train to the last epoch, from the checkpoint in the folder if there is one to go on from.

    Also says how many parameters the network has.
    """
    recipe = task.training.recipe
    learner = build(recipe)
    with torch_threads(task.threads):
        standing = _restore(task, learner) if resume else None
        if standing is None:
            # Gone first: were this run killed early, the next must not go on from an older one.
            (task.out / CHECKPOINT_FILE).unlink(missing_ok=True)
            began = time.perf_counter()
            found = judge(task.held_out, learner)
            _keep(task, learner)
            standing = SuccessorStanding(0, 0, found, found, time.perf_counter() - began)
        while standing.epoch < recipe.epochs:
            standing = _advance(task, learner, standing)
    return standing, sum(p.numel() for p in learner.network.parameters())


def _restore(task: SuccessorTask, learner: Learner) -> SuccessorStanding | None:
    found = read_checkpoint(task.out, task.identity)
    if found is None:
        return None
    arrays, notes = found
    try:
        learner.restore(arrays)
        return SuccessorStanding.of(notes["standing"])
    except (KeyError, TypeError, RuntimeError) as error:
        raise InputError(
            f"{task.out / CHECKPOINT_FILE} lacks a part of the state of training ({error}); "
            "--restart begins anew."
        ) from None


def _advance(
    task: SuccessorTask, learner: Learner, standing: SuccessorStanding
) -> SuccessorStanding:
    began = time.perf_counter()
    number = standing.epoch + 1
    loss, accuracy = _train_epoch(task, learner, number)
    found = judge(task.held_out, learner)
    better = found.loss <= standing.best.loss
    if better:
        # Before the checkpoint: a run killed in between repeats the epoch and keeps it again.
        _keep(task, learner)
    standing = replace(
        standing,
        epoch=number,
        best_epoch=number if better else standing.best_epoch,
        best=found if better else standing.best,
        history=(*standing.history, SuccessorEpoch(number, loss, accuracy, found.loss)),
        seconds=standing.seconds + time.perf_counter() - began,
    )
    notes = {"identity": task.identity, "standing": asdict(standing)}
    write_archive(task.out / CHECKPOINT_FILE, learner.state(), notes)
    return standing


def _train_epoch(task: SuccessorTask, learner: Learner, number: int) -> tuple[float, float]:
    """One pass: the mean loss and the share of pairs told right."""
    recipe, steps = task.training.recipe, task.training.steps
    learner.network.train()
    total = right = pairs = 0.0
    for step, batch in enumerate(task.training.batches(number)):
        share = ((number - 1) * steps + step) / (recipe.epochs * steps)
        for group in learner.optimiser.param_groups:
            group["lr"] = recipe.rate * one_cycle(share)
        labels = torch.from_numpy(batch.labels)
        scores = learner.network(torch.from_numpy(batch.features))
        loss = functional.binary_cross_entropy_with_logits(scores, labels)
        if not torch.isfinite(loss):
            raise UsageError(
                f"The training diverged in epoch {number}: begin anew (--restart), at a lower rate."
            )
        learner.optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call, unused-ignore]
        nn.utils.clip_grad_norm_(learner.network.parameters(), _STEEPEST)
        learner.optimiser.step()
        total += loss.item() * len(labels)
        right += int(((scores > 0) == (labels > 0)).sum())
        pairs += len(labels)
        task.progress("training", (number - 1) * steps + step + 1, recipe.epochs * steps)
    return total / pairs, right / pairs


def judge(slices: Slices, learner: Learner) -> PairAccuracy:
    """How well pairs of these slices, always the same ones, are told apart."""
    first, second, label = balanced_pairs(slices.truth, generator(0, "held-out pairs"))
    parts = [slice(k, k + _AT_ONCE) for k in range(0, label.size, _AT_ONCE)]
    scores = np.concatenate(
        [learner.scores(slices.joined(first[p], second[p])) for p in parts]
    ).astype(np.float64)
    loss = np.logaddexp(0.0, np.where(label == 1, -scores, scores))
    right = ((scores > 0) == (label == 1)).astype(np.float64)
    same = slices.truth.speaker[first] == slices.truth.speaker[second]
    low, high = _interval(right, slices.truth.speaker[first])
    return PairAccuracy(
        loss=float(loss.mean()),
        value=float(right.mean()),
        low=low,
        high=high,
        successive=_share(right[label == 1]),
        same_speaker=_share(right[(label == 0) & same]),
        other_speaker=_share(right[(label == 0) & ~same]),
        pairs=int(label.size),
    )


def _share(right: np.ndarray) -> float:
    return float(right.mean()) if right.size else 0.0


def _interval(right: np.ndarray, speaker: np.ndarray) -> tuple[float | None, float | None]:
    """95 % of the replicates that draw speakers with replacement; None below three speakers."""
    _, number = np.unique(speaker, return_inverse=True)
    count = int(number.max()) + 1
    if count < 3:
        return None, None
    drawn = draw_speakers(generator(0, "intervals"), _REPLICATES, count)[:, number]
    low, high = np.quantile(drawn @ right / drawn.sum(axis=1), [0.025, 0.975])
    return float(low), float(high)


def _keep(task: SuccessorTask, learner: Learner) -> None:
    """The best weights so far, as a model that already works."""
    write_atomic(task.out / MODEL_FILE, successor_graph(tensors(learner.network)))
