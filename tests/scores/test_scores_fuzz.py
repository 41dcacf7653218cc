"""Whatever bytes a file holds, a user gets a score set or a sentence, never a traceback."""

from __future__ import annotations

import contextlib
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
import trialfiles as tf
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pseudovoice import PseudovoiceError, read_scores
from pseudovoice.scores.formats.text import to_names
from pseudovoice.scores.npz import read_embeddings
from pseudovoice.scores.read import read_classes

TOKENS = [
    *(b" ", b"\n", b"\r", b"\t", b",", b'"', b"\0", b"\xff", b"\xc3", b"#", b"+", b"-", b"e"),
    *(b"nan", b"inf", b"1e999", b"\xef\xbb\xbf", b"\n\n", b"target", b"\xe2\x80\xa8", b"\x85"),
]

edits = st.lists(
    st.tuples(
        st.sampled_from(["put", "replace", "delete", "cut", "double", "flip"]),
        st.floats(0, 1, exclude_max=True),
        st.integers(1, 12),
        st.sampled_from(TOKENS) | st.binary(min_size=1, max_size=4),
    ),
    min_size=1,
    max_size=5,
)
Edit = tuple[str, float, int, bytes]


def spoil(content: bytes, how: list[Edit]) -> bytes:
    data = bytearray(content)
    for kind, where, length, token in how:
        i = int(where * (len(data) + 1))
        j = min(i + length, len(data))
        if kind == "put":
            data[i:i] = token
        elif kind == "replace":
            data[i:j] = token
        elif kind == "delete":
            del data[i:j]
        elif kind == "cut":
            del data[i:]
        elif kind == "double":
            data[i:i] = data[i:j]
        elif i < len(data):
            data[i] ^= 1 << (length % 8)
    return bytes(data)


def check(path: Path, key: Path | None, utt2spk: Path | None = None) -> None:
    with contextlib.suppress(PseudovoiceError):
        scores = read_scores({"oo": path}, trials=key, utt2spk=utt2spk).sets["oo"]
        assert np.isfinite(scores.score).all()
        assert scores.mated.any()
        assert not scores.mated.all()
        assert "" not in scores.speakers
        if scores.named:
            assert np.array_equal(
                np.union1d(scores.enrol, scores.trial), np.arange(len(scores.speakers))
            )


# Not HDF5: on a damaged heap the library itself may hang, which no Python code can prevent.
@pytest.mark.parametrize("name", [n for n in tf.WRITERS if n not in ("bosaris", "sidekit")])
@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(how=edits, which=st.booleans())
def test_spoilt_files(name: str, tmp_path: Path, how: list[Edit], which: bool) -> None:
    files = tf.WRITERS[name][0](tf.make(), tmp_path)
    scores, key = files["files"]["oo"], files.get("trials")
    wrong = key if which and key is not None else scores
    wrong.write_bytes(spoil(wrong.read_bytes(), how))
    check(scores, key)


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(how=edits)
def test_spoilt_utt2spk_and_classes(tmp_path: Path, how: list[Edit]) -> None:
    t = tf.make()
    files = tf.kaldi(t, tmp_path)
    utt2spk = tmp_path / "u"
    utt2spk.write_bytes(spoil(tf.lines(t.utt2spk, t.utt2spk.values()).encode(), how))
    check(files["files"]["oo"], files["trials"], utt2spk)
    one = tf.write(tmp_path / "a", spoil(tf.lines(t.score).encode(), how))
    with contextlib.suppress(PseudovoiceError):
        read_classes(one, one)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(content=st.binary(max_size=200), suffix=st.sampled_from(["", ".csv", ".tsv", ".npz"]))
def test_random_bytes(tmp_path: Path, content: bytes, suffix: str) -> None:
    path = tf.write(tmp_path / f"f{suffix}", content)
    check(path, None)
    check(path, path)
    with contextlib.suppress(PseudovoiceError):
        read_embeddings(path)


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(how=edits)
def test_spoilt_npz(tmp_path: Path, how: list[Edit]) -> None:
    path = tmp_path / "x.npz"
    np.savez(
        path,
        utt=["a1", "a2", "b1", "b2"],
        spk=["a", "a", "b", "b"],
        vectors=np.random.default_rng(0).normal(size=(4, 3)),
    )
    path.write_bytes(spoil(path.read_bytes(), how))
    with contextlib.suppress(PseudovoiceError):
        read_embeddings(path, path)


def test_ids_that_point_nowhere_are_damage() -> None:
    """A damaged Parquet file can hold indices outside its dictionary; Arrow does not look."""
    for index in (2, -1):
        column = pa.DictionaryArray.from_arrays(
            pa.array([0, index], pa.int32()), pa.array(["a", "b"]), safe=False
        )
        with pytest.raises(pa.ArrowInvalid, match="outside the list of ids"):
            to_names(column)
