"""ECAPA-TDNN (Desplanques et al. 2020) as an ONNX graph, from SpeechBrain's state dict.

The layer names are those of SpeechBrain. All its convolutions keep the length by reflecting the
ends, and its norms come after the ReLU.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pseudovoice.encoders.graph import Graph

_DIMENSION = 192
_MELS = 80
_SCALE = 8
_DILATIONS = (2, 3, 4)
_NORM_EPSILON = 1e-5
_POOLING_EPSILON = 1e-12

State = dict[str, NDArray[Any]]


def ecapa_graph(state: State) -> bytes:
    """The network as ONNX: features [batch, time, 80] → [batch, 192]."""
    net = _Ecapa(state)
    hidden = net.op("Transpose", "features", perm=[0, 2, 1])
    hidden = net.tdnn(hidden, "blocks.0")
    outputs = []
    for block, dilation in enumerate(_DILATIONS, start=1):
        hidden = net.se_res2net(hidden, f"blocks.{block}", dilation)
        outputs.append(hidden)
    merged = net.tdnn(net.op("Concat", *outputs, axis=1), "mfa")
    pooled = net.norm(net.attentive_statistics(merged), "asp_bn.norm")
    embedding = net.op("Squeeze", net.conv(pooled, "fc.conv"), net.integers(2))
    return net.serialise(("features", _MELS), (embedding, _DIMENSION))


class _Ecapa(Graph):
    """The layers of the paper, each reading its tensors from the state dict by name."""

    def __init__(self, state: State) -> None:
        super().__init__("ecapa")
        self.state = state

    def conv(self, x: str, name: str, dilation: int = 1) -> str:
        weight = self.state[f"{name}.weight"]
        margin = dilation * (weight.shape[2] - 1) // 2
        if margin:
            pads = self.integers(0, 0, margin, 0, 0, margin)
            x = self.op("Pad", x, pads, mode="reflect")
        bias = self.constant(self.state[f"{name}.bias"])
        return self.op("Conv", x, self.constant(weight), bias, dilations=[dilation])

    def norm(self, x: str, name: str) -> str:
        parts = ("weight", "bias", "running_mean", "running_var")
        tensors = [self.constant(self.state[f"{name}.{part}"]) for part in parts]
        return self.op("BatchNormalization", x, *tensors, epsilon=_NORM_EPSILON)

    def tdnn(self, x: str, name: str, dilation: int = 1) -> str:
        convolved = self.conv(x, f"{name}.conv.conv", dilation)
        return self.norm(self.op("Relu", convolved), f"{name}.norm.norm")

    def se_res2net(self, x: str, name: str, dilation: int) -> str:
        """TDNN, Res2Net, TDNN, squeeze and excitation, with a residual around all four."""
        hidden = self.tdnn(x, f"{name}.tdnn1")
        first, *bands = self.ops("Split", hidden, outputs=_SCALE, axis=1)
        outputs = [first]
        for i, band in enumerate(bands):
            # Each band but the first two also gets its left neighbour's result.
            entry = band if i == 0 else self.op("Add", band, outputs[-1])
            outputs.append(self.tdnn(entry, f"{name}.res2net_block.blocks.{i}", dilation))
        hidden = self.tdnn(self.op("Concat", *outputs, axis=1), f"{name}.tdnn2")
        squeezed = self.op("ReduceMean", hidden, axes=[2])
        squeezed = self.op("Relu", self.conv(squeezed, f"{name}.se_block.conv1.conv"))
        gate = self.op("Sigmoid", self.conv(squeezed, f"{name}.se_block.conv2.conv"))
        return self.op("Add", self.op("Mul", hidden, gate), x)

    def attentive_statistics(self, x: str) -> str:
        """Mean and deviation over time, weighted per channel by attention with global context."""
        mean = self.op("ReduceMean", x, axes=[2])
        spread = self._deviation(self.op("ReduceMean", self._squares(x, mean), axes=[2]))
        # SpeechBrain repeats mean and deviation along time and convolves [x; mean; deviation].
        # Splitting the weights instead gives the same sums with a third of the work.
        weight = self.state["asp.tdnn.conv.conv.weight"]
        over_x, over_mean, over_spread = np.split(weight, 3, axis=1)
        bias = self.constant(self.state["asp.tdnn.conv.conv.bias"])
        context = self.op("Conv", mean, self.constant(over_mean), bias)
        context = self.op("Add", context, self.op("Conv", spread, self.constant(over_spread)))
        attention = self.op("Add", self.op("Conv", x, self.constant(over_x)), context)
        attention = self.norm(self.op("Relu", attention), "asp.tdnn.norm.norm")
        attention = self.conv(self.op("Tanh", attention), "asp.conv.conv")
        attention = self.op("Softmax", attention, axis=2)
        mean = self._sum(self.op("Mul", attention, x))
        squares = self.op("Mul", attention, self._squares(x, mean))
        return self.op("Concat", mean, self._deviation(self._sum(squares)), axis=1)

    def _squares(self, x: str, mean: str) -> str:
        centred = self.op("Sub", x, mean)
        return self.op("Mul", centred, centred)

    def _sum(self, x: str) -> str:
        return self.op("ReduceSum", x, self.integers(2))

    def _deviation(self, variance: str) -> str:
        least = self.constant(np.array(_POOLING_EPSILON, np.float32))
        return self.op("Sqrt", self.op("Max", variance, least))
