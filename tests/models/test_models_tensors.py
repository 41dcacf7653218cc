"""The weights-only reader: right on what torch wrote, and never a runner of code.

``tiny_zip.pt`` and ``tiny_legacy.pt`` were written by torch 2.15 from one state dict, with and
without ``_use_new_zipfile_serialization``.
"""

from __future__ import annotations

import io
import os
import pickle
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from pseudovoice.errors import InputError
from pseudovoice.models import read_tensors

HERE = Path(__file__).parent
MAGIC, PROTOCOL = 0x1950A86A20F9469CFC6C, 1001
SYSTEM = {"protocol_version": PROTOCOL, "little_endian": True, "type_sizes": {}}

Writer = Callable[[Path, bytes], None]


def write_zip(path: Path, state: bytes) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("archive/data.pkl", state)
        archive.writestr("archive/data/0", struct.pack("<4f", 1, 2, 3, 4))


def write_legacy(path: Path, state: bytes) -> None:
    head = b"".join(pickle.dumps(x, protocol=2) for x in (MAGIC, PROTOCOL, SYSTEM))
    tail = pickle.dumps(["0"], protocol=2) + struct.pack("<q4f", 4, 1, 2, 3, 4)
    path.write_bytes(head + state + tail)


both = pytest.mark.parametrize("write", [write_zip, write_legacy])


def tensor(shape: tuple[int, ...], strides: tuple[int, ...], *, offset: int = 0, count: int = 4):
    """The pickle of {"w": tensor} as torch writes it, over a storage of four floats."""
    out = io.BytesIO()
    out.write(b"\x80\x02}U\x01w".replace(b"U\x01", b"X\x01\x00\x00\x00"))
    out.write(b"ctorch._utils\n_rebuild_tensor_v2\n(")
    out.write(
        b"(X\x07\x00\x00\x00storagectorch\nFloatStorage\nX\x01\x00\x00\x000X\x03\x00\x00\x00cpu"
    )
    out.write(b"J" + struct.pack("<i", count) + b"NtQ")
    out.write(b"J" + struct.pack("<i", offset))
    for numbers in (shape, strides):
        out.write(b"(" + b"".join(b"J" + struct.pack("<i", n) for n in numbers) + b"t")
    out.write(b"\x89ccollections\nOrderedDict\n)RtRs.")
    return out.getvalue()


@pytest.mark.parametrize("name", ["tiny_zip.pt", "tiny_legacy.pt"])
def test_reads_what_torch_wrote(name: str) -> None:
    found = read_tensors(HERE / name, prefix="model_state.")
    plain = np.arange(12, dtype=np.float32).reshape(3, 4)
    expected = {
        "plain": plain,
        "transposed": plain.T,
        "slice": plain[1:, 1:3],
        "long": np.array([1, -2, 3]),
        "half": np.array([0.5, 1.5], np.float16),
        "flag": np.array([True, False]),
        "double": np.array(2.5),
        "parameter": np.array([1.0, 2.0], np.float32),
        "empty": np.zeros((0, 3), np.float32),
    }
    assert list(found) == list(expected)
    for key, value in expected.items():
        assert found[key].dtype == value.dtype
        np.testing.assert_array_equal(found[key], value)


def test_names_are_dotted_paths_and_other_values_are_dropped() -> None:
    names = list(read_tensors(HERE / "tiny_zip.pt"))
    assert names[0] == "model_state.plain"
    assert "step" not in names


@both
def test_hand_written_checkpoint_is_read(tmp_path: Path, write: Writer) -> None:
    write(tmp_path / "c", tensor((2, 2), (2, 1)))
    np.testing.assert_array_equal(read_tensors(tmp_path / "c")["w"], [[1, 2], [3, 4]])


class Malice:
    def __init__(self, target: Path) -> None:
        self.target = target

    def __reduce__(self) -> tuple[object, ...]:
        return os.system, (f"touch {self.target}",)


