"""Slices as the last step of a chain, on real speech with the embedded aligner."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
import soundfile
from click.testing import CliRunner, Result

from pseudovoice.alignment import SphinxAligner, align
from pseudovoice.cli.main import app
from pseudovoice.corpus import Corpus, decode, read_corpus, write_audiofolder
from pseudovoice.errors import UsageError
from pseudovoice.keys import Key, read_key, write_key
from pseudovoice.protection.protect import protect_corpus
from pseudovoice.safeguards import Voice, parse_chain
from pseudovoice.safeguards.registry import _REGISTERED
from pseudovoice.safeguards.safeguard import Samples, describe
from pseudovoice.slicing import Slicing, read_table, slice_corpus
from pseudovoice.text.transcript import words_of

KEY = Key(b"k" * 32)
CHAIN = parse_chain("mcadams+slice:duration=1.5")


@pytest.fixture(scope="session")
def speech(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """Four utterances of two people, in a folder of their own."""
    folder = shared / "speech" / "dev"
    if not folder.is_dir():
        pytest.skip(f"the development speech is not here: there is no {folder}")
    whole = read_corpus(folder)
    out = tmp_path_factory.mktemp("speech") / "corpus"
    taken = []
    for speaker in ("84", "174"):
        short = sorted(whole.speakers[speaker], key=lambda u: soundfile.info(u.path).frames)[7:9]
        for utterance in short:
            path = out / utterance.path.relative_to(folder.resolve())
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(utterance.path.read_bytes())
            taken.append(replace(utterance, path=path))
    corpus = replace(whole, root=out, utterances=tuple(taken), problems=())
    write_audiofolder(corpus, out)
    return corpus


def content(folder: Path) -> dict[str, bytes]:
    return {
        str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()
    }


def run(*words: str | Path) -> Result:
    return CliRunner().invoke(app, [*map(str, words)])


def test_protected_speech_is_cut_where_the_words_of_the_original_are(
    speech: Corpus, tmp_path: Path
) -> None:
    table = tmp_path / "undo.csv"
    done = protect_corpus(speech, tmp_path / "out", CHAIN, key=KEY, undo_table=table)
    assert done.summary is not None
    assert done.summary.left_out == 0
    plain = slice_corpus(
        speech, tmp_path / "clear", Slicing(1.5), key=KEY, table=tmp_path / "clear.csv"
    )
    whole = protect_corpus(speech, tmp_path / "whole", parse_chain("mcadams"), key=None).corpus
    origins, clear = read_table(table), read_table(tmp_path / "clear.csv")
    assert [replace(o, slice="") for o in origins] == [replace(o, slice="") for o in clear]
    assert len(origins) > 6
    for origin in origins:
        piece, rate = soundfile.read(done.corpus.by_id[origin.slice].path, dtype="int16")
        protected, _ = soundfile.read(whole.by_id[origin.utterance].path, dtype="int16")
        first, last = (round(t * rate) for t in (origin.start, origin.end))
        assert (piece == protected[first:last]).all()
        assert done.corpus.by_id[origin.slice].transcript == origin.text
    # Whoever has both releases must not find the voices of one in the other by name.
    assert not {u.id for u in done.corpus} & {u.id for u in plain.corpus}


def test_nothing_public_tells_names_and_nothing_hidden_is_left(
    speech: Corpus, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    protect_corpus(speech, out, CHAIN, key=KEY)
    assert [p.name for p in tmp_path.iterdir()] == ["out"]
    files = content(out)
    text = "".join(files) + "".join(
        data.decode() for name, data in files.items() if not name.endswith(".flac")
    )
    for utterance in speech:
        for secret in (utterance.id, str(utterance.session), str(speech.root)):
            assert secret not in text
    assert KEY.secret.hex() not in text
    again = read_corpus(out)
    assert all(u.speaker == u.id and u.session is None and u.gender is None for u in again)
    record = json.loads((out / "protection.json").read_text())
    assert [step["safeguard"] for step in record["safeguard"]["chain"]] == ["mcadams", "slice"]


def test_a_killed_run_resumes_and_ends_alike(
    speech: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = protect_corpus(speech, tmp_path / "whole", CHAIN, key=KEY)

    class Killed(BaseException):
        pass

    real = SphinxAligner.__call__
    calls = []

    def dying(self: SphinxAligner, *given: Any) -> Any:
        calls.append(given)
        if len(calls) == 3:
            raise Killed
        return real(self, *given)

    out = tmp_path / "out"
    with monkeypatch.context() as patched:
        patched.setattr(SphinxAligner, "__call__", dying)
        with pytest.raises(Killed):
            protect_corpus(speech, out, CHAIN, key=KEY, workers=1)
    assert not content(out)
    hidden = tmp_path / "out.pseudovoice"
    assert hidden.stat().st_mode & 0o777 == 0o700
    made = {p.name: p.stat().st_mtime_ns for p in (hidden / "speech").rglob("*.flac")}
    assert len(made) == len(speech)
    seen: dict[str, int] = {}
    remove = shutil.rmtree

    def noting(path: Path, **options: Any) -> None:
        seen.update({p.name: p.stat().st_mtime_ns for p in Path(path).rglob("*.flac")})
        remove(path, **options)

    monkeypatch.setattr("pseudovoice.release.state.shutil.rmtree", noting)
    done = protect_corpus(speech, out, CHAIN, key=KEY)
    assert done.done + done.resumed == len(speech)
    assert done.resumed >= 2
    # What was protected before the kill was not protected again.
    assert {p: seen[p] for p in made} == made
    assert content(out) == content(tmp_path / "whole")
    assert done.summary == whole.summary
    again = protect_corpus(speech, out, CHAIN, key=KEY)
    assert again.summary == whole.summary
    assert content(out) == content(tmp_path / "whole")


@pytest.fixture
def late() -> Iterator[None]:
    """A safeguard that says everything 0.4 s later."""

    @dataclass(frozen=True)
    class Late:
        """Later."""

        name: ClassVar[str] = "late"
        reference: ClassVar[str] = "a test"
        deterministic: ClassVar[bool] = True
        level: ClassVar[str] = "speaker"
        keeps_timing: ClassVar[bool] = False

        def to_dict(self) -> dict[str, Any]:
            return describe(self)

        def __call__(self, samples: Samples, sample_rate: int, _: Voice) -> Samples:
            return np.roll(samples, round(0.4 * sample_rate))

    _REGISTERED["late"] = Late
    yield
    del _REGISTERED["late"]


@pytest.mark.usefixtures("late")
def test_words_are_found_anew_where_timing_changed(speech: Corpus, tmp_path: Path) -> None:
    chain = parse_chain("late+slice:duration=1.5")
    assert not chain.keeps_timing
    assert CHAIN.keeps_timing
    part = replace(speech, utterances=speech.utterances[:2])
    protect_corpus(part, tmp_path / "late", chain, key=KEY, undo_table=tmp_path / "late.csv")
    for utterance in part:
        first = next(o for o in read_table(tmp_path / "late.csv") if o.utterance == utterance.id)
        words = align(utterance).words
        count = len(first.text.split())
        assert 0 < count < len(words)
        middle = (words[count - 1].end + words[count].start) / 2
        assert first.end == pytest.approx(middle + 0.4, abs=0.03)


def test_refusals_come_before_the_work(
    speech: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "protection.json").write_text("{}")
    monkeypatch.setattr("pseudovoice.protection.to_slices.release", None)
    with pytest.raises(UsageError, match="protected in another way"):
        protect_corpus(speech, out, CHAIN, key=KEY)
    (out / "protection.json").rename(out / "precious")
    with pytest.raises(UsageError, match="the folder is not empty"):
        protect_corpus(speech, out, CHAIN, key=KEY)
    with pytest.raises(UsageError, match="must not lie with the slices"):
        protect_corpus(speech, tmp_path / "o", CHAIN, key=KEY, undo_table=tmp_path / "o" / "t.csv")
    mine = tmp_path / "o.pseudovoice" / "speech"
    mine.mkdir(parents=True)
    (mine / "precious").write_text("x")
    with pytest.raises(UsageError, match="something else"):
        protect_corpus(speech, tmp_path / "o", CHAIN, key=KEY)
    assert (mine / "precious").exists()
    shutil.rmtree(mine)
    with pytest.raises(UsageError, match="Only slices have a table"):
        protect_corpus(
            speech, tmp_path / "o", parse_chain("mcadams"), key=KEY, undo_table=tmp_path / "t.csv"
        )
    for wrong, why in (
        ("slice+mcadams", "slice must be the last of a chain"),
        ("slice+slice", "write slice."),
        ("mcadams+slice:duration=0", "lasts more than 0 s"),
        ("mcadams+slice:method=wrods", "choose from words"),
        ("mcadams+slice:seconds=1", "it has duration, method"),
    ):
        done = run("protect", speech.root, tmp_path / "o", "--safeguard", wrong)
        assert done.exit_code == 2
        assert why in " ".join(done.output.split())


def test_command_and_list(speech: Corpus, tmp_path: Path) -> None:
    listed = json.loads(run("list", "safeguards", "--json").stdout)["safeguards"]
    one = next(s for s in listed if s["name"] == "slice")
    assert one["parameters"]["duration"] == 1.0
    table = tmp_path / "undo.csv"
    words = ("protect", speech.root, tmp_path / "out", "--safeguard", "mcadams+slice:duration=2")
    done = run(*words, "--undo-table", table)
    assert done.exit_code == 0, done.output
    assert "slices of 2." in done.stdout
    assert "protected with mcadams+slice" in done.stdout
    assert "keep it apart" in done.stderr
    assert len(read_table(table)) == len(read_corpus(tmp_path / "out"))
    facts = json.loads(run(*words, "--json").stdout)
    assert facts["slices"] == len(read_table(table))
    assert "speakers" not in facts


def test_word_times_made_elsewhere(speech: Corpus, tmp_path: Path) -> None:
    """Times that are read, not found: words of one length, so that every cut is a multiple."""
    first = next(iter(speech))
    words = words_of(first.transcript or "")
    seconds = decode(first).duration / len(words)
    times = [f"{first.id} 1 {k * seconds:.4f} {seconds:.4f} {w}" for k, w in enumerate(words)]
    (tmp_path / "times.ctm").write_text("\n".join(times))
    table = tmp_path / "undo.csv"
    done = run(
        *("protect", speech.root, tmp_path / "out", "--safeguard", "mcadams+slice:duration=1.5"),
        *("--alignments", tmp_path / "times.ctm", "--undo-table", table, "--json"),
    )
    assert done.exit_code == 1, done.output  # the other utterances have no times there
    origins = read_table(table)
    assert {origin.utterance for origin in origins} == {first.id}
    ends = np.array([origin.end for origin in origins])
    assert np.allclose(ends / seconds, np.round(ends / seconds), atol=1e-2)
    assert len(json.loads(done.stdout)["problems"]) == len(speech) - 1
    whole = run(
        *("protect", speech.root, tmp_path / "o", "--safeguard", "mcadams"),
        *("--alignments", tmp_path / "times.ctm"),
    )
    assert whole.exit_code == 2
    assert "leave out --alignments" in " ".join(whole.output.split())


@pytest.mark.parametrize("verb", ["protect", "slice"])
@pytest.mark.parametrize("name", ["k.key", "hard", "soft", "notes.txt", "folder", "pipe"])
def test_the_table_takes_nothings_place_but_an_earlier_tables(
    speech: Corpus, tmp_path: Path, verb: str, name: str
) -> None:
    key_file = tmp_path / "k.key"
    write_key(KEY, key_file)
    os.link(key_file, tmp_path / "hard")
    (tmp_path / "soft").symlink_to("k.key")
    (tmp_path / "notes.txt").write_text("slice,utterance\n")
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    words: list[str | Path] = [verb, speech.root, tmp_path / "out", "--key-file", key_file]
    words += ["--safeguard", "mcadams+slice"] if verb == "protect" else []
    done = run(*words, "--undo-table", tmp_path / name)
    assert done.exit_code == 2
    assert name in done.output
    assert read_key(key_file) == KEY
    assert not (tmp_path / "out").exists(), "refused before any work"
