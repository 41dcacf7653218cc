"""A model of somebody's own is one file: nothing it needs may lie elsewhere.

A tensor of an ONNX model may name a file that holds its numbers. Such a file would escape the hash
by which embeddings are kept, and its name may lead to any file of the machine. Tensors are in many
places: weights, sparse ones, constants, the branches of conditions and loops, functions, and what
a model brings for training. So every message of the model is looked at, wherever it lies.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import onnxruntime

from pseudovoice.errors import InputError
from pseudovoice.models.session import open_session


def open_own(path: Path, *, threads: int = 1) -> onnxruntime.InferenceSession:
    """A session of a model that nobody has pinned; raises InputError if it is not all there."""
    import onnx  # slow to import, and needed only for a user's own model

    try:
        model = onnx.load(path, load_external_data=False)
    except Exception as error:  # protobuf's own exceptions share no base class of theirs
        raise InputError(
            f"{path} cannot be opened as an ONNX model ({type(error).__name__}): export it again, "
            f"with its weights inside the file."
        ) from error
    if _points_elsewhere(model, onnx.TensorProto):
        raise InputError(
            f"{path} keeps its weights in another file: save it as one file, for instance with "
            f"onnx.save(onnx.load(PATH), NEW_PATH)."
        )
    session = open_session(path, threads=threads)
    _check_names(session, path)
    return session


def _check_names(session: onnxruntime.InferenceSession, path: Path) -> None:
    """onnxruntime takes any bytes for a name and fails when they are asked for."""
    try:
        for value in (*session.get_inputs(), *session.get_outputs()):
            str(value.name), str(value.shape)
        dict(session.get_modelmeta().custom_metadata_map)
    except UnicodeDecodeError:
        raise InputError(f"{path} has names in it that are not UTF-8: export it again.") from None


def _points_elsewhere(model: Any, tensor: Any) -> bool:
    waiting = [model]
    while waiting:
        message = waiting.pop()
        if isinstance(message, tensor):
            if message.data_location == tensor.EXTERNAL or message.external_data:
                return True
            continue  # the rest of a tensor is numbers
        for kind, value in message.ListFields():
            if kind.message_type is not None:
                waiting += [value] if hasattr(value, "ListFields") else value
    return False
