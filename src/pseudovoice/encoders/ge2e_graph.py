"""The LSTM of GE2E (Wan et al. 2018) as an ONNX graph, from Resemblyzer's state dict."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pseudovoice.encoders.graph import Graph
from pseudovoice.signal.mel_slaney import MELS

_DIMENSION = 256
_LAYERS = 3
_LEAST_NORM = 1e-12


def ge2e_graph(state: dict[str, NDArray[Any]]) -> bytes:
    """The network as ONNX: windows [batch, 160, 40] → unit vectors [batch, 256]."""
    net = Graph("ge2e")
    hidden = net.op("Transpose", "features", perm=[1, 0, 2])
    last = ""
    for layer in range(_LAYERS):
        if layer:
            hidden = net.op("Squeeze", hidden, net.integers(1))  # the axis of directions
        into, recurrent, bias_into, bias_recurrent = (
            _onnx_gates(state[f"lstm.{part}_l{layer}"])
            for part in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
        )
        bias = np.concatenate([bias_into, bias_recurrent])
        tensors = [net.constant(t[None]) for t in (into, recurrent, bias)]
        hidden, last = net.ops("LSTM", hidden, *tensors, outputs=2, hidden_size=_DIMENSION)
    final = net.op("Squeeze", last, net.integers(0))
    weight, bias_name = (net.constant(state[f"linear.{part}"]) for part in ("weight", "bias"))
    raw = net.op("Relu", net.op("Gemm", final, weight, bias_name, transB=1))
    norm = net.op("ReduceL2", raw, axes=[1])
    norm = net.op("Max", norm, net.constant(np.array(_LEAST_NORM, np.float32)))
    return net.serialise(("features", MELS), (net.op("Div", raw, norm), _DIMENSION))


def _onnx_gates(tensor: NDArray[Any]) -> NDArray[Any]:
    """torch stacks the gates input, forget, cell, output; ONNX input, output, forget, cell."""
    into, forget, cell, output = np.split(tensor, 4)
    return np.concatenate([into, output, forget, cell])
