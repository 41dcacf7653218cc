"""The x-vector network as an ONNX graph, from its tensors alone: torch is not needed to export."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pseudovoice.encoders.graph import Graph

_DILATIONS = (1, 2, 3, 1, 1)
_LEAST_VARIANCE = 1e-5
_NORM_EPSILON = 1e-5
_NORM_PARTS = ("weight", "bias", "running_mean", "running_var")


def xvector_graph(state: dict[str, NDArray[Any]]) -> bytes:
    """The network as ONNX: features [batch, time, 80] → [batch, 512], any length of time."""
    net = Graph("xvector")

    def norm(x: str, name: str) -> str:
        tensors = [net.constant(state[f"{name}.{part}"]) for part in _NORM_PARTS]
        return net.op("BatchNormalization", x, *tensors, epsilon=_NORM_EPSILON)

    hidden = net.op("Transpose", "features", perm=[0, 2, 1])
    for i, dilation in enumerate(_DILATIONS):
        weight, bias = (net.constant(state[f"frames.{i}.conv.{p}"]) for p in ("weight", "bias"))
        hidden = net.op("Conv", hidden, weight, bias, dilations=[dilation])
        hidden = norm(net.op("Relu", hidden), f"frames.{i}.norm")
    mean = net.op("ReduceMean", hidden, axes=[2], keepdims=1)
    centred = net.op("Sub", hidden, mean)
    variance = net.op("ReduceMean", net.op("Mul", centred, centred), axes=[2], keepdims=1)
    least = net.constant(np.array(_LEAST_VARIANCE, np.float32))
    deviation = net.op("Sqrt", net.op("Max", variance, least))
    pooled = net.op("Squeeze", net.op("Concat", mean, deviation, axis=1), net.integers(2))
    weight, bias = (net.constant(state[f"segment.{part}"]) for part in ("weight", "bias"))
    embedding = net.op("Gemm", pooled, weight, bias, transB=1)
    mels, dimension = state["frames.0.conv.weight"].shape[1], state["segment.bias"].shape[0]
    return net.serialise(("features", mels), (embedding, dimension))
