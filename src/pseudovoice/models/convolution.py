"""Layers of convolution networks, read from nodes of ONNX files.

Those of 3×3 that keep the size go Winograd's way, others are products of patches.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from pseudovoice.compiled import compiled
from pseudovoice.models.winograd import STRIP, Float32, convolve, edged, transformed


class OtherGraphError(Exception):
    """A file has other layers than were expected, or in another order."""


Tensors = Mapping[str, Any]
"""Initial values of a graph by name."""


@dataclass(frozen=True)
class Image:
    """[image, row, column, channel] within its edge, and how many rows and columns it has."""

    values: Float32
    rows: int
    columns: int

    @classmethod
    def of(cls, inner: Float32) -> Image:
        """With an edge around [image, row, column, channel]."""
        values = edged(*inner.shape)
        image = cls(values, *inner.shape[1:3])
        image.inner[...] = inner
        return image

    @property
    def inner(self) -> Float32:
        return self.values[:, 1 : 1 + self.rows, 1 : 1 + self.columns]


@dataclass(frozen=True)
class Keeping:
    """A convolution of 3×3 that keeps the size; weights are those of its points."""

    weights: Float32
    bias: Float32

    @classmethod
    def read(cls, node: Any, tensors: Tensors) -> Keeping:
        weights, bias, step = _told(node, tensors)
        if (weights.shape[2], step) != (3, 1):
            raise OtherGraphError
        return cls(transformed(weights), bias)

    def __call__(self, x: Image) -> Image:
        y = edged(len(x.values), x.rows, x.columns, self.bias.size)
        self.into(y, x, add=False)
        return Image(y, x.rows, x.columns)

    def into(self, y: Float32, x: Image, *, add: bool) -> None:
        """Write the result, or add it to what is there, and keep what is above 0."""
        convolve(x.values, x.rows, x.columns, self.weights, self.bias, y, add=add)


@dataclass(frozen=True)
class Striding:
    """A convolution of k×k that takes every ``step``th place; weights are [k·k·in, out]."""

    weights: Float32
    bias: Float32
    size: int
    step: int

    @classmethod
    def read(cls, node: Any, tensors: Tensors) -> Striding:
        weights, bias, step = _told(node, tensors)
        outs, _, size, _ = weights.shape
        flat = np.ascontiguousarray(weights.transpose(2, 3, 1, 0).reshape(-1, outs))
        return cls(flat, bias, size, step)

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


def _told(node: Any, tensors: Tensors) -> tuple[Float32, Float32, int]:
    """Weights, bias and step of a convolution with the usual edges."""
    import onnx  # slow to import

    if node.op_type != "Conv" or any(name not in tensors for name in node.input[1:3]):
        raise OtherGraphError
    weights, bias = (onnx.numpy_helper.to_array(tensors[name]) for name in node.input[1:3])
    size = weights.shape[2]
    told = {one.name: onnx.helper.get_attribute_value(one) for one in node.attribute}
    step = told.get("strides", [1])[0]
    usual = {
        "strides": [step, step],
        "pads": [size // 2] * 4,
        "dilations": [1, 1],
        "kernel_shape": [size, size],
        "group": 1,
        "auto_pad": b"NOTSET",
    }
    if {**usual, **told} != usual:
        raise OtherGraphError
    return weights, bias, step
