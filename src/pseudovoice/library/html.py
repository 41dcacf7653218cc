"""A result as a notebook shows it: the verdicts first, then the numbers, all of it plain HTML."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import singledispatch
from html import escape

from pseudovoice.assessment.assess import Assessment
from pseudovoice.assessment.conditions import CONDITIONS
from pseudovoice.assessment.estimate import Row
from pseudovoice.attacks.assess import AudioAssessment
from pseudovoice.attacks.attributes import ATTRIBUTES
from pseudovoice.attacks.result import AttackResult
from pseudovoice.attacks.told import Told
from pseudovoice.errors import Problem
from pseudovoice.library.slices import SliceAttack
from pseudovoice.library.tables import tables
from pseudovoice.study import Outcome
from pseudovoice.utility.assess import UtilityAssessment

NUMBERS = ("D_ECE [bit]", "unprotected", "chance", "tag", "EER [%]", "unprotected", "verdict")


@singledispatch
def html(result: object) -> str:
    """The HTML of a result."""
    return f"<pre>{escape(repr(result))}</pre>"


@html.register
def _(result: Assessment) -> str:
    parts = []
    for condition, meaning in CONDITIONS.items():
        rows = [row for row in result.rows if row.condition == condition]
        if rows:
            parts.append(_p(f"{condition.upper()}: {meaning}; attacker: {rows[0].attacker}"))
            parts.append(
                _table(
                    ("metric", "value", "95 % interval", "chance gives", "unit", "good"),
                    (
                        (
                            row.metric,
                            _number(row.value, row),
                            _interval(row),
                            _number(row.null, row),
                            "%" if row.unit == "fraction" else row.unit,
                            row.direction,
                        )
                        for row in rows
                    ),
                )
            )
    return "".join([*parts, _list(result.warnings)])


@html.register
def _(result: AudioAssessment) -> str:
    return "".join(
        (
            *_knowledge(result.attacks),
            _table(
                ("attacker", "encoder", "speakers", *NUMBERS),
                ((a.attacker, a.encoder, a.group, *_attack(a)) for a in result.attacks),
            ),
            _told(result.told),
            _problems(result.problems),
        )
    )


@html.register
def _(result: UtilityAssessment) -> str:
    columns = ("group", "metric", "condition", "value", "low", "high", "unit", "direction")
    return _of_rows(result, "rows", columns) + _problems(result.problems)


@html.register
def _(result: SliceAttack) -> str:
    return "".join(_of_rows(result, name) for name in tables(result)) + _problems(result.problems)


@html.register
def _(result: Outcome) -> str:
    attacks = [(one, a) for one in result.found for a in one.assessed.attacks if a.group == "all"]
    parts = [_list(result.headlines), *_knowledge([a for _, a in attacks])]
    if attacks:
        parts.append(
            _table(
                ("set", "safeguard", "attacker", "encoder", *NUMBERS),
                ((one.set, one.name, a.attacker, a.encoder, *_attack(a)) for one, a in attacks),
            )
        )
    parts += [_of_rows(result, name) for name in ("identity", "order") if name in tables(result)]
    return "".join([*parts, _problems(result.problems)])


def _knowledge(attacks: Iterable[AttackResult]) -> Iterable[str]:
    """What each attacker knows, before any number."""
    knows = {a.attacker: a.who.knows for a in attacks}
    return (_p(f"The {name} attacker {what}.") for name, what in knows.items())


def _attack(one: AttackResult) -> Sequence[str]:
    a = one.to_dict()
    within = "" if a["d_ece_low"] is None else f" [{a['d_ece_low']:.3f}, {a['d_ece_high']:.3f}]"
    return (
        f"{a['d_ece']:.3f}{within}",
        f"{a['control_d_ece']:.3f}",
        "" if a["floor_d_ece"] is None else f"{a['floor_d_ece']:.3f}",
        a["tag"],
        f"{100 * a['eer']:.1f}",
        f"{100 * a['control_eer']:.1f}",
        a["verdict"],
    )


def _told(told: Sequence[Told]) -> str:
    """What can be told of people, if anybody asked."""
    if not told:
        return ""
    return _p(f"The {ATTRIBUTES.attacker.name} attacker {ATTRIBUTES.attacker.knows}.") + _table(
        ("trait", "encoder", "AUC, unprotected", "AUC, protected", "95 % interval", "verdict"),
        (
            (
                one.trait,
                one.encoder,
                f"{one.control.value:.3f}",
                f"{one.worst.value:.3f}",
                _interval(one.worst),
                one.verdict,
            )
            for one in told
        ),
    )


def _number(value: float | str | None, row: Row) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    return f"{100 * value:.2f}" if row.unit == "fraction" else f"{value:.4g}"


def _interval(row: Row) -> str:
    if row.low is None or row.high is None:
        return ""
    return f"[{_number(row.low, row)}, {_number(row.high, row)}]"


def _of_rows(result: object, name: str, columns: Sequence[str] | None = None) -> str:
    rows = tables(result)[name]
    columns = columns or [c for c in (rows[0] if rows else ()) if c != "knows"]
    return _table(columns, ([_cell(row[c]) for c in columns] for row in rows))


def _cell(value: object) -> str:
    if value is None:
        return ""
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    head = "".join(f"<th>{escape(column)}</th>" for column in columns)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _p(text: str) -> str:
    return f"<p>{escape(text)}</p>"


def _list(texts: Iterable[str]) -> str:
    items = "".join(f"<li>{escape(text)}</li>" for text in texts)
    return f"<ul>{items}</ul>" if items else ""


def _problems(problems: Sequence[Problem]) -> str:
    if not problems:
        return ""
    return _p(f"{len(problems)} problem(s); what they concern was left out:") + _list(
        map(str, problems)
    )
