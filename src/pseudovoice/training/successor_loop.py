"""The training of the successor network: pairs of slices, judged on those of held-out speakers."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.nn import functional

from pseudovoice.assessment.replicates import draw_speakers
from pseudovoice.atomic import write_atomic
from pseudovoice.progress import Progress
from pseudovoice.reassembly.fusion import balanced_pairs
from pseudovoice.training.draws import generator
from pseudovoice.training.epochs import Training, one_cycle
from pseudovoice.training.learner import tensors
from pseudovoice.training.loop import MODEL_FILE
from pseudovoice.training.successor_graph import successor_graph
from pseudovoice.training.successor_network import SuccessorLearner
from pseudovoice.training.successor_pairs import PairSet, TrainingSlices
from pseudovoice.training.successor_recipe import PairAccuracy, SuccessorEpoch

_REPLICATES = 500
_AT_ONCE = 256


@dataclass(frozen=True)
class SuccessorTraining(Training[PairAccuracy, SuccessorEpoch]):
    learner: SuccessorLearner
    training: PairSet
    held_out: TrainingSlices
    out: Path
    identity: dict[str, Any]
    threads: int
    progress: Progress

    @property
    def epochs(self) -> int:
        return self.training.recipe.epochs

    def learn(self, number: int) -> tuple[float, float]:
        """One pass: the mean loss and the share of pairs told right."""
        recipe, steps, network = self.training.recipe, self.training.steps, self.learner.network
        network.train()
        total = right = pairs = 0.0
        for step, batch in enumerate(self.training.batches(number)):
            share = ((number - 1) * steps + step) / (recipe.epochs * steps)
            self.learner.set_rate(recipe.rate * one_cycle(share))
            labels = torch.from_numpy(batch.labels)
            scores = network(torch.from_numpy(batch.features))
            loss = functional.binary_cross_entropy_with_logits(scores, labels)
            self.learner.descend(loss, number)
            total += loss.item() * len(labels)
            right += int(((scores > 0) == (labels > 0)).sum())
            pairs += len(labels)
            self.progress("training", (number - 1) * steps + step + 1, recipe.epochs * steps)
        return total / pairs, right / pairs

    def judge(self) -> PairAccuracy:
        return judge(self.held_out, self.learner)

    def cost(self, judged: PairAccuracy) -> float:
        return judged.loss

    def line(self, number: int, learnt: tuple[float, ...], judged: PairAccuracy) -> SuccessorEpoch:
        loss, accuracy = learnt
        return SuccessorEpoch(number, loss, accuracy, judged.loss)

    def keep(self) -> None:
        write_atomic(self.out / MODEL_FILE, successor_graph(tensors(self.learner.network)))

    def read(
        self, judged: dict[str, Any], lines: list[dict[str, Any]]
    ) -> tuple[PairAccuracy, list[SuccessorEpoch]]:
        return PairAccuracy(**judged), [SuccessorEpoch(**line) for line in lines]


def judge(slices: TrainingSlices, learner: SuccessorLearner) -> PairAccuracy:
    """How well pairs of these slices, always the same ones, are told apart."""
    first, second, label = balanced_pairs(slices.truth, generator(0, "held-out pairs"))
    # Pairs of one length are run together, so that all of every pair is heard.
    kinds, which = np.unique(slices.frames(first, second), axis=1, return_inverse=True)
    order = np.argsort(which.ravel(), kind="stable")
    alike = np.split(order, np.cumsum(np.bincount(which.ravel(), minlength=kinds.shape[1]))[:-1])
    parts = [some[k : k + _AT_ONCE] for some in alike for k in range(0, some.size, _AT_ONCE)]
    scores = np.empty(label.size)
    for part in parts:
        scores[part] = learner.scores(slices.joined(first[part], second[part]))
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
