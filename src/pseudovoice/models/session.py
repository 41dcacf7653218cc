"""An onnxruntime session that is deterministic, keeps to its threads and does not hoard memory."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from threading import Lock

import onnxruntime

from pseudovoice.errors import InputError
from pseudovoice.memory import give_back
from pseudovoice.signal.frames import Float32

_ERRORS_ONLY = 3


def open_session(
    path: Path,
    *,
    threads: int = 1,
    only: str | None = None,
    behind: str | None = None,
    in_turn: bool = False,
) -> onnxruntime.InferenceSession:
    """Open an ONNX file on the CPU; one thread by default, since workers are processes.

    ``only`` names the one output that is wanted: others are kept in memory even if nobody asks for
    them, and an export may give every layer's attention. With ``behind`` only the part of the graph
    that follows this tensor is opened, which then is its input, of any size. ``in_turn`` says that
    it computes when others of the kind do not, and shares with them what it needs for that.
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
            path.as_posix() if only is None else _part(path, behind, only),
            options,
            providers=["CPUExecutionProvider"],
        )
    except Exception as error:  # onnxruntime's own exceptions share no base class of theirs
        raise InputError(
            f"{path} cannot be opened as an ONNX model ({first_line(error)}): export it again, "
            f"with its weights inside the file."
        ) from error


class OpenedOnce:
    """A session that is opened when it is first asked for; of threads that ask at once, by one."""

    def __init__(self, path: Path, *, threads: int = 1) -> None:
        self._path, self._threads = path, threads
        self._lock = Lock()
        self._session: onnxruntime.InferenceSession | None = None

    def __call__(self) -> onnxruntime.InferenceSession:
        with self._lock:
            if self._session is None:
                self._session = open_session(self._path, threads=self._threads)
                give_back()  # what reading its weights took
            return self._session


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


def _part(path: Path, behind: str | None, only: str) -> bytes:
    """What leads from the inputs, or from the tensor ``behind``, to one output."""
    import onnx  # slow to import, and needed for few models

    model = onnx.load(path)
    graph = model.graph
    needed, nodes = {only}, []
    for node in reversed(graph.node):
        if behind not in node.output and not needed.isdisjoint(node.output):
            nodes.append(node)
            needed.update(node.input)
    if behind is None:
        outputs = [output for output in graph.output if output.name == only]
    else:
        # Sizes that were written down are those of the whole.
        floats = onnx.TensorProto.FLOAT
        outputs = [onnx.helper.make_tensor_value_info(only, floats, None)]
        del graph.input[:], graph.value_info[:]
        graph.input.append(onnx.helper.make_tensor_value_info(behind, floats, None))
        kept = [tensor for tensor in graph.initializer if tensor.name in needed]
        del graph.node[:], graph.initializer[:]
        graph.node.extend(reversed(nodes))
        graph.initializer.extend(kept)
    del graph.output[:]
    graph.output.extend(outputs)
    part: bytes = model.SerializeToString()
    return part


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
