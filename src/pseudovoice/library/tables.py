"""The tables of every kind of result, as rows of plain values and as DataFrames."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import singledispatch
from typing import TYPE_CHECKING, Any

from pseudovoice.assessment.assess import Assessment
from pseudovoice.attacks.assess import AudioAssessment
from pseudovoice.errors import MissingExtraError, UsageError
from pseudovoice.library.slices import SliceAttack
from pseudovoice.reassembly import Ranking, Sampled
from pseudovoice.reassembly.attack import FIGURES
from pseudovoice.reidentification import IdentityResult
from pseudovoice.study import Outcome
from pseudovoice.study.tables import long_rows
from pseudovoice.utility.assess import UtilityAssessment

if TYPE_CHECKING:
    import pandas

Rows = list[dict[str, Any]]


@singledispatch
def tables(result: object) -> dict[str, Rows]:
    """Every table of a result by name, the most important first."""
    raise UsageError(f"A {type(result).__name__} has no tables.")


@tables.register
def _(result: Assessment) -> dict[str, Rows]:
    return {"rows": _dicts(result.rows), "speakers": _dicts(result.speakers)}


@tables.register
def _(result: AudioAssessment) -> dict[str, Rows]:
    return {**tables(result.whole), "attacks": _dicts(result.attacks)}


@tables.register
def _(result: UtilityAssessment) -> dict[str, Rows]:
    return {"rows": _dicts(result.rows), "speakers": _dicts(result.speakers)}


@tables.register
def _(result: SliceAttack) -> dict[str, Rows]:
    made = {
        "identity": [_linked(one) for one in result.identity],
        "order": _order(result.text, result.sound),
    }
    return {name: rows for name, rows in made.items() if rows} or made


@tables.register
def _(result: Outcome) -> dict[str, Rows]:
    of_speech = {
        name: long_rows(result.found, name) for name in ("rows", "speakers", "attacks", "utility")
    }
    of_slices: dict[str, Rows] = {"identity": [], "order": []}
    for one in result.sliced:
        place = {"set": one.set, "safeguard": one.safeguard.name}
        identity = () if one.identity is None else one.identity.attacks
        of_slices["identity"] += [{**place, **_linked(attack)} for attack in identity]
        if one.reassembly is not None:
            rows = _order(one.reassembly.text, one.reassembly.sound)
            of_slices["order"] += [{**place, **row} for row in rows]
    every = {**of_speech, **of_slices}
    return {name: rows for name, rows in every.items() if rows}


def _dicts(rows: Iterable[Any]) -> Rows:
    return [row.to_dict() for row in rows]


def _linked(one: IdentityResult) -> dict[str, Any]:
    """An attack and its control in one row."""
    row = one.to_dict()
    control = row.pop("control")
    return _flat({**row, **{f"control_{name}": value for name, value in control.items()}})


def _flat(row: dict[str, Any]) -> dict[str, Any]:
    """Estimates as columns: ``eer``, ``eer_low``, ``eer_high``, ``eer_null``."""
    flat: dict[str, Any] = {}
    for name, value in row.items():
        if isinstance(value, dict):
            flat |= {name if k == "value" else f"{name}_{k}": v for k, v in value.items()}
        else:
            flat[name] = value
    return flat


def _order(text: dict[str, Ranking], sound: dict[str, Sampled]) -> Rows:
    rows = []
    for tried, found in (("all slices", text), ("samples", sound)):
        for name, result in found.items():
            row: dict[str, Any] = {"attack": name, "tried": tried, "slices": result.slices}
            figures: Sequence[str] = (*FIGURES, *(("recovered",) if tried == "samples" else ()))
            for figure in figures:
                estimate = getattr(result, figure)
                row |= {
                    figure: estimate.value,
                    f"{figure}_low": estimate.low,
                    f"{figure}_high": estimate.high,
                    f"{figure}_null": estimate.null,
                }
            rows.append(row)
    return rows


def to_pandas(result: object, table: str | None) -> pandas.DataFrame:
    """One table of a result; the first, if none is named."""
    try:
        import pandas
    except ImportError:
        raise MissingExtraError("pandas", "pandas", "A table as a DataFrame") from None
    known = tables(result)
    name = next(iter(known)) if table is None else table
    if name not in known:
        raise UsageError(f"There is no table {name!r} in this result; it has {', '.join(known)}.")
    return pandas.DataFrame(known[name])
