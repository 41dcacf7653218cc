"""An encoder under training together with its classifier, and their tensors as plain arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import nn

from pseudovoice.errors import InputError
from pseudovoice.recognition.encoders.frames import Float32
from pseudovoice.training.aam import AamSoftmax
from pseudovoice.training.archive import Arrays, put_under, under
from pseudovoice.training.draws import torch_seed
from pseudovoice.training.ecapa import Ecapa
from pseudovoice.training.recipe import Recipe
from pseudovoice.training.start import Start
from pseudovoice.training.xvector import XVector

_KINDS: dict[str, Any] = {"xvector": XVector, "ecapa": Ecapa}
_MOMENTS = ("step", "exp_avg", "exp_avg_sq")


@dataclass(frozen=True)
class Network:
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

    def parameters(self) -> dict[str, nn.Parameter]:
        """Every trained parameter by name, in a fixed order."""
        parts = {"encoder/": self.encoder, "head/": self.head}
        return {f"{p}{n}": value for p, m in parts.items() for n, value in m.named_parameters()}

    def state(self) -> Arrays:
        """Everything needed to go on exactly from here."""
        arrays = put_under(tensors(self.encoder), "encoder/") | put_under(
            tensors(self.head), "head/"
        )
        for name, parameter in self.parameters().items():
            for moment, value in self.optimiser.state[parameter].items():
                arrays[f"optimiser/{moment}/{name}"] = value.detach().numpy().copy()
        return arrays

    def restore(self, arrays: Arrays) -> None:
        """The inverse of :meth:`state`."""
        load(self.encoder, under(arrays, "encoder/"))
        load(self.head, under(arrays, "head/"))
        for name, parameter in self.parameters().items():
            self.optimiser.state[parameter] = {
                moment: torch.from_numpy(arrays[f"optimiser/{moment}/{name}"].copy())
                for moment in _MOMENTS
            }


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


def tensors(module: nn.Module) -> Arrays:
    """A module's state dict as arrays of its own."""
    return {name: value.detach().numpy().copy() for name, value in module.state_dict().items()}


def load(module: nn.Module, arrays: Arrays) -> None:
    """Set a module's state dict; names and shapes must be its own."""
    module.load_state_dict({n: torch.from_numpy(np.array(a)) for n, a in arrays.items()})
