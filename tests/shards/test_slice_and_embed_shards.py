"""Slices and embeddings by shards: merged, they are what one run makes, byte for byte."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from shard_runs import content, run, said, times

from pseudovoice.corpus import read_corpus
from pseudovoice.scores.npz import read_embeddings

ALIGNED = "words.ctm"


@pytest.fixture(scope="module")
def aligned(speech: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Word times for the little that is there: a word every tenth of a second."""
    path = tmp_path_factory.mktemp("aligned") / ALIGNED
    lines = []
    for u in read_corpus(speech):
        words = (u.transcript or "").split()
        step = 1.2 / len(words)
        lines += [f"{u.id} 1 {k * step:.4f} {step:.4f} {word} 1.0" for k, word in enumerate(words)]
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.mark.parametrize("verb", ["slice", "protect"])
def test_merged_slices_are_the_whole(
    verb: str, speech: Path, aligned: Path, key: Path, tmp_path: Path
) -> None:
    """By `slice` itself, and as the end of a chain."""
    how: list[object] = ["--key-file", key, "--alignments", aligned]
    how += (
        ["--duration", 0.4]
        if verb == "slice"
        else ["--safeguard", "mcadams-random+slice:duration=0.4"]
    )
    for k in (2, 3, 1):
        done = run(verb, speech, tmp_path / "p" / f"{k}", "--shard", f"{k}/3", *how)
        assert done.exit_code == 0, done.output
    out, table = tmp_path / "1" / "out", tmp_path / "1.csv"
    done = run("merge", *(tmp_path / "p").iterdir(), "-o", out, "--undo-table", table)
    assert done.exit_code == 0, done.output
    whole, its_table = tmp_path / "2" / "out", tmp_path / "2.csv"
    assert run(verb, speech, whole, *how, "--undo-table", its_table).exit_code == 0
    assert content(out) == content(whole)
    assert len(list(out.rglob("*.flac"))) >= 9
    assert table.read_bytes() == its_table.read_bytes()
    assert len(times(out)) == 1
    # Both are the same to whoever goes on: nothing is made again.
    assert run(verb, speech, out, *how).exit_code == 0
    assert content(out) == content(whole)


def test_slices_that_lack_an_utterance(
    speech: Path, aligned: Path, key: Path, tmp_path: Path
) -> None:
    source = tmp_path / "speech"
    shutil.copytree(speech, source)
    sorted(source.rglob("*.flac"))[4].write_bytes(b"no audio")
    how = ("--key-file", key, "--alignments", aligned, "--duration", 0.4)
    for k in (1, 2):
        run("slice", source, tmp_path / "p" / f"{k}", "--shard", f"{k}/2", *how)
    done = run("merge", *(tmp_path / "p").iterdir(), "-o", tmp_path / "1" / "out")
    assert done.exit_code == 1
    assert run("slice", source, tmp_path / "2" / "out", *how).exit_code == 1
    assert content(tmp_path / "1" / "out") == content(tmp_path / "2" / "out")
    assert b'"complete": false' in (tmp_path / "1" / "out" / "slicing.json").read_bytes()


def test_a_changed_slice(speech: Path, aligned: Path, key: Path, tmp_path: Path) -> None:
    how = ("--key-file", key, "--alignments", aligned, "--duration", 0.4)
    for k in (1, 2):
        run("slice", speech, tmp_path / "p" / f"{k}", "--shard", f"{k}/2", *how)
    victim, other = sorted((tmp_path / "p" / "2").rglob("*.flac"))[:2]
    kept = victim.read_bytes()
    victim.write_bytes(other.read_bytes())
    parts = tuple((tmp_path / "p").iterdir())
    done = run("merge", *parts, "-o", tmp_path / "1" / "out")
    assert "has gone or was changed since shard 2/2 made it" in said(done)
    victim.write_bytes(kept)
    assert run("merge", *parts, "-o", tmp_path / "1" / "out").exit_code == 0
    run("slice", speech, tmp_path / "2" / "out", *how)
    assert content(tmp_path / "1" / "out") == content(tmp_path / "2" / "out")


def test_merged_embeddings_are_the_whole(
    speech: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PSEUDOVOICE_CACHE", str(tmp_path / "cache"))
    how = ("--encoder", "prosody")
    for k in (3, 1, 2):
        part = tmp_path / "p" / f"{k}.npz"
        done = run("embed", speech, "-o", part, "--shard", f"{k}/3", *how)
        assert done.exit_code == 0, done.output
    done = run("merge", *(tmp_path / "p").iterdir(), "-o", tmp_path / "merged.npz")
    assert done.exit_code == 0, done.output
    assert run("embed", speech, "-o", tmp_path / "whole.npz", *how).exit_code == 0
    assert (tmp_path / "merged.npz").read_bytes() == (tmp_path / "whole.npz").read_bytes()
    assert (tmp_path / "merged.npz").stat().st_mode & 0o777 == 0o600
    read = read_embeddings(tmp_path / "merged.npz", tmp_path / "whole.npz").original
    assert [*read.ids] == [u.id for u in read_corpus(speech)]
    assert np.isfinite(read.vectors).all()
    refused = run("merge", tmp_path / "p" / "1.npz", "-o", tmp_path / "m.npz")
    assert "2 of 3 shards are missing (2/3, 3/3)" in said(refused)
    (tmp_path / "p" / "1.npz").write_bytes(b"")
    refused = run("merge", *(tmp_path / "p").iterdir(), "-o", tmp_path / "m.npz")
    assert "has gone or was changed since shard 1/3 made it" in said(refused)
    assert "give the file that name" in said(run("embed", speech, "-o", tmp_path / "x.txt", *how))


def test_a_share_in_which_nothing_can_be_heard(speech: Path, tmp_path: Path) -> None:
    source = tmp_path / "speech"
    shutil.copytree(speech, source)
    for path in sorted(source.rglob("*.flac"))[1:]:
        path.write_bytes(b"no audio")
    how = ("--encoder", "prosody", "--no-cache")
    codes = [
        run("embed", source, "-o", tmp_path / f"p{k}.npz", "--shard", f"{k}/2", *how).exit_code
        for k in (1, 2)
    ]
    assert codes == [1, 1]
    done = run("merge", tmp_path / "p1.npz", tmp_path / "p2.npz", "-o", tmp_path / "out.npz")
    assert done.exit_code == 1
    assert "8 problem(s)" in said(done)
    assert run("embed", source, "-o", tmp_path / "whole.npz", *how).exit_code == 1
    assert (tmp_path / "out.npz").read_bytes() == (tmp_path / "whole.npz").read_bytes()


def test_verbs_are_not_mixed(speech: Path, tmp_path: Path) -> None:
    how = ("--encoder", "prosody", "--no-cache")
    run("embed", speech, "-o", tmp_path / "p1.npz", "--shard", "1/2", *how)
    run("protect", speech, tmp_path / "p2", "--shard", "2/2", "--safeguard", "mcadams")
    told = said(run("merge", tmp_path / "p1.npz", tmp_path / "p2", "-o", tmp_path / "out"))
    assert "was made by another verb" in told
