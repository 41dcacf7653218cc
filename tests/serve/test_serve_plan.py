"""What a run is asked for, how fast it goes, and what a protected folder says of itself."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pseudovoice.errors import InputError
from pseudovoice.release.record import RECORD as WRITTEN
from pseudovoice.serve.pace import Pace, Progress
from pseudovoice.serve.plan import RunRequest
from pseudovoice.serve.protection import RECORD, ProtectionRecord, read_protection
from pseudovoice.serve.runs import Runs

GOOD: dict[str, Any] = {"original": "/a", "protected": "/b"}


def folder(said: object) -> Path:
    return Path(str(said))


def test_little_has_to_be_said() -> None:
    plan = RunRequest.read(GOOD, folder)
    assert (plan.original, plan.protected, plan.safeguard) == (Path("/a"), Path("/b"), "b")
    assert plan.clips
    assert not plan.originals


def test_a_plan_survives_being_kept() -> None:
    said = {
        **GOOD,
        "title": "é <b>",
        "encoders": ["ge2e", "ecapa"],
        "replicates": 7,
        "clips": False,
    }
    plan = RunRequest.read(said, folder)
    assert RunRequest.read(json.loads(plan.to_json()), folder) == plan


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"protected": "/a"}, "the same"),
        ({"encoders": []}, "at least one recogniser"),
        ({"encoders": "ge2e"}, "at least one recogniser"),
        ({"encoders": ["onnx:/etc/passwd"]}, "at least one recogniser"),
        ({"encoders": ["hf:someone/else"]}, "at least one recogniser"),
        ({"encoders": [["ge2e"]]}, "at least one recogniser"),
        ({"replicates": -1}, "whole number"),
        ({"replicates": 1.5}, "whole number"),
        ({"replicates": True}, "whole number"),
        ({"replicates": 10**9}, "whole number"),
        ({"title": 7}, "characters"),
        ({"title": "x" * 201}, "characters"),
        ({"clips": "yes"}, "true or false"),
        ({"allow_commands": True}, "nothing called allow_commands"),
    ],
)
def test_wrong_plans_get_a_sentence(wrong: dict[str, Any], says: str) -> None:
    with pytest.raises(InputError, match=says) as error:
        RunRequest.read({**GOOD, **wrong}, folder)
    assert str(error.value).endswith(".")


def test_the_pace_is_that_of_what_was_not_known() -> None:
    now = [0.0]
    said: list[Progress] = []
    pace = Pace(said.append, clock=lambda: now[0])
    pace("embedding", 10, 50)  # from the store, at once
    now[0] = 4.0
    pace("embedding", 18, 50)
    assert said == [
        Progress("embedding", 10, 50, known=10),
        Progress("embedding", 18, 50, known=10, rate=2.0, left=16.0),
    ]
    now[0] = 4.01
    pace("embedding", 26, 50)  # too soon to be read
    pace("embedding", 50, 50)  # but the last word is always said
    pace("assessing")
    assert [(p.stage, p.done) for p in said[2:]] == [("embedding", 50), ("assessing", 0)]
    assert said[-1].left is None


@pytest.mark.parametrize(
    ("record", "found"),
    [
        (
            {"safeguard": {"chain": [{"safeguard": "mcadams", "alpha": 0.8}]}, "key": None},
            ProtectionRecord("mcadams", {"alpha": "0.8"}, None),
        ),
        (
            {"safeguard": {"chain": [{"safeguard": "a", "x": 1}, {"safeguard": "b"}]}, "key": "id"},
            ProtectionRecord("a+b", {"a x": "1"}, "id"),
        ),
        ({"safeguard": "mcadams"}, None),
        ({}, None),
        ([], None),
        ("x" * (2 << 20), None),
    ],
)
def test_records_of_protected_folders(
    tmp_path: Path, record: object, found: ProtectionRecord | None
) -> None:
    assert RECORD == WRITTEN
    assert read_protection(tmp_path) is None
    (tmp_path / RECORD).write_text(json.dumps(record), encoding="utf-8")
    assert read_protection(tmp_path) == found
    (tmp_path / RECORD).write_text("[" * 100_000, encoding="utf-8")
    assert read_protection(tmp_path) is None


@pytest.mark.parametrize("name", ["", ".", "..", "../x", "a/b", "linked", "nothing", "done"])
def test_only_unfinished_runs_are_resumed(tmp_path: Path, name: str) -> None:
    out = tmp_path / "out"
    (out / "done").mkdir(parents=True)
    elsewhere = tmp_path / "x"
    elsewhere.mkdir()
    (elsewhere / "unfinished.json").write_text(json.dumps(GOOD), encoding="utf-8")
    (out / "linked").symlink_to(elsewhere)
    with pytest.raises(InputError, match="no unfinished run"):
        Runs(out).resume(name, (), folder)


def test_a_kept_plan_is_checked_like_any_other(tmp_path: Path) -> None:
    run = tmp_path / "run"
    run.mkdir()

    def refuse(said: object) -> Path:
        raise InputError(f"{said}: lies outside.")

    (run / "unfinished.json").write_text(json.dumps({**GOOD, "title": "t", "safeguard": "s"}))
    runs = Runs(tmp_path)
    assert runs.unfinished() == [{"name": "run", "title": "t", "safeguard": "s"}]
    with pytest.raises(InputError, match="lies outside"):
        runs.resume("run", (), refuse)
    for broken in ("{", "[" * 100_000):
        (run / "unfinished.json").write_text(broken, encoding="utf-8")
        with pytest.raises(InputError, match="cannot be read"):
            runs.resume("run", (), folder)
        assert runs.unfinished() == []
    assert runs.state() == (0, None)


def test_half_a_character_in_a_title_is_a_sentence() -> None:
    with pytest.raises(InputError, match="half a character"):
        RunRequest.read({**GOOD, "title": "a \ud800"}, folder)
    # A folder's name may hold bytes that are not UTF-8; the plan is kept all the same.
    plan = RunRequest.read({**GOOD, "original": "/a\udcff"}, folder)
    assert RunRequest.read(json.loads(plan.to_json().encode()), folder) == plan
