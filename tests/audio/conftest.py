"""A corpus of artificial voices and a tiny encoder, so that these tests need no download.

A voice is noise through a few resonances of its own: real audio files, told apart by a real (if
very small) network over the real features.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from artificial_voices import write_corpus
from onnx import TensorProto, helper, numpy_helper


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An ONNX encoder: mean over time of tanh(features · W)."""
    weights = np.random.default_rng(3).normal(size=(80, 24)).astype(np.float32) / 20
    spread = helper.make_node("Mul", ["feats", "feats"], ["power"])
    graph = helper.make_graph(
        [
            spread,
            helper.make_node("ReduceMean", ["power", "axis"], ["pooled"], keepdims=0),
            helper.make_node("MatMul", ["pooled", "w"], ["mixed"]),
            helper.make_node("Tanh", ["mixed"], ["embedding"]),
        ],
        "tiny",
        [helper.make_tensor_value_info("feats", TensorProto.FLOAT, ["n", "t", 80])],
        [helper.make_tensor_value_info("embedding", TensorProto.FLOAT, ["n", 24])],
        [
            numpy_helper.from_array(weights, "w"),
            numpy_helper.from_array(np.array([1], np.int64), "axis"),
        ],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    path = tmp_path_factory.mktemp("model") / "tiny.onnx"
    onnx.save(model, path)
    return path


@pytest.fixture(scope="session")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_corpus(tmp_path_factory.mktemp("original") / "o")


@pytest.fixture(scope="session")
def other_voices(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same names with voices of other people: what a perfect safeguard would write."""
    return write_corpus(tmp_path_factory.mktemp("protected") / "p", offset=500)
