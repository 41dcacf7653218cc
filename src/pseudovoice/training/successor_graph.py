"""The successor network as an ONNX graph, from its tensors alone: torch is not needed to export.

Statistics over time are sums, so the graph takes those of frames that were run before and adds
its own:

    features [n, time, 40], sum, squares [n, c], count [n, 1]
        →  score [n], own_sum, own_squares [n, c]

With the frames at the cut and the sums of both slices, over ``count`` outputs of the frame layers,
``score`` is that of the joined slices; with the frames of one slice ``own_sum`` and ``own_squares``
are what it contributes. A layer over time
is written as frames spliced side by side and one product, which for short stretches of time is
several times as fast as a convolution.
"""

from __future__ import annotations

import numpy as np
import onnx

from pseudovoice.encoders.graph import IR_VERSION, OPSET, Graph
from pseudovoice.reassembly.speech_successor import COUNT, METADATA, SUMS, format_of
from pseudovoice.training.archive import Arrays

_CONTEXTS = ((5, 1), (3, 2), (3, 3), (1, 1), (1, 1))
_LEAST_VARIANCE = 1e-5
_NORM_EPSILON = 1e-5
_TO_THE_END = np.iinfo(np.int64).max


def successor_graph(state: Arrays) -> bytes:
    """The network whose state dict is ``state``, in evaluation."""
    net = _PairGraph("successor")
    hidden = net.scaled("features", *_level(state))
    for i, (kernel, dilation) in enumerate(_CONTEXTS):
        weight = state[f"frames.{i}.conv.weight"]
        spliced = net.splice(hidden, kernel, dilation)
        matrix = weight.transpose(2, 1, 0).reshape(-1, weight.shape[0])
        hidden = net.op("MatMul", spliced, net.constant(matrix))
        hidden = net.op("Add", hidden, net.constant(state[f"frames.{i}.conv.bias"]))
        hidden = net.scaled(net.op("Relu", hidden), *_norm(state, f"frames.{i}.norm"))
    squared = net.op("Mul", hidden, hidden)
    own = [net.op("ReduceSum", x, net.integers(1), keepdims=0) for x in (hidden, squared)]
    frames = net.op("Gather", net.op("Shape", hidden), net.integers(1), axis=0)
    number = net.op("Add", net.op("Cast", frames, to=onnx.TensorProto.FLOAT), COUNT)
    whole = [
        net.op("Div", net.op("Add", x, given), number) for x, given in zip(own, SUMS, strict=True)
    ]
    pooled = net.statistics(*whole)
    channels = state["frames.4.conv.bias"].size
    cut = state["segments.0.linear.weight"].shape[1] > 2 * channels
    if cut:
        means = (net.op("ReduceMean", x, axes=[1], keepdims=0) for x in (hidden, squared))
        pooled += net.statistics(*means)
    segment = net.op("Concat", *pooled, axis=1)
    for k in range(sum(name.endswith(".linear.bias") for name in state)):
        segment = net.op("Relu", net.linear(segment, state, f"segments.{k}.linear"))
        segment = net.scaled(segment, *_norm(state, f"segments.{k}.norm"))
    score = net.op("Squeeze", net.linear(segment, state, "score"), net.integers(1))
    mark = format_of("cut" if cut else "xvector")
    return net.bytes(score, own, state["level.running_mean"].size, channels, mark)


def _level(state: Arrays) -> tuple[np.ndarray, np.ndarray]:
    factor = 1.0 / np.sqrt(state["level.running_var"] + np.float32(_NORM_EPSILON))
    return factor, -state["level.running_mean"] * factor


def _norm(state: Arrays, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Once training is over a norm is a fixed factor and shift."""
    factor = state[f"{name}.weight"] / np.sqrt(
        state[f"{name}.running_var"] + np.float32(_NORM_EPSILON)
    )
    return factor, state[f"{name}.bias"] - state[f"{name}.running_mean"] * factor


class _PairGraph(Graph):
    """A graph with the inputs and outputs of a pair."""

    def scaled(self, x: str, factor: np.ndarray, shift: np.ndarray) -> str:
        product = self.op("Mul", x, self.constant(factor.astype(np.float32)))
        return self.op("Add", product, self.constant(shift.astype(np.float32)))

    def splice(self, x: str, kernel: int, dilation: int) -> str:
        """Each frame beside those before and after it that the kernel reaches."""
        if kernel == 1:
            return x
        axis, parts = self.integers(1), []
        for tap in range(kernel):
            left, right = tap * dilation, (kernel - 1 - tap) * dilation
            end = self.integers(-right if right else _TO_THE_END)
            parts.append(self.op("Slice", x, self.integers(left), end, axis))
        return self.op("Concat", *parts, axis=2)

    def statistics(self, mean: str, square: str) -> list[str]:
        variance = self.op("Sub", square, self.op("Mul", mean, mean))
        least = self.constant(np.array(_LEAST_VARIANCE, np.float32))
        return [mean, self.op("Sqrt", self.op("Max", variance, least))]

    def linear(self, x: str, state: Arrays, name: str) -> str:
        weight, bias = (self.constant(state[f"{name}.{part}"]) for part in ("weight", "bias"))
        return self.op("Gemm", x, weight, bias, transB=1)

    def bytes(self, score: str, own: list[str], bands: int, channels: int, mark: str) -> bytes:
        info, float32 = onnx.helper.make_tensor_value_info, onnx.TensorProto.FLOAT
        # Outputs with names of their own, for whoever runs the graph asks for them.
        names = ["score", *(f"own_{name}" for name in SUMS)]
        renamed = [
            onnx.helper.make_node("Identity", [made], [name])
            for made, name in zip([score, *own], names, strict=True)
        ]
        graph = onnx.helper.make_graph(
            [*self._nodes, *renamed],
            self._name,
            [
                info("features", float32, ["pairs", "time", bands]),
                *(info(name, float32, ["pairs", channels]) for name in SUMS),
                info(COUNT, float32, ["pairs", 1]),
            ],
            [
                info("score", float32, ["pairs"]),
                *(info(name, float32, ["pairs", channels]) for name in names[1:]),
            ],
            self._constants,
        )
        model = onnx.helper.make_model(
            graph,
            opset_imports=[onnx.helper.make_opsetid("", OPSET)],
            ir_version=IR_VERSION,
            producer_name="pseudovoice",
        )
        onnx.helper.set_model_props(model, {METADATA: mark})
        onnx.checker.check_model(model)
        data: bytes = model.SerializeToString(deterministic=True)
        return data
