"""A small set of trials, and writers of it in every format the readers know."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq


@dataclass(frozen=True)
class Listed:
    """Trials in plain lists, the way a person would write them down."""

    enrol: list[str]
    trial: list[str]
    score: list[float]
    mated: list[bool]
    utt2spk: dict[str, str]

    def __len__(self) -> int:
        return len(self.score)

    @property
    def label(self) -> list[str]:
        return ["target" if m else "nontarget" for m in self.mated]

    @property
    def digit(self) -> list[str]:
        return ["1" if m else "0" for m in self.mated]

    @property
    def trial_speaker(self) -> list[str]:
        return [self.utt2spk[u] for u in self.trial]

    def shuffled(self, seed: int) -> Listed:
        order = np.random.default_rng(seed).permutation(len(self))
        return Listed(
            [self.enrol[k] for k in order],
            [self.trial[k] for k in order],
            [self.score[k] for k in order],
            [self.mated[k] for k in order],
            self.utt2spk,
        )


def make(
    speakers: Sequence[str] = ("s0", "s1", "s2"),
    utterances: int = 2,
    *,
    seed: int = 0,
    name: str = "{speaker}-u{k}",
) -> Listed:
    """Every speaker enrolled, every utterance tried against everybody."""
    rng = np.random.default_rng(seed)
    utt2spk = {
        name.format(speaker=speaker, k=k): speaker
        for speaker in speakers
        for k in range(utterances)
    }
    pairs = [(e, u) for e in speakers for u in utt2spk]
    mated = [utt2spk[u] == e for e, u in pairs]
    score = np.round(rng.normal(size=len(pairs)) + 1.5 * np.array(mated), 4)
    return Listed([e for e, _ in pairs], [u for _, u in pairs], score.tolist(), mated, utt2spk)


def lines(*columns: Sequence[Any], separator: str = " ") -> str:
    return "".join(separator.join(map(str, row)) + "\n" for row in zip(*columns, strict=True))


def write(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def table(columns: dict[str, Sequence[Any]], delimiter: str) -> str:
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return out.getvalue()


def hdf5(path: Path, **data: Any) -> Path:
    """An HDF5 file; ``__`` in a name stands for a slash."""
    with h5py.File(path, "w") as file:
        for name, values in data.items():
            file[name.replace("__", "/")] = values
    return path


def matrices(t: Listed) -> tuple[list[str], list[str], Any, Any, Any]:
    """Row ids, column ids, scores, mask and key (1, −1, 0) of trials."""
    rows, columns = list(dict.fromkeys(t.enrol)), list(dict.fromkeys(t.trial))
    scores = np.zeros((len(rows), len(columns)))
    key = np.zeros(scores.shape, np.int8)
    for e, u, s, m in zip(t.enrol, t.trial, t.score, t.mated, strict=True):
        at = rows.index(e), columns.index(u)
        scores[at], key[at] = s, 1 if m else -1
    return rows, columns, scores, (key != 0).astype(np.int8), key


def write_key(t: Listed, folder: Path) -> Path:
    return write(folder / "trials", lines(t.enrol, t.trial, t.label))


Given = dict[str, Any]
"""What `read_scores` is called with, besides the name of the condition."""


def kaldi(t: Listed, folder: Path) -> Given:
    scores = write(folder / "scores", lines(t.enrol, t.trial, t.score))
    return {"files": {"oo": scores}, "trials": write_key(t, folder)}


def voxceleb(t: Listed, folder: Path) -> Given:
    scores = write(folder / "scores", lines(t.enrol, t.trial, t.score))
    key = write(folder / "veri_test.txt", lines(t.digit, t.enrol, t.trial))
    return {"files": {"oo": scores}, "trials": key}


def wespeaker(t: Listed, folder: Path) -> Given:
    return {"files": {"oo": write(folder / "s", lines(t.enrol, t.trial, t.score, t.label))}}


def score_label(t: Listed, folder: Path) -> Given:
    return {"files": {"oo": write(folder / "s", lines(t.score, t.digit))}}


def label_score(t: Listed, folder: Path) -> Given:
    return {"files": {"oo": write(folder / "s", lines(t.label, t.score))}}


def columns_of(t: Listed) -> dict[str, Sequence[Any]]:
    return {"enrol": t.enrol, "trial": t.trial, "score": t.score, "label": t.label}


def csv_table(t: Listed, folder: Path) -> Given:
    return {"files": {"oo": write(folder / "s.csv", table(columns_of(t), ","))}}


def tsv_table(t: Listed, folder: Path) -> Given:
    renamed = dict(
        zip(("Model", "Segment", "LLR", "is_target"), columns_of(t).values(), strict=True)
    )
    return {"files": {"oo": write(folder / "s.tsv", table(renamed, "\t"))}}


def csv_and_key(t: Listed, folder: Path) -> Given:
    """A CSV without its suffix, and a CSV key."""
    both = columns_of(t)
    key = write(folder / "key.csv", table({k: both[k] for k in ("enrol", "trial", "label")}, ","))
    scores = write(folder / "s", table({k: both[k] for k in ("score", "trial", "enrol")}, ","))
    return {"files": {"oo": scores}, "trials": key}


def parquet(t: Listed, folder: Path) -> Given:
    path = folder / "s.parquet"
    pq.write_table(pa.table({**columns_of(t), "label": t.mated}), path, row_group_size=5)
    return {"files": {"oo": path}}


def bosaris(t: Listed, folder: Path) -> Given:
    rows, columns, scores, mask, key = matrices(t)
    ids = {"ID__row_ids": rows, "ID__column_ids": columns}
    return {
        "files": {"oo": hdf5(folder / "s.h5", **ids, scores=scores, score_mask=mask)},
        "trials": hdf5(folder / "k.h5", **ids, trial_mask=key),
    }


def sidekit(t: Listed, folder: Path) -> Given:
    rows, columns, scores, mask, key = matrices(t)
    ids = {
        "modelset": np.array([r.encode() for r in rows]),
        "segset": np.array([c.encode() for c in columns]),
    }
    return {
        "files": {"oo": hdf5(folder / "s.h5", **ids, scoremat=scores, scoremask=mask)},
        "trials": hdf5(folder / "k.h5", **ids, trial_mask=key),
    }


WRITERS: dict[str, tuple[Callable[[Listed, Path], Given], str]] = {
    "kaldi": (kaldi, "scores"),
    "voxceleb": (voxceleb, "scores"),
    "wespeaker": (wespeaker, "wespeaker"),
    "score-label": (score_label, "score-label"),
    "label-score": (label_score, "label-score"),
    "csv": (csv_table, "csv"),
    "tsv": (tsv_table, "tsv"),
    "csv-key": (csv_and_key, "csv"),
    "parquet": (parquet, "parquet"),
    "bosaris": (bosaris, "bosaris"),
    "sidekit": (sidekit, "bosaris"),
}
"""Writers by name, with the format that is to be detected."""

NAMELESS = ("score-label", "label-score")
