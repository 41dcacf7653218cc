"""The state of training as a file: exact, without pickle, and never half there."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from pseudovoice.errors import InputError
from pseudovoice.training.archive import put_under, read_archive, under, write_archive


def test_what_is_written_is_read_bit_for_bit(tmp_path: Path) -> None:
    arrays = {
        "encoder/weight": np.random.default_rng(0).normal(size=(3, 4)).astype(np.float32),
        "encoder/steps": np.array(7),
    }
    notes = {"epoch": 3, "loss": 0.1, "name": "né ☃"}
    path = tmp_path / "state.npz"
    write_archive(path, arrays, notes)
    found, said = read_archive(path)
    assert said == notes
    for name, array in arrays.items():
        np.testing.assert_array_equal(found[name], array)
        assert found[name].dtype == array.dtype
    before = path.read_bytes()
    write_archive(path, arrays, notes)
    assert path.read_bytes() == before


def test_no_pickle_goes_in_or_out(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="pickle"):
        write_archive(tmp_path / "a.npz", {"x": np.array([object()])}, {})
    assert not list(tmp_path.iterdir())

    class Harm:
        def __reduce__(self) -> tuple[object, tuple[str]]:
            return os.mkdir, (str(tmp_path / "harm"),)

    np.savez(tmp_path / "b.npz", json=np.array([Harm()], dtype=object))
    with pytest.raises(InputError, match="cannot be read as a state of training"):
        read_archive(tmp_path / "b.npz")
    assert not (tmp_path / "harm").exists()


@pytest.mark.parametrize("damage", ["cut", "noise", "empty", "other"])
def test_a_damaged_file_is_a_sentence(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "state.npz"
    write_archive(path, {"x": np.arange(1000.0)}, {"epoch": 1})
    whole = path.read_bytes()
    content = {"cut": whole[: len(whole) // 2], "noise": b"PK\x03\x04" + whole[40:], "empty": b""}
    if damage == "other":
        np.savez(path, x=np.arange(3))
    else:
        path.write_bytes(content[damage])
    with pytest.raises(InputError, match=r"state\.npz cannot be read.*train again"):
        read_archive(path)


def test_a_missing_file_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="does not exist; give a folder that"):
        read_archive(tmp_path / "encoder.npz")


def test_prefixes_come_and_go() -> None:
    arrays = {"a": np.zeros(1), "b": np.ones(1)}
    both = put_under(arrays, "head/") | put_under(arrays, "body/")
    assert under(both, "body/").keys() == arrays.keys()
