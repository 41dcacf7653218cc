"""The residual blocks of a ResNet34, read from its ONNX file and computed by Winograd's way.

Nearly all the time of the default encoder goes into convolutions of 3×3 that keep the size, which
onnxruntime multiplies out. What follows the blocks stays with onnxruntime.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from pseudovoice.models.convolution import Image, Keeping, OtherGraphError, Striding
from pseudovoice.signal.frames import Float32


@dataclass(frozen=True)
class Block:
    """Two layers, and a third for what goes around them where the size changes."""

    first: Keeping | Striding
    second: Keeping
    around: Striding | None


@dataclass(frozen=True)
class Trunk:
    """Features [n, time, bands] to the tensor ``end`` of the file, whose output is ``output``."""

    stem: Striding
    blocks: tuple[Block, ...]
    end: str
    output: str

    def __call__(self, features: Float32) -> Float32:
        x = self.stem(Image.of(features.swapaxes(1, 2)[..., None]), relu=True)
        nothing = spare = np.zeros(0, np.float32)
        for block in self.blocks:
            if isinstance(block.first, Striding):
                assert block.around is not None
                spare = nothing  # its memory is wanted now
                within, onward = block.first(x, relu=True), block.around(x, relu=False)
            else:
                spare = spare if spare.shape == x.values.shape else np.zeros_like(x.values)
                within, onward = Image(spare, x.rows, x.columns), x
                block.first.into(within.values, x, add=False)
            block.second.into(onward.values, within, add=True)
            x, spare, within = onward, within.values, onward
        return np.ascontiguousarray(x.inner.transpose(0, 3, 1, 2))


def read_trunk(path: Path) -> Trunk | None:
    """The blocks of an ONNX file; None if it is not built of such."""
    import onnx  # slow to import

    try:
        return _Reader(onnx.load(path)).trunk()
    except OtherGraphError:
        return None


class _Reader:
    """Goes from the input on, from tensor to tensor, as long as it meets what it knows."""

    def __init__(self, model: Any) -> None:
        graph = model.graph
        self._entry, self._output = graph.input[0].name, graph.output[0].name
        self._tensors = {tensor.name: tensor for tensor in graph.initializer}
        self._users: dict[str, list[Any]] = defaultdict(list)
        for node in graph.node:
            for name in node.input:
                self._users[name].append(node)

    def trunk(self) -> Trunk:
        at = self._after(self._after(self._entry, "Transpose"), "Unsqueeze")
        (node,) = self._next(at, "Conv")
        stem = Striding.read(node, self._tensors)
        x = self._after(node.output[0], "Relu")
        blocks: list[Block] = []
        while all(user.op_type in ("Conv", "Add") for user in self._users[x]):
            block, x = self._block(x)
            blocks.append(block)
        if not blocks:
            raise OtherGraphError
        return Trunk(stem, tuple(blocks), x, self._output)

    def _block(self, x: str) -> tuple[Block, str]:
        users = self._users[x]
        around = None
        if [user.op_type for user in users] == ["Conv", "Conv"]:
            first, beside = sorted(users, key=self._size, reverse=True)
            around = Striding.read(beside, self._tensors)
            x = beside.output[0]
        else:
            first, add = self._next(x, "Conv", "Add")
            if x not in add.input:
                raise OtherGraphError
        (second,) = self._next(self._after(first.output[0], "Relu"), "Conv")
        (add,) = self._next(second.output[0], "Add")
        if set(add.input) != {second.output[0], x}:
            raise OtherGraphError
        layer = (
            Keeping.read(first, self._tensors)
            if around is None
            else Striding.read(first, self._tensors)
        )
        block = Block(layer, Keeping.read(second, self._tensors), around)
        return block, self._after(add.output[0], "Relu")

    def _next(self, name: str, *kinds: str) -> Sequence[Any]:
        """Who takes a tensor, if it is these and nobody else."""
        users = self._users[name]
        if sorted(user.op_type for user in users) != sorted(kinds):
            raise OtherGraphError
        return sorted(users, key=lambda user: kinds.index(user.op_type))

    def _after(self, name: str, kind: str) -> str:
        (node,) = self._next(name, kind)
        output: str = node.output[0]
        return output

    def _size(self, node: Any) -> int:
        return int(self._tensors[node.input[1]].dims[2])
