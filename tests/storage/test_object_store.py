"""Speech in an object store: read, protected and assessed there as it is on a disk."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest
from object_store import KEY_ID, SECRET, content, held, run, said

import pseudovoice as pv
from pseudovoice.corpus import AudioError, Utterance, audio_hash
from pseudovoice.storage import near

MCADAMS = ("--safeguard", "mcadams")


def only_known_keys(server: str, after: str) -> None:
    """Let the store ask who may, after so many requests."""
    plain = {"Content-Type": "text/plain"}
    urlopen(Request(f"{server}/moto-api/reset-auth", after.encode(), plain)).close()


# The same as on a disk.


@pytest.mark.usefixtures("afar")
def test_inspect(corpus: Path) -> None:
    there, here = run("inspect", "s3://speech/corpus", "--json"), run("inspect", corpus, "--json")
    assert there.exit_code == 0, there.output
    told, expected = json.loads(there.stdout), json.loads(here.stdout)
    assert told["utterances"] == expected["utterances"] == 12
    assert {k: v for k, v in told.items() if k != "root"} == {
        k: v for k, v in expected.items() if k != "root"
    }


@pytest.mark.parametrize("more", [(), ("--rename",)])
def test_protect_from_there_to_there(
    more: tuple[str, ...], afar: Any, corpus: Path, key: Path, tmp_path: Path
) -> None:
    how = ("--safeguard", "mcadams-random", "--key-file", key, *more)
    done = run("protect", "s3://speech/corpus", "s3://speech/out", *how)
    assert done.exit_code == 0, done.output
    assert "s3://speech/out" in said(done)
    assert run("protect", corpus, tmp_path / "here" / "out", *how).exit_code == 0
    assert held(afar, "speech/out") == content(tmp_path / "here" / "out")
    # What only the owner needs stays here, and what was sent takes no room any more.
    assert not [name for name in afar.find("speech") if "pseudovoice" in name or "key" in name]
    left = sum(p.stat().st_blocks * 512 for p in (tmp_path / "cache").rglob("*.wav"))
    assert left <= 12 * 4096
    # A second run finds all of it.
    again = run("protect", "s3://speech/corpus", "s3://speech/out", *how)
    assert "12 of them before" in said(again)
    assert held(afar, "speech/out") == content(tmp_path / "here" / "out")
    # One that is removed or shortened there is made again, and nothing else.
    victims = sorted(n for n in afar.find("speech/out") if n.endswith(".wav"))[:2]
    afar.rm_file(victims[0])
    afar.pipe_file(victims[1], b"RIFF")
    again = run("protect", "s3://speech/corpus", "s3://speech/out", *how)
    assert again.exit_code == 0, again.output
    assert "10 of them before" in said(again)
    assert held(afar, "speech/out") == content(tmp_path / "here" / "out")


def test_withdrawn_there(afar: Any) -> None:
    how = ("--safeguard", "mcadams", "--prune")
    assert run("protect", "s3://speech/corpus", "s3://speech/out", *how).exit_code == 0
    listing = afar.cat_file("speech/corpus/metadata.csv").decode().splitlines()
    afar.pipe_file("speech/corpus/metadata.csv", "\n".join([*listing[:-1], ""]).encode())
    afar.rm_file("speech/corpus/d/d11.wav")
    done = run("protect", "s3://speech/corpus", "s3://speech/out", *how)
    assert "1 files removed" in said(done)
    assert "d/d11.wav" not in held(afar, "speech/out")
    assert len(held(afar, "speech/out")) == 13


@pytest.mark.usefixtures("afar")
def test_assess_audio(corpus: Path, tmp_path: Path) -> None:
    how = ("--safeguard", "mcadams")
    assert run("protect", "s3://speech/corpus", "s3://speech/out", *how).exit_code == 0
    assert run("protect", corpus, tmp_path / "out", *how).exit_code == 0
    quick = ("--encoder", "prosody", "--replicates", 0, "--permutations", 0, "--no-cache")
    afar = ("s3://speech/corpus", "s3://speech/out")
    there = run("assess", "audio", *afar, *quick, "--json")
    here = run("assess", "audio", corpus, tmp_path / "out", *quick, "--json")
    assert there.exit_code == here.exit_code == 0, there.output
    assert "pseudovoice-near" not in there.stdout
    told, expected = json.loads(there.stdout), json.loads(here.stdout)
    for found in (told, expected):
        found.pop("provenance", None)
    assert told == expected


def test_slices_and_embeddings(afar: Any, corpus: Path, key: Path, tmp_path: Path) -> None:
    how = ("--key-file", key, "--method", "fixed", "--duration", 0.5)
    run("slice", "s3://speech/corpus", "s3://speech/slices", *how)
    run("slice", corpus, tmp_path / "slices", *how)
    assert held(afar, "speech/slices") == content(tmp_path / "slices")
    ear = ("--encoder", "prosody", "--no-cache")
    assert run("embed", "s3://speech/corpus", "-o", "s3://speech/e.npz", *ear).exit_code == 0
    assert run("embed", corpus, "-o", tmp_path / "e.npz", *ear).exit_code == 0
    assert afar.cat_file("speech/e.npz") == (tmp_path / "e.npz").read_bytes()


def test_shards_of_it_are_merged_into_it(
    afar: Any, corpus: Path, key: Path, tmp_path: Path
) -> None:
    how = ("--safeguard", "mcadams-random", "--key-file", key)
    for k in (1, 2):
        part = tmp_path / "parts" / str(k)
        done = run("protect", "s3://speech/corpus", part, "--shard", f"{k}/2", *how)
        assert done.exit_code == 0, done.output
    done = run("merge", *(tmp_path / "parts").iterdir(), "-o", "s3://speech/out")
    assert done.exit_code == 0, done.output
    run("protect", corpus, tmp_path / "here" / "out", *how)
    assert held(afar, "speech/out") == content(tmp_path / "here" / "out")
    refused = run("protect", "s3://speech/corpus", "s3://speech/p", "--shard", "1/2", *how)
    assert "does not leave this machine" in said(refused)


# What goes wrong.


def test_a_bad_file_is_named_by_its_address(afar: Any) -> None:
    afar.pipe_file("speech/corpus/b/b04.wav", b"no audio at all, nor zeros")
    done = run("protect", "s3://speech/corpus", "s3://speech/out", "--safeguard", "mcadams")
    assert done.exit_code == 1
    assert "s3://speech/corpus/b/b04.wav: " in said(done)
    assert "/near" not in said(done)
    assert len(held(afar, "speech/out")) == 13


def test_an_upload_that_is_interrupted_leaves_nothing_half(
    afar: Any, corpus: Path, key: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pseudovoice.storage.store import Store

    how = ("--safeguard", "mcadams-random", "--key-file", key)
    sent: list[str] = []
    send = Store.send

    def dies(self: Store, source: Path, place: str) -> None:
        sent.append(place)
        if len(sent) == 5:
            raise KeyboardInterrupt
        send(self, source, place)

    with monkeypatch.context() as patched:
        patched.setattr(Store, "send", dies)
        assert run("protect", "s3://speech/corpus", "s3://speech/out", *how).exit_code == 130
    run("protect", corpus, tmp_path / "here" / "out", *how)
    whole = content(tmp_path / "here" / "out")
    there = held(afar, "speech/out")
    assert 1 <= len(there) < 13
    assert all(whole[name] == found for name, found in there.items())
    assert "protection.json" not in there  # which comes last, and says that all is there
    done = run("protect", "s3://speech/corpus", "s3://speech/out", *how)
    assert "12 of them before" in said(done)
    assert held(afar, "speech/out") == whole


def test_a_program_killed_while_it_sends(afar: Any) -> None:
    """A long file, sent in parts: whoever is killed in the middle of it leaves no object."""
    program = (
        "import os, sys, s3fs\n"
        "def killed(self, *_, **__): os.kill(os.getpid(), 9)\n"
        "s3fs.S3FileSystem._call_s3_ = s3fs.S3FileSystem._call_s3\n"
        "async def call(self, method, *a, **k):\n"
        "    if method in ('put_object', 'upload_part', 'complete_multipart_upload'):\n"
        "        killed(self)\n"
        "    return await self._call_s3_(method, *a, **k)\n"
        "s3fs.S3FileSystem._call_s3 = call\n"
        "from pseudovoice.cli.main import main\n"
        "main()\n"
    )
    words = ["protect", "s3://speech/corpus", "s3://speech/out", "--safeguard", "mcadams"]
    done = subprocess.run([sys.executable, "-c", program, *words], capture_output=True)
    assert done.returncode == -9, done.stderr
    assert held(afar, "speech/out") == {}
    assert "12 of them before" in said(run(*words))
    assert len(held(afar, "speech/out")) == 14


@pytest.mark.usefixtures("afar")
@pytest.mark.parametrize(
    ("what", "sentence"),
    [
        ("bucket", "there is no such bucket or folder"),
        ("folder", "holds nothing"),
        ("credentials", "no credentials are set"),
        ("network", "the store does not answer"),
        ("denied", "access is denied"),
    ],
)
def test_what_cannot_be_reached_is_a_sentence_without_secrets(
    what: str,
    sentence: str,
    tmp_path: Path,
    server: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import s3fs

    place = {"bucket": "s3://nowhere/corpus", "folder": "s3://speech/nothing"}.get(
        what, "s3://speech/corpus"
    )
    s3fs.S3FileSystem.clear_instance_cache()
    if what == "credentials":
        for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
            monkeypatch.delenv(name)
        monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
        monkeypatch.setenv("HOME", str(tmp_path))
    if what == "network":
        monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    if what == "denied":
        only_known_keys(server, "0")
    try:
        log = tmp_path / "log.txt"
        done = run("-v", "--log", log, "inspect", place)
        assert done.exit_code == 2, done.output
        told = said(done)
        assert sentence in told
        assert place in told
        for secret in (SECRET, KEY_ID):
            assert secret not in done.output + log.read_text()
        out = run("protect", tmp_path / "corpus", place.replace("corpus", "out"), *MCADAMS)
        if what != "folder":
            assert out.exit_code == 2, out.output
            assert sentence in said(out)
            assert SECRET not in out.output
    finally:
        if what == "denied":
            only_known_keys(server, "inf")
        s3fs.S3FileSystem.clear_instance_cache()


@pytest.mark.usefixtures("afar")
def test_wrong_uses_are_sentences(corpus: Path, tmp_path: Path) -> None:
    done = run("protect", corpus, "s3://speech/out", "--safeguard", "mcadams-random")
    assert "What goes elsewhere has its key here" in said(done)
    done = run("protect", corpus, "s3://speech/out", *MCADAMS, "--verify")
    assert "leave out --verify" in said(done)
    done = run("inspect", f"s3://{KEY_ID}:{SECRET}@speech/corpus")
    assert "do not belong into an address" in said(done)
    assert SECRET not in done.output
    done = run("inspect", "s3://speech/../other")
    assert "is no address of a folder" in said(done)
    done = run("protect", "s3://speech/corpus", "s3://speech/corpus/out", *MCADAMS)
    assert "cannot lie inside the corpus" in said(done)
    random = ("--safeguard", "mcadams-random", "--encoder", "prosody", "--no-utility")
    done = run("compare", "s3://speech/corpus", *random, "-o", "s3://speech/report")
    assert "What goes elsewhere has its key here" in said(done)
    done = run("compare", "s3://speech/corpus", *MCADAMS, "-o", "s3://speech/corpus/report")
    assert "cannot lie inside the corpus" in said(done)
    done = run("serve", tmp_path / "results", "--root", "s3://speech/corpus", "--no-browser")
    assert done.exit_code == 2
    assert "s3://speech/corpus: the page is for folders of this machine" in said(done)
    done = run("pool", "build", "s3://speech/corpus", "-o", tmp_path / "pool.npz")
    assert "bring it here first" in said(done)
    done = run("protect", corpus / "a" / "a00.wav", "s3://speech/a.wav", *MCADAMS)
    assert "A single recording becomes a file of this machine" in said(done)


@pytest.mark.usefixtures("afar")
def test_memory_and_disk_stay_bounded(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What is fetched is forgotten: only so much of it lies here at a time."""
    from pseudovoice.storage import pool
    from pseudovoice.storage.pool import Pool

    most = 100_000
    monkeypatch.setattr(pool, "KEPT_BYTES", most)
    seen: list[int] = []
    forget = Pool._make_room

    def counted(self: Pool) -> None:
        forget(self)
        kept = (path for path in self._folder.iterdir() if "." not in path.name)
        seen.append(sum(path.stat().st_size for path in kept))

    monkeypatch.setattr(Pool, "_make_room", counted)
    done = run("protect", "s3://speech/corpus", tmp_path / "out", *MCADAMS, "--workers", 1)
    assert done.exit_code == 0, done.output
    assert len(seen) >= 12
    assert 0 < max(seen) <= most


