"""Protected speech by shards: merged, it is what one run makes, byte for byte."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import soundfile
from shard_runs import content, run, said, times

from pseudovoice.corpus import Corpus, Utterance, read_corpus
from pseudovoice.corpus.shard import Shard, parse_shard
from pseudovoice.errors import UsageError

PERSONA = "persona:candidates=2,encoders=ge2e"
PLAIN = "persona:candidates=1"


def shard(source: Path, place: Path, k: int, n: int, *more: object) -> str:
    result = run("protect", source, place, "--shard", f"{k}/{n}", *more)
    assert result.exit_code == 0, result.output
    return said(result)


def merged(folder: Path, out: Path, *more: object) -> str:
    result = run("merge", *sorted(folder.iterdir()), "-o", out, *more)
    assert result.exit_code == 0, result.output
    return said(result)


# Who is in which shard.


def test_every_utterance_is_in_one_shard_whatever_else_there_is() -> None:
    people = [Utterance(f"u{k}", f"s{k % 7}", Path("/nowhere")) for k in range(3_000)]
    shares = [Shard(k, 4).part(Corpus("c", Path("/c"), tuple(people))) for k in (1, 2, 3, 4)]
    assert sorted(u.id for share in shares for u in share) == sorted(u.id for u in people)
    assert all(650 < len(share) < 850 for share in shares)
    fewer = Corpus("c", Path("/c"), tuple(reversed(people[::3])))
    assert {u.id for u in Shard(2, 4).part(fewer)} == {u.id for u in shares[1]} & {
        u.id for u in fewer
    }


@pytest.mark.parametrize("text", ["0/3", "4/3", "1/0", "1-3", "one", "-1/3", "1/3/3", ""])
def test_what_is_no_shard_is_a_sentence(text: str) -> None:
    with pytest.raises(UsageError, match="shard"):
        parse_shard(text)


# The same as one run.


@pytest.mark.parametrize(
    ("safeguard", "more"),
    [
        ("mcadams", ()),
        ("mcadams-random", ("--pad", "0.5")),
        ("mcadams-random:level=utterance", ("--rename",)),
        (PERSONA, ("--rename",)),
    ],
)
def test_merged_shards_are_the_whole(
    safeguard: str, more: tuple[str, ...], speech: Path, key: Path, tmp_path: Path
) -> None:
    other = key.with_name("copy.key")  # that the whole gives its voices by itself
    shutil.copy(key, other)
    how = ("--safeguard", safeguard, *more)
    for k in (3, 1, 2):
        shard(speech, tmp_path / "parts" / str(k), k, 3, *how, "--key-file", key)
    told = merged(tmp_path / "parts", tmp_path / "1" / "out")
    assert "9 files of speech" in told
    assert run("protect", speech, tmp_path / "2" / "out", *how, "--key-file", other).exit_code == 0
    whole = content(tmp_path / "2" / "out")
    assert content(tmp_path / "1" / "out") == whole
    assert len([name for name in whole if name.endswith(".flac")]) == 9
    if "--rename" in more:
        assert len(times(tmp_path / "1" / "out")) == 1
    # It is a release like any other: a run without shards has nothing left to do.
    again = run("protect", speech, tmp_path / "1" / "out", *how, "--key-file", key)
    assert "9 of them before" in said(again)
    assert content(tmp_path / "1" / "out") == whole


def test_shards_at_once_give_everybody_one_voice(speech: Path, key: Path, tmp_path: Path) -> None:
    """Three programs that start together, with one key: each voice is searched once."""
    shutil.copy(key, key.with_name("copy.key"))

    def one(k: int) -> subprocess.CompletedProcess[str]:
        words = ["protect", speech, tmp_path / "parts" / str(k), "--shard", f"{k}/3"]
        words += ["--safeguard", PLAIN, "--key-file", key, "--workers", 1]
        command = [sys.executable, "-m", "pseudovoice", *map(str, words)]
        return subprocess.run(command, capture_output=True, text=True, timeout=200)

    with ThreadPoolExecutor(3) as pool:
        for done in pool.map(one, (1, 2, 3)):
            assert done.returncode == 0, done.stderr
    merged(tmp_path / "parts", tmp_path / "1" / "out")
    whole = ("protect", speech, tmp_path / "2" / "out", "--safeguard", PLAIN)
    assert run(*whole, "--key-file", key.with_name("copy.key")).exit_code == 0
    assert content(tmp_path / "1" / "out") == content(tmp_path / "2" / "out")
    given = list(key.parent.glob("secret.key.persona-*.jsonl"))
    assert len(given[0].read_text().splitlines()) == 3


def test_a_bad_file_is_listed_once_and_as_before(key: Path, speech: Path, tmp_path: Path) -> None:
    source = tmp_path / "corpus"
    shutil.copytree(speech, source)
    bad = sorted(source.rglob("*.flac"))[4]
    bad.write_bytes(b"no audio")
    how = ("--safeguard", "mcadams-random", "--key-file", key)
    codes = [
        run("protect", source, tmp_path / "p" / str(k), "--shard", f"{k}/3", *how).exit_code
        for k in (1, 2, 3)
    ]
    assert sorted(codes) == [0, 0, 1]
    result = run("merge", *(tmp_path / "p").iterdir(), "-o", tmp_path / "1" / "out", "--json")
    assert result.exit_code == 1
    whole = run("protect", source, tmp_path / "2" / "out", *how, "--json")
    assert json.loads(result.stdout)["problems"] == json.loads(whole.stdout)["problems"]
    assert content(tmp_path / "1" / "out") == content(tmp_path / "2" / "out")


def test_more_shards_than_utterances(speech: Path, tmp_path: Path) -> None:
    how = ("--safeguard", "mcadams")
    told = [shard(speech, tmp_path / "p" / str(k), k, 20, *how) for k in range(1, 21)]
    assert any("0 utterances" in one for one in told)
    merged(tmp_path / "p", tmp_path / "out")
    assert len(read_corpus(tmp_path / "out")) == 9


# What a part gives away.


def test_a_renamed_part_names_nobody_and_no_order(speech: Path, key: Path, tmp_path: Path) -> None:
    how = ("--safeguard", "mcadams-random", "--rename", "--key-file", key)
    shard(speech, tmp_path / "p", 1, 2, *how)
    part = tmp_path / "p.pseudovoice" / "part.json"
    assert part.stat().st_mode & 0o777 == 0o600
    text = part.read_text()
    assert not any(u.id in text or f'"{u.speaker}"' in text for u in read_corpus(speech))
    assert {row[0] for row in json.loads(text)["rows"]} == {None}


# What is refused, each with its sentence, before anything is written.


@pytest.fixture
def parts(speech: Path, key: Path, tmp_path: Path) -> Path:
    how = ("--safeguard", "mcadams-random", "--key-file", key)
    for k in (1, 2, 3):
        shard(speech, tmp_path / "parts" / str(k), k, 3, *how)
    return tmp_path / "parts"


def refused(out: Path, *parts: Path) -> str:
    result = run("merge", *parts, "-o", out)
    assert result.exit_code == 2, result.output
    assert not out.exists()
    return said(result)


def test_a_missing_shard(parts: Path, tmp_path: Path) -> None:
    told = refused(tmp_path / "out", parts / "1", parts / "3")
    assert "1 of 3 shards is missing (2/3)" in told


def test_a_shard_twice(parts: Path, tmp_path: Path) -> None:
    shutil.copytree(parts / "2", parts / "again")
    shutil.copytree(parts / "2.pseudovoice", parts / "again.pseudovoice")
    assert "name each shard once" in refused(tmp_path / "out", *sorted(parts.iterdir()))


@pytest.mark.parametrize("what", ["key", "session", "safeguard", "corpus", "number", "rename"])
def test_a_shard_of_something_else(
    what: str, parts: Path, speech: Path, key: Path, tmp_path: Path
) -> None:
    source, k, n, named, more = speech, 2, 3, key, ["--safeguard", "mcadams-random"]
    if what == "key":
        named = tmp_path / "other.key"
        assert run("key", "new", named).exit_code == 0
    if what == "session":
        more += ["--session", "other"]
    if what == "safeguard":
        more = ["--safeguard", "mcadams-random:low=0.6"]
    if what == "rename":
        more += ["--rename"]
    if what == "number":
        n = 4
    if what == "corpus":
        source = tmp_path / "corpus"
        shutil.copytree(speech, source)
        sorted(source.rglob("*.flac"))[0].unlink()
    shard(source, tmp_path / "new", k, n, *more, "--key-file", named)
    told = refused(tmp_path / "out", parts / "1", tmp_path / "new", parts / "3")
    expected = {
        "corpus": "is a share of another corpus",
        "number": "is one of another number of shards",
    }
    assert expected.get(what, "another key, session, version or parameters") in told
    assert str(tmp_path / "new") in told


def test_shards_that_gave_other_voices(speech: Path, key: Path, tmp_path: Path) -> None:
    """A copy of the key beside which another voice was kept."""
    copy = tmp_path / "elsewhere" / "secret.key"
    copy.parent.mkdir()
    shutil.copy(key, copy)
    how = ("--safeguard", PLAIN)
    shard(speech, tmp_path / "p" / "1", 1, 2, *how, "--key-file", key)
    (kept,) = key.parent.glob("*.jsonl")
    lines = [json.loads(line) for line in kept.read_text().splitlines()]
    lines[0]["voice"] = lines[1]["voice"]
    theirs = copy.with_name(kept.name)
    theirs.touch(0o600)
    theirs.write_text("".join(json.dumps(line) + "\n" for line in lines))
    shard(speech, tmp_path / "p" / "2", 2, 2, *how, "--key-file", copy)
    told = refused(tmp_path / "out", tmp_path / "p" / "1", tmp_path / "p" / "2")
    assert "gives people other voices" in told


def test_a_changed_or_lost_file(parts: Path, tmp_path: Path) -> None:
    victim = sorted((parts / "2").rglob("*.flac"))[0]
    victim.write_bytes(victim.read_bytes()[:-1])
    result = run("merge", *parts.iterdir(), "-o", tmp_path / "out")
    assert result.exit_code == 2
    assert f"{victim}: has gone or was changed since shard 2/3 made it" in said(result)
    victim.unlink()
    assert "has gone or was changed" in said(run("merge", *parts.iterdir(), "-o", tmp_path / "out"))


def test_a_part_without_its_owner_s_folder(parts: Path, tmp_path: Path) -> None:
    shutil.rmtree(parts / "2.pseudovoice")
    told = refused(tmp_path / "out", *sorted(parts.iterdir()))
    assert "2.pseudovoice, which lies beside it, was not brought along" in told
    (parts / "1.pseudovoice" / "part.json").write_text('{"shard": ')
    assert "cannot be read" in refused(tmp_path / "out", parts / "1")


def test_shards_are_not_mixed(parts: Path, speech: Path, key: Path, tmp_path: Path) -> None:
    how = ("--safeguard", "mcadams-random", "--key-file", key)
    result = run("protect", speech, parts / "1", "--shard", "2/3", *how)
    assert "holds shard 1/3, and nothing else goes with it" in said(result)
    result = run("protect", speech, parts / "1", *how)
    assert "holds shard 1/3" in said(result)
    assert run("merge", *parts.iterdir(), "-o", parts / "1").exit_code == 2
    merged(parts, tmp_path / "out")
    result = run("protect", speech, tmp_path / "out", "--shard", "1/3", *how)
    assert "was made without --shard" in said(result)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--safeguard", "mcadams-random"), "All shards draw from one secret key"),
        (("--safeguard", "mcadams", "--diarise"), "Who speaks when is found once"),
        (("--safeguard", "mcadams+slice", "--undo-table", "t.csv"), "when shards are merged"),
    ],
)
def test_what_belongs_to_the_whole(
    words: tuple[str, ...], sentence: str, speech: Path, tmp_path: Path
) -> None:
    result = run("protect", speech, tmp_path / "p", "--shard", "1/2", *words)
    assert result.exit_code == 2
    assert sentence in said(result)
    assert not (tmp_path / "p").exists()


def test_a_single_recording_has_no_shards(speech: Path, tmp_path: Path) -> None:
    one = sorted(speech.rglob("*.flac"))[0]
    result = run("protect", one, tmp_path / "o.wav", "--safeguard", "mcadams", "--shard", "1/2")
    assert "A single recording has no shard 1/2" in said(result)


# Kills.


def test_a_killed_shard_resumes(speech: Path, key: Path, tmp_path: Path) -> None:
    how = ["--safeguard", "mcadams-random", "--rename", "--key-file", str(key), "--workers", "1"]
    source = tmp_path / "long"
    for k in range(120):
        place = source / f"p{k % 4}" / f"p{k % 4}-{k}.wav"
        place.parent.mkdir(parents=True, exist_ok=True)
        samples, rate = soundfile.read(sorted(speech.rglob("*.flac"))[k % 9])
        soundfile.write(place, samples[k:], rate)
    command = [sys.executable, "-m", "pseudovoice", "protect", str(source)]
    words = [str(tmp_path / "p" / "1"), "--shard", "1/2", *how]
    process = subprocess.Popen([*command, *words], stderr=subprocess.DEVNULL)
    staged = tmp_path / "p" / "1.pseudovoice" / "files"
    for _ in range(12_000):
        if len(list(staged.rglob("*.wav"))) >= 2 or process.poll() is not None:
            break
        time.sleep(0.005)
    os.kill(process.pid, signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    told = said(run("merge", tmp_path / "p" / "1", "-o", tmp_path / "out"))
    assert "shard 1/2 has not come to its end; run it again, and it resumes" in told
    assert "of them before" in shard(source, tmp_path / "p" / "1", 1, 2, *how)
    shard(source, tmp_path / "p" / "2", 2, 2, *how)
    merged(tmp_path / "p", tmp_path / "1" / "out")
    assert run("protect", source, tmp_path / "2" / "out", *how).exit_code == 0
    assert content(tmp_path / "1" / "out") == content(tmp_path / "2" / "out")
