"""JSON and arrays that others wrote: whatever is wrong with them is one kind of error."""

from __future__ import annotations

import struct
import zipfile
from pathlib import Path

import numpy as np
import pytest

from pseudovoice.json_tree import json_tree
from pseudovoice.plain_arrays import plain_arrays

DEEP = "[" * 100_000


@pytest.mark.parametrize("text", [DEEP, DEEP.encode(), "{", b"\xff", "", "9" * 5000])
def test_json_that_is_none_is_a_value_error(text: str | bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        json_tree(text)


def test_json_is_read() -> None:
    assert json_tree(b'{"a": [1, null]}') == {"a": [1, None]}


def archive(path: Path) -> bytearray:
    np.savez(path, a=np.eye(2))
    return bytearray(path.read_bytes())


@pytest.mark.parametrize(
    ("offset", "value"),
    [
        (8, 99),  # a way of packing that nobody knows
        (6, 1),  # encrypted
        (10, 0),  # the time is nobody's concern: read
    ],
)
def test_entries_packed_in_odd_ways(tmp_path: Path, offset: int, value: int) -> None:
    path = tmp_path / "a.npz"
    content = archive(path)
    directory = content.index(b"PK\x01\x02")
    content[offset : offset + 2] = struct.pack("<H", value)
    content[directory + offset + 2 : directory + offset + 4] = struct.pack("<H", value)
    path.write_bytes(content)
    if offset == 10:
        assert (plain_arrays(path)["a"] == np.eye(2)).all()
        return
    with pytest.raises(ValueError, match=r"."):
        plain_arrays(path)


def test_what_is_no_array_or_no_archive(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    with zipfile.ZipFile(path, "w") as whole:
        whole.writestr("a", b"plain text")
    with pytest.raises(ValueError, match="a is no array"):
        plain_arrays(path)
    np.save(tmp_path / "one.npy", np.eye(2))
    with pytest.raises(ValueError, match="a single array"):
        plain_arrays(tmp_path / "one.npy")
    with pytest.raises(FileNotFoundError):
        plain_arrays(tmp_path / "none.npz")


def test_only_what_is_named_is_read(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", a=np.eye(2), b=np.eye(3))
    assert list(plain_arrays(tmp_path / "a.npz", ("b",))) == ["b"]
