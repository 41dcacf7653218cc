"""The training of a speaker encoder, judged by how well held-out speakers are told apart."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from pseudovoice.progress import Progress
from pseudovoice.training.aam import warmed_margin
from pseudovoice.training.archive import write_archive
from pseudovoice.training.data import TrainingSet
from pseudovoice.training.epochs import Training, one_cycle
from pseudovoice.training.export import export_onnx
from pseudovoice.training.features import TrainingRecording
from pseudovoice.training.held_out import embed_held_out, error_rate, held_out_scores
from pseudovoice.training.learner import tensors
from pseudovoice.training.network import Network
from pseudovoice.training.outcome import Epoch, ErrorRate
from pseudovoice.training.settling import settle
from pseudovoice.training.start import ENCODER_FILE

MODEL_FILE = "model.onnx"


@dataclass(frozen=True)
class EncoderTraining(Training[ErrorRate, Epoch]):
    learner: Network
    training: TrainingSet
    held_out: tuple[TrainingRecording, ...]
    fine_tuning: bool
    out: Path
    identity: dict[str, Any]
    threads: int
    progress: Progress

    @property
    def epochs(self) -> int:
        return self.training.recipe.epochs

    def begin(self) -> None:
        if self.training.recipe.gentle:
            settle(self.learner, self.training, self.progress)

    def learn(self, number: int) -> tuple[float, float]:
        """One pass over the speakers: the mean loss and the share of pieces recognised."""
        recipe, steps, network = self.training.recipe, self.training.steps, self.learner
        highest = recipe.highest_rate(fine_tuning=self.fine_tuning)
        # Norms alone do otherwise while they learn.
        network.encoder.train(not recipe.gentle)
        total = right = pieces = 0.0
        for step, batch in enumerate(self.training.batches(number)):
            share = ((number - 1) * steps + step) / (recipe.epochs * steps)
            network.head.margin = warmed_margin(recipe.margin, share)
            network.set_rate(highest * one_cycle(share))
            labels = torch.from_numpy(batch.labels)
            with torch.autocast("cpu", torch.bfloat16, enabled=recipe.half):
                embeddings = network.encoder(torch.from_numpy(batch.features))
            cosine = network.head.cosines(embeddings.float())
            loss = network.head.loss(cosine, labels)
            network.descend(loss, number)
            total += loss.item() * len(labels)
            right += int((cosine.argmax(dim=1) == labels).sum())
            pieces += len(labels)
            self.progress("training", (number - 1) * steps + step + 1, recipe.epochs * steps)
        return total / pieces, right / pieces

    def judge(self) -> ErrorRate:
        vectors = embed_held_out(self.held_out, self.learner.embed)
        return error_rate(held_out_scores(self.held_out, vectors))

    def cost(self, judged: ErrorRate) -> float:
        return judged.value

    def line(self, number: int, learnt: tuple[float, ...], judged: ErrorRate) -> Epoch:
        loss, accuracy = learnt
        return Epoch(number, loss, accuracy, judged.value)

    def keep(self) -> None:
        """To start from again, and as an encoder that already works."""
        recipe, state = self.training.recipe, tensors(self.learner.encoder)
        notes = {"model": recipe.model, "width": recipe.channels}
        write_archive(self.out / ENCODER_FILE, state, notes)
        export_onnx(recipe.model, state, self.out / MODEL_FILE)

    def read(
        self, judged: dict[str, Any], lines: list[dict[str, Any]]
    ) -> tuple[ErrorRate, list[Epoch]]:
        return ErrorRate(**judged), [Epoch(**line) for line in lines]
