"""The networks of the speech successor: x-vector frame layers, statistics, one log-odds.

``xvector`` is what Maouche et al. (2022, §5.2) take: the TDNN of Snyder et al. (2018) with two
classes, over the joined slices as a whole. Frame layers of 512 channels, the last of 1500, their
mean and deviation over everything, two layers of 512. ``cut`` is ours: the same frame layers,
narrower and over half a second on either side, one layer, and beside the statistics of all frames
those of the frames at the cut, which among so many others hardly show. A sigmoid of one output is a
softmax of two. Filter banks stand for the cepstra of Snyder et al., norms follow the ReLU.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import torch
from torch import nn

from pseudovoice.reassembly.joined import ACROSS, AROUND, MELS
from pseudovoice.reassembly.speech_successor import NEAR
from pseudovoice.signal.frames import Float32
from pseudovoice.training.draws import torch_seed
from pseudovoice.training.learner import Learner
from pseudovoice.training.successor_recipe import SuccessorRecipe
from pseudovoice.training.xvector import CONTEXTS, LEAST_VARIANCE, POOLED, FrameLayer

_ALONE = AROUND - NEAR
"""Outputs of ``cut`` that depend on one slice alone, on either side."""
_AT_CUT = NEAR + ACROSS
_SEGMENTS = {"cut": (128,), "xvector": (512, 512)}
"""Widths of the layers after the statistics."""
_LAST, _OTHERS = 1500, 512
"""The last frame layer of the x-vectors is wider than the others."""


class SegmentLayer(nn.Module):  # type: ignore[misc, unused-ignore]
    """All of a pair as one vector: linear, ReLU, norm."""

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.linear = nn.Linear(inputs, outputs)
        self.norm = nn.BatchNorm1d(outputs)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        result: torch.Tensor = self.norm(torch.relu(self.linear(x)))
        return result


class SuccessorNetwork(nn.Module):  # type: ignore[misc, unused-ignore]
    """Features of joined slices [n, time, 40] → log-odds that they are successive [n].

    ``cut`` takes 102 frames; ``xvector`` any number.
    """

    def __init__(self, width: int, kind: str) -> None:
        super().__init__()
        last = POOLED * width if kind == "cut" else round(_LAST / _OTHERS * width)
        widths = [MELS, *[width] * (len(CONTEXTS) - 1), last]
        self.level = nn.BatchNorm1d(MELS, affine=False)
        self.frames = nn.ModuleList(
            FrameLayer(widths[i], widths[i + 1], kernel, dilation)
            for i, (kernel, dilation) in enumerate(CONTEXTS)
        )
        self.kind = kind
        sizes = [(4 if kind == "cut" else 2) * last, *_SEGMENTS[kind]]
        self.segments = nn.ModuleList(SegmentLayer(*pair) for pair in pairwise(sizes))
        self.score = nn.Linear(sizes[-1], 1)

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        hidden = self.level(features.transpose(1, 2))
        for layer in self.frames:
            hidden = layer(hidden)
        pooled = [*_statistics(hidden)]
        if self.kind == "cut":
            pooled += _statistics(hidden[:, :, _ALONE : _ALONE + _AT_CUT])
        segment = torch.cat(pooled, dim=1)
        for layer in self.segments:
            segment = layer(segment)
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
        network = SuccessorNetwork(recipe.channels, recipe.network)
    optimiser = torch.optim.AdamW(
        network.parameters(), lr=recipe.rate, weight_decay=recipe.weight_decay
    )
    return SuccessorLearner(network, optimiser)
