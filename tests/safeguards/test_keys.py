import os
import socket
import stat
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from pseudovoice.atomic import replacing, write_atomic
from pseudovoice.errors import InputError, UsageError
from pseudovoice.keys import Key, new_key, read_key, write_key

FIXED = Key(bytes(range(32)))


def test_draws_are_the_same_on_every_platform_and_forever() -> None:
    # Whoever protected speech with a key must find the same voices next year.
    assert FIXED.derive("s", "p", "n").hex()[:16] == "cd8ec6441dc06512"
    assert FIXED.identifier == "7f287e36"


def test_key_session_purpose_and_name_all_matter() -> None:
    base = FIXED.derive("s", "p", "n")
    others = [
        Key(bytes(32)).derive("s", "p", "n"),
        FIXED.derive("t", "p", "n"),
        FIXED.derive("s", "q", "n"),
        FIXED.derive("s", "p", "m"),
        FIXED.derive("sp", "", "n"),  # fields do not run into each other
    ]
    assert len({base, *others}) == 6


def test_draws_are_uniform() -> None:
    draws = np.array([FIXED.uniform("s", "p", str(k)) for k in range(4000)])
    assert draws.min() >= 0
    assert draws.max() < 1
    assert abs(draws.mean() - 0.5) < 0.02
    assert np.histogram(draws, 10, (0, 1))[0].min() > 300


def test_a_key_file_is_private_and_read_back(tmp_path: Path) -> None:
    key = new_key()
    write_key(key, tmp_path / "deep" / "k")
    assert stat.S_IMODE((tmp_path / "deep" / "k").stat().st_mode) == 0o600
    assert read_key(tmp_path / "deep" / "k") == key
    with pytest.raises(UsageError, match="never overwritten"):
        write_key(new_key(), tmp_path / "deep" / "k")
    assert read_key(tmp_path / "deep" / "k") == key


def test_the_secret_is_not_shown() -> None:
    key = new_key()
    assert key.secret.hex() not in repr(key)
    assert len(key.identifier) == 8


@pytest.mark.parametrize("content", [b"", b"hello", b"pseudovoice-key-1:abc", b"\xff\xfe"])
def test_what_is_no_key_gets_a_sentence_that_does_not_quote_it(
    tmp_path: Path, content: bytes
) -> None:
    (tmp_path / "k").write_bytes(content)
    with pytest.raises(InputError, match="this is no key file") as caught:
        read_key(tmp_path / "k")
    assert "hello" not in str(caught.value)


def test_a_missing_key_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="pseudovoice key new"):
        read_key(tmp_path / "none")


@pytest.mark.skipif(os.name != "posix", reason="permissions are POSIX")
@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o666])
def test_a_key_that_others_may_use_is_refused_with_the_command_that_mends_it(
    tmp_path: Path, mode: int
) -> None:
    write_key(FIXED, tmp_path / "k")
    (tmp_path / "k").chmod(mode)
    with pytest.raises(InputError, match=r"chmod 600 \S+/k$"):
        read_key(tmp_path / "k")
    (tmp_path / "k").chmod(0o400)
    assert read_key(tmp_path / "k") == FIXED


@pytest.mark.skipif(os.name != "posix", reason="such files are POSIX")
@pytest.mark.parametrize("kind", ["fifo", "zero", "terminal", "socket", "folder", "huge", "link"])
def test_what_is_no_plain_file_is_refused_at_once(
    tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "k"
    with socket.socket(socket.AF_UNIX) as listening:
        if kind == "fifo":
            os.mkfifo(path)
        elif kind == "link":
            os.mkfifo(tmp_path / "pipe")
            path.symlink_to("pipe")
        elif kind in ("zero", "terminal"):
            path = Path("/dev/zero" if kind == "zero" else "/dev/ptmx")
        elif kind == "socket":
            monkeypatch.chdir(tmp_path)  # the path of a socket must be short
            path = Path("s")
            listening.bind("s")
        elif kind == "folder":
            path.mkdir()
        else:
            with path.open("wb") as file:
                file.truncate(1 << 40)
        begun = time.monotonic()
        with pytest.raises(
            InputError, match=r"no plain file|cannot be read|which no such file has"
        ):
            read_key(path)
        assert time.monotonic() - begun < 1


def test_no_writer_of_ours_takes_the_place_of_a_key(tmp_path: Path) -> None:
    write_key(FIXED, tmp_path / "k")
    os.link(tmp_path / "k", tmp_path / "hard")
    (tmp_path / "soft").symlink_to("k")
    for name in ("k", "hard", "soft"):
        with pytest.raises(UsageError, match="is a secret key, which is never overwritten"):
            write_atomic(tmp_path / name, "report")
        with pytest.raises(UsageError, match="never overwritten"), replacing(tmp_path / name):
            pass
        with pytest.raises(UsageError, match="never overwritten"):
            write_key(new_key(), tmp_path / name)
    assert read_key(tmp_path / "k") == FIXED
    assert sorted(p.name for p in tmp_path.iterdir()) == ["hard", "k", "soft"]


def test_runs_that_make_the_key_at_once_have_one_key(tmp_path: Path) -> None:
    code = (
        "import sys, time; from pathlib import Path\n"
        "from pseudovoice.keys import key_at\n"
        "while not Path(sys.argv[2]).exists(): time.sleep(0.0005)\n"
        "key, new = key_at(Path(sys.argv[1])); print(key.identifier, new)"
    )
    arguments = [sys.executable, "-c", code, tmp_path / "k", tmp_path / "go"]
    racing = [subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True) for _ in range(4)]
    time.sleep(1)
    (tmp_path / "go").touch()
    said = [child.communicate(timeout=60)[0].split() for child in racing]
    assert len({identifier for identifier, _ in said}) == 1
    assert [new for _, new in said].count("True") == 1
