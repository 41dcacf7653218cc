"""Tables of the Montreal Forced Aligner: Begin, End, Label, Type, Speaker.

Its TextGrids are read by :mod:`textgrid <pseudovoice.alignment.readers.textgrid>` and its JSON by
:mod:`json_words <pseudovoice.alignment.readers.json_words>`.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from pseudovoice.alignment.readers.labels import is_silence
from pseudovoice.alignment.readers.textgrid import FormatFault
from pseudovoice.alignment.word import Word

COLUMNS = ("begin", "end", "label", "type")


def is_mfa_csv(text: str) -> bool:
    """Whether the first line is the header of such a table."""
    try:
        names = next(csv.reader(text.splitlines()[:1]), [])
    except csv.Error:
        return False
    return {name.strip().lower() for name in names}.issuperset(COLUMNS)


def read_mfa_csv(text: str) -> tuple[Word, ...]:
    """The words of one utterance, in order of time; raises :class:`FormatFault`."""
    try:
        return tuple(sorted(_words(text), key=lambda word: word.start))
    except csv.Error as error:
        raise FormatFault(f"is no table ({error})") from None


def _words(text: str) -> Iterator[Word]:
    rows = csv.DictReader(io.StringIO(text))
    rows.fieldnames = [name.strip().lower() for name in rows.fieldnames or ()]
    for row in rows:
        if (row["type"] or "").strip().lower() not in ("words", "word"):
            continue
        label = row["label"] or ""
        if is_silence(label):
            continue
        try:
            yield Word(label.strip(), float(row["begin"]), float(row["end"]))
        except (TypeError, ValueError):
            raise FormatFault(f"line {rows.line_num} has a time that is no number") from None
