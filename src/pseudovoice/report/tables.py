"""The tidy result table as JSON, CSV and Parquet."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from dataclasses import fields
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from pseudovoice.assessment.assess import Assessment
from pseudovoice.assessment.estimate import Row
from pseudovoice.assessment.speakers import SpeakerRow
from pseudovoice.cells import as_cell


def to_json(assessment: Assessment) -> str:
    """The whole result as strict JSON."""
    return json.dumps(assessment.to_dict(), indent=1, ensure_ascii=False, allow_nan=False) + "\n"


class _Lines(list[str]):
    """Lines with ``\\n`` at their end, written with ``\\r\\n``.

    The csv module quotes only the line ends it writes itself: with ``\\n`` alone, an id that
    holds ``\\r`` would begin a new row.
    """

    def write(self, line: str) -> None:
        self.append(line.removesuffix("\r\n") + "\n")


def to_csv(records: Sequence[dict[str, Any]], columns: Sequence[str]) -> str:
    """Records as CSV; a text that a spreadsheet would run as a formula is marked with ``'``."""
    out = _Lines()
    writer = csv.DictWriter(out, columns)
    writer.writeheader()
    for record in records:
        cells = {name: record[name] for name in columns}
        writer.writerow({n: as_cell(v) if isinstance(v, str) else v for n, v in cells.items()})
    return "".join(out)


def rows_csv(assessment: Assessment) -> str:
    """One line per condition and metric."""
    return to_csv([row.to_dict() for row in assessment.rows], [f.name for f in fields(Row)])


def speakers_csv(assessment: Assessment) -> str:
    """One line per condition and speaker, the worst disclosed first."""
    return to_csv(
        [row.to_dict() for row in assessment.speakers], [f.name for f in fields(SpeakerRow)]
    )


def rows_parquet(assessment: Assessment) -> bytes:
    """The rows as Parquet. Tags and numbers share no type, so tags have columns of their own."""
    records = []
    for row in assessment.rows:
        record = row.to_dict()
        is_tag = row.metric == "tag"
        for name in ("value", "low", "high"):
            record[f"tag_{name}"] = record[name] if is_tag else None
            record[name] = None if is_tag else record[name]
        records.append(record)
    numbers = ("value", "low", "high", "null", "null_95")
    schema = pa.schema(
        [
            (
                f.name,
                pa.float64()
                if f.name in numbers
                else pa.bool_()
                if f.name == "chance"
                else pa.int64()
                if f.name.startswith("n_")
                else pa.string(),
            )
            for f in fields(Row)
        ]
        + [(f"tag_{name}", pa.string()) for name in ("value", "low", "high")]
    )
    sink = pa.BufferOutputStream()
    pq.write_table(pa.Table.from_pylist(records, schema), sink)
    return bytes(sink.getvalue().to_pybytes())
