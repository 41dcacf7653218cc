"""The trained network as ONNX, with the declaration that ``load_encoder("onnx:PATH")`` reads.

The graph is written from the tensors, as for the encoders that come as bare weights; torch's own
exporter would need another package and is not bound to give the same file twice.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np

from pseudovoice.atomic import write_atomic
from pseudovoice.encoders.ecapa_graph import ecapa_graph
from pseudovoice.training.archive import Arrays
from pseudovoice.training.features import RATE
from pseudovoice.training.xvector_graph import xvector_graph

_NORM_EPSILON = 1e-5
_LAST_LAYERS = {"xvector": "segment", "ecapa": "fc.conv"}
_GRAPHS: dict[str, Callable[[Arrays], bytes]] = {"xvector": xvector_graph, "ecapa": ecapa_graph}


def export_onnx(kind: str, state: Arrays, path: Path) -> None:
    """Write ``path`` and its declaration (the same name with the suffix .json).

    ``kind`` is one of ``MODELS`` and ``state`` the tensors of its state dict. The input is
    [batch, time, 80] with free batch and time.
    """
    declaration = {
        "input": "fbank",
        "sample_rate": RATE,
        "scale": 32768.0,
        "subtract_mean": True,
    }
    write_atomic(path.with_suffix(".json"), json.dumps(declaration, indent=1) + "\n")
    write_atomic(path, _GRAPHS[kind](_centred(state, _LAST_LAYERS[kind])))


def _centred(state: Arrays, last: str) -> Arrays:
    """The tensors with the centring of the embeddings taken into the last layer.

    Once training is over it is a fixed shift and scale, y = (x − μ) / √(σ² + ε).
    """
    weight, bias = state[f"{last}.weight"], state[f"{last}.bias"]
    factor = 1.0 / np.sqrt(state["centre.running_var"] + np.float32(_NORM_EPSILON))
    moved = (bias - state["centre.running_mean"]) * factor
    scaled = weight * factor.reshape(-1, *[1] * (weight.ndim - 1))
    return {**state, f"{last}.weight": scaled, f"{last}.bias": moved}
