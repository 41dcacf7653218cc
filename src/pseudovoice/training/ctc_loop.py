"""The training itself: epochs of steps, each followed by a look at held-out utterances."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import torch
from torch import nn

from pseudovoice.atomic import write_atomic
from pseudovoice.errors import InputError, UsageError, few
from pseudovoice.training.archive import read_archive, write_archive
from pseudovoice.training.ctc_data import CtcData, batch_of, packed
from pseudovoice.training.ctc_features import Spoken
from pseudovoice.training.ctc_graph import ctc_graph
from pseudovoice.training.ctc_network import CtcNetwork, build_ctc
from pseudovoice.training.ctc_outcome import CtcEpoch
from pseudovoice.training.ctc_recipe import CtcRecipe
from pseudovoice.training.draws import torch_seed
from pseudovoice.training.features import Progress
from pseudovoice.training.loop import one_cycle
from pseudovoice.training.network import tensors
from pseudovoice.utility.ctc.front_end import FrontEnd
from pseudovoice.utility.ctc.recogniser import DECLARATION_FILE, MODEL_FILE
from pseudovoice.utility.ctc.units import BLANK, UNITS, collapsed, written
from pseudovoice.utility.words import WordErrors, total, word_errors

CHECKPOINT_FILE = "checkpoint.npz"
_STEEPEST = 5.0
_JUDGED_FRAMES = 20_000


@dataclass(frozen=True)
class CtcTask:
    """One training: on what, judged on what, into which folder.

    ``identity`` is everything the result depends on; a checkpoint of another identity is refused.
    """

    recipe: CtcRecipe
    data: CtcData
    held_out: tuple[Spoken, ...]
    front_end: FrontEnd
    out: Path
    identity: dict[str, Any]
    threads: int
    progress: Progress

    @property
    def epochs(self) -> int:
        epochs = self.recipe.epochs
        assert epochs is not None
        return epochs


@dataclass(frozen=True)
class CtcStanding:
    """How far a training has come. ``seconds`` adds up over all the runs it took."""

    epoch: int = 0
    best_epoch: int = 0
    cer: float | None = None
    wer: float | None = None
    seconds: float = 0.0
    history: tuple[CtcEpoch, ...] = field(default=())

    @classmethod
    def of(cls, notes: dict[str, Any]) -> CtcStanding:
        history = tuple(CtcEpoch(**epoch) for epoch in notes["history"])
        return cls(**{**notes, "history": history})


def run_ctc(task: CtcTask, *, resume: bool) -> tuple[CtcStanding, CtcNetwork]:
    """Train to the last epoch, from the checkpoint in the folder if there is one to go on from."""
    network = build_ctc(task.recipe, task.data.mean, task.data.deviation)
    with _threads(task.threads):
        standing = _restore(task, network) if resume else None
        if standing is None:
            # Gone first: were this run killed early, the next must not go on from an older one.
            (task.out / CHECKPOINT_FILE).unlink(missing_ok=True)
            standing = CtcStanding()
        while standing.epoch < task.epochs:
            standing = _advance(task, network, standing)
    return standing, network


def _advance(task: CtcTask, network: CtcNetwork, standing: CtcStanding) -> CtcStanding:
    began = time.perf_counter()
    number = standing.epoch + 1
    with torch.random.fork_rng(devices=[]):
        # Dropout of an epoch is its own, whether the run was resumed or not.
        torch.manual_seed(torch_seed(task.recipe.seed, "dropout", number))
        loss = _train_epoch(task, network, number)
    errors = judge(task, network)
    # Of equals the later: it has seen more.
    better = standing.cer is None or errors.cer <= standing.cer
    if better:
        # Before the checkpoint: a run killed in between repeats the epoch and keeps it again.
        _keep(task, network)
    standing = replace(
        standing,
        epoch=number,
        best_epoch=number if better else standing.best_epoch,
        cer=errors.cer if better else standing.cer,
        wer=errors.wer if better else standing.wer,
        history=(*standing.history, CtcEpoch(number, loss, errors.cer, errors.wer)),
        seconds=standing.seconds + time.perf_counter() - began,
    )
    notes = {"identity": task.identity, "standing": asdict(standing)}
    write_archive(task.out / CHECKPOINT_FILE, network.state(), notes)
    return standing


def _train_epoch(task: CtcTask, network: CtcNetwork, number: int) -> float:
    """One pass over the utterances: the mean loss in nats a unit."""
    network.tdnn.train()
    plan = len(task.data.plan(number))
    summed = units = 0.0
    for step, batch in enumerate(task.data.batches(number)):
        share = (number - 1 + step / plan) / task.epochs
        for group in network.optimiser.param_groups:
            group["lr"] = (task.recipe.rate or 0.0) * one_cycle(share)
        frames, lengths = torch.from_numpy(batch.frames), torch.from_numpy(batch.lengths)
        heard = network.tdnn(torch.from_numpy(batch.features), frames)
        losses = nn.functional.ctc_loss(
            heard.transpose(0, 1),
            torch.from_numpy(batch.units),
            network.tdnn.shortened(frames),
            lengths,
            blank=BLANK,
            reduction="none",
        )
        loss = losses.sum() / lengths.sum()
        if not torch.isfinite(loss):
            raise UsageError(
                f"The training diverged in epoch {number}: begin anew (--restart), at a lower rate."
            )
        network.optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call, unused-ignore]
        nn.utils.clip_grad_norm_(network.tdnn.parameters(), _STEEPEST)
        network.optimiser.step()
        summed += float(losses.detach().sum())
        units += int(batch.lengths.sum())
        done = round(((number - 1) * plan + step + 1) * 100 / plan)
        task.progress("training", done, task.epochs * 100)
    return summed / units


def judge(task: CtcTask, network: CtcNetwork) -> WordErrors:
    """Errors in the held-out utterances, the likeliest unit of each frame taken."""
    network.tdnn.eval()
    errors = []
    for group in packed(sorted(task.held_out, key=lambda one: one.frames), _JUDGED_FRAMES):
        batch = batch_of(group)
        frames = torch.from_numpy(batch.frames)
        with torch.no_grad():
            best = network.tdnn(torch.from_numpy(batch.features), frames).argmax(dim=-1).numpy()
            ends = network.tdnn.shortened(frames).numpy()
        for one, path, end in zip(group, best, ends, strict=True):
            text = " ".join(written(collapsed(path[:end])).split())
            errors.append(word_errors(written(one.units), text))
    return total(errors)


def _keep(task: CtcTask, network: CtcNetwork) -> None:
    """The best weights so far as a network that already works, and what it needs to be run."""
    said = {
        "recipe": task.recipe.recipe,
        "front_end": task.front_end.name,
        "identity": task.front_end.identity,
        "units": list(UNITS),
    }
    write_atomic(task.out / DECLARATION_FILE, json.dumps(said, indent=1) + "\n")
    write_atomic(task.out / MODEL_FILE, ctc_graph(tensors(network.tdnn), task.recipe.shape))


def _restore(task: CtcTask, network: CtcNetwork) -> CtcStanding | None:
    path = task.out / CHECKPOINT_FILE
    if not path.is_file():
        return None
    arrays, notes = read_archive(path)
    found = notes.get("identity", {})
    if other := [name for name, value in task.identity.items() if found.get(name) != value]:
        raise UsageError(
            f"{task.out} holds a training with another {few(other)}: give another folder, the "
            "same choices to go on with it, or --restart to begin anew."
        )
    try:
        network.restore(arrays)
        return CtcStanding.of(notes["standing"])
    except (KeyError, TypeError, RuntimeError) as error:
        raise InputError(
            f"{path} lacks a part of the state of training ({error}); --restart begins anew."
        ) from None


@contextmanager
def _threads(count: int) -> Iterator[None]:
    """torch's threads are a setting of the whole process: put it back afterwards."""
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)
