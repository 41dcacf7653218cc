"""Trials, keys, scores and embeddings, in every format that is known."""

from __future__ import annotations

import io
import os
import signal
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pyarrow
import pyarrow.parquet

from fuzz.target import Target, choosing, chosen, joined, parted
from fuzz.watch import unwatched
from pseudovoice.backends.enrolment_lists import read_enrolment_trials
from pseudovoice.errors import PseudovoiceError
from pseudovoice.scores.formats.detect import read_trials
from pseudovoice.scores.formats.names import FORMATS
from pseudovoice.scores.npz import read_embeddings
from pseudovoice.scores.read import read_classes, read_scores

NEEDS = ("score", "label")
SUFFIXES = ("", ".csv", ".tsv")
_KINDS = tuple(f"{needs} {suffix}" for needs in NEEDS for suffix in SUFFIXES)
_NAMED = tuple(name for name in FORMATS if name not in ("parquet", "bosaris"))
_KEY = b"anna a1 target\nanna b1 nontarget\nben b1 target\nben a1 nontarget\n"
_SCORES = b"anna a1 1.5\nanna b1 -0.5\nben b1 2e0\nben a1 -.25\n"
_PEOPLE = b"a1 anna\nb1 ben\n"
_CSV = b"enrol,trial,score,label,enrol_speaker,trial_speaker\nanna,a1,1.5,1,anna,anna\n"


def _text(folder: Path, data: bytes) -> None:
    kind, rest = chosen(data, _KINDS)
    needs, _, suffix = kind.partition(" ")
    path = folder / f"trials{suffix}"
    path.write_bytes(rest)
    trials = read_trials(path, needs)
    assert len(trials) == len(getattr(trials, needs))


def _text_seeds(folder: Path) -> Sequence[bytes]:
    del folder
    return [
        choosing("score ", _KINDS, _SCORES),
        choosing("label ", _KINDS, _KEY),
        choosing("label ", _KINDS, b"1 id1/a.wav id1/b.wav\n0 id1/a.wav id2/c.wav\n"),
        choosing("score ", _KINDS, b"a.wav b.wav 0.71 target\na.wav c.wav -0.02 nontarget\n"),
        choosing("score ", _KINDS, b"0.7 1\n0.1 0\n"),
        choosing("score .csv", _KINDS, _CSV),
        choosing(
            "label .tsv", _KINDS, _CSV.replace(b",", b"\t") + b'"ben"\tb1\t"2"\t0\tben\tben\n'
        ),
    ]


def _named(folder: Path, data: bytes) -> None:
    """A format that the user has named, right or wrong."""
    format, rest = chosen(data, _NAMED)
    path = folder / "trials"
    path.write_bytes(rest)
    read_trials(path, "score" if len(rest) % 2 else "label", format)


def _named_seeds(folder: Path) -> Sequence[bytes]:
    del folder
    return [
        choosing("scores", _NAMED, _SCORES + b"x y 1\n"),
        choosing("kaldi-key", _NAMED, _KEY + b"x y target\n"),
        choosing("label-score", _NAMED, b"1 0.7\n0 0.1\n"),
        choosing("csv", _NAMED, _CSV),
    ]


def _joined(folder: Path, data: bytes) -> None:
    """Scores with their key and the people behind them."""
    names = ("scores", "trials", "utt2spk")
    for name, content in zip(names, parted(data, 3), strict=True):
        (folder / name).write_bytes(content)
    people = folder / "utt2spk"
    reading = read_scores(
        {"oo": folder / "scores"},
        trials=folder / "trials",
        utt2spk=people if people.stat().st_size else None,
    )
    assert np.isfinite(reading.sets["oo"].score).all()


def _enrolment(folder: Path, data: bytes) -> None:
    for name, content in zip(("enrolls", "trials", "utt2spk"), parted(data, 3), strict=True):
        (folder / name).write_bytes(content)
    read_enrolment_trials(folder / "enrolls", folder / "trials")


def _classes(folder: Path, data: bytes) -> None:
    for name, content in zip(("mated", "nonmated"), parted(data, 2), strict=True):
        (folder / name).write_bytes(content)
    read_classes(folder / "mated", folder / "nonmated")


def _parquet(folder: Path, data: bytes) -> None:
    needs, rest = chosen(data, NEEDS)
    (folder / "trials").write_bytes(rest)
    read_trials(folder / "trials", needs, "parquet")


