"""A time-delay network that writes: frames in, ln P of each unit out."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import nn

from pseudovoice.asr.ctc.units import UNITS
from pseudovoice.signal.frames import Float32
from pseudovoice.training.ctc_recipe import CtcRecipe
from pseudovoice.training.draws import torch_seed
from pseudovoice.training.learner import Learner


class CtcTdnn(nn.Module):  # type: ignore[misc, unused-ignore]
    """Standardise, shorten, then residual layers of three frames each, then the units.

    Frames behind the end of an utterance are zero before every layer, as beyond the end of a
    recording: what a network writes does not depend on what it was batched with.
    """

    mean: torch.Tensor
    deviation: torch.Tensor

    def __init__(self, recipe: CtcRecipe, mean: Float32, deviation: Float32) -> None:
        super().__init__()
        shape = recipe.shape
        width = recipe.width or shape.width
        self.stride = shape.stride
        self.register_buffer("mean", torch.from_numpy(mean.copy()))
        self.register_buffer("deviation", torch.from_numpy(deviation.copy()))
        self.entry = nn.Conv1d(
            mean.size, width, shape.kernel, shape.stride, padding=shape.kernel // 2
        )
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in shape.dilations)
        self.layers = nn.ModuleList(
            nn.Conv1d(width, width, 3, padding=d, dilation=d) for d in shape.dilations
        )
        self.norm = nn.LayerNorm(width)
        self.exit = nn.Linear(width, len(UNITS))
        self.dropout = nn.Dropout(recipe.dropout)

    def forward(self, features: torch.Tensor, frames: torch.Tensor) -> torch.Tensor:
        """ln P [n, T', units] of features [n, T, dimension]; ``frames`` are the true lengths."""
        inside = torch.arange(features.shape[1])[None, :] < frames[:, None]
        hidden = (features - self.mean) / self.deviation * inside[..., None]
        hidden = self.entry(self.dropout(hidden).transpose(1, 2)).transpose(1, 2)
        inside = torch.arange(hidden.shape[1])[None, :] < self.shortened(frames)[:, None]
        for norm, layer in zip(self.norms, self.layers, strict=True):
            more = norm(hidden) * inside[..., None]
            more = torch.relu(layer(more.transpose(1, 2))).transpose(1, 2)
            hidden = hidden + self.dropout(more)
        logits: torch.Tensor = self.exit(self.norm(hidden))
        return torch.log_softmax(logits, dim=-1)

    def shortened(self, frames: torch.Tensor) -> torch.Tensor:
        return torch.div(frames - 1, self.stride, rounding_mode="floor") + 1


@dataclass(frozen=True)
class CtcNetwork(Learner):
    """The network and its optimiser."""

    tdnn: CtcTdnn
    optimiser: torch.optim.AdamW

    @property
    def modules(self) -> dict[str, nn.Module]:
        return {"network": self.tdnn}


def build_ctc(recipe: CtcRecipe, mean: Float32, deviation: Float32) -> CtcNetwork:
    """A network with random weights that depend on the seed alone."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(torch_seed(recipe.seed, "weights"))
        tdnn = CtcTdnn(recipe, mean, deviation)
    optimiser = torch.optim.AdamW(tdnn.parameters(), weight_decay=recipe.weight_decay)
    return CtcNetwork(tdnn, optimiser)
