"""What is kept of a stage comes back as it was, to the last bit."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from pseudovoice.assessment.estimate import Estimate
from pseudovoice.study.records import from_json, to_json
from pseudovoice.study.stage import StageStore, stage_name


@dataclass(frozen=True)
class Inner:
    name: str
    values: tuple[float, ...]
    pair: tuple[int, str]


@dataclass(frozen=True)
class Outer:
    inner: tuple[Inner, ...]
    estimates: dict[str, Estimate]
    matrix: NDArray[np.float64] | None


@given(
    st.lists(st.floats(allow_nan=False)),
    st.text(),
    st.one_of(st.none(), st.floats(allow_nan=False), st.text(max_size=2)),
)
def test_records_come_back_exactly(values: list[float], name: str, low: float | str | None) -> None:
    record = Outer(
        (Inner(name, tuple(values), (3, name)),), {name: Estimate(0.1, low, chance=True)}, None
    )
    assert from_json(to_json(record), Outer) == record


def test_arrays_keep_their_bytes() -> None:
    matrix = np.random.default_rng(0).normal(size=(3, 4)) / 3
    matrix[0, 0] = np.nan
    again = from_json(to_json(Outer((), {}, matrix)), Outer)
    assert again.matrix is not None
    assert again.matrix.dtype == matrix.dtype
    assert again.matrix.tobytes() == matrix.tobytes()


@dataclass(frozen=True)
class Numbers:
    values: tuple[float, ...]
    least: float | None
    at_hand: dict[str, Inner] = field(default_factory=dict, metadata={"kept": False})


def test_numbers_that_are_none_come_back() -> None:
    values = (np.nan, np.inf, -np.inf, -0.0, 5e-324, 0.1 + 0.2, np.float64(1) / 3)
    text = to_json(Numbers(values, np.inf, {"a": Inner("a", (), (1, "b"))}))
    again = from_json(text, Numbers)
    assert np.array(again.values).tobytes() == np.array(values).tobytes()
    assert again.least == np.inf
    assert again.at_hand == {}
    assert to_json(again) == text


@pytest.mark.parametrize("damage", ["", "AAAA", "k05VTVBZAQB2AA==", "not base64", 7, [1.0]])
def test_a_damaged_array_is_no_record(damage: object) -> None:
    with pytest.raises(ValueError):  # noqa: PT011  # whatever NumPy says of it
        from_json(json.dumps({"inner": [], "estimates": {}, "matrix": damage}), Outer)


def test_what_is_no_such_record_is_made_anew(tmp_path: Path) -> None:
    stages = StageStore(tmp_path)
    record = Inner("a", (0.1,), (1, "b"))
    name = stage_name("test", {"seed": 1})
    assert stages.get(name, Inner) is None
    assert stages.put(name, Inner, record) == record
    assert stages.get(name, Inner) == record
    assert stages.has("test")
    assert not stages.has("other")
    for damage in ("", "{}", '{"name": 3, "values": [], "pair": [1, "b"]}', "[1]"):
        (tmp_path / f"{name}.json").write_text(damage, encoding="ascii")
        assert stages.get(name, Inner) is None


def test_other_inputs_have_another_name() -> None:
    assert stage_name("test", {"seed": 1}) == stage_name("test", {"seed": 1})
    assert stage_name("test", {"seed": 1}) != stage_name("test", {"seed": 2})
    assert stage_name("test", {"seed": 1}) != stage_name("other", {"seed": 1})