@both
@pytest.mark.parametrize("protocol", [0, 1, 2, 4])
def test_a_pickle_that_calls_is_refused_and_not_run(
    tmp_path: Path, write: Writer, protocol: int
) -> None:
    traces = tmp_path / "ran"
    payload = pickle.dumps({"w": Malice(traces)}, protocol=protocol)
    write(tmp_path / "c", payload)
    with pytest.raises(InputError, match="can run code"):
        read_tensors(tmp_path / "c")
    assert not traces.exists()
    pickle.loads(payload)
    assert traces.exists(), "the payload was harmless, so the test proved nothing"


@both
def test_a_plain_malicious_pickle_in_place_of_the_container(tmp_path: Path, write: Writer) -> None:
    del write
    (tmp_path / "c").write_bytes(pickle.dumps(Malice(tmp_path / "ran")))
    with pytest.raises(InputError, match="system"):
        read_tensors(tmp_path / "c")
    assert not (tmp_path / "ran").exists()


@both
@pytest.mark.parametrize(
    "state",
    [
        b"\x80\x02cbuiltins\neval\n.",
        b"\x80\x02ctorch._utils\n_rebuild_tensor_v2\n)R.",  # a known name without arguments
        b"\x80\x02ccollections\nOrderedDict\n)\x81.",  # NEWOBJ
        b"\x80\x02ctorch\nFloatStorage\n}b.",  # BUILD on something that is no dict
        b"\x80\x02\x82\x01.",  # EXT1
        b"\x80\x02}(K\x01.",  # ends in an open mark
        b"\x80\x02h\x05.",  # memo that was never filled
        b"\x80\x02}]K\x01s.",  # unhashable key
        b"",
    ],
)
def test_other_instructions_are_refused(tmp_path: Path, write: Writer, state: bytes) -> None:
    write(tmp_path / "c", state)
    with pytest.raises(InputError):
        read_tensors(tmp_path / "c")


@both
@pytest.mark.parametrize(
    "state",
    [
        tensor((5,), (1,)),  # more than there is
        tensor((2, 2), (3, 1)),  # strides beyond the end
        tensor((2,), (1,), offset=3),
        tensor((2,), (-1,), offset=3),
        tensor((1 << 20,), (0,)),  # a small file that asks for much memory
        tensor((0, 1 << 30), (1, 1)),
        tensor((2,), (1, 1)),
        tensor((2,), (1,), count=400),  # a storage that is not as long as it says
    ],
)
def test_tensors_outside_their_storage_are_refused(
    tmp_path: Path, write: Writer, state: bytes
) -> None:
    write(tmp_path / "c", state)
    with pytest.raises(InputError):
        read_tensors(tmp_path / "c")


@both
def test_containers_without_end_are_refused(tmp_path: Path, write: Writer) -> None:
    knot: list[object] = []
    knot += [knot, knot]
    wide: list[object] = []
    for _ in range(8):  # a hundred references each to the list before
        wide = [wide] * 100
    for endless in (knot, wide):
        write(tmp_path / "c", pickle.dumps(endless, protocol=2))
        with pytest.raises(InputError, match="without end"):
            read_tensors(tmp_path / "c")


@both
@pytest.mark.parametrize(
    "state",
    [
        # A key that is a tuple nested without end: to hash it would overflow Python's own stack.
        b"\x80\x02})" + b"\x85" * 300_000 + b"K\x01s.",
        # The same where the name of a module is due.
        b"\x80\x02)" + b"\x85" * 50_000 + b"X\x01\x00\x00\x00w\x93.",
    ],
    ids=["key", "name"],
)
def test_depth_ends_in_a_sentence(tmp_path: Path, write: Writer, state: bytes) -> None:
    write(tmp_path / "c", state)
    with pytest.raises(InputError):
        read_tensors(tmp_path / "c")


