"""A sliced corpus: what is in it, what must not be, and that nothing is lost on the way."""

from __future__ import annotations

import json
import re
import shutil
import stat
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import soundfile
from click.testing import CliRunner, Result

from pseudovoice.alignment import ReadAlignments, Word
from pseudovoice.cli.main import app
from pseudovoice.corpus import Corpus, read_corpus
from pseudovoice.errors import InputError, UsageError
from pseudovoice.keys import Key
from pseudovoice.slicing import Slicing, read_table, slice_corpus
from pseudovoice.slicing.slice_corpus import RECORD
from pseudovoice.slicing.staging import Staging

KEY = Key(b"k" * 32)
Known = tuple[Corpus, ReadAlignments]


def content(folder: Path) -> dict[str, bytes]:
    return {
        str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()
    }


def test_every_sample_and_word_is_in_one_slice_or_the_tail(known: Known, tmp_path: Path) -> None:
    corpus, aligner = known
    done = slice_corpus(
        corpus, tmp_path / "out", key=KEY, aligner=aligner, table=tmp_path / "undo.csv"
    )
    origins = read_table(tmp_path / "undo.csv")
    assert done.summary.slices == len(origins) == len(done.corpus)
    kept = lost = 0
    for utterance in corpus:
        mine = [o for o in origins if o.utterance == utterance.id]
        assert [o.position for o in mine] == list(range(len(mine)))
        pieces = [soundfile.read(done.corpus.by_id[o.slice].path, dtype="int16")[0] for o in mine]
        joined = np.concatenate(pieces)
        whole, rate = soundfile.read(utterance.path, dtype="int16")
        assert (joined == whole[: joined.size]).all()
        assert whole.size - joined.size < rate
        words = (utterance.transcript or "").split()
        said = " ".join(done.corpus.by_id[o.slice].transcript or "" for o in mine).split()
        assert said == words[: len(said)]
        assert all(piece.size >= rate for piece in pieces)
        assert {(o.speaker, o.session) for o in mine} == {(utterance.speaker, "morning")}
        kept, lost = kept + len(said), lost + len(words) - len(said)
    assert (done.summary.words_kept, done.summary.words_lost) == (kept, lost)
    durations = [o.end - o.start for o in origins]
    assert done.summary.mean_duration == pytest.approx(np.mean(durations))
    assert done.summary.sd_duration == pytest.approx(np.std(durations, ddof=1))
    whole_time = sum(soundfile.info(u.path).duration for u in corpus)
    assert done.summary.seconds_kept == pytest.approx(sum(durations), abs=1e-3)
    assert done.summary.seconds_kept + done.summary.seconds_lost == pytest.approx(whole_time)


def test_overlapping_slices_share_their_silence(known: Known, tmp_path: Path) -> None:
    corpus, aligner = known
    done = slice_corpus(
        corpus,
        tmp_path / "out",
        Slicing(overlap=True),
        key=KEY,
        aligner=aligner,
        table=tmp_path / "undo.csv",
    )
    origins = read_table(tmp_path / "undo.csv")
    shared = 0
    for first, second in pairwise(origins):
        if first.utterance == second.utterance and second.start < first.end:
            one, two = (soundfile.read(done.corpus.by_id[o.slice].path)[0] for o in (first, second))
            count = round(first.end * 8000) - round(second.start * 8000)
            assert (one[-count:] == two[:count]).all()
            shared += 1
    assert shared > 5
    assert done.summary.seconds_kept < sum(o.end - o.start for o in origins)


def test_nothing_public_tells_where_a_slice_comes_from(known: Known, tmp_path: Path) -> None:
    corpus, aligner = known
    out = tmp_path / "out"
    done = slice_corpus(corpus, out, key=KEY, aligner=aligner)
    everything = "".join(content(out)) + "".join(
        data.decode() for name, data in content(out).items() if not name.endswith(".flac")
    )
    for secret in ("spk", "utterance", "morning", str(tmp_path), KEY.secret.hex()):
        assert secret not in everything
    for data in content(out).values():
        assert KEY.secret not in data
        assert b"utterance" not in data
    again = read_corpus(out)
    assert [u.id for u in again] == sorted(u.id for u in again) == [u.id for u in done.corpus]
    assert all(u.speaker == u.id and u.session is None and u.gender is None for u in again)
    assert [u.transcript for u in again] == [u.transcript for u in done.corpus]
    assert all(re.fullmatch(r"slice-[0-9a-f]{20}", u.id) for u in again)
    times = {u.path.stat().st_mtime_ns for u in again}
    assert len(times) == 1
    # Made in the order of their names: neither inodes nor times of change give neighbours away.
    born = [u.path.stat().st_ctime_ns for u in again]
    assert born == sorted(born)
    assert [p.name for p in tmp_path.iterdir() if "slicing" in p.name] == []


