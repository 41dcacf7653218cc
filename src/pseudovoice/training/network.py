"""A speaker encoder under training together with its classifier."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

from pseudovoice.errors import InputError
from pseudovoice.signal.frames import Float32
from pseudovoice.training.aam import AamSoftmax
from pseudovoice.training.draws import torch_seed
from pseudovoice.training.ecapa import Ecapa
from pseudovoice.training.learner import Learner, load
from pseudovoice.training.recipe import Recipe
from pseudovoice.training.start import Start
from pseudovoice.training.xvector import XVector

_KINDS: dict[str, Any] = {"xvector": XVector, "ecapa": Ecapa}


@dataclass(frozen=True)
class Network(Learner):
    """Encoder, classifier and optimiser: all that changes while training."""

    encoder: nn.Module
    head: AamSoftmax
    optimiser: torch.optim.AdamW

    @property
    def dimension(self) -> int:
        return int(self.head.weight.shape[1])

    def embed(self, features: Float32) -> Float32:
        """Embeddings [n, dimension] of features [n, time, 80] whose mean was removed."""
        self.encoder.eval()
        with torch.no_grad():
            rows: Float32 = self.encoder(torch.from_numpy(features)).numpy()
        return rows

    @property
    def modules(self) -> dict[str, nn.Module]:
        return {"encoder": self.encoder, "head": self.head}


def build(recipe: Recipe, classes: int, start: Start | None) -> Network:
    """A network with random weights that depend on the seed alone, or with those of ``start``."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(torch_seed(recipe.seed, "weights"))
        encoder = _KINDS[recipe.model](recipe.channels)
        head = AamSoftmax(encoder.dimension, classes, recipe.scale)
    if start is not None:
        try:
            load(encoder, start.state)
        except RuntimeError as error:
            reason = str(error).strip().splitlines()[-1].strip()
            raise InputError(f"The weights to start from are damaged ({reason}).") from None
    parameters = [*encoder.parameters(), *head.parameters()]
    return Network(encoder, head, torch.optim.AdamW(parameters, weight_decay=recipe.weight_decay))
