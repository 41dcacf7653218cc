"""A disk that fills up while audio is written: one sentence, no half file, nothing lost."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import soundfile

from pseudovoice.atomic import unwritable, write_atomic
from pseudovoice.corpus import write_audio
from pseudovoice.corpus.sink import Sink
from pseudovoice.errors import DiskError, OutputError
from pseudovoice.safeguards.channel import SHORT, Channel

resource = pytest.importorskip("resource", reason="limits of a process are set as on Unix")

SUFFIXES = (
    ".wav", ".flac", ".ogg", ".oga", ".opus", ".mp3", ".aiff", ".aif", ".au", ".caf", ".w64",
    ".rf64",
)  # fmt: skip
NOISE = 0.3 * np.random.default_rng(0).standard_normal(96_000)


class Disk:
    """A file system of a few kilobytes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def resize(self, size: str) -> None:
        subprocess.run(["mount", "-o", f"remount,size={size}", str(self.folder)], check=True)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk]:
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=8k", "tmpfs", str(folder)]
    try:
        made = subprocess.run(mount, capture_output=True, text=True)
    except OSError as error:
        pytest.skip(f"there is no mount ({error})")
    if made.returncode:
        pytest.skip(f"a file system cannot be mounted here: {made.stderr.strip()}")
    try:
        yield Disk(folder)
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_full_disk_is_a_sentence_and_leaves_nothing(suffix: str, disk: Disk) -> None:
    path = disk.folder / f"speech{suffix}"
    with pytest.raises(DiskError, match=r"speech\..* the disk is full \(No space left on device\)"):
        write_audio(path, NOISE, 48_000)
    assert list(disk.folder.iterdir()) == []
    disk.resize("4m")
    assert write_audio(path, NOISE, 48_000) >= 0
    assert soundfile.info(path).frames == NOISE.size


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
@pytest.mark.parametrize("suffix", SUFFIXES)
def test_no_format_loses_the_error_of_the_system(suffix: str, capfd: pytest.CaptureFixture) -> None:
    container = {".oga": "OGG", ".opus": "OGG", ".aif": "AIFF"}.get(suffix, suffix[1:].upper())
    subtype = "OPUS" if suffix == ".opus" else None
    with Path("/dev/full").open("wb", buffering=0) as stream:
        sink = Sink(stream)  # type: ignore[arg-type]
        with soundfile.SoundFile(sink, "w", 48_000, 1, subtype, format=container) as file:
            file.write(NOISE)
        with pytest.raises(OSError, match="No space left"):
            sink.check()
    assert capfd.readouterr().err == ""  # where a callback's exception would have been printed


def test_bytes_that_are_not_there_are_missed(tmp_path: Path) -> None:
    with (tmp_path / "x").open("w+b") as stream:
        sink = Sink(stream)
        sink.write(b"12345678")
        sink.check()
        os.truncate(tmp_path / "x", 5)
        with pytest.raises(OSError, match="5 of 8 bytes"):
            sink.check()


def test_a_listing_on_a_full_disk(disk: Disk) -> None:
    write_atomic(disk.folder / "a.txt", "old")
    with pytest.raises(DiskError, match=r"a\.txt: cannot be written, because the disk is full"):
        write_atomic(disk.folder / "a.txt", "new" * 100_000)
    assert [(p.name, p.read_text()) for p in disk.folder.iterdir()] == [("a.txt", "old")]


def test_a_channel_on_a_full_disk(disk: Disk) -> None:
    with pytest.raises(DiskError, match=r"x\.wav: cannot be written, because the disk is full"):
        Channel(disk.folder / "x.wav", [np.ones(SHORT), NOISE])
    assert list(disk.folder.iterdir()) == []


def test_a_folder_that_vanished_and_a_file_in_its_place(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(OutputError, match=r"x\.wav: cannot be written \(.*\); check its folder"):
        write_audio(tmp_path / "file" / "x.wav", NOISE, 16_000)
    (tmp_path / "x.flac").mkdir()
    with pytest.raises(OutputError, match=r"x\.flac: cannot be written \(Is a directory\)"):
        write_audio(tmp_path / "x.flac", NOISE, 16_000)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["file", "x.flac"]


@pytest.mark.parametrize(
    ("code", "stops"),
    [
        (errno.ENOSPC, True),
        (errno.EDQUOT, True),
        (errno.EIO, True),
        (errno.EROFS, True),
        (errno.ENODEV, True),
        (errno.EACCES, False),
        (errno.EFBIG, False),
        (errno.ENAMETOOLONG, False),
    ],
)
def test_only_a_disk_that_is_full_or_gone_stops_a_run(code: int, stops: bool) -> None:
    error = unwritable(Path("x.wav"), OSError(code, os.strerror(code)))
    assert isinstance(error, DiskError) is stops
    assert str(error).startswith("x.wav: cannot be written")
    assert os.strerror(code) in str(error)


def _corpus(folder: Path) -> Path:
    for name, seconds in (("a/small", 1), ("b/large", 6)):
        (folder / name).parent.mkdir(parents=True)
        soundfile.write(folder / f"{name}.wav", NOISE[: 16_000 * seconds], 16_000)
    return folder


def _protect(source: Path, out: Path, **how: object) -> subprocess.CompletedProcess[str]:
    words = ["protect", str(source), str(out), "--safeguard", "mcadams", "--workers", "1"]
    return subprocess.run(
        [sys.executable, "-m", "pseudovoice", *words],
        capture_output=True, text=True, timeout=120, **how,  # type: ignore[call-overload]
    )  # fmt: skip


def test_a_run_on_a_full_disk_ends_with_2_and_goes_on_where_it_was(
    disk: Disk, tmp_path: Path
) -> None:
    source, out = _corpus(tmp_path / "speech"), disk.folder / "out"
    disk.resize("128k")
    ended = _protect(source, out)
    assert ended.returncode == 2, ended.stderr
    assert "large.wav: cannot be written, because the disk is full" in ended.stderr
    assert "run it again" in ended.stderr
    assert "Traceback" not in ended.stderr
    assert [p.name for p in out.rglob("*") if p.suffix in (".wav", ".part")] == ["small.wav"]
    disk.resize("4m")
    ended = _protect(source, out)
    assert ended.returncode == 0, ended.stderr
    assert "2 utterances of 2 speakers" in ended.stdout
    assert "1 of them before" in ended.stdout


def _no_large_files() -> None:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))


def test_one_file_that_is_too_large_for_the_system_is_a_problem(tmp_path: Path) -> None:
    source, out = _corpus(tmp_path / "speech"), tmp_path / "out"
    ended = _protect(source, out, preexec_fn=_no_large_files)
    assert ended.returncode == 1, ended.stderr
    assert "large.wav: cannot be written (File too large); its system allows" in ended.stderr
    assert "1 utterances of 1 speakers" in ended.stdout
    assert [p.name for p in out.rglob("*") if p.suffix in (".wav", ".part")] == ["small.wav"]
