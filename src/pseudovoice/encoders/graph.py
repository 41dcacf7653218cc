"""A small writer of ONNX graphs, for the encoders that come as bare tensors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray

OPSET = 17
IR_VERSION = 8

Sizes = Sequence[str | int]


class Graph:
    """Nodes in the order they are written; every method returns the name of what it made."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._nodes: list[onnx.NodeProto] = []
        self._constants: list[onnx.TensorProto] = []

    def constant(self, values: NDArray[Any], name: str = "") -> str:
        """A tensor known in advance: weights, axes, paddings. A name lets it be found again."""
        name = name or f"c{len(self._constants)}"
        array = np.ascontiguousarray(values)
        self._constants.append(onnx.numpy_helper.from_array(array, name))
        return name

    def integers(self, *values: int) -> str:
        """A 1-D constant of whole numbers, as axes and paddings are given."""
        return self.constant(np.array(values, np.int64))

    def op(self, kind: str, *inputs: str, **attributes: Any) -> str:
        """A node with one output."""
        return self.ops(kind, *inputs, outputs=1, **attributes)[0]

    def ops(self, kind: str, *inputs: str, outputs: int, **attributes: Any) -> list[str]:
        """A node with several outputs."""
        names = [f"n{len(self._nodes)}_{i}" for i in range(outputs)]
        self._nodes.append(onnx.helper.make_node(kind, list(inputs), names, **attributes))
        return names

    def serialise(self, entry: tuple[str, int], result: tuple[str, int]) -> bytes:
        """The model with input [batch, time, n] and output [batch, n], each a (name, n)."""
        return self.model(
            {entry[0]: ["batch", "time", entry[1]]}, {result[0]: ["batch", result[1]]}
        )

    def model(self, inputs: Mapping[str, Sizes], outputs: Mapping[str, Sizes]) -> bytes:
        """The model with these inputs and outputs, each with its sizes; names are free ones."""
        graph = onnx.helper.make_graph(
            self._nodes,
            self._name,
            [_info(name, sizes) for name, sizes in inputs.items()],
            [_info(name, sizes) for name, sizes in outputs.items()],
            self._constants,
        )
        model = onnx.helper.make_model(
            graph,
            opset_imports=[onnx.helper.make_opsetid("", OPSET)],
            ir_version=IR_VERSION,
            producer_name="pseudovoice",
        )
        onnx.checker.check_model(model)
        data: bytes = model.SerializeToString(deterministic=True)
        return data


def _info(name: str, sizes: Sizes) -> onnx.ValueInfoProto:
    return onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, list(sizes))
