"""Additive angular margin softmax (Deng et al. 2019): a classifier for training an encoder.

Each class has a direction. The angle θ between an embedding and its own class is made larger by a
margin before the softmax, so that it must be clearly smaller than the angles to the others:

    loss = −log( e^{s·cos(θ_y + m)} / (e^{s·cos(θ_y + m)} + Σ_{j≠y} e^{s·cos θ_j}) )
"""

from __future__ import annotations

import math

import torch
from torch import nn
from torch.nn import functional

_WARM_UP = (0.2, 0.7)
_CLOSEST = 1e-7


def warmed_margin(margin: float, progress: float) -> float:
    """The margin at a share of the training: 0 for the first fifth, whole from seven tenths on.

    An untrained network has all angles near 90°; a margin from the start only slows it down.
    """
    begin, end = _WARM_UP
    return margin * min(1.0, max(0.0, (progress - begin) / (end - begin)))


class AamSoftmax(nn.Module):  # type: ignore[misc, unused-ignore]
    """The classes' directions and the loss; ``margin`` in radians is set from outside."""

    def __init__(self, dimension: int, classes: int, scale: float) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(classes, dimension))
        nn.init.xavier_normal_(self.weight)
        self.scale = scale
        self.margin = 0.0

    def cosines(self, embeddings: torch.Tensor) -> torch.Tensor:
        """cos θ of each embedding with each class, [n, classes]."""
        return functional.linear(
            functional.normalize(embeddings), functional.normalize(self.weight)
        )

    def forward(self, embeddings: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        """The mean loss of a batch."""
        return self.loss(self.cosines(embeddings), labels)

    def loss(self, cosine: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        """The mean loss given the cosines, so that accuracy comes from the same product."""
        own = cosine.gather(1, labels[:, None]).clamp(-1.0 + _CLOSEST, 1.0 - _CLOSEST)
        sine = (1.0 - own.square()).sqrt()
        moved = own * math.cos(self.margin) - sine * math.sin(self.margin)
        # Past θ = π − m the cosine would rise again and reward being wrong; a line goes on falling.
        beyond = own - self.margin * math.sin(self.margin)
        moved = torch.where(own > -math.cos(self.margin), moved, beyond)
        logits = self.scale * cosine.scatter(1, labels[:, None], moved)
        loss: torch.Tensor = functional.cross_entropy(logits, labels)
        return loss
