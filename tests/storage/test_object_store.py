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
import soundfile
from click.testing import CliRunner, Result
from object_store import KEY_ID, SECRET

from pseudovoice.cli.main import app
from pseudovoice.corpus import Utterance, audio_hash
from pseudovoice.keys import new_key
from pseudovoice.storage import near

MCADAMS = ("--safeguard", "mcadams")


def only_known_keys(server: str, after: str) -> None:
    """Let the store ask who may, after so many requests."""
    plain = {"Content-Type": "text/plain"}
    urlopen(Request(f"{server}/moto-api/reset-auth", after.encode(), plain)).close()


def run(*words: object) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words])


def said(result: Result) -> str:
    return " ".join(result.output.split())


@pytest.fixture
def corpus(shared: Path, tmp_path: Path) -> Path:
    """A little of three utterances each of four people, with a listing."""
    root, k = tmp_path / "corpus", 0
    rows = ["file_name,id,speaker,transcription"]
    for who, speaker in zip("abcd", ("1272", "1462", "1673", "174"), strict=True):
        (root / who).mkdir(parents=True)
        for source in sorted((shared / "speech" / "dev" / speaker).rglob("*.flac"))[:3]:
            sound, rate = soundfile.read(source, start=16_000, frames=20_000 + 37 * k)
            soundfile.write(root / who / f"{who}{k:02d}.wav", sound, rate)
            rows.append(f"{who}/{who}{k:02d}.wav,{who}{k:02d},{who},SOME WORDS {k}")
            k += 1
    (root / "metadata.csv").write_text("\n".join(rows) + "\n")
    return root


@pytest.fixture
def key(tmp_path: Path) -> Path:
    new_key(tmp_path / "secret.key")
    return tmp_path / "secret.key"


@pytest.fixture
def afar(bucket: Any, corpus: Path) -> Any:
    """The bucket with the corpus in it."""
    bucket.put(str(corpus), "speech/", recursive=True)
    assert len(bucket.find("speech/corpus")) == 13
    return bucket


def held(store: Any, folder: str) -> dict[str, bytes]:
    store.invalidate_cache()
    return {name.removeprefix(f"{folder}/"): store.cat_file(name) for name in store.find(folder)}


def content(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


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
    done = run("compare", "s3://speech/corpus", *MCADAMS, "-o", tmp_path / "report")
    assert "bring it to this machine first" in said(done)
    done = run("protect", corpus / "a" / "a00.wav", "s3://speech/a.wav", *MCADAMS)
    assert "A single recording becomes a file of this machine" in said(done)


@pytest.mark.usefixtures("afar")
def test_memory_and_disk_stay_bounded(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What is fetched is forgotten: only so much of it lies here at a time."""
    from pseudovoice.storage import mirror
    from pseudovoice.storage.mirror import Mirror

    most = 100_000
    monkeypatch.setattr(mirror, "KEPT_BYTES", most)
    seen: list[int] = []
    forget = Mirror._make_room

    def counted(self: Mirror) -> None:
        forget(self)
        seen.append(sum(one.size for one in self._near.values() if not one.users))

    monkeypatch.setattr(Mirror, "_make_room", counted)
    done = run("protect", "s3://speech/corpus", tmp_path / "out", *MCADAMS)
    assert done.exit_code == 0, done.output
    assert len(seen) >= 24
    assert max(seen) <= most


def _hashed(path: Path) -> str:
    return audio_hash(Utterance("u", "s", path))


@pytest.mark.usefixtures("afar")
def test_another_process_reads_what_stands_here(corpus: Path) -> None:
    """As workers of an engine do: a new program that was told nothing but the place."""
    place = near("s3://speech/corpus") / "a" / "a00.wav"
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        assert pool.submit(_hashed, place).result() == _hashed(corpus / "a" / "a00.wav")


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
