"""Text alone in slices of a few words: Table 2 of maouche2022 where there is no sound to cut.

Sentences are cut every so many words, and what is left at the end is discarded, as the tails of
speech are. The public slices are one table of names and words, in the order of their names, which
without the key tell neither sentence nor order.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pseudovoice.atomic import write_atomic
from pseudovoice.cells import from_cell, to_csv
from pseudovoice.choices import SLICE_WORDS
from pseudovoice.errors import InputError, UsageError
from pseudovoice.keys import Key
from pseudovoice.slicing.table import Origin, check_place, write_table

COLUMNS = ("slice", "text")
_SENTENCE = "sentence"
_DIGITS = 20


@dataclass(frozen=True)
class SlicedText:
    """What was done: ``sentences`` gave the slices, ``lost`` words were left at their ends."""

    origins: tuple[Origin, ...]
    sentences: int
    words: int
    lost: int

    def __str__(self) -> str:
        return (
            f"{len(self.origins):,} slices of {self.words} words from {self.sentences:,} "
            f"sentences; {self.lost:,} words lost at their ends"
        )


def read_sentences(path: Path) -> dict[str, str]:
    """The sentences of a file by number: a line each, or the column ``sentence`` of a table.

    The tables of Common Voice (TSV) have such a column.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}); check the path.") from None
    except UnicodeDecodeError:
        raise InputError(f"{path}: this is not UTF-8 text; convert the file to UTF-8.") from None
    if path.suffix.lower() == ".tsv":
        rows = csv.DictReader(io.StringIO(text), delimiter="\t", quoting=csv.QUOTE_NONE)
        if _SENTENCE not in (rows.fieldnames or ()):
            raise InputError(
                f"{path}: has no column {_SENTENCE!r}; name a table of Common Voice, or a text "
                "with a sentence a line."
            )
        lines = [row[_SENTENCE] or "" for row in rows]
    else:
        lines = text.splitlines()
    return {str(number): line for number, line in enumerate(lines, 1) if line.strip()}


def slice_texts(
    sentences: Mapping[str, str],
    *,
    words: int = SLICE_WORDS,
    key: Key,
    key_session: str = "default",
) -> SlicedText:
    """Cut sentences, by their names, into slices of ``words`` words each."""
    if words < 1:
        raise UsageError(f"A slice has one word at least, not {words}.")
    origins: list[Origin] = []
    lost = 0
    for name, sentence in sentences.items():
        spoken = sentence.split()
        for k in range(len(spoken) // words):
            text = " ".join(spoken[k * words : (k + 1) * words])
            called = key.derive(key_session, f"slice/text/{words}", f"{name}\0{k}").hex()[:_DIGITS]
            origins.append(Origin(f"slice-{called}", name, k, 0.0, 0.0, "", "", text))
        lost += len(spoken) % words
    if not origins:
        raise InputError(f"No sentence has {words} words; there is nothing to cut.")
    return SlicedText(tuple(origins), len(sentences), words, lost)


def write_texts(made: SlicedText, out: Path, table: Path | None) -> None:
    """Write the public slices, and what undoes them where that is asked for."""
    if out.exists() and not is_text_slices(out):
        raise UsageError(f"{out}: is there already and holds no slices of text; choose another.")
    if table is not None:
        check_place(table, out.resolve())
        write_table(made.origins, table)
    rows = sorted((origin.slice, origin.text) for origin in made.origins)
    write_atomic(out, to_csv([dict(zip(COLUMNS, row, strict=True)) for row in rows], COLUMNS))


def is_text_slices(path: Path) -> bool:
    """Whether a file is what :func:`write_texts` writes."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.readline(1000).decode("utf-8", "replace").strip() == ",".join(COLUMNS)


def read_texts(path: Path) -> dict[str, str]:
    """The words of public slices of text, by name."""
    try:
        rows = list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"), newline="")))
        found = {from_cell(row["slice"]): from_cell(row["text"]) for row in rows}
    except (OSError, UnicodeDecodeError, csv.Error, AttributeError) as error:
        raise InputError(f"{path}: the slices of text cannot be read ({error}).") from None
    if len(found) < len(rows):
        raise InputError(f"{path}: a slice stands there twice; slice again.")
    return found
