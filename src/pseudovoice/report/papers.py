"""Tables 2, 3 and 4 of noe2022 as data: laid out as printed, with the intervals they do not have.

A table has one block per set and one line per safeguard. It is shown in a page and written as CSV;
`pseudovoice.report.latex` sets the same tables for paper.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from pseudovoice.assessment.assess import Assessment
from pseudovoice.assessment.estimate import Row
from pseudovoice.attacks.registry import BASE
from pseudovoice.attacks.result import AttackResult
from pseudovoice.cells import to_csv
from pseudovoice.report.latex import Entry


@dataclass(frozen=True)
class PaperCell:
    """A number as it is read, and its 95 % interval; ``chance`` if it cannot be told from it."""

    text: str
    interval: str = ""
    chance: bool = False


@dataclass(frozen=True)
class PaperLine:
    """A safeguard on a set; ``initial`` is (D_ECE, l_w, tag) of the set's unprotected speech."""

    set: str
    system: str
    initial: str
    cells: tuple[PaperCell, ...]


@dataclass(frozen=True)
class PaperTable:
    """One of the tables; ``number`` is the paper's."""

    number: int
    title: str
    columns: tuple[str, ...]
    lines: tuple[PaperLine, ...]


@dataclass(frozen=True)
class _Column:
    title: str
    condition: str
    metric: str
    show: Callable[[float], str]


def _percent(x: float) -> str:
    return f"{100 * x:.2f}"


def _decibel(x: float) -> str:
    return f"{x:.2f}"


def _bits(x: float) -> str:
    """Three decimals, or one digit and a power of ten for what would be lost in them."""
    return f"{x:.3f}" if x == 0 or abs(x) >= 0.0005 else f"{x:.0e}"


DEID = _Column("DeID [%]", "op", "deid", _percent)
G_VD = _Column("G_VD [dB]", "pp", "g_vd", _decibel)
D_ECE = _Column("D_ECE [bit]", "op", "d_ece", _bits)
C_ECE = _Column("C_ECE [bit]", "op", "c_ece_linear", _bits)
L_W = _Column("l_w", "op", "l_w", "{:.3f}".format)
TAG = _Column("Tag", "op", "tag", str)

TABLES: dict[int, tuple[str, tuple[_Column, ...]]] = {
    2: (
        "Voice similarity matrices and ZEBRA: how much is hidden, how distinct voices stay, what "
        "is disclosed",
        (DEID, G_VD, D_ECE, C_ECE, L_W, TAG),
    ),
    3: (
        "Three measures of de-identification",
        (
            DEID,
            _Column("D_ECE (OP/OO) [%]", "op", "deid_d_ece", _percent),
            _Column("Cllr min (OP/OO) [%]", "op", "deid_cllr_min", _percent),
        ),
    ),
    4: (
        "Three gains of voice distinctiveness",
        (
            G_VD,
            _Column("G of D_ECE (PP/OO) [dB]", "pp", "g_d_ece", _decibel),
            _Column("G of Cllr min (PP/OO) [dB]", "pp", "g_cllr_min", _decibel),
        ),
    ),
}


def paper_entries(set_name: str, system: str, results: Iterable[AttackResult]) -> list[Entry]:
    """The lines of one safeguard on one set.

    They are those of the ignorant attacker, as in the paper. Sets of one gender are called as
    there, ``…_f`` and ``…_m``; the recogniser is named where there are several.
    """
    ignorant = [one for one in results if one.who == BASE]
    several = len({one.encoder for one in ignorant}) > 1
    return [
        Entry(
            set_name if one.group == "all" else f"{set_name}_{one.group}",
            f"{system}, {one.encoder}" if several else system,
            Assessment(one.rows, (), (), {}),
        )
        for one in ignorant
    ]


def paper_tables(entries: Sequence[Entry]) -> tuple[PaperTable, ...]:
    """The three tables as a page shows them, D_ECE / C_ECE in one column as printed."""
    return tuple(
        PaperTable(
            number,
            title,
            tuple(_titles(columns)),
            tuple(_line(entry, columns, initial=number == 2) for entry in _by_set(entries)),
        )
        for number, (title, columns) in TABLES.items()
    )


