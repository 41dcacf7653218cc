"""The network of the speech successor: x-vector frame layers, statistics, one log-odds.

Maouche et al. (2022, §5.2) take the TDNN of Snyder et al. (2018) with two classes. Ours has its
frame layers and its pooling over the joined slices; by default the statistics of the frames at the
cut stand beside them, since among 88 frames those few would hardly show. A sigmoid of one output
is a softmax of two.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import nn

from pseudovoice.reassembly.joined import ACROSS, AROUND, MELS
from pseudovoice.reassembly.speech_successor import NEAR
from pseudovoice.signal.frames import Float32
from pseudovoice.training.draws import torch_seed
from pseudovoice.training.learner import Learner
from pseudovoice.training.successor_recipe import SuccessorRecipe
from pseudovoice.training.xvector import CONTEXTS, LEAST_VARIANCE, POOLED, FrameLayer

SEGMENT = 128
_ALONE = AROUND - NEAR
"""Outputs that depend on one slice alone, on either side of the cut."""
_AT_CUT = NEAR + ACROSS


class SuccessorNetwork(nn.Module):  # type: ignore[misc, unused-ignore]
    """Features of joined slices [n, 102, 40] → log-odds that they are successive [n]."""

    def __init__(self, width: int, pooling: str) -> None:
        super().__init__()
        widths = [MELS, *[width] * (len(CONTEXTS) - 1), POOLED * width]
        self.level = nn.BatchNorm1d(MELS, affine=False)
        self.frames = nn.ModuleList(
            FrameLayer(widths[i], widths[i + 1], kernel, dilation)
            for i, (kernel, dilation) in enumerate(CONTEXTS)
        )
        self.pooling = pooling
        self.segment = nn.Linear((4 if pooling == "cut" else 2) * widths[-1], SEGMENT)
        self.norm = nn.BatchNorm1d(SEGMENT)
        self.score = nn.Linear(SEGMENT, 1)

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        hidden = self.level(features.transpose(1, 2))
        for layer in self.frames:
            hidden = layer(hidden)
        pooled = [*_statistics(hidden)]
        if self.pooling == "cut":
            pooled += _statistics(hidden[:, :, _ALONE : _ALONE + _AT_CUT])
        segment = self.norm(torch.relu(self.segment(torch.cat(pooled, dim=1))))
        score: torch.Tensor = self.score(segment)[:, 0]
        return score


def _statistics(hidden: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Mean and deviation over time, by sums as the exported graph has them."""
    mean = hidden.mean(dim=2)
    variance = hidden.square().mean(dim=2) - mean.square()
    return mean, variance.clamp(min=LEAST_VARIANCE).sqrt()


@dataclass(frozen=True)
class SuccessorLearner(Learner):
    """The network and its optimiser."""

    network: SuccessorNetwork
    optimiser: torch.optim.AdamW

    @property
    def modules(self) -> dict[str, nn.Module]:
        return {"network": self.network}

    def scores(self, features: Float32) -> Float32:
        """Log-odds of pairs, with the weights as they are."""
        self.network.eval()
        with torch.no_grad():
            rows: Float32 = self.network(torch.from_numpy(features)).numpy()
        return rows


def build(recipe: SuccessorRecipe) -> SuccessorLearner:
    """A network with random weights that depend on the seed alone."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(torch_seed(recipe.seed, "successor weights"))
        network = SuccessorNetwork(recipe.width, recipe.pooling)
    optimiser = torch.optim.AdamW(
        network.parameters(), lr=recipe.rate, weight_decay=recipe.weight_decay
    )
    return SuccessorLearner(network, optimiser)