def _parquet_seeds(folder: Path) -> Sequence[bytes]:
    columns: dict[str, Any] = {
        "enrol": ["anna", "anna", "ben"],
        "trial": ["a1", "b1", None],
        "score": [0.5, None, -1.0],
        "label": ["target", "nontarget", "target"],
    }
    seeds = []
    for kind in ("plain", "coded", "numbers"):
        table = pyarrow.table(columns)
        if kind == "coded":
            table = table.set_column(0, "enrol", table["enrol"].dictionary_encode())
        if kind == "numbers":
            table = table.set_column(0, "enrol", pyarrow.array([1, 2, 3]))
        path = folder / kind
        pyarrow.parquet.write_table(
            table, path, compression="none" if kind == "coded" else "snappy"
        )
        seeds += [choosing(needs, NEEDS, path.read_bytes()) for needs in NEEDS]
    return seeds


def _in_a_child(read: Callable[[Path, bytes], None], seconds: float) -> Callable[..., None]:
    """The reader in a process of its own, since libhdf5 can wait for ever on a damaged file.

    That is no finding here: the file is told to be written again by whoever ends the program. What
    the child raises is.
    """

    def guarded(folder: Path, data: bytes) -> None:
        receiving, sending = os.pipe()
        with unwatched():
            child = os.fork()
        if child == 0:
            said = b""
            try:
                read(folder, data)
            except PseudovoiceError as error:
                said = b"" if str(error).strip() else b"a refusal without a sentence"
            except BaseException as error:
                said = f"{type(error).__name__}: {error}".encode("utf-8", "replace")
            os.write(sending, said[:4000])
            os._exit(0)
        os.close(sending)
        end = time.monotonic() + seconds
        while os.waitpid(child, os.WNOHANG)[0] == 0:
            if time.monotonic() > end:
                with unwatched():
                    os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)
                break
            time.sleep(0.001)
        with os.fdopen(receiving, "rb") as told:
            said = told.read()
        assert not said, said.decode("utf-8", "replace")

    return guarded


def _bosaris(folder: Path, data: bytes) -> None:
    (folder / "trials").write_bytes(data)
    read_trials(folder / "trials", "score", "bosaris")


def _bosaris_seeds(folder: Path) -> Sequence[bytes]:
    with h5py.File(folder / "scores.h5", "w") as file:
        file["ID/row_ids"] = np.array([b"anna", b"ben"])
        file["ID/column_ids"] = np.array([b"a1", b"b1"])
        file["scores"] = np.eye(2)
        file["score_mask"] = np.ones((2, 2), np.int8)
        file["trial_mask"] = np.array([[1, -1], [0, 1]], np.int8)
    return [(folder / "scores.h5").read_bytes()]


def _npz(folder: Path, data: bytes) -> None:
    (folder / "both.npz").write_bytes(data)
    pair = read_embeddings(folder / "both.npz")
    assert len(pair.original.vectors) == len(pair.protected.vectors) == len(pair.original.ids)


def _npz_seeds(folder: Path) -> Sequence[bytes]:
    del folder
    vectors = np.arange(1, 13, dtype=np.float32).reshape(4, 3)
    seeds = []
    for save in (np.savez, np.savez_compressed):
        stream = io.BytesIO()
        save(
            stream,
            utt=np.array(["a1", "a2", "b1", "b2"]),
            spk=np.array([b"anna", b"anna", b"ben", b"ben"]),
            original=vectors,
            protected=vectors[::-1],
        )
        seeds.append(stream.getvalue())
    return seeds


_WORDS = (
    *(b"target", b"nontarget", b"imp", b"score", b"enrol", b"trial", b"label", b"nan", b"inf"),
    *(b"1e999", b"\xef\xbb\xbf", b"\xff\xfe", b"\r", b'"', b"\x1c", b"\xe2\x80\xa8", b"\xc2\xa0"),
)
_THREE = joined(_SCORES, _KEY, _PEOPLE)

TARGETS = (
    Target("trials", _text, _text_seeds, _WORDS),
    Target("trials-named", _named, _named_seeds, _WORDS),
    Target("trials-joined", _joined, lambda _: [_THREE, joined(_SCORES, _KEY, b"")], _WORDS),
    Target("trials-parquet", _parquet, _parquet_seeds, (b"PAR1", b"\x15\x00", b"\x19")),
    # A process for each is slow, and what Python covers in it is not seen outside.
    Target(
        "trials-bosaris",
        _in_a_child(_bosaris, 5.0),
        _bosaris_seeds,
        (b"\x89HDF\r\n\x1a\n", b"TREE", b"SNOD", b"HEAP", b"OHDR"),
        longest=16_000,
        smoke=20,
    ),
    Target("enrolment", _enrolment, lambda _: [joined(b"a1\nb1\n", _KEY, _PEOPLE)], _WORDS),
    Target("classes", _classes, lambda _: [joined(b"1.5\n2\n", b"-1\n.5e1\n")], _WORDS),
    Target("npz", _npz, _npz_seeds, (b"PK\x03\x04", b"PK\x01\x02", b"\x93NUMPY", b"'<f4'", b"|O")),
)
