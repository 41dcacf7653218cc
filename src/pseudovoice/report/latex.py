"""Table 2 of noe2020 and Tables 2, 3 and 4 of noe2022 in booktabs LaTeX, with intervals, which the
papers do not have."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pseudovoice.assessment.assess import Assessment
from pseudovoice.assessment.estimate import Row

ESCAPES = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "_": r"\_",
    "%": r"\%",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"{''}",  # \textquotedbl is missing from LaTeX's default font encoding
    "[": "{[}",  # at the beginning of a row it would be an option of \\ or \midrule
    "*": "{*}",  # likewise
}


@dataclass(frozen=True)
class Entry:
    """One line of the papers' tables: a safeguard on a set."""

    set: str
    system: str
    assessment: Assessment


def escape(text: str) -> str:
    """Text from data as LaTeX prints it, whatever it holds."""
    return "".join(ESCAPES.get(c, c if c.isprintable() else " ") for c in text)


Cell = tuple[str, str]
"""A value and its interval."""

NOTHING: Cell = ("--", "")

COMMENT = r"% needs \usepackage{booktabs}; a circle marks figures not distinguishable from chance"


def _below(cell: Cell) -> str:
    """The interval as it stands under its number."""
    return rf"{{\scriptsize {cell[1]}}}" if cell[1] else ""


def _cell(entry: Entry, condition: str, metric: str, show: Callable[[float], str]) -> Cell:
    """A number of the result table, a dash where it is absent."""
    try:
        row = entry.assessment.row(condition, metric)
    except KeyError:
        return NOTHING
    value = show(float(row.value)) + (r"\,$^\circ$" if row.chance else "")
    if row.low is None or row.high is None:
        return value, ""
    return value, f"[{show(float(row.low))}, {show(float(row.high))}]"


def _percent(x: float) -> str:
    return f"{100 * x:.2f}" if x >= 0 else f"${100 * x:.2f}$"  # a minus, not a hyphen


def _decibel(x: float) -> str:
    return f"${x:.2f}$"


def _bits(x: float) -> str:
    if x == 0 or abs(x) >= 0.0005:
        return f"{x:.3f}" if x >= 0 else f"${x:.3f}$"
    digit, power = f"{x:.0e}".split("e")
    return rf"${digit}\cdot10^{{{int(power)}}}$"


def systems_beside(entries: Sequence[Entry]) -> str:
    """DeID and G_VD, a line for each set and the safeguards side by side (noe2020 Table 2)."""
    systems = list(dict.fromkeys(entry.system for entry in entries))
    heads = [rf"\multicolumn{{2}}{{c}}{{{escape(system)}}}" for system in systems]
    rows = [
        COMMENT,
        rf"\begin{{tabular}}{{l{'rr' * len(systems)}}}",
        r"\toprule",
        " & ".join(["Set", *heads]) + r" \\",
        " & ".join(["", *[r"DeID [\%]", r"$G_{\mathrm{VD}}$ [dB]"] * len(systems)]) + r" \\",
        r"\midrule",
    ]
    for name in dict.fromkeys(entry.set for entry in entries):
        of = {entry.system: entry for entry in entries if entry.set == name}
        cells = [cell for system in systems for cell in _both(of.get(system))]
        rows.append(" & ".join([escape(name), *(value for value, _ in cells)]) + r" \\")
        if any(interval for _, interval in cells):
            rows.append(" & ".join(["", *map(_below, cells)]) + r" \\")
    return "\n".join([*rows, r"\bottomrule", r"\end{tabular}", ""])


def _both(entry: Entry | None) -> tuple[Cell, Cell]:
    """DeID and G_VD of a safeguard on a set, if it was tried there."""
    if entry is None:
        return NOTHING, NOTHING
    return _cell(entry, "op", "deid", _percent), _cell(entry, "pp", "g_vd", _decibel)


