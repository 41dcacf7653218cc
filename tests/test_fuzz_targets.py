"""Every target of `make fuzz`, for a moment and without an engine, so that none of them rots."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from fuzz.mutate import spoilt
from fuzz.oracle import Oracle, fast_folder
from fuzz.target import Target
from fuzz.targets import TARGETS
from fuzz.watch import Forbidden, watched


@pytest.fixture
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(dir=fast_folder()) as name:
        yield Path(name)


@pytest.mark.parametrize("target", TARGETS.values(), ids=TARGETS)
def test_spoilt_input_is_read_or_refused_in_a_sentence(target: Target, folder: Path) -> None:
    (folder / "seeds").mkdir()
    seeds = target.seeds(folder / "seeds")
    oracle = Oracle(target, folder)
    assert oracle.warm(seeds), "every seed is refused, so the fuzzer begins with nothing"
    for data in spoilt(seeds, target.words, target.smoke):
        finding = oracle.judge(data[: target.longest])
        assert finding is None, f"{finding.kind}\n{finding.what}\n{data!r}"


def misbehaving(what: str) -> Target:
    def read(folder: Path, data: bytes) -> None:
        if data == b"bad":
            exec(what, {"folder": folder})

    return Target(what, read, lambda _: [b"good"])


@pytest.mark.parametrize(
    ("what", "kind"),
    [
        ("{}['a']", "KeyError"),
        ("from pseudovoice.errors import InputError; raise InputError(' ')", "without a sentence"),
        ("assert 1 == 2", "AssertionError"),
        ("import warnings; warnings.warn('odd', RuntimeWarning)", "RuntimeWarning"),
        ("import subprocess; subprocess.run(['true'])", "Forbidden"),
        ("import os; os.system('true')", "Forbidden"),
        ("import socket\nwith socket.socket() as s: s.connect(('127.0.0.1', 9))", "Forbidden"),
        ("(folder.parents[1] / 'elsewhere').write_bytes(b'')", "Forbidden"),
        ("(folder.parents[1] / 'elsewhere').mkdir()", "Forbidden"),
        ("try:\n    open('/proc/self/comm', 'w')\nexcept BaseException:\n    pass", "forbidden"),
        ("sum(range(40_000_000))", "slow"),
    ],
)
def test_the_oracle_notices(
    folder: Path, what: str, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fuzz.oracle.SECONDS", 0.2)
    oracle = Oracle(misbehaving(what), folder)
    oracle.warm([b"good"])
    assert oracle.judge(b"good") is None, "nothing is wrong yet"
    finding = oracle.judge(b"bad")
    assert finding is not None
    assert kind in finding.kind


def test_nothing_is_watched_but_readers(tmp_path: Path) -> None:
    (tmp_path / "inside").mkdir()
    with watched(tmp_path / "inside"):
        (tmp_path / "inside" / "a").write_bytes(b"")
        with pytest.raises(Forbidden):
            (tmp_path / "a").write_bytes(b"")
    (tmp_path / "a").write_bytes(b"")
