"""The x-vector network (Snyder et al. 2018): frames in context, statistics over time, one layer.

The paper's last layers (segment7, softmax) are not here: the angular margin acts on the embedding
itself, so what the paper takes from the layer after pooling is the output. Norms follow the ReLU,
as in Kaldi. Nothing is padded: a frame is used only where its whole context is. The embeddings
are centred, since angles mean little between vectors that share a large part.
"""

from __future__ import annotations

import torch
from torch import nn

from pseudovoice.training.features import MELS

CONTEXTS = ((5, 1), (3, 2), (3, 3), (1, 1), (1, 1))
"""Kernel and dilation of each frame layer: 15 frames in all (the paper's Table 1)."""
DIMENSION = 512
POOLED = 3
"""The last frame layer is wider, as its statistics are all that is kept (1500 for 512)."""
LEAST_VARIANCE = 1e-5


class FrameLayer(nn.Module):  # type: ignore[misc, unused-ignore]
    """A dilated convolution over time, ReLU, norm."""

    def __init__(self, inputs: int, outputs: int, kernel: int, dilation: int) -> None:
        super().__init__()
        self.conv = nn.Conv1d(inputs, outputs, kernel, dilation=dilation)
        self.norm = nn.BatchNorm1d(outputs)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        result: torch.Tensor = self.norm(torch.relu(self.conv(x)))
        return result


class XVector(nn.Module):  # type: ignore[misc, unused-ignore]
    """Features [n, time, 80] → embeddings [n, 512]."""

    dimension = DIMENSION

    def __init__(self, width: int) -> None:
        super().__init__()
        widths = [MELS, *[width] * (len(CONTEXTS) - 1), POOLED * width]
        self.frames = nn.ModuleList(
            FrameLayer(widths[i], widths[i + 1], kernel, dilation)
            for i, (kernel, dilation) in enumerate(CONTEXTS)
        )
        self.segment = nn.Linear(2 * widths[-1], DIMENSION)
        self.centre = nn.BatchNorm1d(DIMENSION, affine=False)

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        hidden = features.transpose(1, 2)
        for layer in self.frames:
            hidden = layer(hidden)
        mean = hidden.mean(dim=2)
        variance = (hidden - mean[:, :, None]).square().mean(dim=2)
        deviation = variance.clamp(min=LEAST_VARIANCE).sqrt()
        embedding: torch.Tensor = self.centre(self.segment(torch.cat([mean, deviation], dim=1)))
        return embedding
