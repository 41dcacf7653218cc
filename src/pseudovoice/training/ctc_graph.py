"""The trained network as an ONNX graph, from its tensors alone: torch is not needed to export."""

from __future__ import annotations

import numpy as np

from pseudovoice.asr.ctc.units import UNITS
from pseudovoice.encoders.graph import Graph
from pseudovoice.training.archive import Arrays
from pseudovoice.training.ctc_recipe import Shape

_NORM_EPSILON = 1e-5


def ctc_graph(state: Arrays, shape: Shape) -> bytes:
    """The network as ONNX: frames [batch, time, dimension] → ln P [batch, shorter, units]."""
    net = Graph("ctc")

    def norm(x: str, name: str) -> str:
        tensors = [net.constant(state[f"{name}.{part}"]) for part in ("weight", "bias")]
        return net.op("LayerNormalization", x, *tensors, axis=-1, epsilon=_NORM_EPSILON)

    def across(x: str, name: str, **layout: list[int]) -> str:
        tensors = [net.constant(state[f"{name}.{part}"]) for part in ("weight", "bias")]
        turned = net.op("Transpose", x, perm=[0, 2, 1])
        return net.op("Conv", turned, *tensors, **layout)

    def back(x: str) -> str:
        return net.op("Transpose", x, perm=[0, 2, 1])

    centred = net.op("Sub", "frames", net.constant(state["mean"]))
    hidden = net.op("Div", centred, net.constant(state["deviation"]))
    half = shape.kernel // 2
    hidden = back(across(hidden, "entry", pads=[half, half], strides=[shape.stride]))
    for i, d in enumerate(shape.dilations):
        more = across(norm(hidden, f"norms.{i}"), f"layers.{i}", pads=[d, d], dilations=[d])
        hidden = net.op("Add", hidden, back(net.op("Relu", more)))
    weight = net.constant(np.ascontiguousarray(state["exit.weight"].T))
    logits = net.op("MatMul", norm(hidden, "norm"), weight)
    logits = net.op("Add", logits, net.constant(state["exit.bias"]))
    result = net.op("LogSoftmax", logits, axis=-1)
    size = int(state["mean"].size)
    return net.model(
        {"frames": ["batch", "time", size]}, {result: ["batch", "shorter", len(UNITS)]}
    )
