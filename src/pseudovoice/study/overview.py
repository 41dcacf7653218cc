"""The page above the pages of several sets: verdicts, the papers' tables, and the way to each."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from html import escape
from pathlib import Path

from pseudovoice.page import Study
from pseudovoice.report.maouche import SliceTable
from pseudovoice.report.papers import PaperTable

STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 64rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; margin: 0 0 2rem; font-variant-numeric: tabular-nums; }
.wide { overflow-x: auto; }
caption { text-align: left; font-weight: 600; padding: .5rem 0; }
th, td { text-align: left; vertical-align: top; padding: .2rem 1rem .2rem 0; }
tr { border-bottom: 1px solid #8884; }
th[scope=row] { font-weight: normal; }
small { display: block; opacity: .8; white-space: nowrap; }
"""


def overview_html(
    title: str,
    studies: Sequence[Study],
    files: Sequence[Path],
    tables: Sequence[PaperTable],
    slice_tables: Sequence[SliceTable] = (),
) -> str:
    """A page without a script; every string from data is escaped."""
    style = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
    body = "\n".join(
        [
            f"<h1>{_text(title)}</h1>",
            *(_set(study, file) for study, file in zip(studies, files, strict=True)),
            "<h2>Tables</h2>",
            "<p>Laid out as Tables 2, 3 and 4 of Noé et al. 2022, with 95 % intervals. A circle "
            "marks figures that cannot be told from chance.</p>"
            if tables
            else "",
            *(paper_html(table, f"Table {table.number}. {table.title}") for table in tables),
            *(paper_html(table, table.title) for table in slice_tables),
        ]
    )
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
        f"style-src 'sha256-{style}'; base-uri 'none'; form-action 'none'\">\n"
        f"<title>{_text(title)}</title>\n<style>{STYLE}</style>\n</head>\n"
        f"<body>\n<main>\n{body}\n</main>\n</body>\n</html>\n"
    )


def _set(study: Study, file: Path) -> str:
    said = [(one.name, one.headline) for one in study.safeguards]
    said += [(one.name, one.headline) for one in study.slices]
    lines = "".join(
        f"<li><strong>{_text(name)}</strong>: {_text(headline)}</li>" for name, headline in said
    )
    facts = f"{study.corpus.speakers} speakers"
    if study.corpus.utterances is not None:
        facts += f", {study.corpus.utterances:,} recordings"
    return (
        f'<section><h2><a href="{_text(file.name)}">{_text(study.corpus.name)}</a></h2>'
        f"<p>{facts}</p><ul>{lines}</ul></section>"
    )


def paper_html(table: PaperTable | SliceTable, caption: str) -> str:
    """One of the papers' tables."""
    head = "".join(f'<th scope="col">{_text(name)}</th>' for name in table.columns)
    rows = []
    last = None
    for line in table.lines:
        cells = "".join(
            f"<td>{_text(cell.text)}{'°' if cell.chance else ''}"
            f"<small>{_text(cell.interval)}</small></td>"
            for cell in line.cells
        )
        first = ""
        if line.set != last:
            first = f"{_text(line.set)}<small>{_text(line.initial)}</small>"
        rows.append(f'<tr><td>{first}</td><th scope="row">{_text(line.system)}</th>{cells}</tr>')
        last = line.set
    return (
        f'<div class="wide"><table><caption>{_text(caption)}</caption>'
        f'<thead><tr><th scope="col">Set</th><th scope="col">System</th>{head}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )


def _text(text: str) -> str:
    """Text as text, whatever it holds; what cannot be seen is written out."""
    return escape("".join(c if c.isprintable() else repr(c)[1:-1] for c in text))
