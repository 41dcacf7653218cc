"""The tidy result table as JSON, CSV and Parquet."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Any

from pseudovoice.assessment.assess import Assessment
from pseudovoice.assessment.estimate import Row
from pseudovoice.assessment.speakers import SpeakerRow
from pseudovoice.attacks.verdict import verdicts
from pseudovoice.cells import to_csv


def with_verdicts(assessment: Assessment) -> dict[str, Any]:
    """The whole result and its verdicts, as JSON can hold them."""
    return {**assessment.to_dict(), "verdicts": verdicts(assessment)}


def to_json(assessment: Assessment) -> str:
    """The same as strict JSON."""
    whole = with_verdicts(assessment)
    return json.dumps(whole, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


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
    import pyarrow as pa  # 170 MB, which nothing else of a report needs
    import pyarrow.parquet as pq

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