def _hashed(path: Path) -> str:
    return audio_hash(Utterance("u", "s", path))


@pytest.mark.usefixtures("afar")
def test_another_process_reads_what_stands_here(corpus: Path) -> None:
    """As workers of an engine do: a new program that was told nothing but the place."""
    place = near("s3://speech/corpus") / "a" / "a00.wav"
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        assert pool.submit(_hashed, place).result() == _hashed(corpus / "a" / "a00.wav")


@pytest.mark.usefixtures("afar")
def test_another_machine_reads_what_stands_there(
    corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A path of a machine that cannot be seen from here: the store is asked, once a machine."""
    monkeypatch.setenv("TMPDIR", str(tmp_path / "elsewhere"))
    (tmp_path / "elsewhere").mkdir()
    folder = Path("/nowhere/tmp/pseudovoice-near-abcd1234/read/s3/speech/corpus")
    with ProcessPoolExecutor(2, get_context("spawn")) as pool:
        places = [folder / "a" / "a00.wav"] * 4
        found = list(pool.map(_hashed, places))
        kept = tmp_path / "elsewhere" / folder.parts[3]
        assert len([p for p in (kept / "fetched").iterdir() if "." not in p.name]) == 1
        missing = pool.submit(_missing, folder / "a" / "a99.wav").result()
    assert found == [_hashed(corpus / "a" / "a00.wav")] * 4
    assert "s3://speech/corpus/a/a99.wav" in missing or "cannot be reached" in missing
    assert not kept.exists(), "whoever leaves last removes it"


def test_other_processes_send_what_they_make(
    afar: Any, corpus: Path, key: Path, tmp_path: Path
) -> None:
    """As workers of an engine do, on whichever machine: nothing but stand-ins is left here."""
    there, here = "s3://speech/out", tmp_path / "here" / "out"
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        made = pv.protect("s3://speech/corpus", there, "mcadams-random", key=key, engine=pool)
        again = pv.protect("s3://speech/corpus", there, "mcadams-random", key=key, engine=pool)
    assert not made.problems
    assert (made.done, again.resumed) == (12, 12)
    pv.protect(corpus, here, "mcadams-random", key=key)
    assert held(afar, "speech/out") == content(here)
    left = sum(p.stat().st_blocks * 512 for p in (tmp_path / "cache").rglob("*.wav"))
    assert left <= 12 * 4096


def _missing(path: Path) -> str:
    try:
        return _hashed(path)
    except AudioError as error:
        return str(error)


def test_names_that_would_leave_the_folder(afar: Any, tmp_path: Path) -> None:
    afar.pipe_file("speech/corpus/../../../escaped.wav", b"RIFF")
    assert run("inspect", "s3://speech/corpus").exit_code == 0
    assert not list(tmp_path.rglob("escaped.wav"))


@pytest.mark.usefixtures("afar")
def test_nothing_is_left_here_after_reading(tmp_path: Path) -> None:
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    command = [sys.executable, "-m", "pseudovoice", "inspect", "s3://speech/corpus"]
    done = subprocess.run(
        command, env={**os.environ, "TMPDIR": str(temporary)}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert list(temporary.glob("pseudovoice*")) == []
