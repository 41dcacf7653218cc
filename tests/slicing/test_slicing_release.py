"""What a folder of slices gives away besides its sound, and whether all of it is there."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from pseudovoice.alignment import ReadAlignments
from pseudovoice.corpus import Corpus
from pseudovoice.errors import InputError, UsageError
from pseudovoice.keys import Key
from pseudovoice.one_run import one_run
from pseudovoice.slicing import Sliced, Slicing, slice_corpus
from pseudovoice.slicing.slice_corpus import RECORD
from pseudovoice.slicing.staging import Staging

KEY = Key(b"k" * 32)
Known = tuple[Corpus, ReadAlignments]


def cut(known: Known, out: Path, session: str = "default", **more: object) -> Sliced:
    corpus, aligner = known
    return slice_corpus(
        *(corpus, out, Slicing(0.7)),
        key=KEY, key_session=session, aligner=aligner, **more,  # type: ignore[arg-type]
    )  # fmt: skip


def content(folder: Path) -> dict[str, bytes]:
    return {
        str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()
    }


def test_two_sessions_share_nothing(known: Known, tmp_path: Path) -> None:
    records = []
    for session in ("one", "two"):
        cut(known, tmp_path / session, session)
        records.append(json.loads((tmp_path / session / RECORD).read_text()))
    assert records[0]["key"] != records[1]["key"]
    assert records[0]["input"] != records[1]["input"]
    assert KEY.identifier not in (records[0]["key"], records[1]["key"])
    assert not {u.id for u in cut(known, tmp_path / "one", "one").corpus} & {
        u.id for u in cut(known, tmp_path / "two", "two").corpus
    }


def test_everything_bears_one_time(known: Known, tmp_path: Path) -> None:
    cut(known, tmp_path / "out")
    everything = [tmp_path / "out", *(tmp_path / "out").rglob("*")]
    assert len({path.stat().st_mtime for path in everything}) == 1
    assert not Staging(tmp_path / "out").folder.exists()


def test_damaged_slices_are_made_again(known: Known, tmp_path: Path) -> None:
    cut(known, tmp_path / "out")
    reference = content(tmp_path / "out")
    emptied, shortened, removed = sorted((tmp_path / "out").rglob("*.flac"))[:3]
    emptied.write_bytes(b"")
    shortened.write_bytes(shortened.read_bytes()[:100])
    removed.unlink()
    assert not cut(known, tmp_path / "out").problems
    assert content(tmp_path / "out") == reference


def test_slices_damaged_on_their_way_are_made_again(
    known: Known, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reference = cut(known, tmp_path / "whole")
    with monkeypatch.context() as patched:
        patched.setattr(Staging, "publish", None)
        with pytest.raises(TypeError):  # as good as killed: all are made, none is in its place
            cut(known, tmp_path / "out")
    staged = sorted(Staging(tmp_path / "out").folder.glob("*.flac"))
    staged[0].write_bytes(b"")
    done = cut(known, tmp_path / "out")
    assert done.resumed == 5
    assert content(tmp_path / "out") == content(tmp_path / "whole")
    assert done.summary == reference.summary


def test_files_that_are_no_slices_are_named(known: Known, tmp_path: Path) -> None:
    cut(known, tmp_path / "out")
    (tmp_path / "out" / "slices" / "extra.flac").write_bytes(b"x")
    (problem,) = cut(known, tmp_path / "out").problems
    assert "1 file is none of these slices (slices/extra.flac)" in str(problem)


def test_slices_that_vanish_are_an_error(
    known: Known, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    from pseudovoice.slicing import staging

    real, calls = staging.write_atomic, []

    def removing(path: Path, data: bytes | str, *, private: bool = False) -> None:
        real(path, data, private=private)
        if path.suffix == ".flac":
            calls.append(path)
            if len(calls) == 4:
                shutil.rmtree(out)
                path.parent.mkdir(parents=True)
                real(path, data)

    with monkeypatch.context() as patched:
        patched.setattr(staging, "write_atomic", removing)
        with pytest.raises(InputError, match="has gone or was changed while"):
            cut(known, out)
    assert len(calls) > 4
    done = cut(known, out)
    assert not done.problems
    assert len(list(out.rglob("*.flac"))) == len(done.corpus)


def test_a_second_run_is_refused(known: Known, tmp_path: Path) -> None:
    out = tmp_path / "out"
    with (
        one_run(Staging(out).folder, out),
        pytest.raises(UsageError, match="another run is filling this folder"),
    ):
        cut(known, out)
    assert not cut(known, out).problems
