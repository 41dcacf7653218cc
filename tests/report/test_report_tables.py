"""The tidy tables as CSV, JSON and Parquet: nothing lost, nothing that a spreadsheet would run."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pseudovoice.assessment.assess import Assessment
from pseudovoice.assessment.estimate import Row
from pseudovoice.assessment.speakers import SpeakerRow
from pseudovoice.cells import from_cell, to_csv
from pseudovoice.report.tables import rows_csv, rows_parquet, speakers_csv, to_json

EVIL = ["=cmd()", "+a", "-1+1", "@A1", "\t=1", "\r=1", "\n=1", "＝1", '=HYPERLINK("http://x")']


def speaker(name: str) -> SpeakerRow:
    return SpeakerRow("op", name, 0.1, None, None, None, None, None, 0.5, None, None, "A", 2, 20)


def assessment(*rows: Row, speakers: tuple[SpeakerRow, ...] = ()) -> Assessment:
    return Assessment(rows, speakers, ("a warning",), {"seed": 0})


NUMBER = Row(
    "op", "ignorant", "d_ece", 1 / 3, 0.1, 0.5, 0.01, 0.02, True, 5, 50, "bit", "lower", "m"
)
TAG = Row("op", "ignorant", "tag", "A", "0", "B", None, None, None, 5, 50, "tag", "lower", "m, n")
NEGATIVE = Row("pp", "none", "g_vd", -9.5, -10.0, -9.0, None, None, None, 5, 50, "dB", "higher", "")


@pytest.mark.parametrize("name", EVIL)
def test_formulas_are_text(name: str) -> None:
    text = speakers_csv(assessment(speakers=(speaker(name),)))
    (row,) = csv.DictReader(io.StringIO(text, newline=""))
    assert row["speaker"] == "'" + name


@pytest.mark.parametrize(
    "name", ["121", "-1", "+1.5e3", "a=b", "a-b", "<img src=x>", "../../etc", 'a"b,c', "é", ""]
)
def test_other_names_stay_as_they_are(name: str) -> None:
    text = speakers_csv(assessment(speakers=(speaker(name),)))
    (row,) = csv.DictReader(io.StringIO(text, newline=""))
    assert row["speaker"] == name


@given(st.lists(st.text(max_size=10), min_size=1, max_size=3))
def test_csv_round_trip_but_for_the_quote(values: list[str]) -> None:
    text = to_csv([{"x": value, "y": 1.5} for value in values], ["x", "y"])
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    assert [from_cell(row["x"]) for row in rows] == values


def test_numbers_are_numbers_also_below_zero() -> None:
    (row,) = csv.DictReader(io.StringIO(rows_csv(assessment(NEGATIVE))))
    assert (row["value"], row["low"]) == ("-9.5", "-10.0")


def test_csv_keeps_every_digit() -> None:
    (row,) = csv.DictReader(io.StringIO(rows_csv(assessment(NUMBER))))
    assert float(row["value"]) == 1 / 3
    assert row["chance"] == "True"


def test_json_is_strict() -> None:
    found = json.loads(to_json(assessment(NUMBER, TAG)))
    assert found["rows"][0]["value"] == 1 / 3
    assert found["rows"][1]["low"] == "0"
    assert found["rows"][1]["null"] is None
    assert found["warnings"] == ["a warning"]


def test_json_has_no_word_for_infinity() -> None:
    """A figure that is not finite is a fault of ours, and must not slip into a file."""
    for value in (float("inf"), float("nan")):
        with pytest.raises(ValueError, match="JSON"):
            to_json(assessment(replace(NUMBER, value=value)))


def test_parquet_has_a_type_for_every_column() -> None:
    table = pq.read_table(pa.BufferReader(rows_parquet(assessment(NUMBER, TAG, NEGATIVE))))
    kinds = {f.name: str(f.type) for f in table.schema}
    assert {kinds[n] for n in ("value", "low", "high", "null", "null_95")} == {"double"}
    assert {kinds[n] for n in ("n_mated", "n_nonmated")} == {"int64"}
    assert kinds["chance"] == "bool"
    assert {kinds[n] for n in ("condition", "metric", "tag_value")} == {"string"}
    rows = table.to_pylist()
    assert [r["value"] for r in rows] == [1 / 3, None, -9.5]
    assert [r["tag_value"] for r in rows] == [None, "A", None]
    assert [r["tag_high"] for r in rows] == [None, "B", None]


def test_an_empty_result_is_a_table_without_rows() -> None:
    assert rows_csv(assessment()).count("\n") == 1
    assert speakers_csv(assessment()).count("\n") == 1
    assert pq.read_table(pa.BufferReader(rows_parquet(assessment()))).num_rows == 0
