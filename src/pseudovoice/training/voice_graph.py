"""A trained voice as an ONNX graph, from its tensors alone: torch is not needed to export."""

from __future__ import annotations

import numpy as np
import onnx

from pseudovoice.encoders.graph import Graph
from pseudovoice.safeguards.xvector.frames import SHARED, SPOKEN
from pseudovoice.safeguards.xvector.neural_voice import TOLD
from pseudovoice.training.archive import Arrays
from pseudovoice.training.voice_recipe import COARSE_DILATIONS, FINE_DILATIONS, FINE_KERNEL

_NORM_EPSILON = 1e-5


def _turned(values: np.ndarray) -> bool:
    """Matrices stand the other way round in a graph; kernels of convolutions do not."""
    return values.ndim == 2


def state_of(graph: bytes) -> Arrays:
    """The tensors that :func:`voice_graph` wrote, to go on learning from."""
    state: Arrays = {}
    for constant in onnx.load_from_string(graph).graph.initializer:
        values = onnx.numpy_helper.to_array(constant)
        if values.dtype == np.float16 or constant.name in ("mean", "deviation"):
            values = values.astype(np.float32)
            state[constant.name] = np.ascontiguousarray(values.T if _turned(values) else values)
    return state


def voice_graph(state: Arrays, levels: int) -> bytes:
    """Content [n, T, c], prosody [n, 3T, 2] and target [n, s] to what is spoken [n, 3T, 61].

    Weights are kept in half precision, which halves the file and is far below what can be heard;
    everything is computed in single.
    """
    net = Graph("voice")

    def weights(name: str) -> str:
        values = state[name]
        half = np.asarray(values.T if _turned(values) else values, np.float16)
        return net.op("Cast", net.constant(half, name), to=onnx.TensorProto.FLOAT)

    def linear(x: str, name: str) -> str:
        product = net.op("MatMul", x, weights(f"{name}.weight"))
        return net.op("Add", product, weights(f"{name}.bias"))

    def norm(x: str, name: str) -> str:
        tensors = [weights(f"{name}.{part}") for part in ("weight", "bias")]
        return net.op("LayerNormalization", x, *tensors, axis=-1, epsilon=_NORM_EPSILON)

    def turned(x: str) -> str:
        return net.op("Transpose", x, perm=[0, 2, 1])

    def conv(x: str, name: str, kernel: int, dilation: int) -> str:
        tensors = [weights(f"{name}.{part}") for part in ("weight", "bias")]
        reach = dilation * (kernel // 2)
        return net.op("Conv", x, *tensors, pads=[reach, reach], dilations=[dilation])

    def silu(x: str) -> str:
        return net.op("Mul", x, net.op("Sigmoid", x))

    one = net.constant(np.array(1.0, np.float32))

    def modulated(x: str, voice: str, name: str, kernel: int, dilation: int) -> str:
        both = net.op("Unsqueeze", linear(voice, f"{name}.voice"), net.integers(1))
        width = state[f"{name}.norm.weight"].size
        scale, shift = net.ops("Split", both, net.integers(width, width), outputs=2, axis=-1)
        more = net.op("Mul", norm(x, f"{name}.norm"), net.op("Add", scale, one))
        more = turned(net.op("Add", more, shift))
        more = silu(conv(more, f"{name}.layer", kernel, dilation))
        return net.op("Add", x, turned(conv(more, f"{name}.exit", 1, 1)))

    half = net.constant(np.array((levels - 1) / 2, np.float32))
    squeezed = net.op("Mul", half, net.op("Tanh", linear("content", "narrow")))
    squeezed = net.op("Div", net.op("Round", squeezed), half)
    # 0 in a shape: as many as there were.
    together = net.op("Reshape", "prosody", net.integers(0, -1, SHARED * TOLD))
    hidden = net.op("Concat", squeezed, together, axis=-1)
    hidden = turned(conv(turned(hidden), "entry", 3, 1))
    voice = silu(linear("target", "target"))
    for i, dilation in enumerate(COARSE_DILATIONS):
        hidden = modulated(hidden, voice, f"coarse.{i}", 3, dilation)
    fine = state["told.bias"].size
    hidden = net.op("Reshape", linear(hidden, "finer"), net.integers(0, -1, fine))
    hidden = net.op("Add", hidden, linear("prosody", "told"))
    for i, dilation in enumerate(FINE_DILATIONS):
        hidden = modulated(hidden, voice, f"fine.{i}", FINE_KERNEL, dilation)
    spoken = linear(norm(hidden, "norm"), "exit")
    spoken = net.op("Mul", spoken, net.constant(state["deviation"], "deviation"))
    spoken = net.op("Add", spoken, net.constant(state["mean"], "mean"))
    content, target = state["narrow.weight"].shape[1], state["target.weight"].shape[1]
    return net.model(
        {
            "content": ["batch", "time", content],
            "prosody": ["batch", "frames", TOLD],
            "target": ["batch", target],
        },
        {spoken: ["batch", "frames", SPOKEN]},
    )