def table2(entries: Sequence[Entry]) -> str:
    """DeID, G_VD, D_ECE / C_ECE, l_w and tag of each safeguard on each set (noe2022 Table 2)."""

    def cells(entry: Entry) -> list[Cell]:
        disclosure, distortion = (
            _cell(entry, "op", name, _bits) for name in ("d_ece", "c_ece_linear")
        )
        both = (
            disclosure
            if distortion == NOTHING
            else (f"{disclosure[0]} / {distortion[0]}", f"{disclosure[1]} / {distortion[1]}")
        )
        return [
            _cell(entry, "op", "deid", _percent),
            _cell(entry, "pp", "g_vd", _decibel),
            both,
            _cell(entry, "op", "l_w", "{:.3f}".format),
            _tag(entry, "op"),
        ]

    return _table(
        entries,
        [
            r"DeID [\%]",
            r"$G_{\mathrm{VD}}$ [dB]",
            r"$D_{\mathrm{ECE}}$ / $C_{\mathrm{ECE}}$ [bit]",
            "$l_w$",
            "Tag",
        ],
        cells,
        initial=True,
    )


def table3(entries: Sequence[Entry]) -> str:
    """Three measures of de-identification side by side (noe2022 Table 3)."""
    return _table(
        entries,
        [
            r"DeID [\%]",
            r"$D_{\mathrm{ECE}}^{(\mathrm{OP/OO})}$ [\%]",
            r"$C_{\mathrm{llr}}^{\min(\mathrm{OP/OO})}$ [\%]",
        ],
        lambda entry: [
            _cell(entry, "op", name, _percent) for name in ("deid", "deid_d_ece", "deid_cllr_min")
        ],
    )


def table4(entries: Sequence[Entry]) -> str:
    """Three gains of voice distinctiveness side by side (noe2022 Table 4)."""
    return _table(
        entries,
        [
            r"$G_{\mathrm{VD}}$ [dB]",
            r"$G_{D_{\mathrm{ECE}}^{(\mathrm{PP/OO})}}$ [dB]",
            r"$G_{C_{\mathrm{llr}}^{\min(\mathrm{PP/OO})}}$ [dB]",
        ],
        lambda entry: [
            _cell(entry, "pp", name, _decibel) for name in ("g_vd", "g_d_ece", "g_cllr_min")
        ],
    )


def _tag(entry: Entry, condition: str) -> Cell:
    try:
        row: Row = entry.assessment.row(condition, "tag")
    except KeyError:
        return NOTHING
    return str(row.value), "" if row.low is None else f"{row.low}--{row.high}"


def _unprotected(entries: Sequence[Entry]) -> str:
    """What the set discloses before protection, as the paper prints it under the set's name."""
    for entry in entries:
        try:
            d, w, t = (entry.assessment.value("oo", name) for name in ("d_ece", "l_w", "tag"))
        except KeyError:
            continue
        return f"({float(d):.3f}, {float(w):.3f}, {t})"
    return ""


def _table(
    entries: Sequence[Entry],
    titles: Sequence[str],
    cells: Callable[[Entry], list[Cell]],
    *,
    initial: bool = False,
) -> str:
    lines = []
    for name in dict.fromkeys(entry.set for entry in entries):  # each set once, as it comes
        group = [entry for entry in entries if entry.set == name]
        for k, entry in enumerate(group):
            below = _unprotected(group) if k == 0 and initial else ""
            lines.append(LatexLine(name, entry.system, cells(entry), below))
    return tabular(titles, lines)


@dataclass(frozen=True)
class LatexLine:
    """One line of a table: cells in LaTeX; ``below`` stands under the set's name."""

    set: str
    system: str
    cells: Sequence[Cell]
    below: str = ""


def tabular(titles: Sequence[str], lines: Sequence[LatexLine]) -> str:
    """The lines in booktabs, intervals below the numbers; lines of one set stand together."""
    rows = [
        COMMENT,
        rf"\begin{{tabular}}{{ll{'r' * len(titles)}}}",
        r"\toprule",
        " & ".join(["Set", "System", *titles]) + r" \\",
    ]
    last = None
    for line in lines:
        if line.set != last:
            rows.append(r"\midrule")
        first = escape(line.set) if line.set != last else ""
        values = [value for value, _ in line.cells]
        rows.append(" & ".join([first, escape(line.system), *values]) + r" \\")
        below = [_below(cell) for cell in line.cells]
        if line.below or any(below):
            rows.append(" & ".join([line.below, "", *below]) + r" \\")
        last = line.set
    return "\n".join([*rows, r"\bottomrule", r"\end{tabular}", ""])
