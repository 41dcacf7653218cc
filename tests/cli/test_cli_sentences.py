"""Every error sentence, from the command line where it can be reached from there.

The last test reads the source: a sentence that no case here brings out is a failure.
"""

from __future__ import annotations

import ast
import os
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from cliruns import QUICK, Ran, artificial, options, run, write_set

import pseudovoice
from pseudovoice import InputError, score_embeddings
from pseudovoice.scores.embeddings import unit_length
from pseudovoice.scores.scoreset import named_scores

T = artificial()
N = T.mated.size  # 144 trials, 24 mated


class Case:
    """Files in a folder, and a run with them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.files = write_set(folder, T)

    def put(
        self, name: str, content: str | bytes, *, first: bool = False, add: bool = False
    ) -> str:
        """Write a file, or put something before or after what it holds."""
        path = self.folder / name
        data = content.encode() if isinstance(content, str) else content
        old = path.read_bytes() if first or add else b""
        path.write_bytes(data + old if first else old + data)
        return str(path)

    def lines(self, name: str) -> list[str]:
        return (self.folder / name).read_text().splitlines()

    def hdf5(self, **data: Any) -> str:
        with h5py.File(self.folder / "x.h5", "w") as file:
            for name, values in data.items():
                file[name] = values
        return str(self.folder / "x.h5")

    def parquet(self, **columns: Any) -> str:
        pq.write_table(pa.table(columns), self.folder / "x.parquet")
        return str(self.folder / "x.parquet")

    def npz(self, name: str = "x.npz", **arrays: Any) -> str:
        np.savez(self.folder / name, **arrays)
        return str(self.folder / name)

    def scores(self, *more: str, oo: str = "", trials: str = "", names: str = "oo trials") -> Ran:
        chosen = options(self.files, *names.split())
        for name, other in (("--oo", oo), ("--trials", trials)):
            if other:
                chosen[chosen.index(name) + 1] = other
        return run("assess", "scores", *chosen, *more, *QUICK)

    def embeddings(self, *arguments: str) -> Ran:
        return run("assess", "embeddings", *arguments, *QUICK)


UTT = [f"{s}{k}" for s in "ab" for k in range(3)]
SPK = [u[0] for u in UTT]
V = np.random.default_rng(0).normal(size=(6, 4))
FINE = {"utt": UTT, "spk": SPK, "vectors": V}
BOTH = {"modelset": ["a"], "segset": ["b", "c"]}


def pipe(c: Case) -> Ran:
    os.mkfifo(c.folder / "pipe")
    return c.scores(oo=str(c.folder / "pipe"))


def without_h5py(c: Case) -> Ran:
    path = c.hdf5(**BOTH, scores=[[1.0, 2.0]])
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "h5py", None)
        return c.scores(oo=path)


def without_memory(c: Case) -> Ran:
    def fail(*_: Any, **__: Any) -> None:
        raise MemoryError("Unable to allocate 1 TiB")

    from pseudovoice.assessment import assess

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(assess, "assess_scores", fail)
        return c.scores()


def broken_parquet(c: Case) -> Ran:
    path = Path(c.parquet(enrol=["a"], trial=["b"], score=[1.0]))
    path.write_bytes(path.read_bytes()[:60])
    return c.scores(oo=str(path))


def broken_hdf5(c: Case) -> Ran:
    path = Path(c.hdf5(**BOTH, scores=[[1.0, 2.0]]))
    path.write_bytes(path.read_bytes()[:300])
    return c.scores(oo=str(path))


def npz_pair(o: dict[str, Any], p: dict[str, Any] | None = None) -> Callable[[Case], Ran]:
    return lambda c: c.embeddings(c.npz("o.npz", **o), c.npz("p.npz", **(p or FINE)))


def cut_key(c: Case, wanted: str) -> str:
    kept = [line for line in c.lines("trials") if line.endswith(f" {wanted}")]
    return c.put("few", "\n".join(kept))


FORMAT = "--format"
CASES: dict[str, tuple[Callable[[Case], Ran], int, str]] = {
    # wrong use
    "no score file": (
        lambda c: c.scores(names="trials"),
        2,
        r"^pseudovoice: Name at least one score file with --oo, --op, --pp or --pq, and the key",
    ),
    "a system without a name": (
        lambda c: c.scores("--op", f"={c.files['oo']}"),
        2,
        "--op =.*: write FILE, or NAME=FILE for several systems",
    ),
    "two files of a system": (
        lambda c: c.scores(*["--op", str(c.files["oo"])] * 2),
        2,
        "--op is there twice for .*; write NAME=FILE for several systems",
    ),
    "f0 without f1": (
        lambda c: c.scores(names="op-f0 trials"),
        2,
        "--op-f0 is the run a calibration map is learnt on; name the run it is applied to with",
    ),
    "mated alone": (
        lambda c: c.scores("--mated", c.put("m", "1\n"), names="trials"),
        2,
        "--mated and --nonmated go together, and not with --oo",
    ),
    "mated with a key": (
        lambda c: c.scores(
            "--mated", c.put("m", "1"), "--nonmated", c.put("n", "2"), names="trials"
        ),
        2,
        "--trials, --utt2spk and --format have no meaning with them",
    ),
    "format without =": (
        lambda c: c.scores(FORMAT, "oo.scores"),
        2,
        "--format takes FILE=FORMAT, not 'oo.scores'; the formats are scores, wespeaker",
    ),
    "unknown format": (
        lambda c: c.scores(FORMAT, "oo.scores=kaldi"),
        2,
        "There is no format 'kaldi'; choose one of scores, wespeaker",
    ),
    "format of another file": (
        lambda c: c.scores(FORMAT, "nothing=scores"),
        2,
        "--format names nothing, but the files given are oo.scores, trials; name one",
    ),
    "no key": (
        lambda c: c.scores(names="oo"),
        2,
        "oo.scores: the scores carry no labels, so a key is needed: name it with --trials",
    ),
    "the key as scores": (
        lambda c: c.scores(oo=(key := c.put("k", numeric_key())), trials=key),
        2,
        "k: this is the key itself .*; name the file with the scores",
    ),
    # files that are none
    "no such file": (
        lambda c: c.scores(oo="gone"),
        2,
        "gone: there is no such file; check the path",
    ),
    "a folder": (lambda c: c.scores(oo=str(c.folder)), 2, "is a directory"),
    "an empty name": (
        lambda _: run("assess", "scores", "--oo", "", *QUICK),
        2,
        r"\.: this is a folder; name the file in it",
    ),
    "a pipe": (pipe, 2, "pipe: this is a pipe or a device; save it to a file first"),
    "empty": (lambda c: c.scores(oo=c.put("e", "")), 2, "e: the file is empty; there is nothing"),
    "empty utt2spk": (
        lambda c: c.scores("--utt2spk", c.put("e", "")),
        2,
        "e: the file is empty; there is nothing to read",
    ),
    "only a byte-order mark": (
        lambda c: c.scores("--utt2spk", c.put("e", b"\xef\xbb\xbf")),
        2,
        r"e: no lines can be read from this file \(Empty CSV file\); write it again",
    ),
    "binary": (
        lambda c: c.scores(oo=c.put("b", b"\x7fELF\0\0\0\0")),
        2,
        "b: this is a binary file of no known format; give scores as UTF-8 text",
    ),
    "gzip": (
        lambda c: c.scores(oo=c.put("b.gz", b"\x1f\x8b\x08\0")),
        2,
        "b.gz: this is a gzip file; unpack it first",
    ),
    "npz as scores": (
        lambda c: c.scores(oo=c.npz(**FINE)),
        2,
        "x.npz: this is a zip or npz file; embeddings go to `pseudovoice assess embeddings`",
    ),
    "UTF-16": (
        lambda c: c.scores(oo=c.put("b", "a b 1\n".encode("utf-16"))),
        2,
        "b: this is UTF-16 text; convert the file to UTF-8",
    ),
    "Latin-1": (
        lambda c: c.scores(oo=c.put("b", "a b 1\né b 2\n".encode("latin-1"))),
        2,
        "b:2: this is not UTF-8 text; convert the file to UTF-8",
    ),
    "Latin-1 utt2spk": (
        lambda c: c.scores("--utt2spk", c.put("b", "a b\né b\n".encode("latin-1"))),
        2,
        "b:2: this is not UTF-8 text; convert the file to UTF-8",
    ),
    "Latin-1 header": (
        lambda c: c.scores(FORMAT, "b=csv", oo=c.put("b", "é,b\n".encode("latin-1"))),
        2,
        "b: this is not UTF-8 text; convert the file to UTF-8",
    ),
    "one long line": (
        lambda c: c.scores("--utt2spk", c.put("b", "x" * ((1 << 23) + 1))),
        2,
        "b:1: this line is longer than 8,388,608 bytes; the file is no list of trials",
    ),
    # formats
    "scores as key": (
        lambda c: c.scores(trials=str(c.files["op"])),
        2,
        r"op.scores: the first line \(100 100-0000 .*\) fits no known format with a label; "
        "expected 'enrol trial score label', 'enrol trial label', 'label enrol trial', or a CSV, "
        "Parquet or BOSARIS file. It looks like scores: name them with --oo, --op, --pp or --pq",
    ),
    "key as scores": (
        lambda c: c.scores(oo=str(c.files["trials"]), trials=""),
        2,
        "trials: the first line .* fits no known format with a score; expected .* It looks like a "
        "key: name it with --trials",
    ),
    "ambiguous": (
        lambda c: c.scores(oo=c.put("s", "1 0\n0 1\n")),
        2,
        "s: the file could be score-label .'score label'. or label-score .'label score'.; say "
        "which with --format s=score-label",
    ),
    "a wrong format": (
        lambda c: c.scores(FORMAT, "oo.scores=wespeaker"),
        2,
        "oo.scores: no line of this file can be used as wespeaker; correct the file, or say what "
        "it is with --format. First: .*oo.scores:1: the line has 3 field.s. where 4 are expected",
    ),
    "no scores in it": (
        lambda c: c.scores(oo=c.parquet(enrol=["a"], trial=["b"], label=["target"])),
        2,
        "x.parquet: this parquet file holds no scores; give it as --trials and name a file with",
    ),
    "no labels in it": (
        lambda c: c.scores(trials=c.parquet(enrol=["a"], trial=["b"], score=[1.0])),
        2,
        "x.parquet: this parquet file holds no labels; name the file with target and nontarget",
    ),
    "a key without trials": (
        lambda c: c.scores(FORMAT, "k=score-label", trials=c.put("k", "1 1\n2 0\n")),
        2,
        "k: this score-label file names no trials; a key needs the enrolment and the trial id",
    ),
    # tables
    "header": (
        lambda c: c.scores(oo=c.put("t.csv", "a,b,c,d,e,f,g\n1,2,3,4,5,6,7\n")),
        2,
        "t.csv: the header names a, b, c, d, e and 2 more; a table of trials needs columns enrol "
        "and trial, with score or label, or score and label",
    ),
    "two columns alike": (
        lambda c: c.scores(oo=c.put("t.csv", "enrol,trial,score,llr\na,b,1,2\n")),
        2,
        "t.csv: the columns score and llr both look like the score; rename one of them",
    ),
    "no header": (
        lambda c: c.scores(FORMAT, "t=csv", oo=c.put("t", ",,\n\n")),
        2,
        "t: the file is empty; there is nothing to read",
    ),
    "a monstrous header": (
        lambda c: c.scores(oo=c.put("t.csv", "x" * 140_000 + ",y\n1,2\n")),
        2,
        r"t.csv: the header cannot be read \(field larger than field limit .*\); write it again",
    ),
    "damaged Parquet": (
        broken_parquet,
        2,
        "x.parquet: the Parquet table cannot be read .*; write it again, ids as text and scores",
    ),
    "ids that are lists": (
        lambda c: c.scores(oo=c.parquet(enrol=[["a"]], trial=["b"], score=[1.0])),
        2,
        "x.parquet: the Parquet table cannot be read .*; write it again",
    ),
    "an empty id": (
        lambda c: c.scores(
            names="oo",
            oo=c.put("t.csv", "enrol,trial,score,label\n,u,1,1\na,u,1,1\nb,u,0,0\n"),
        ),
        1,
        r"t.csv:2: 1 line\(s\) have an empty enrol id \(lines 2\); they are left out; name both",
    ),
    # HDF5
    "HDF5 without h5py": (
        without_h5py,
        2,
        "x.h5: reading a BOSARIS HDF5 file needs the package h5py, which is not installed: "
        r"pip install 'pseudovoice\[bosaris\]'",
    ),
    "damaged HDF5": (broken_hdf5, 2, "x.h5: the HDF5 file cannot be read .*; write it again"),
    "HDF5 without ids": (
        lambda c: c.scores(oo=c.hdf5(scores=[[1.0]])),
        2,
        "x.h5: the HDF5 file has no ID/row_ids or modelset; it is no BOSARIS score or key file",
    ),
    "HDF5 without scores": (
        lambda c: c.scores(oo=c.hdf5(**BOTH)),
        2,
        "x.h5: the HDF5 file has neither scores nor trial_mask; it is no BOSARIS score or key",
    ),
    "HDF5 of another shape": (
        lambda c: c.scores(oo=c.hdf5(**BOTH, scores=[[1.0], [2.0]])),
        2,
        r"x.h5: the matrix scores has shape \(2, 1\) but there are 1 row and 2 column ids; write",
    ),
    "HDF5 without numbers": (
        lambda c: c.scores(oo=c.hdf5(**BOTH, scores=[[b"a", b"b"]])),
        2,
        "x.h5: the matrix scores holds .*, not numbers; write the file again",
    ),
    # lines
    "wrong number of fields": (
        lambda c: c.scores(oo=c.put("oo.scores", "a b\n", first=True)),
        1,
        r"oo.scores:1: the line has 2 field\(s\) where 3 are expected; it is left out; correct",
    ),
    "many of them": (
        lambda c: c.scores(oo=c.put("oo.scores", "a b\n" * 7, first=True)),
        1,
        "oo.scores: 2 more lines have a wrong number of fields; they are left out; correct",
    ),
    "no number": (
        lambda c: c.scores(oo=c.put("oo.scores", "100 100-0000 x\n", add=True)),
        1,
        rf"oo.scores:{N + 1}: 1 line\(s\) hold something that is not a number where a score is "
        rf"expected \(lines {N + 1}\); they are left out; rescore these trials",
    ),
    "NaN": (
        lambda c: c.scores(oo=c.put("oo.scores", "100 100-0000 nan\n", add=True)),
        1,
        rf"oo.scores:{N + 1}: 1 score\(s\) are NaN, infinite or beyond ±1e\+100 \(lines {N + 1}\)",
    ),
    "bad labels": (
        lambda c: c.scores(trials=c.put("trials", "100 zzz what\n", add=True)),
        1,
        rf"trials:{N + 1}: 1 line\(s\) have a label that is neither target nor nontarget \(lines "
        rf"{N + 1}\); they are left out; write target or nontarget, or 1 or 0",
    ),
    # scores and key
    "scored twice alike": (
        lambda c: c.scores(oo=c.put("oo.scores", c.lines("oo.scores")[0], add=True)),
        1,
        rf"oo.scores:{N + 1}: 1 line\(s\) score a trial again with the same score \(lines {N + 1}"
        r"\); each trial is counted once; remove the repetition",
    ),
    "scored twice unlike": (
        lambda c: c.scores(oo=c.put("oo.scores", "100 100-0000 99", add=True)),
        1,
        rf"oo.scores:1: 1 trial\(s\) are scored more than once with different scores \(lines 1, "
        rf"{N + 1}\); they are left out, nobody can tell which score is right; rescore these",
    ),
    "not in the key": (
        lambda c: c.scores(oo=c.put("oo.scores", "stranger 100-0000 1", add=True)),
        1,
        rf"oo.scores:{N + 1}: 1 score\(s\) belong to no trial of .*trials \(lines {N + 1}; not in "
        r"the key at all: stranger\); they are left out; check that scores and key belong together",
    ),
    "missing": (
        lambda c: c.scores(oo=c.put("s", "\n".join(c.lines("oo.scores")[2:]))),
        1,
        rf"trials:1: 2 of {N} trials have no score in .*s \(lines 1, 2 of the key\); they are left "
        "out, not filled in; score them",
    ),
    "no trial in common": (
        lambda c: c.scores(oo=c.put("s", (c.folder / "oo.scores").read_text().replace("-", "_"))),
        2,
        rf"s: none of the {N} trials of .*trials has a score here \('100 100_0000' comes first "
        r"here, '100 100-0000' there\); check that scores and key belong together",
    ),
    "other labels": (
        lambda c: c.scores(oo=c.put("s", "\n".join(f"{line} 1" for line in c.lines("oo.scores")))),
        2,  # every trial said to be mated: nothing non-mated is left
        r"s: no non-mated \(nontarget\) trial is left; both classes are needed, check the key and "
        r"the speaker names. Left out: .*s:5: 120 line\(s\) carry another label than .*trials "
        r"\(lines 5, 6, 7, 8, 9 and 115 more\); they are left out; correct one of the files",
    ),
    "one class": (
        lambda c: c.scores(trials=cut_key(c, "nontarget")),
        2,
        r"oo.scores: no mated \(target\) trial is left; both classes are needed",
    ),
    "listed twice": (
        lambda c: c.scores(trials=c.put("trials", c.lines("trials")[0], add=True)),
        1,
        rf"trials:{N + 1}: 1 line\(s\) list a trial again \(lines {N + 1}\); each trial is counted",
    ),
    "listed with both labels": (
        lambda c: c.scores(trials=c.put("trials", "100 100-0000 nontarget", add=True)),
        1,
        rf"trials:1: 2 line\(s\) list a trial both as target and as nontarget \(lines 1, {N + 1}\)",
    ),
    "speakers that contradict": (
        lambda c: c.scores(
            "--utt2spk",
            c.put("u", (c.folder / "utt2spk").read_text().replace("0000 100", "0000 101")),
        ),
        1,
        r"trials:1: the key says target but the speakers are 100 and 101; 2 trial\(s\) like this "
        r"\(lines 1, 25\); they are left out; correct the key or utt2spk",
    ),
    "unknown speaker": (
        lambda c: c.scores("--utt2spk", c.put("u", "\n".join(c.lines("utt2spk")[1:]))),
        1,
        r"trials:1: the speaker of 1 utterance\(s\) is not known \(100-0000\), 6 trial\(s\) in all"
        r"; they are left out; name their speakers \(--utt2spk\)",
    ),
    "utt2spk that is none": (
        lambda c: c.scores("--utt2spk", str(c.files["trials"])),
        2,
        "trials: no line reads 'utterance speaker'; name the file that does as --utt2spk. First: "
        r".*trials:1: the line has 3 field\(s\) where 2 are expected",
    ),
    "two speakers in utt2spk": (
        lambda c: c.scores("--utt2spk", c.put("utt2spk", "100-0000 101\n", add=True)),
        1,
        "utt2spk:25: utterance 100-0000 belongs to 100 already; the line is left out; correct it",
    ),
    "two speakers in a table": (
        lambda c: c.scores(
            names="oo",
            oo=c.put(
                "t.csv",
                "enrol,trial,score,label,spk1,spk2\na,u,1,1,a,a\na,u,1,1,a,b\nb,v,1,1,b,b\nb,w,0,0,b,c\n",
            ),
        ),
        1,
        r"t.csv:2: 1 id\(s\) have two speakers \(u\); their trials are left out; name one speaker",
    ),
    # one file a class
    "no score a line": (
        lambda c: run(
            "assess", "scores", "--mated", c.put("m", "x"), "--nonmated", c.put("n", "1")
        ),
        2,
        "m: there is no score in this file; write one number a line",
    ),
    "NaN a line": (
        lambda c: run(
            "assess", "scores", "--mated", c.put("m", "1\nnan"), "--nonmated", c.put("n", "0")
        ),
        1,
        r"m:2: 1 score\(s\) are NaN, infinite or beyond ±1e\+100 \(lines 2\); they are left out",
    ),
    # embeddings
    "no npz": (
        lambda c: c.embeddings(c.put("x.npz", "a b 1")),
        2,
        "x.npz: this is no npz file; save the arrays with numpy.savez",
    ),
    "npz with objects": (
        npz_pair({**FINE, "utt": np.array(UTT, object)}),
        2,
        "o.npz: this is no npz file of plain arrays .*; save it with numpy.savez and without",
    ),
    "npz without vectors": (
        npz_pair({"utt": UTT}),
        2,
        "o.npz: the file holds utt; expected the arrays 'utt' and 'vectors'",
    ),
    "one npz without both": (
        lambda c: c.embeddings(c.npz(**FINE)),
        2,
        "x.npz: a single file must hold the arrays 'utt', 'original' and 'protected'; it holds "
        "spk, utt, vectors. Or give two files with 'utt' and 'vectors'",
    ),
    "npz of another shape": (
        npz_pair({**FINE, "vectors": V[:2]}),
        2,
        r"o.npz: 'vectors' must be numbers of shape \(utterances, dimensions\); it is float64 of "
        r"shape \(2, 4\) for 6 utterances",
    ),
    "npz with too few speakers": (
        npz_pair({**FINE, "spk": SPK[:2]}),
        2,
        "o.npz: there are 2 speakers for 6 utterances; 'spk' needs one for each",
    ),
    "npz ids of bytes": (
        npz_pair({**FINE, "utt": np.array([b"\xff"] * 6)}),
        2,
        "o.npz: an id is not UTF-8 text; save ids as text, not as bytes",
    ),
    "npz without speakers": (
        npz_pair({"utt": UTT, "vectors": V}),
        2,
        r"o.npz: the file names no speakers \(no array 'spk'\); give them with --utt2spk",
    ),
    "other dimensions": (
        npz_pair(FINE, {"utt": UTT, "vectors": V[:, :2]}),
        2,
        "p.npz: the vectors have 2 dimensions but those of .*o.npz 4; use one encoder for both",
    ),
    "no counterpart": (
        npz_pair(FINE, {"utt": [*UTT[:5], "z"], "vectors": V}),
        1,
        r"o.npz: 1 utterance\(s\) have no counterpart in the other file \(b2\); they are left out",
    ),
    "ids that stand twice": (
        npz_pair({"utt": [*UTT, "a0"], "spk": [*SPK, "a"], "vectors": np.r_[V, V[:1]]}),
        1,
        r"o.npz: 1 utterance id\(s\) stand twice \(a0\); the first is used; make ids unique",
    ),
    "vectors of nothing": (
        npz_pair({**FINE, "vectors": np.r_[V[:5], [[0, 0, 0, 0]]]}),
        1,
        r"o.npz: 1 vector\(s\) are zero or not finite \(b2\); they are left out; embed them again",
    ),
    "utterances of nobody": (
        lambda c: c.embeddings(
            c.npz(utt=UTT, original=V, protected=V[::-1]),
            "--utt2spk",
            c.put("u", "\n".join(f"{u} {u[0]}" for u in UTT[1:])),
        ),
        1,
        r"u: the speaker of 1 utterance\(s\) is not known \(a0\); they are left out; add them",
    ),
    "one speaker": (
        npz_pair({**FINE, "spk": ["a"] * 6}),
        2,
        "o.npz: fewer than two speakers are left with both original and protected utterances",
    ),
    "one utterance each": (
        npz_pair({**FINE, "spk": UTT}),
        2,
        "o.npz: every speaker has one utterance only, so no two of them are mated; embed at least",
    ),
    # the system
    "output below a file": (
        lambda c: c.scores("-o", str(c.files["trials"] / "x"), "--no-figures"),
        2,
        "Not a directory; check the path, its permissions and the space on the disk",
    ),
    "out of memory": (
        without_memory,
        2,
        r"There is not enough memory \(Unable to allocate 1 TiB\); take fewer --replicates",
    ),
}


def numeric_key() -> str:
    rows = zip(T.enrol, T.trial, T.mated, strict=True)
    return "".join(f"{e} {u} {int(m)}\n" for e, u, m in rows)


class Outcomes:
    """The cases, each run once."""

    def __init__(self, factory: pytest.TempPathFactory) -> None:
        self._factory = factory
        self._ran: dict[str, Ran] = {}

    def __getitem__(self, name: str) -> Ran:
        if name not in self._ran:
            folder = self._factory.mktemp("case")
            self._ran[name] = CASES[name][0](Case(folder))
        return self._ran[name]


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> Outcomes:
    return Outcomes(tmp_path_factory)


@pytest.mark.parametrize("name", CASES)
def test_sentence(name: str, outcomes: Outcomes) -> None:
    _, code, sentence = CASES[name]
    ran = outcomes[name]
    assert ran.code == code, ran.err
    assert re.search(sentence, ran.err), ran.err
    assert "Traceback" not in ran.err
    # An error prints no result; bad items are listed after one.
    assert bool(ran.out) == (code == 1)


def short_columns() -> None:
    named_scores(np.zeros(2), np.zeros(1, np.int32), np.zeros(2, np.int32), ("a",))


def codes(*pair: int) -> Callable[[], Any]:
    return lambda: named_scores(
        np.zeros(1), np.array(pair[:1], np.int32), np.array(pair[1:], np.int32), ("a", "b")
    )


API: dict[str, tuple[Callable[[], Any], str]] = {
    "columns": (short_columns, "There are 2 scores but 1 enrolment and 2 trial speakers; each"),
    "codes": (codes(0, 2), "The trial speakers are numbered 2 to 2 but there are 2, numbered from"),
    "negative codes": (codes(-1, 0), "The enrolment speakers are numbered -1 to -1 but there"),
    "names": (
        lambda: named_scores(*(np.zeros(1, np.int32),) * 3, ("a", "a")),
        "A speaker is named twice in the list of speakers; name each once",
    ),
    "pairing": (
        lambda: score_embeddings(V, V, SPK, pairing="lower"),
        "There is no pairing 'lower'; choose one of all, upper",
    ),
    "segments": (
        lambda: score_embeddings(V, V[:3], SPK),
        "There are 6 row and 3 column segments; paired segments must be equally many",
    ),
    "dimensions": (
        lambda: score_embeddings(V, V[:, :2], SPK),
        "The row segments have 4 dimensions and the column segments 2; use one encoder for both",
    ),
    "speakers": (
        lambda: score_embeddings(V, V, SPK[:2]),
        "There are 2 and 2 speakers for 6 row and 6 column segments; each segment needs one",
    ),
    "matrix": (
        lambda: unit_length(V[0]),
        r"Embeddings must be a matrix of numbers, a row per segment; these are float64 of shape",
    ),
    "text": (lambda: unit_length([["a"]]), "these are <U1 of shape"),
    "ragged": (lambda: unit_length([[1], [1, 2]]), "Embeddings must be a matrix of numbers"),
    "zero": (
        lambda: unit_length(np.zeros((2, 2))),
        r"2 embedding\(s\) are zero or not finite \(first: row 0\); leave these segments out",
    ),
}


@pytest.mark.parametrize("name", API)
def test_sentence_of_the_library(name: str) -> None:
    call, sentence = API[name]
    with pytest.raises(InputError, match=sentence):
        call()


# ------------------------------------------------------------------ no sentence without a case

SOURCE = Path(pseudovoice.__file__).parent
READ = [
    *(SOURCE / "scores" / "formats").glob("*.py"),
    *(SOURCE / "scores" / f"{n}.py" for n in ("read", "join", "key", "speakers", "npz")),
    *(SOURCE / "scores" / f"{n}.py" for n in ("embeddings", "scoreset")),
    *(SOURCE / "report").glob("*.py"),
    *(SOURCE / "cli" / f"{n}.py" for n in ("main", "options", "show")),
    *(SOURCE / "cli" / f"{n}.py" for n in ("assess", "assess_scores", "assess_embeddings")),
]
ERRORS = {"InputError", "UsageError", "MissingExtraError", "Failure", "Problem"}


def pattern(node: ast.expr) -> str:
    """A regular expression of what an expression may say: constants as they are, else anything."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return re.escape(node.value)
    if isinstance(node, ast.JoinedStr):
        return "".join(pattern(v) for v in node.values)
    if isinstance(node, ast.BinOp):
        return pattern(node.left) + pattern(node.right)
    if isinstance(node, ast.IfExp):
        return f"(?:{pattern(node.body)}|{pattern(node.orelse)})"
    return ".*"


def sentences() -> Iterator[tuple[str, str]]:
    for path in READ:
        for node in ast.walk(ast.parse(path.read_text())):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
                continue
            if node.func.id in ERRORS:
                said = node.args[1:] if node.func.id == "Problem" else node.args
                for argument in said:
                    if (text := pattern(argument)) not in (".*", ""):
                        yield f"{path.name}:{node.lineno}", text


def test_every_sentence_has_a_case(outcomes: Outcomes) -> None:
    everything = [outcomes[name].err for name in CASES]
    for call, _ in API.values():
        with pytest.raises(InputError) as caught:
            call()
        everything.append(str(caught.value))
    said = "\n".join(everything)
    found = list(sentences())
    assert len(found) > 80
    # A parameter in backticks is shown as the option that stands for it.
    told = (
        (where, re.sub(r"`[a-z]\w*(=[^`]*)?`", r"--[a-z][\\w-]*.*", text)) for where, text in found
    )
    assert [f"{where} {text}" for where, text in told if not re.search(text, said)] == []
