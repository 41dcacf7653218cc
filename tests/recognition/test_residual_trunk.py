"""Convolutions by Winograd's way give what they give when they are multiplied out."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.signal import correlate

from pseudovoice.encoders.graph import Graph
from pseudovoice.encoders.residual_trunk import Trunk, read_trunk
from pseudovoice.encoders.resnet34 import network_of
from pseudovoice.models.session import as_function, open_session
from pseudovoice.models.winograd import convolve, edged, transformed

BANDS = 12


def normal(seed: int, *shape: int) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


@given(st.integers(1, 2), st.integers(1, 11), st.integers(1, 13), st.booleans())
def test_a_layer_is_the_convolution(images: int, rows: int, columns: int, add: bool) -> None:
    ins, outs = 3, 5
    x, y = edged(images, rows, columns, ins), edged(images, rows, columns, outs)
    inner = (slice(None), slice(1, 1 + rows), slice(1, 1 + columns))
    x[inner] = normal(1, images, rows, columns, ins)
    y[inner] = there = normal(2, images, rows, columns, outs)
    weights, bias = normal(3, outs, ins, 3, 3), normal(4, outs)
    plain = np.zeros((images, rows, columns, outs))
    for n in range(images):
        image = x[n, : rows + 2, : columns + 2].astype(np.float64)
        for o in range(outs):
            kernel = weights[o].transpose(1, 2, 0)
            plain[n, ..., o] = correlate(image, kernel, "valid", "direct")[..., 0] + bias[o]
    convolve(x, rows, columns, transformed(weights), bias, y, add=add)
    wanted = np.maximum(plain + there if add else plain, 0.0)
    np.testing.assert_allclose(y[inner], wanted, atol=2e-4)
    y[inner] = 0.0
    assert not y.any()  # the edge is left alone


def test_many_tiles_are_done_some_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    weights, bias = transformed(normal(3, 4, 4, 3, 3)), normal(4, 4)
    x = edged(2, 9, 50, 4)
    x[:, 1:10, 1:51] = normal(1, 2, 9, 50, 4)
    made = []
    for fewest in (10_000, 7):
        monkeypatch.setattr("pseudovoice.models.winograd.FEWEST", fewest)
        monkeypatch.setattr("pseudovoice.models.winograd.STRIP", 0)
        made.append(edged(2, 9, 50, 4))
        convolve(x, 9, 50, weights, bias, made[-1], add=False)
    np.testing.assert_allclose(*made, atol=1e-5)


def small_resnet(place: Path, *, last: str = "Relu") -> Path:
    """Two stages of two blocks each, and the mean over time."""
    graph, count = Graph("small"), iter(range(100))

    def conv(x: str, ins: int, outs: int, size: int = 3, step: int = 1) -> str:
        scale = np.float32((ins * size * size) ** -0.5)
        weights = graph.constant(scale * normal(next(count), outs, ins, size, size))
        bias = graph.constant(normal(next(count), outs))
        pads = [size // 2] * 4
        return graph.op("Conv", x, weights, bias, strides=[step, step], pads=pads)

    x = graph.op("Unsqueeze", graph.op("Transpose", "x", perm=[0, 2, 1]), graph.integers(1))
    x = graph.op("Relu", conv(x, 1, 4))
    for ins, outs in ((4, 4), (4, 4), (4, 6), (6, 6)):
        step = 1 if ins == outs else 2
        within = conv(graph.op("Relu", conv(x, ins, outs, step=step)), outs, outs)
        x = x if ins == outs else conv(x, ins, outs, 1, 2)
        x = graph.op(last, graph.op("Add", within, x))
    flat = graph.op("Flatten", graph.op("ReduceMean", x, axes=[-1], keepdims=0))
    file = place / "small.onnx"
    file.write_bytes(graph.serialise(("x", BANDS), (flat, 6 * BANDS // 2)))
    return file


@pytest.mark.parametrize("frames", [1, 7, 40])
def test_blocks_of_a_file_are_those_of_onnxruntime(tmp_path: Path, frames: int) -> None:
    file = small_resnet(tmp_path)
    trunk = read_trunk(file)
    assert isinstance(trunk, Trunk)
    assert [block.around is not None for block in trunk.blocks] == [False, False, True, False]
    features = normal(5, 3, frames, BANDS)
    wanted = as_function(open_session(file))(features)
    network = network_of(file, threads=1)
    np.testing.assert_allclose(network(features), wanted, rtol=1e-4, atol=1e-5)
    np.testing.assert_array_equal(network(features), network(features))


def test_another_build_is_left_to_onnxruntime(tmp_path: Path) -> None:
    file = small_resnet(tmp_path, last="Tanh")
    assert read_trunk(file) is None
    features = normal(5, 1, 20, BANDS)
    wanted = as_function(open_session(file))(features)
    np.testing.assert_array_equal(network_of(file, threads=1)(features), wanted)


def test_a_layer_with_other_edges_is_another_build(tmp_path: Path) -> None:
    file = small_resnet(tmp_path)
    model = onnx.load(file)
    last = [node for node in model.graph.node if node.op_type == "Conv"][-1]
    last.attribute.append(onnx.helper.make_attribute("dilations", [2, 2]))
    onnx.save(model, file)
    assert read_trunk(file) is None
