"""Models: torch checkpoints, ONNX files with what is declared of them, back-ends, model ids."""

from __future__ import annotations

import io
import json
import pickle
import struct
import zipfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from fuzz.target import DEEP, Target, joined, parted
from pseudovoice.asr.ctc.recogniser import load_ctc
from pseudovoice.backends import (
    Cosine,
    load_backend,
    save_backend,
    train_cosine,
    train_plda,
    with_as_norm,
)
from pseudovoice.encoders.hub import HubModel
from pseudovoice.encoders.onnx_file import load_onnx
from pseudovoice.models.tensors import read_tensors
from pseudovoice.safeguards.xvector.declaration import read_declaration
from pseudovoice.training.archive import read_archive, write_archive


def _tensors(folder: Path, data: bytes) -> None:
    (folder / "weights.pt").write_bytes(data)
    for name, array in read_tensors(folder / "weights.pt").items():
        assert isinstance(name, str)
        assert array.nbytes <= 64 * len(data)


def _tensor_seeds(folder: Path) -> Sequence[bytes]:
    """Both containers of torch, written opcode by opcode as torch writes them."""
    del folder
    state = _state_dict((2, 2), (2, 1))
    numbers = struct.pack("<4f", 1, 2, 3, 4)
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as whole:
        whole.writestr("archive/data.pkl", state)
        whole.writestr("archive/byteorder", "little")
        whole.writestr("archive/data/0", numbers)
    system = {"protocol_version": 1001, "little_endian": True, "type_sizes": {}}
    head = (0x1950A86A20F9469CFC6C, 1001, system)
    legacy = b"".join(pickle.dumps(part, protocol=2) for part in head) + state
    legacy += pickle.dumps(["0"], protocol=2) + struct.pack("<q", 4) + numbers
    return [archive.getvalue(), legacy]


def _state_dict(shape: tuple[int, ...], strides: tuple[int, ...]) -> bytes:
    def text(word: str) -> bytes:
        return b"X" + struct.pack("<I", len(word)) + word.encode()

    def counts(values: tuple[int, ...]) -> bytes:
        return b"(" + b"".join(b"J" + struct.pack("<i", n) for n in values) + b"t"

    storage = text("storage") + b"ctorch\nFloatStorage\n" + text("0") + text("cpu")
    tensor = b"ctorch._utils\n_rebuild_tensor_v2\n((" + storage + b"J\x04\0\0\0NtQJ\0\0\0\0"
    tensor += counts(shape) + counts(strides) + b"\x89ccollections\nOrderedDict\n)RtR"
    return b"\x80\x02}q\0(" + text("w") + tensor + text("step") + b"K\x07u."


def _onnx(folder: Path, data: bytes) -> None:
    model, declared = parted(data, 2)
    path = folder / "voices.onnx"
    path.write_bytes(model)
    if declared:
        path.with_suffix(".json").write_bytes(declared)
    encoder = load_onnx(path)
    assert 2 <= encoder.dimension <= 8192


def _onnx_seeds(folder: Path) -> Sequence[bytes]:
    import onnx
    from onnx import TensorProto, helper

    seeds = []
    declared = b'{"input": "fbank", "sample_rate": 16000, "output": "embedding"}'
    for shape, said in ((["n", "t", 80], declared), (["n", 80, "t"], b""), (["n", "t"], b"{}")):
        axis = 1 if shape[-1] == 80 else 2
        entry = helper.make_tensor_value_info("speech", TensorProto.FLOAT, shape)
        output = helper.make_tensor_value_info("embedding", TensorProto.FLOAT, ["n", "d"])
        if len(shape) == 2:
            weights = helper.make_tensor("w", TensorProto.FLOAT, [1, 4], [1, 2, 3, 4])
            nodes = [
                helper.make_node("ReduceMean", ["speech"], ["m"], axes=[1], keepdims=1),
                helper.make_node("MatMul", ["m", "w"], ["embedding"]),
            ]
        else:
            weights = None
            nodes = [
                helper.make_node("ReduceMean", ["speech"], ["embedding"], axes=[axis], keepdims=0)
            ]
        graph = helper.make_graph(
            nodes, "voices", [entry], [output], [weights] if weights is not None else []
        )
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
        helper.set_model_props(model, {"sample_rate": "16000"})
        path = folder / "seed.onnx"
        onnx.save(model, path)
        seeds.append(joined(path.read_bytes(), said))
    return seeds


_DECLARED = {
    "input": "fbank",
    "output": "embedding",
    "sample_rate": 16000,
    "licence": "CC0-1.0",
    "scale": 1.5,
    "subtract_mean": False,
    "shortest_seconds": 0.5,
}


def _declared(folder: Path, data: bytes) -> None:
    """What is declared, tried with a real model."""
    (folder / "voices.onnx").write_bytes(_MODEL[0] if _MODEL else _first_model(folder))
    (folder / "voices.json").write_bytes(data)
    load_onnx(folder / "voices.onnx")


_MODEL: list[bytes] = []


def _first_model(folder: Path) -> bytes:
    _MODEL.append(parted(_onnx_seeds(folder)[0], 2)[0])
    return _MODEL[0]


