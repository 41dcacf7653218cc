"""Tables 1 to 3 and the numbers of Fig. 3 of maouche2022, with intervals they do not have.

Each table has the columns of the paper and one line per chain of slices, attack and set, in Table 1
one per training data and slicing; it is shown in a page, set in booktabs LaTeX and written as CSV.
Shares, ranks and error rates are in per cent, as printed there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from pseudovoice.assessment.estimate import Estimate
from pseudovoice.cells import to_csv
from pseudovoice.reassembly import Ranking, Sampled
from pseudovoice.reidentification import IdentityResult, Linked
from pseudovoice.report.latex import LatexLine, escape, tabular
from pseudovoice.report.papers import PaperCell, PaperLine

PAPER = "Maouche et al. 2022"
RANKS = {
    "average": "Average normalized rank (%)",
    "median": "Median normalized rank (%)",
    "top_1": "Precision at top-1 (%)",
    "top_10": "Precision at top-10% (%)",
}
FEWEST_MATED = 20
"""Trials of enrolled people below which D_sys has a single bin, and is 0 whatever happens."""
WHOLE = "Whole utterances (%)"
WER = "WER (%)"
D_SYS, EER = "Linkability D_sys", "EER (%)"
CLEAR = ", clear speech"
_LATEX = {
    "δ (s)": r"$\delta$ (s)",
    D_SYS: r"$D_{\leftrightarrow}^{\mathrm{sys}}$",
    D_SYS + CLEAR: r"$D_{\leftrightarrow}^{\mathrm{sys}}$, clear",
}


@dataclass(frozen=True)
class Duration:
    """Seconds of what was tried, mean and standard deviation; None where nobody knows."""

    mean: float | None
    sd: float | None


@dataclass(frozen=True)
class SlicedEntry:
    """A chain of slices on a set, and everything the tables need of it.

    ``method`` and ``delta`` are those of the slicing. ``whole`` are the attacks on the chain's
    unsliced form, which tables call ``reference``.
    """

    set: str
    system: str
    method: str
    delta: float
    duration: Duration
    text: Mapping[str, Ranking]
    sound: Mapping[str, Sampled]
    linked: Sequence[IdentityResult]
    whole: Sequence[IdentityResult]
    whole_duration: Duration
    reference: str


@dataclass(frozen=True)
class WorthEntry:
    """A recogniser trained on speech, and its WER on a set, clear and under a safeguard.

    ``training`` is ``clear`` or ``protected``, ``delta`` that of its slices, None for whole speech.
    """

    set: str
    system: str
    training: str
    delta: float | None
    clear: Estimate
    protected: Estimate


@dataclass(frozen=True)
class SliceTable:
    """One of the tables; ``name`` is that of its files."""

    name: str
    title: str
    columns: tuple[str, ...]
    lines: tuple[PaperLine, ...]


@dataclass(frozen=True)
class _Line:
    """A line before it is set: words, then numbers with the factor and digits they are shown in."""

    set: str
    system: str
    words: dict[str, str]
    numbers: dict[str, _Number]


_Number = tuple[Estimate | None, float, int]


def linkability(found: Linked) -> Estimate | None:
    """D_sys, unless there are too few trials for it to tell anything."""
    return found.d_sys if found.n_mated >= FEWEST_MATED else None


def slice_tables(
    entries: Sequence[SlicedEntry], worth: Sequence[WorthEntry] = ()
) -> tuple[SliceTable, ...]:
    """The tables that have any line, as a page shows them."""
    return tuple(
        SliceTable(name, title, tuple(_columns(lines)), tuple(map(_shown, lines)))
        for name, title, lines in _tables(entries, worth)
    )


def slice_files(entries: Sequence[SlicedEntry], worth: Sequence[WorthEntry] = ()) -> dict[str, str]:
    """CSV and LaTeX of each table by the name of its file."""
    files = {}
    for name, _, lines in _tables(entries, worth):
        files[f"{name}.csv"] = _csv(lines)
    for table in slice_tables(entries, worth):
        files[f"{table.name}.tex"] = slice_latex(table)
    return files


def _tables(
    entries: Sequence[SlicedEntry], worth: Sequence[WorthEntry]
) -> Iterable[tuple[str, str, list[_Line]]]:
    made = (
        (
            "maouche2022_table1",
            f"Table 1 of {PAPER}. WER on whole test data when training on sliced data",
            list(map(_trained, worth)),
        ),
        (
            "maouche2022_table2",
            f"Table 2 of {PAPER}. Text-based successor identification performance",
            [line for entry in entries for line in _text(entry)],
        ),
        (
            "maouche2022_table3",
            f"Table 3 of {PAPER}. Speech-based successor identification performance",
            [line for entry in entries for line in _sound(entry)],
        ),
        (
            "maouche2022_fig3",
            f"Fig. 3 of {PAPER} in numbers. Linkability against duration",
            _once([line for entry in entries for line in _linked(entry)]),
        ),
    )
    return [table for table in made if table[2]]


def _trained(entry: WorthEntry) -> _Line:
    words = {
        "Training data": entry.training,
        "Slicing": "none" if entry.delta is None else f"δ = {entry.delta:g} s",
    }
    numbers: dict[str, _Number] = {
        f"{WER}, test: {side}": (getattr(entry, side), 100.0, 2) for side in ("clear", "protected")
    }
    return _Line(entry.set, entry.system, words, numbers)


def _once(lines: Sequence[_Line]) -> list[_Line]:
    """Each line once: chains that differ in their slices alone share speech that was not cut."""
    kept: list[_Line] = []
    for line in lines:
        if line not in kept:
            kept.append(line)
    return kept


def _text(entry: SlicedEntry) -> list[_Line]:
    return [
        _ranks(entry, attack, ranking, f"{ranking.slices:,}", {})
        for attack, ranking in entry.text.items()
    ]


def _sound(entry: SlicedEntry) -> list[_Line]:
    return [
        _ranks(
            entry,
            attack,
            sampled,
            f"{sampled.slices:,.0f}",
            {WHOLE: (sampled.recovered, 100.0, 2)},
        )
        for attack, sampled in entry.sound.items()
    ]


def _ranks(
    entry: SlicedEntry,
    attack: str,
    found: Ranking | Sampled,
    slices: str,
    more: dict[str, _Number],
) -> _Line:
    words = {"Attack": attack, "δ (s)": f"{entry.delta:g}", "Number of slices": slices}
    ranks: dict[str, _Number] = {
        title: (getattr(found, name), 100.0, 2) for name, title in RANKS.items()
    }
    return _Line(entry.set, entry.system, words, ranks | more)


PIECES = {"words": "sliced, δ = {:g} s", "shorten": "first {:g} s", "fixed": "every {:g} s"}


def _linked(entry: SlicedEntry) -> list[_Line]:
    pieces = PIECES.get(entry.method, entry.method + ", {:g} s").format(entry.delta)
    return [
        *(_link(entry.set, entry.system, pieces, entry.duration, one) for one in entry.linked),
        *(
            _link(entry.set, entry.reference, "whole", entry.whole_duration, one)
            for one in entry.whole
        ),
    ]


def _link(set_: str, system: str, pieces: str, duration: Duration, one: IdentityResult) -> _Line:
    seconds = "–" if duration.mean is None else f"{duration.mean:.2f}"
    if duration.sd is not None:
        seconds += f" ± {duration.sd:.2f}"
    words = {
        "Speech": pieces,
        "Duration (s)": seconds,
        "Attacker": one.attacker,
        "Recogniser": one.encoder,
        "Enrolment": one.enrolment,
        "Mated trials": f"{one.linked.n_mated:,}",
    }
    numbers: dict[str, _Number] = {
        D_SYS: (linkability(one.linked), 1.0, 3),
        D_SYS + CLEAR: (linkability(one.control), 1.0, 3),
        EER: (one.linked.eer, 100.0, 2),
        EER + CLEAR: (one.control.eer, 100.0, 2),
    }
    return _Line(set_, system, words, numbers)


def _columns(lines: Sequence[_Line]) -> list[str]:
    return [*lines[0].words, *lines[0].numbers]


def _shown(line: _Line) -> PaperLine:
    cells = [PaperCell(text) for text in line.words.values()]
    for figure, factor, digits in line.numbers.values():
        if figure is None:
            cells.append(PaperCell("–"))
            continue
        interval = ""
        if figure.low is not None and figure.high is not None:
            low, high = (f"{factor * float(x):.{digits}f}" for x in (figure.low, figure.high))
            interval = f"[{low}, {high}]"
        value = f"{factor * float(figure.value):.{digits}f}"
        cells.append(PaperCell(value, interval, bool(figure.chance)))
    return PaperLine(line.set, line.system, "", tuple(cells))


def _csv(lines: Sequence[_Line]) -> str:
    """Every number in full, its bounds, its level of chance and the verdict beside it."""
    parts = ("", ", low", ", high", ", chance level", ", as chance")
    names = ["set", "system", *lines[0].words]
    names += [f"{title}{part}" for title in lines[0].numbers for part in parts]
    records = []
    for line in lines:
        record: dict[str, object] = {"set": line.set, "system": line.system, **line.words}
        for title, (figure, factor, _) in line.numbers.items():
            known = figure or Estimate("")
            levels = (known.value, known.low, known.high, known.null)
            values = [None if x in (None, "") else factor * float(x) for x in levels]
            record |= dict(
                zip((f"{title}{part}" for part in parts), (*values, known.chance), strict=True)
            )
        records.append(record)
    return to_csv(records, names)


def slice_latex(table: SliceTable) -> str:
    """The table in booktabs, intervals below the numbers."""
    titles = [_LATEX.get(title, escape(title)) for title in table.columns]
    lines = [
        LatexLine(line.set, line.system, [(_set_in_latex(c), c.interval) for c in line.cells])
        for line in table.lines
    ]
    return tabular(titles, lines)


def _set_in_latex(cell: PaperCell) -> str:
    text = escape(cell.text).replace("±", r"$\pm$").replace("δ", r"$\delta$").replace("–", "--")
    return text + (r"\,$^\circ$" if cell.chance else "")