def test_names_depend_on_key_session_and_settings_only(known: Known, tmp_path: Path) -> None:
    corpus, aligner = known
    backwards = replace(corpus, utterances=corpus.utterances[::-1])

    def names(name: str, **options: object) -> set[str]:
        given = {"key": KEY, "aligner": aligner, **options}
        source = given.pop("corpus", corpus)
        slicing = given.pop("slicing", None)
        done = slice_corpus(source, tmp_path / name, slicing, **given)  # type: ignore[arg-type]
        return {u.id for u in done.corpus}

    one = names("1")
    assert names("2", corpus=backwards, workers=1) == one
    assert content(tmp_path / "1") == content(tmp_path / "2")
    for k, other in enumerate(
        ({"key": Key(b"x" * 32)}, {"key_session": "b"}, {"slicing": Slicing(1.0, overlap=True)})
    ):
        assert not names(f"other{k}", **other) & one


def test_a_killed_run_resumes_and_ends_alike(
    known: Known, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus, aligner = known
    whole = tmp_path / "whole"
    slice_corpus(corpus, whole, key=KEY, aligner=aligner)

    class Killed(BaseException):
        pass

    class Dying:
        """Stops at the fourth utterance, as a kill would."""

        name, identity, calls = aligner.name, aligner.identity, 0

        def __call__(self, utterance, sound, written):  # type: ignore[no-untyped-def]
            self.calls += 1
            if self.calls == 4:
                raise Killed
            return aligner(utterance, sound, written)

    out = tmp_path / "out"
    with pytest.raises(Killed):
        slice_corpus(corpus, out, key=KEY, aligner=Dying(), workers=1)
    assert not content(out)
    staged = tmp_path / ".out.slicing"
    assert stat.S_IMODE(staged.stat().st_mode) == 0o700
    with (staged / "journal.jsonl").open("a") as journal:
        journal.write('["cut sho')
    # Killed a second time, while the slices are put into their places.
    from pseudovoice.slicing import staging

    real = staging.write_atomic
    written = []

    def dying(path: Path, data: bytes | str, **how: bool) -> None:
        if path.suffix == ".flac":
            written.append(path)
            if len(written) == 5:
                raise Killed
        real(path, data, **how)

    with monkeypatch.context() as patched:
        patched.setattr(staging, "write_atomic", dying)
        with pytest.raises(Killed):
            slice_corpus(corpus, out, key=KEY, aligner=aligner)
    assert len(content(out)) == 4
    done = slice_corpus(corpus, out, key=KEY, aligner=aligner, table=tmp_path / "t.csv")
    assert done.resumed == 6
    assert content(out) == content(whole)
    assert len(read_table(tmp_path / "t.csv")) == len(done.corpus)
    assert not staged.exists()
    # And once more on what is done: nothing changes.
    again = slice_corpus(corpus, out, key=KEY, aligner=aligner)
    assert again.summary == done.summary
    assert content(out) == content(whole)


def test_other_slices_or_things_in_the_folder_are_not_mixed(known: Known, tmp_path: Path) -> None:
    corpus, aligner = known
    out = tmp_path / "out"
    slice_corpus(corpus, out, key=KEY, aligner=aligner)
    for change in (
        {"slicing": Slicing(2.0)},
        {"key": Key(b"x" * 32)},
        {"aligner": replace(aligner, words={**aligner.words, "utterance0": (Word("a", 0, 1),)})},
    ):
        given = {"key": KEY, "aligner": aligner, **change}
        with pytest.raises(UsageError, match="this folder holds other slices"):
            slice_corpus(corpus, out, **given)  # type: ignore[arg-type]
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "precious.txt").write_text("x")
    with pytest.raises(UsageError, match="the folder is not empty"):
        slice_corpus(corpus, tmp_path / "full", key=KEY, aligner=aligner)
    with pytest.raises(UsageError, match="cannot lie inside the corpus"):
        slice_corpus(corpus, corpus.root / "x", key=KEY, aligner=aligner)
    with pytest.raises(UsageError, match="must not lie with the slices"):
        slice_corpus(corpus, tmp_path / "n", key=KEY, aligner=aligner, table=tmp_path / "n" / "t")


def test_bad_utterances_are_problems_and_the_rest_is_sliced(known: Known, tmp_path: Path) -> None:
    corpus, aligner = known
    corpus.utterances[0].path.write_bytes(b"no audio")
    corpus.utterances[1].path.unlink()
    aligner.words.pop("utterance2")
    done = slice_corpus(corpus, tmp_path / "out", key=KEY, aligner=aligner)
    assert [str(p).split(":")[0].split("/")[-1] for p in done.problems[:2]] == [
        "utterance0.wav",
        "utterance1.wav",
    ]
    assert "there is no alignment of it" in str(done.problems[2])
    assert done.summary.left_out == 3
    assert done.summary.utterances == 3
    with pytest.raises(InputError, match="gives no slice of 900 s"):
        slice_corpus(corpus, tmp_path / "none", Slicing(900), key=KEY, aligner=aligner)