def paper_csv(number: int, entries: Sequence[Entry]) -> str:
    """One of the tables as CSV: every number in full, its bounds in columns of their own."""
    columns = TABLES[number][1]
    names = ["set", "system"]
    if number == 2:
        names += ["unprotected_d_ece", "unprotected_l_w", "unprotected_tag"]
    for column in columns:
        names += [f"{column.metric}{part}" for part in ("", "_low", "_high", "_chance")]
    records = []
    for entry in _by_set(entries):
        record: dict[str, object] = dict.fromkeys(names)
        record |= {"set": entry.set, "system": entry.system}
        for name in ("d_ece", "l_w", "tag") if number == 2 else ():
            row = _row(entry, "oo", name)
            record[f"unprotected_{name}"] = None if row is None else row.value
        for column in columns:
            row = _row(entry, column.condition, column.metric)
            if row is not None:
                record[column.metric] = row.value
                record[f"{column.metric}_low"] = row.low
                record[f"{column.metric}_high"] = row.high
                record[f"{column.metric}_chance"] = row.chance
        records.append(record)
    return to_csv(records, names)


def beside_csv(entries: Sequence[Entry]) -> str:
    """Table 2 of noe2020 as CSV: a line for each set, DeID and G_VD of every safeguard in it."""
    systems = list(dict.fromkeys(entry.system for entry in entries))
    parts = [(column, system) for system in systems for column in (DEID, G_VD)]
    bounds = ("", "_low", "_high")
    names = ["set", *(f"{c.metric}{b} {system}" for c, system in parts for b in bounds)]
    records = []
    for name in dict.fromkeys(entry.set for entry in entries):
        of = {entry.system: entry for entry in entries if entry.set == name}
        record: dict[str, object] = {**dict.fromkeys(names), "set": name}
        for column, system in parts:
            row = _row(of[system], column.condition, column.metric) if system in of else None
            if row is not None:
                for bound, value in zip(bounds, (row.value, row.low, row.high), strict=True):
                    record[f"{column.metric}{bound} {system}"] = value
        records.append(record)
    return to_csv(records, names)


def _by_set(entries: Sequence[Entry]) -> list[Entry]:
    """Lines of one set together, sets and safeguards in the order in which they come."""
    return [e for name in dict.fromkeys(e.set for e in entries) for e in entries if e.set == name]


def _titles(columns: Sequence[_Column]) -> list[str]:
    titles = [column.title for column in columns if column is not C_ECE]
    return [
        "D_ECE / C_ECE [bit]" if title == D_ECE.title and C_ECE in columns else title
        for title in titles
    ]


def _line(entry: Entry, columns: Sequence[_Column], *, initial: bool) -> PaperLine:
    cells: list[PaperCell] = []
    for column in columns:
        cell = _cell(entry, column)
        if column is C_ECE:
            # One column of the paper: nothing stands after the slash of a deterministic safeguard.
            if cell.text != "–":
                before = cells.pop()
                cells.append(_joined(before, cell))
            continue
        cells.append(cell)
    return PaperLine(entry.set, entry.system, _unprotected(entry) if initial else "", tuple(cells))


def _joined(one: PaperCell, other: PaperCell) -> PaperCell:
    interval = f"{one.interval} / {other.interval}" if one.interval and other.interval else ""
    # The circle of a cell stands after it: here each number bears its own.
    texts = (cell.text + ("°" if cell.chance else "") for cell in (one, other))
    return PaperCell(" / ".join(texts), interval)


def _cell(entry: Entry, column: _Column) -> PaperCell:
    row = _row(entry, column.condition, column.metric)
    if row is None:
        return PaperCell("–")

    def show(value: float | str) -> str:
        text = value if isinstance(value, str) else column.show(float(value))
        return text.replace("-", "−") if not isinstance(value, str) else text

    interval = ""
    if row.low is not None and row.high is not None:
        low, high = show(row.low), show(row.high)
        letters = low if low == high else f"{low}–{high}"
        interval = letters if column is TAG else f"[{low}, {high}]"
    return PaperCell(show(row.value), interval, bool(row.chance))


def _unprotected(entry: Entry) -> str:
    rows = [_row(entry, "oo", name) for name in ("d_ece", "l_w", "tag")]
    if any(row is None for row in rows):
        return ""
    d, w, tag = (row.value for row in rows if row is not None)
    return f"({float(d):.3f}, {float(w):.3f}, {tag})"


def _row(entry: Entry, condition: str, metric: str) -> Row | None:
    try:
        return entry.assessment.row(condition, metric)
    except KeyError:
        return None