def _backend(folder: Path, data: bytes) -> None:
    (folder / "backend.npz").write_bytes(data)
    backend = load_backend(folder / "backend.npz")
    save_backend(folder / "again.npz", backend)
    again = load_backend(folder / "again.npz").to_arrays()
    for name, array in backend.to_arrays().items():
        assert np.array_equal(again[name], array, equal_nan=array.dtype.kind == "f"), name


def _backend_seeds(folder: Path) -> Sequence[bytes]:
    vectors = np.random.default_rng(0).standard_normal((12, 3))
    speakers = [f"s{k // 3}" for k in range(12)]
    seeds = []
    for backend in (
        train_cosine(vectors),
        train_plda(vectors, speakers),
        with_as_norm(Cosine(), vectors),
    ):
        save_backend(folder / "backend.npz", backend)
        seeds.append((folder / "backend.npz").read_bytes())
    return seeds


def _archive(folder: Path, data: bytes) -> None:
    (folder / "state.npz").write_bytes(data)
    arrays, notes = read_archive(folder / "state.npz")
    del arrays, notes


def _archive_seeds(folder: Path) -> Sequence[bytes]:
    write_archive(folder / "state.npz", {"w": np.eye(2, dtype=np.float32)}, {"epoch": 3})
    return [(folder / "state.npz").read_bytes()]


def _recogniser(folder: Path, data: bytes) -> None:
    """A folder that train-asr has written; its network is some other one."""
    (folder / "model.json").write_bytes(data)
    (folder / "model.onnx").write_bytes(_MODEL[0] if _MODEL else _first_model(folder))
    load_ctc(folder)


def _recogniser_seeds(folder: Path) -> Sequence[bytes]:
    del folder
    from pseudovoice.asr.ctc.front_end import load_front_end
    from pseudovoice.asr.ctc.units import UNITS

    said = {"recipe": "r", "front_end": "fbank", "units": list(UNITS)}
    said["identity"] = load_front_end("fbank").identity
    return [json.dumps(said).encode(), DEEP]


def _hub(folder: Path, data: bytes) -> None:
    model = HubModel.parse(data.decode("utf-8", "surrogateescape"))
    del folder
    for file in model.files:
        assert ".." not in model.repository.cached(file).parts


_VOICE = {
    "format": 1,
    "encoder": "ecapa",
    "norm": 1.5,
    "content_step": 320,
    "content_pad": 40,
    "pitch_step": 80,
    "sample_rate": 16000,
    "licence": "CC0-1.0",
    "source": "nobody",
    "sha256": {"content.onnx": "0" * 64, "vocoder.onnx": "f" * 64},
}


def _voice(folder: Path, data: bytes) -> None:
    (folder / "voice.json").write_bytes(data)
    declared = read_declaration(folder / "voice.json")
    assert set(declared.sha256) <= {"content.onnx", "vocoder.onnx", "pool.npz"}
    assert all(len(sha256) == 64 for sha256 in declared.sha256.values())


_JSON = (
    b'"',
    b"[",
    b"{",
    b"null",
    b"true",
    b"NaN",
    b"Infinity",
    b"1e400",
    b"1e308",
    b"-1",
    b"\x1c",
)
_ZIP = (
    b"PK\x03\x04",
    b"PK\x01\x02",
    b"PK\x05\x06",
    b"\x93NUMPY",
    b"'<f4'",
    b"|O",
    b"(9999999999,)",
)

TARGETS = (
    Target(
        "tensors",
        _tensors,
        _tensor_seeds,
        (
            *(b"PK\x03\x04", b"PK\x01\x02", b"archive/data.pkl", b"storage", b"\x86", b"2", b"0"),
            *(
                b"q\0",
                b"h\0",
                b"(",
                b"t",
                b"e",
                b"u",
                b"]",
                b"}",
                b"Q",
                b"R",
                b"b",
                b"\x85",
                b"\x87",
            ),
            *(b"ctorch._utils\n_rebuild_parameter\n", b"cos\nsystem\n", b"\x8a\xff", b"\x8b"),
        ),
        smoke=600,
    ),
    Target("onnx", _onnx, _onnx_seeds, (*_JSON, b"speech", b"sample_rate", b"\xc2\xb2"), smoke=100),
    Target(
        "onnx-declared",
        _declared,
        lambda _: [json.dumps(_DECLARED).encode(), b'{"shortest_seconds": 2}', DEEP],
        (*_JSON, *(f'"{name}"'.encode() for name in _DECLARED)),
        smoke=100,
    ),
    Target(
        "voice-declared",
        _voice,
        lambda _: [json.dumps(_VOICE).encode(), DEEP],
        (*_JSON, *(f'"{name}"'.encode() for name in _VOICE), b'"pool.npz"', b'"../x"'),
    ),
    Target("backend", _backend, _backend_seeds, (*_ZIP, b"backend", b"plda", b"as-norm")),
    Target("archive", _archive, _archive_seeds, (*_ZIP, b"json")),
    Target("recogniser", _recogniser, _recogniser_seeds, (*_JSON, b'"units"', b'"front_end"')),
    Target(
        "hub-id",
        _hub,
        lambda _: [b"hf:org/name@main/onnx/model.onnx", b"hf:org/name"],
        (b"hf:", b"../", b"@", b".onnx", b"/", b"%2e"),
        smoke=600,
    ),
)