def test_fixed_pieces_do_without_words(known: Known, tmp_path: Path) -> None:
    corpus, aligner = known
    silent = replace(
        corpus, utterances=tuple(replace(u, transcript=None) for u in corpus.utterances[:2])
    )
    for method, count in (("shorten", 2), ("fixed", None)):
        done = slice_corpus(
            silent, tmp_path / method, Slicing(0.5, method), key=KEY, aligner=aligner
        )
        assert not done.problems
        assert all(u.transcript is None for u in done.corpus)
        if count is not None:
            assert len(done.corpus) == count
        assert {soundfile.info(u.path).frames for u in done.corpus} == {4000}
    aligner.words.pop("utterance1")
    part = replace(corpus, utterances=corpus.utterances[:2])
    done = slice_corpus(part, tmp_path / "p", Slicing(0.5, "fixed"), key=KEY, aligner=aligner)
    assert [p.remedy for p in done.problems] == ["its slices have no transcript"]
    texts = [u.transcript for u in done.corpus]
    assert any(texts)
    assert None in texts


def run(*words: str | Path) -> Result:
    return CliRunner().invoke(app, ["slice", *map(str, words)])


def test_command_slices_says_so_and_keeps_the_table_private(known: Known, tmp_path: Path) -> None:
    corpus, aligner = known
    lines = [
        f"{name} 1 {w.start} {w.end - w.start} {w.word}"
        for name, words in aligner.words.items()
        for w in words
    ]
    (tmp_path / "times.ctm").write_text("\n".join(lines))
    text = {u.id: u.transcript for u in corpus}
    rows = [f"{u.id},{u.path.relative_to(corpus.root)},{u.speaker},{text[u.id]}" for u in corpus]
    (corpus.root / "all.csv").write_text("\n".join(["utt,path,speaker,transcript", *rows]))
    table = tmp_path / "undo.csv"
    words = (corpus.root / "all.csv", tmp_path / "out", "--alignments", tmp_path / "times.ctm")
    done = run(*words, "--duration", "0.7", "--table", table)
    assert done.exit_code == 0, done.output
    assert re.search(r"\d+ slices of 0\.\d+ s ± 0\.\d+ s from 6 utterances", done.stdout)
    assert str(tmp_path / "out.key") in done.stderr
    assert stat.S_IMODE(table.stat().st_mode) == 0o600
    assert len(read_table(table)) == len(read_corpus(tmp_path / "out"))
    record = json.loads((tmp_path / "out" / RECORD).read_text())
    assert record["slicing"]["duration"] == 0.7
    again = json.loads(run(*words, "--duration", "0.7", "--json").stdout)
    assert again["slices"] == len(read_table(table))
    assert again["problems"] == []
    shutil.rmtree(tmp_path / "out")
    inside = run(*words, "--key-file", tmp_path / "out" / "k")
    assert inside.exit_code == 2
    assert "must not lie in the folder" in " ".join(inside.output.split())


def test_broken_tables_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such table"):
        read_table(tmp_path / "none.csv")
    (tmp_path / "a.csv").write_text("a,b\n1,2\n")
    with pytest.raises(InputError, match="which has the columns slice, utterance"):
        read_table(tmp_path / "a.csv")
    (tmp_path / "b.csv").write_text(
        "slice,utterance,position,start,end,speaker,session,text\ns,u,x,0,1,a,,t\n"
    )
    with pytest.raises(InputError, match=r"b.csv:2: the line is not one"):
        read_table(tmp_path / "b.csv")


HEADER = "slice,utterance,position,start,end,speaker,session,text\r\n"


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("s1,u1,0,0.0,1.5\r\n", "undo.csv:2: the line is not one"),
        ("s1,u1,0,0.0,1.5,anna,,so,more\r\n", "undo.csv:2: the line is not one"),
        (f"s1,u1,0,0.0,1.5,anna,,{'x' * 200_000}\r\n", "the table of slices is damaged"),
    ],
)
def test_an_undo_table_with_a_damaged_line_is_a_sentence(
    tmp_path: Path, line: str, sentence: str
) -> None:
    (tmp_path / "undo.csv").write_text(HEADER + line, newline="")
    with pytest.raises(InputError, match=sentence):
        read_table(tmp_path / "undo.csv")


def test_what_a_killed_slicing_left_may_be_damaged(tmp_path: Path) -> None:
    staging = Staging(tmp_path / "out")
    with staging.held():
        for journal in (b"[" * 5000, b'["m\xae"\n7\nnull\n[1]'):
            (staging.folder / "settings.json").write_bytes(b"[" * 5000)
            assert staging.settings() is None
            (staging.folder / "settings.json").write_bytes(b"{}")
            (staging.folder / "journal.jsonl").write_bytes(journal)
            staging.open({})
            assert staging.tally("m") is None
