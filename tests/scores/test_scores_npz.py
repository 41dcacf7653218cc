"""Embeddings from npz files: paired by utterance, the unusable ones listed, never a pickle."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trialfiles as tf

from pseudovoice import InputError
from pseudovoice.scores.npz import EmbeddingPair, read_embeddings

RNG = np.random.default_rng(0)
UTT = np.array([f"s{i}-{j}" for i in range(3) for j in range(3)])
SPK = np.array([u[:2] for u in UTT])
ORIGINAL, PROTECTED = RNG.normal(size=(9, 4)), RNG.normal(size=(9, 4))


def npz(path: Path, **arrays: Any) -> Path:
    np.savez(path, **arrays)
    return path


def read(folder: Path, o: dict[str, Any], p: dict[str, Any], **k: Any) -> EmbeddingPair:
    return read_embeddings(npz(folder / "o.npz", **o), npz(folder / "p.npz", **p), **k)


def test_pairs_are_made_by_utterance_not_by_order(tmp_path: Path) -> None:
    order = RNG.permutation(9)
    pair = read(
        tmp_path,
        {"utt": UTT, "vectors": ORIGINAL, "spk": SPK},
        {"utt": UTT[order], "vectors": PROTECTED[order].astype(np.float32)},
    )
    assert pair.problems == ()
    assert (list(pair.original.ids), list(pair.original.speakers)) == (UTT.tolist(), SPK.tolist())
    assert np.array_equal(pair.original.vectors, ORIGINAL)
    assert np.array_equal(pair.protected.vectors, PROTECTED.astype(np.float32))


def test_one_file_with_both_sides(tmp_path: Path) -> None:
    path = npz(tmp_path / "x.npz", utt=UTT, original=ORIGINAL, protected=PROTECTED)
    utt2spk = tf.write(tmp_path / "u", tf.lines(UTT, SPK))
    pair = read_embeddings(path, utt2spk=utt2spk)
    assert np.array_equal(pair.protected.vectors, PROTECTED)
    assert list(pair.original.speakers) == SPK.tolist()
    assert list(pair.files) == ["embeddings", "utt2spk"]


def test_ids_saved_as_bytes(tmp_path: Path) -> None:
    o = {"utt": UTT.astype("S"), "vectors": ORIGINAL, "spk": SPK.astype("S")}
    pair = read(tmp_path, o, {"utt": UTT, "vectors": PROTECTED})
    assert list(pair.original.ids) == UTT.tolist()
    assert list(pair.original.speakers) == SPK.tolist()


def test_what_cannot_be_compared_is_listed(tmp_path: Path) -> None:
    o, p = ORIGINAL.copy(), PROTECTED.copy()
    o[0], o[3], p[0], p[6] = np.nan, 0, np.inf, 0
    left = {"utt": [*UTT[:8], "extra", "s0-1"], "vectors": np.r_[o[:8], ORIGINAL[:2]]}
    left["spk"] = [*SPK[:8], "s0", "s2"]
    pair = read(tmp_path, left, {"utt": UTT, "vectors": p})
    assert list(pair.original.ids) == ["s0-1", "s0-2", "s1-1", "s1-2", "s2-1"]
    assert list(pair.original.speakers) == ["s0", "s0", "s1", "s1", "s2"]
    assert np.array_equal(pair.original.vectors, ORIGINAL[[1, 2, 4, 5, 7]])
    assert np.array_equal(pair.protected.vectors, PROTECTED[[1, 2, 4, 5, 7]])
    said = [str(problem).replace(f"{tmp_path}/", "") for problem in pair.problems]
    assert said == [
        "o.npz: 1 utterance id(s) stand twice (s0-1); the first is used; make ids unique.",
        "o.npz: 1 utterance(s) have no counterpart in the other file (extra); they are left out.",
        "p.npz: 1 utterance(s) have no counterpart in the other file (s2-2); they are left out.",
        "o.npz: 2 vector(s) are zero or not finite (s0-0, s1-0); they are left out; "
        "embed them again.",
        "p.npz: 2 vector(s) are zero or not finite (s0-0, s2-0); they are left out; "
        "embed them again.",
    ]


def test_utterances_without_a_speaker_are_listed(tmp_path: Path) -> None:
    utt2spk = tf.write(tmp_path / "u", tf.lines(UTT[1:], SPK[1:]))
    sides = {"utt": UTT, "vectors": ORIGINAL}, {"utt": UTT, "vectors": PROTECTED}
    pair = read(tmp_path, *sides, utt2spk=utt2spk)
    assert len(list(pair.original.ids)) == 8
    assert [p.what for p in pair.problems] == ["the speaker of 1 utterance(s) is not known (s0-0)"]


FINE = {"utt": UTT, "vectors": ORIGINAL, "spk": SPK}


@pytest.mark.parametrize(
    ("o", "sentence"),
    [
        (
            {"utt": UTT, "vectors": ORIGINAL},
            r"names no speakers \(no array 'spk'\); give them with `utt2spk`",
        ),
        (
            {"utt": UTT, "x": ORIGINAL},
            "the file holds utt; expected the arrays 'utt' and 'vectors'",
        ),
        ({"a": UTT}, "the file holds nothing we know; expected"),
        (
            {**FINE, "vectors": ORIGINAL[:, 0]},
            r"'vectors' must be numbers of shape \(utterances, dim",
        ),
        ({**FINE, "vectors": ORIGINAL[:5]}, r"of shape \(5, 4\) for 9 utterances"),
        ({**FINE, "vectors": ORIGINAL.astype(str)}, "'vectors' must be numbers"),
        ({**FINE, "vectors": ORIGINAL + 1j}, "it is complex128"),
        (
            {**FINE, "vectors": ORIGINAL[:, :3]},
            "4 dimensions but those of .*o.npz 3; use one encoder",
        ),
        ({**FINE, "spk": SPK[:4]}, "there are 4 speakers for 9 utterances; 'spk' needs one"),
        ({**FINE, "spk": ["a"] * 9}, "fewer than two speakers are left"),
        ({**FINE, "spk": UTT}, "every speaker has one utterance only"),
        (
            {**FINE, "vectors": ORIGINAL * np.nan},
            "fewer than two speakers .* Left out: .*o.npz: 9 vector",
        ),
        ({**FINE, "vectors": ORIGINAL * 1e200}, "9 vector.s. are zero or not finite"),
        ({**FINE, "utt": np.array([b"\xff"] * 9)}, "an id is not UTF-8 text; save ids as text"),
        ({**FINE, "utt": UTT.astype(object)}, "no npz file of plain arrays .*without objects"),
    ],
)
def test_files_that_cannot_be_used(o: dict[str, Any], sentence: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=sentence):
        read(tmp_path, o, {"utt": UTT, "vectors": PROTECTED})


def test_a_single_file_needs_both_sides(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"a single file must hold .* it holds spk, utt, vectors"):
        read_embeddings(npz(tmp_path / "o.npz", **FINE))


def header(shape: tuple[int, ...]) -> bytes:
    out = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        out, {"descr": "<f8", "fortran_order": False, "shape": shape}
    )
    return out.getvalue()


@pytest.mark.parametrize(
    ("members", "sentence"),
    [
        (None, "this is no npz file; save the arrays with numpy.savez"),
        ({"utt": b"plain text", "vectors": b""}, "utt is no array"),
        ({"utt.npy": header((10**12,)), "vectors.npy": header((10**12, 512))}, "allocate"),
        ({"utt.npy": header((9,)), "vectors.npy": header((9, 4))}, "no npz file of plain arrays"),
        ({"utt.npy": b"\x93NUMPY\x01\0\xff\xff{", "vectors.npy": b""}, "of plain arrays"),
    ],
)
def test_damaged_files(members: dict[str, bytes] | None, sentence: str, tmp_path: Path) -> None:
    path = tmp_path / "x.npz"
    if members is None:
        np.save(path.with_suffix(".npy"), ORIGINAL)
        path.with_suffix(".npy").rename(path)
    else:
        with zipfile.ZipFile(path, "w") as file:
            for name, content in members.items():
                file.writestr(name, content)
    with pytest.raises(InputError, match=sentence):
        read_embeddings(path, path)


def test_what_would_fill_the_memory_is_not_unpacked(tmp_path: Path) -> None:
    path = npz(tmp_path / "x.npz", utt=UTT, vectors=ORIGINAL)
    data = bytearray(path.read_bytes())
    # The unpacked size of the first file, as the directory at the end of a zip has it.
    place = data.index(b"PK\x01\x02") + 24
    data[place : place + 4] = (3 << 30).to_bytes(4, "little")
    path.write_bytes(data)
    with pytest.raises(InputError, match=r"would unpack to 3.2 GB"):
        read_embeddings(path, path)


def test_a_pickle_is_never_loaded(tmp_path: Path) -> None:
    class Trap:
        def __reduce__(self) -> tuple[Any, ...]:
            return (Path.touch, (tmp_path / "sprung",))

    path = npz(tmp_path / "x.npz", utt=UTT, vectors=np.array([Trap()], object))
    with pytest.raises(InputError, match="without objects"):
        read_embeddings(path, path)
    assert not (tmp_path / "sprung").exists()
