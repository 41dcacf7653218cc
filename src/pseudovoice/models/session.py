"""An onnxruntime session that is deterministic, keeps to its threads and does not hoard memory."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path

import onnxruntime

from pseudovoice.errors import InputError
from pseudovoice.signal.frames import Float32

_ERRORS_ONLY = 3


def open_session(
    path: Path, *, threads: int = 1, only: str | None = None, in_turn: bool = False
) -> onnxruntime.InferenceSession:
    """Open an ONNX file on the CPU; one thread by default, since workers are processes.

    ``only`` names the one output that is wanted: others are kept in memory even if nobody asks for
    them, and an export may give every layer's attention. ``in_turn`` says that it computes when
    others of the kind do not, and shares with them what it needs for that.
    """
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.use_deterministic_compute = True
    options.log_severity_level = _ERRORS_ONLY
    # A memory plan is kept for every input shape seen; utterances hardly ever share one.
    options.enable_mem_pattern = False
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    if in_turn:
        _one_arena()
        options.add_session_config_entry("session.use_env_allocators", "1")
    try:
        return onnxruntime.InferenceSession(
            path.as_posix() if only is None else _with_one_output(path, only),
            options,
            providers=["CPUExecutionProvider"],
        )
    except Exception as error:  # onnxruntime's own exceptions share no base class of theirs
        raise InputError(
            f"{path} cannot be opened as an ONNX model ({first_line(error)}): export it again, "
            f"with its weights inside the file."
        ) from error


@cache
def _one_arena() -> None:
    """Memory that sessions share while they compute.

    Each would keep the most that it ever needed, and for itself: the three networks of a voice took
    190 MB more. It stays when its sessions have gone; those of their own go with them.
    """
    place = onnxruntime.OrtMemoryInfo(
        "Cpu",
        onnxruntime.OrtAllocatorType.ORT_ARENA_ALLOCATOR,
        0,
        onnxruntime.OrtMemType.DEFAULT,
    )
    with suppress(RuntimeError):  # somebody else in this process has registered one: it is taken
        onnxruntime.create_and_register_allocator(place, None)


def _with_one_output(path: Path, name: str) -> bytes:
    import onnx  # slow to import, and needed for few models

    model = onnx.load(path)
    wanted = [output for output in model.graph.output if output.name == name]
    del model.graph.output[:]
    model.graph.output.extend(wanted)
    graph: bytes = model.SerializeToString()
    return graph


def first_line(error: Exception) -> str:
    """What onnxruntime says, without the pages that follow; the kind of error if it is silent."""
    return (str(error).strip() or type(error).__name__).splitlines()[0]


def as_function(session: onnxruntime.InferenceSession) -> Callable[[Float32], Float32]:
    """The session's only input to its only output, whatever an export has named them."""
    (entry,) = session.get_inputs()

    def network(features: Float32) -> Float32:
        output: Float32 = session.run(None, {entry.name: features})[0]
        return output

    return network
