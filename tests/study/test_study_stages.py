"""The graph of a study: what a stage is called by, run once, foretold, and shared."""

from __future__ import annotations

import pickle
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import pytest

from pseudovoice.errors import InputError
from pseudovoice.study.stage import Computation, Stage, StageStore, Walk, foretell
from pseudovoice.study.tools import Tools

DONE: list[str] = []


@dataclass(frozen=True)
class Number:
    value: float


@dataclass(frozen=True)
class Add(Computation):
    """Adds ``value`` to the sum of what it needs; fails if it is negative."""

    name: str
    value: float
    inputs_known: bool = field(default=True)

    kind: ClassVar[str] = "add"
    record: ClassVar[type[Any]] = Number

    @property
    def title(self) -> str:
        return f"add {self.name}"

    def inputs(self) -> dict[str, Any] | None:
        return {"value": self.value} if self.inputs_known else None

    def seconds(self, workers: int) -> tuple[float, str]:
        return 10.0 / workers, ""

    def compute(self, _tools: Tools, *needed: Any) -> Number:
        DONE.append(self.name)
        if self.value < 0:
            raise InputError(f"{self.name}: is negative; take another.")
        return Number(self.value + sum(one.value for one in needed if one is not None))


@pytest.fixture(autouse=True)
def nothing_done() -> None:
    DONE.clear()


def test_every_stage_is_run_once_and_never_again(tmp_path: Path) -> None:
    store = StageStore(tmp_path)
    shared = Stage(Add("shared", 1.0))
    one, two = Stage(Add("one", 2.0), (shared,)), Stage(Add("two", 3.0), (shared, None))
    walk = Walk(store, Tools())
    assert (walk.result(one).value, walk.result(two).value) == (3.0, 4.0)
    assert DONE == ["shared", "one", "two"]
    again = Walk(store, Tools())
    assert (again.result(two).value, again.result(one).value) == (4.0, 3.0)
    assert DONE == ["shared", "one", "two"]


def test_a_stage_is_made_anew_when_what_it_needs_gives_something_else(tmp_path: Path) -> None:
    store = StageStore(tmp_path)
    for value in (1.0, 5.0):
        last = Stage(Add("last", 2.0), (Stage(Add("first", value)),))
        assert Walk(store, Tools()).result(last).value == value + 2.0
    assert DONE == ["first", "last"] * 2


def test_a_failure_is_said_to_everybody_who_needs_it_and_costs_the_others_nothing(
    tmp_path: Path,
) -> None:
    broken = Stage(Add("broken", -1.0))
    walk = Walk(StageStore(tmp_path), Tools())
    for _ in range(2):
        with pytest.raises(InputError, match="broken: is negative"):
            walk.result(Stage(Add("after", 1.0), (broken,)))
    assert DONE == ["broken"]
    assert not walk.done(broken)
    assert walk.result(Stage(Add("beside", 1.0))).value == 1.0


def test_a_dry_run_knows_what_is_done_and_makes_nothing(tmp_path: Path) -> None:
    store = StageStore(tmp_path)
    first = Stage(Add("first", 1.0))
    last = Stage(Add("last", 2.0), (first,))
    before = foretell([last, first], store, workers=2)
    assert [(s.what, s.done, s.seconds) for s in before] == [
        ("add first", False, 5.0),
        ("add last", False, 5.0),
    ]
    assert DONE == []
    Walk(store, Tools()).result(first)
    assert [s.done for s in foretell([last], store, workers=2)] == [True, False]
    Walk(store, Tools()).result(last)
    assert [s.done for s in foretell([last], store, workers=2)] == [True, True]
    unknown = Stage(Add("unknown", 1.0, inputs_known=False))
    assert [s.done for s in foretell([unknown], store, workers=2)] == [False]


def test_work_has_no_hidden_state(tmp_path: Path) -> None:
    stage = Stage(Add("last", 2.0), (Stage(Add("first", 1.0)),))
    elsewhere: Stage = pickle.loads(pickle.dumps(stage))
    assert Walk(StageStore(tmp_path), Tools()).result(elsewhere).value == 3.0
