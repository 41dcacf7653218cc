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

from pseudovoice.compiled import compiled
from pseudovoice.models.winograd import STRIP, convolve, edged, transformed
from pseudovoice.signal.frames import Float32


@dataclass(frozen=True)
class Image:
    """[image, row, column, channel] within its edge, and how many rows and columns it has."""

    values: Float32
    rows: int
    columns: int


@dataclass(frozen=True)
class Keeping:
    """A convolution of 3×3 that keeps the size; weights are those of its points."""

    weights: Float32
    bias: Float32

    def __call__(self, x: Image, y: Float32, *, add: bool) -> None:
        convolve(x.values, x.rows, x.columns, self.weights, self.bias, y, add=add)


@dataclass(frozen=True)
class Striding:
    """A convolution of k×k that takes every ``step``th place; weights are [k·k·in, out]."""

    weights: Float32
    bias: Float32
    size: int
    step: int

    def __call__(self, x: Image, *, relu: bool) -> Image:
        images, outs = len(x.values), self.weights.shape[1]
        rows, columns = -(-x.rows // self.step), -(-x.columns // self.step)
        y = edged(images, rows, columns, outs)
        at_once = max(1, STRIP // (columns * len(self.weights)))
        room = np.empty((at_once * columns, len(self.weights)), np.float32)
        for image in range(images):
            for first in range(0, rows, at_once):
                last = min(first + at_once, rows)
                patches = room[: (last - first) * columns]
                _gather(x.values[image], patches, first, last, columns, self.size, self.step)
                made = patches @ self.weights
                made += self.bias
                if relu:
                    np.maximum(made, 0.0, out=made)
                y[image, 1 + first : 1 + last, 1 : 1 + columns] = made.reshape(-1, columns, outs)
        return Image(y, rows, columns)


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
        count, columns, rows = features.shape
        spectrum = edged(count, rows, columns, 1)
        spectrum[:, 1 : 1 + rows, 1 : 1 + columns, 0] = features.swapaxes(1, 2)
        x = self.stem(Image(spectrum, rows, columns), relu=True)
        nothing = spare = edged(0, 0, 0, 0)
        for block in self.blocks:
            if isinstance(block.first, Striding):
                assert block.around is not None
                spare = nothing  # its memory is wanted now
                within, onward = block.first(x, relu=True), block.around(x, relu=False)
            else:
                spare = spare if spare.shape == x.values.shape else np.zeros_like(x.values)
                within, onward = Image(spare, x.rows, x.columns), x
                block.first(x, within.values, add=False)
            block.second(within, onward.values, add=True)
            x, spare, within = onward, within.values, onward
        inner = x.values[:, 1 : 1 + x.rows, 1 : 1 + x.columns]
        return np.ascontiguousarray(inner.transpose(0, 3, 1, 2))


@compiled
def _gather(
    x: Float32, patches: Float32, first: int, last: int, columns: int, size: int, step: int
) -> None:
    """What each place of some rows is made of."""
    channels = x.shape[2]
    edge = 1 - size // 2
    place = 0
    for row in range(first, last):
        for column in range(columns):
            for i in range(size):
                for j in range(size):
                    for c in range(channels):
                        patches[place, (size * i + j) * channels + c] = x[
                            edge + step * row + i, edge + step * column + j, c
                        ]
            place += 1


class _OtherGraphError(Exception):
    """It has other layers, or in another order."""


def read_trunk(path: Path) -> Trunk | None:
    """The blocks of an ONNX file; None if it is not built of such."""
    import onnx  # slow to import

    try:
        return _Reader(onnx.load(path)).trunk()
    except _OtherGraphError:
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
        stem = self._striding(node)
        x = self._after(node.output[0], "Relu")
        blocks: list[Block] = []
        while all(user.op_type in ("Conv", "Add") for user in self._users[x]):
            block, x = self._block(x)
            blocks.append(block)
        if not blocks:
            raise _OtherGraphError
        return Trunk(stem, tuple(blocks), x, self._output)

    def _block(self, x: str) -> tuple[Block, str]:
        users = self._users[x]
        around = None
        if [user.op_type for user in users] == ["Conv", "Conv"]:
            first, beside = sorted(users, key=self._size, reverse=True)
            around = self._striding(beside)
            x = beside.output[0]
        else:
            first, add = self._next(x, "Conv", "Add")
            if x not in add.input:
                raise _OtherGraphError
        (second,) = self._next(self._after(first.output[0], "Relu"), "Conv")
        (add,) = self._next(second.output[0], "Add")
        if set(add.input) != {second.output[0], x}:
            raise _OtherGraphError
        layer = self._keeping(first) if around is None else self._striding(first)
        block = Block(layer, self._keeping(second), around)
        return block, self._after(add.output[0], "Relu")

    def _next(self, name: str, *kinds: str) -> Sequence[Any]:
        """Who takes a tensor, if it is these and nobody else."""
        users = self._users[name]
        if sorted(user.op_type for user in users) != sorted(kinds):
            raise _OtherGraphError
        return sorted(users, key=lambda user: kinds.index(user.op_type))

    def _after(self, name: str, kind: str) -> str:
        (node,) = self._next(name, kind)
        output: str = node.output[0]
        return output

    def _size(self, node: Any) -> int:
        return int(self._tensors[node.input[1]].dims[2])

    def _keeping(self, node: Any) -> Keeping:
        weights, bias, step = self._told(node)
        if (weights.shape[2], step) != (3, 1):
            raise _OtherGraphError
        return Keeping(transformed(weights), bias)

    def _striding(self, node: Any) -> Striding:
        weights, bias, step = self._told(node)
        outs, _, size, _ = weights.shape
        flat = np.ascontiguousarray(weights.transpose(2, 3, 1, 0).reshape(-1, outs))
        return Striding(flat, bias, size, step)

    def _told(self, node: Any) -> tuple[Float32, Float32, int]:
        """Weights, bias and step of a convolution with the usual edges."""
        import onnx

        weights, bias = (onnx.numpy_helper.to_array(self._tensors[n]) for n in node.input[1:3])
        size = weights.shape[2]
        told = {one.name: onnx.helper.get_attribute_value(one) for one in node.attribute}
        step = told.get("strides", [1])[0]
        usual = {
            "strides": [step, step],
            "pads": [size // 2] * 4,
            "dilations": [1, 1],
            "kernel_shape": [size, size],
            "group": 1,
        }
        if {**usual, **told} != usual:
            raise _OtherGraphError
        return weights, bias, step
