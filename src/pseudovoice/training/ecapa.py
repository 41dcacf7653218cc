"""ECAPA-TDNN (Desplanques et al. 2020), layer for layer as SpeechBrain has it.

The names of the parameters are SpeechBrain's, so that its published weights can be a start (see
``start``) and the graph that runs them in ``recognition.encoders`` runs ours too. Hence also its
habits: lengths are kept by reflecting the ends, and norms come after the ReLU. Only the centring of
the embeddings is ours: from random weights all would point the same way, and training by angles
would start slowly.
"""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional

from pseudovoice.training.features import MELS

DIMENSION = 192
_BANDS = 8
_SQUEEZED = 128
_ATTENTION = 128
_DILATIONS = (2, 3, 4)
_LEAST_VARIANCE = 1e-12


class Conv(nn.Module):  # type: ignore[misc, unused-ignore]
    """A convolution over time that keeps the length."""

    def __init__(self, inputs: int, outputs: int, kernel: int = 1, dilation: int = 1) -> None:
        super().__init__()
        self.conv = nn.Conv1d(inputs, outputs, kernel, dilation=dilation)
        self.margin = dilation * (kernel - 1) // 2

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if self.margin:
            x = functional.pad(x, (self.margin, self.margin), mode="reflect")
        result: torch.Tensor = self.conv(x)
        return result


class Norm(nn.Module):  # type: ignore[misc, unused-ignore]
    """Batch norm, one level down as SpeechBrain names it."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.norm = nn.BatchNorm1d(channels)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        result: torch.Tensor = self.norm(x)
        return result


class Tdnn(nn.Module):  # type: ignore[misc, unused-ignore]
    """Convolution, ReLU, norm."""

    def __init__(self, inputs: int, outputs: int, kernel: int = 1, dilation: int = 1) -> None:
        super().__init__()
        self.conv = Conv(inputs, outputs, kernel, dilation)
        self.norm = Norm(outputs)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        result: torch.Tensor = self.norm(torch.relu(self.conv(x)))
        return result


class Res2Net(nn.Module):  # type: ignore[misc, unused-ignore]
    """Bands of channels, each of which sees the result of its left neighbour."""

    def __init__(self, width: int, dilation: int) -> None:
        super().__init__()
        band = width // _BANDS
        self.blocks = nn.ModuleList(Tdnn(band, band, 3, dilation) for _ in range(_BANDS - 1))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        first, *bands = torch.chunk(x, _BANDS, dim=1)
        outputs = [first]
        for i, (block, band) in enumerate(zip(self.blocks, bands, strict=True)):
            outputs.append(block(band if i == 0 else band + outputs[-1]))
        return torch.cat(outputs, dim=1)


class SqueezeExcitation(nn.Module):  # type: ignore[misc, unused-ignore]
    """A gate on each channel, from the means of all of them."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.conv1 = Conv(width, _SQUEEZED)
        self.conv2 = Conv(_SQUEEZED, width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        gate = torch.relu(self.conv1(x.mean(dim=2, keepdim=True)))
        return x * torch.sigmoid(self.conv2(gate))


class SeRes2Net(nn.Module):  # type: ignore[misc, unused-ignore]
    """TDNN, Res2Net, TDNN, squeeze and excitation, with a residual around all four."""

    def __init__(self, width: int, dilation: int) -> None:
        super().__init__()
        self.tdnn1 = Tdnn(width, width)
        self.res2net_block = Res2Net(width, dilation)
        self.tdnn2 = Tdnn(width, width)
        self.se_block = SqueezeExcitation(width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        hidden = self.se_block(self.tdnn2(self.res2net_block(self.tdnn1(x))))
        result: torch.Tensor = hidden + x
        return result


class AttentiveStatistics(nn.Module):  # type: ignore[misc, unused-ignore]
    """Mean and deviation over time, weighted per channel by attention with global context."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.tdnn = Tdnn(3 * channels, _ATTENTION)
        self.conv = Conv(_ATTENTION, channels)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        even = torch.full_like(x[:, :1], 1.0 / x.shape[2])
        mean, deviation = _statistics(x, even)
        context = torch.cat([x, mean.expand_as(x), deviation.expand_as(x)], dim=1)
        attention = torch.softmax(self.conv(torch.tanh(self.tdnn(context))), dim=2)
        return torch.cat(_statistics(x, attention), dim=1)


class Ecapa(nn.Module):  # type: ignore[misc, unused-ignore]
    """Features [n, time, 80] → embeddings [n, 192]."""

    dimension = DIMENSION

    def __init__(self, width: int) -> None:
        super().__init__()
        merged = len(_DILATIONS) * width
        self.blocks = nn.ModuleList(
            [Tdnn(MELS, width, 5), *(SeRes2Net(width, dilation) for dilation in _DILATIONS)]
        )
        self.mfa = Tdnn(merged, merged)
        self.asp = AttentiveStatistics(merged)
        self.asp_bn = Norm(2 * merged)
        self.fc = Conv(2 * merged, DIMENSION)
        self.centre = nn.BatchNorm1d(DIMENSION, affine=False)

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        hidden = self.blocks[0](features.transpose(1, 2))
        outputs = []
        for block in self.blocks[1:]:
            hidden = block(hidden)
            outputs.append(hidden)
        merged = self.mfa(torch.cat(outputs, dim=1))
        embedding: torch.Tensor = self.centre(self.fc(self.asp_bn(self.asp(merged)))[:, :, 0])
        return embedding


def _statistics(x: torch.Tensor, weight: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    mean = (weight * x).sum(dim=2, keepdim=True)
    variance = (weight * (x - mean).square()).sum(dim=2, keepdim=True)
    return mean, variance.clamp(min=_LEAST_VARIANCE).sqrt()
