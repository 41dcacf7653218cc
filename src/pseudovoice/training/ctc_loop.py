"""The training of a recogniser, judged by its errors in held-out utterances."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import nn

from pseudovoice.asr.ctc.front_end import FrontEnd
from pseudovoice.asr.ctc.recogniser import DECLARATION_FILE, MODEL_FILE
from pseudovoice.asr.ctc.units import BLANK, UNITS, collapsed, written
from pseudovoice.atomic import write_atomic
from pseudovoice.progress import Progress
from pseudovoice.training.ctc_data import CtcData, batch_of, packed
from pseudovoice.training.ctc_features import Spoken
from pseudovoice.training.ctc_graph import ctc_graph
from pseudovoice.training.ctc_network import CtcNetwork
from pseudovoice.training.ctc_outcome import CtcEpoch
from pseudovoice.training.ctc_recipe import CtcRecipe
from pseudovoice.training.draws import torch_seed
from pseudovoice.training.epochs import Training, one_cycle
from pseudovoice.training.learner import tensors
from pseudovoice.utility.words import WordErrors, total, word_errors

_JUDGED_FRAMES = 20_000


@dataclass(frozen=True)
class CtcTraining(Training[WordErrors, CtcEpoch]):
    learner: CtcNetwork
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

    def learn(self, number: int) -> tuple[float]:
        """One pass over the utterances: the mean loss in nats a unit."""
        with torch.random.fork_rng(devices=[]):
            # Dropout of an epoch is its own, whether the run was resumed or not.
            torch.manual_seed(torch_seed(self.recipe.seed, "dropout", number))
            return (self._pass(number),)

    def _pass(self, number: int) -> float:
        tdnn = self.learner.tdnn
        tdnn.train()
        plan = len(self.data.plan(number))
        summed = units = 0.0
        for step, batch in enumerate(self.data.batches(number)):
            share = (number - 1 + step / plan) / self.epochs
            self.learner.set_rate((self.recipe.rate or 0.0) * one_cycle(share))
            frames, lengths = torch.from_numpy(batch.frames), torch.from_numpy(batch.lengths)
            heard = tdnn(torch.from_numpy(batch.features), frames)
            losses = nn.functional.ctc_loss(
                heard.transpose(0, 1),
                torch.from_numpy(batch.units),
                tdnn.shortened(frames),
                lengths,
                blank=BLANK,
                reduction="none",
            )
            self.learner.descend(losses.sum() / lengths.sum(), number)
            summed += float(losses.detach().sum())
            units += int(batch.lengths.sum())
            done = round(((number - 1) * plan + step + 1) * 100 / plan)
            self.progress("training", done, self.epochs * 100)
        return summed / units

    def judge(self) -> WordErrors:
        """Errors in the held-out utterances, the likeliest unit of each frame taken."""
        tdnn = self.learner.tdnn
        tdnn.eval()
        errors = []
        for group in packed(sorted(self.held_out, key=lambda one: one.frames), _JUDGED_FRAMES):
            batch = batch_of(group)
            frames = torch.from_numpy(batch.frames)
            with torch.no_grad():
                best = tdnn(torch.from_numpy(batch.features), frames).argmax(dim=-1).numpy()
                ends = tdnn.shortened(frames).numpy()
            for one, path, end in zip(group, best, ends, strict=True):
                text = " ".join(written(collapsed(path[:end])).split())
                errors.append(word_errors(written(one.units), text))
        return total(errors)

    def cost(self, judged: WordErrors) -> float:
        return judged.cer

    def line(self, number: int, learnt: tuple[float, ...], judged: WordErrors) -> CtcEpoch:
        return CtcEpoch(number, learnt[0], judged.cer, judged.wer)

    def keep(self) -> None:
        """A network that already works, and what it needs to be run."""
        said = {
            "recipe": self.recipe.recipe,
            "front_end": self.front_end.name,
            "identity": self.front_end.identity,
            "units": list(UNITS),
        }
        write_atomic(self.out / DECLARATION_FILE, json.dumps(said, indent=1) + "\n")
        graph = ctc_graph(tensors(self.learner.tdnn), self.recipe.shape)
        write_atomic(self.out / MODEL_FILE, graph)

    def read(
        self, judged: dict[str, Any], lines: list[dict[str, Any]]
    ) -> tuple[WordErrors, list[CtcEpoch]]:
        return WordErrors(**judged), [CtcEpoch(**line) for line in lines]
