"""Graphs that we write are written once, and anew if anything of them is damaged."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from onnx import TensorProto, external_data_helper, helper, numpy_helper

from pseudovoice.asr.moonshine_graph import _moved_out, _unpack
from pseudovoice.models.graph_cache import written_graph, written_graph_beside
from pseudovoice.models.session import as_function, open_session

SHA = "0" * 64


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PSEUDOVOICE_CACHE", str(tmp_path))
    return tmp_path


def test_weights_lie_beside_their_graph_and_both_are_whole() -> None:
    told: list[str] = []

    def write(file: str) -> tuple[bytes, bytes]:
        told.append(file)
        return b"graph", b"weights"

    path = written_graph_beside("net", SHA, 1, write)
    weights = path.with_name(told[0])
    assert (path.read_bytes(), weights.read_bytes()) == (b"graph", b"weights")
    assert written_graph_beside("net", SHA, 1, write) == path
    assert len(told) == 1
    for file in (weights, path):
        file.write_bytes(b"damaged")
        written_graph_beside("net", SHA, 1, write)
        assert (path.read_bytes(), weights.read_bytes()) == (b"graph", b"weights")
    assert len(told) == 3
    assert written_graph_beside("net", SHA, 2, write) != path
    assert written_graph("net", SHA, 3, lambda: b"alone").read_bytes() == b"alone"


def test_packed_weights_are_unpacked_as_onnxruntime_does(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    packed = rng.integers(-128, 128, (80, 40)).astype(np.int8)
    scale, offset = rng.standard_normal((2, 40)).astype(np.float32)
    tensors = {"packed": packed, "scale": scale, "offset": offset, "two": np.float32(2.0)}
    nodes = [
        helper.make_node("Cast", ["packed"], ["float"], to=TensorProto.FLOAT),
        helper.make_node("Mul", ["float", "scale"], ["scaled"]),
        helper.make_node("Add", ["scaled", "offset"], ["weights"]),
        helper.make_node("Mul", ["x", "two"], ["twice"]),
        helper.make_node("MatMul", ["twice", "weights"], ["y"]),
    ]
    graph = helper.make_graph(
        nodes,
        "net",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [None, 80])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [None, 40])],
        [numpy_helper.from_array(np.asarray(v), name) for name, v in tensors.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    before, after = tmp_path / "before.onnx", tmp_path / "after.onnx"
    before.write_bytes(model.SerializeToString())
    _unpack(model.graph)
    assert [node.op_type for node in model.graph.node] == ["Mul", "MatMul"]
    assert {one.name for one in model.graph.initializer} == {"two", "weights"}
    (tmp_path / "after.weights").write_bytes(_moved_out(model.graph, "after.weights"))
    moved = [external_data_helper.uses_external_data(one) for one in model.graph.initializer]
    assert sorted(moved) == [False, True]  # a single number is not worth a file
    after.write_bytes(model.SerializeToString())
    x = rng.standard_normal((3, 80)).astype(np.float32)
    np.testing.assert_array_equal(*(as_function(open_session(p))(x) for p in (before, after)))