def test_nothing_is_unpacked(tmp_path: Path) -> None:
    state = tensor((2, 2), (2, 1))
    with zipfile.ZipFile(tmp_path / "c", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("archive/data.pkl", state + b"\0" * 1_000_000)
        archive.writestr("archive/data/0", struct.pack("<4f", 1, 2, 3, 4), zipfile.ZIP_STORED)
    with pytest.raises(InputError, match="is compressed"):
        read_tensors(tmp_path / "c")


@both
@pytest.mark.parametrize("share", [0.2, 0.5, 0.9, 0.99])
def test_a_cut_file_is_a_sentence(tmp_path: Path, write: Writer, share: float) -> None:
    write(tmp_path / "c", tensor((2, 2), (2, 1)))
    data = (tmp_path / "c").read_bytes()
    (tmp_path / "c").write_bytes(data[: int(share * len(data))])
    with pytest.raises(InputError):
        read_tensors(tmp_path / "c")


def test_missing_prefix_is_a_sentence() -> None:
    with pytest.raises(InputError, match="no tensor named other"):
        read_tensors(HERE / "tiny_zip.pt", prefix="other.")


def test_missing_file_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read_tensors(tmp_path / "none.pt")


def doubled(times: int) -> bytes:
    """A tuple that holds one tuple twice, which holds one tuple twice, and so on."""
    steps = b"".join(b"h%ch%c\x86q%c" % (k, k, k + 1) for k in range(times))
    return b")q\0" + steps


@both
@pytest.mark.parametrize(
    "state",
    [
        b"\x80\x02}(" + doubled(60) + b"K\1u.",  # as a name: never done comparing
        b"\x80\x02" + doubled(60) + b"\x93.",  # as the name of a function: never written out
        b"\x80\x02(X\x07\0\0\0storagectorch\nFloatStorage\n" + doubled(60) + b"NNtQ.",
        b"\x80\x02}(\x8b\xd0\x07\0\0" + b"\x7f" * 2000 + b"K\1u.",  # 4800 digits
        b"\x80\x04\x8d" + b"\xff" * 7 + b"\x3fx.",  # a text of 2^62 bytes
    ],
)
def test_small_pickles_that_ask_for_much_are_refused_at_once(
    tmp_path: Path, write: Writer, state: bytes
) -> None:
    write(tmp_path / "c", state)
    with pytest.raises(InputError, match=r"not a readable checkpoint|which is not a tensor"):
        read_tensors(tmp_path / "c")


@pytest.mark.parametrize(("flags", "method"), [(1, 0), (0, 99)])
def test_an_entry_that_is_encrypted_or_packed_is_a_sentence(
    tmp_path: Path, flags: int, method: int
) -> None:
    write_zip(tmp_path / "c", tensor((2, 2), (2, 1)))
    content = bytearray((tmp_path / "c").read_bytes())
    place = -1
    while (place := content.find(b"PK\x03\x04", place + 1)) >= 0:
        content[place + 6 : place + 10] = struct.pack("<HH", flags, method)
    while (place := content.find(b"PK\x01\x02", place + 1)) >= 0:
        content[place + 8 : place + 12] = struct.pack("<HH", flags, method)
    (tmp_path / "c").write_bytes(content)
    with pytest.raises(InputError, match=r"cannot be read|is compressed"):
        read_tensors(tmp_path / "c")


def test_a_name_that_is_no_text_in_an_archive_is_a_sentence(tmp_path: Path) -> None:
    write_zip(tmp_path / "c", tensor((2, 2), (2, 1)))
    content = bytearray(
        (tmp_path / "c").read_bytes().replace(b"archive/", b"\xff\xff\xff\xff\xff\xff\xff/")
    )
    place = -1
    while (place := content.find(b"PK\x01\x02", place + 1)) >= 0:
        content[place + 8 : place + 10] = struct.pack("<H", 0x800)  # says that it is UTF-8
    (tmp_path / "c").write_bytes(content)
    with pytest.raises(InputError, match="cannot be read"):
        read_tensors(tmp_path / "c")
