"""The columns of a table of utterances, whatever its author called them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace

from ..cells import from_cell
from .faults import ItemFault
from .labels import NAMES, Labels
from .naming import nfc, quoted

# Field: its names in order of preference, for tables that have two of them.
ALIASES: Mapping[str, tuple[str, ...]] = {
    "id": ("utt", "id", "utt_id", "utterance", "utterance_id", "uttid"),
    "path": (
        "path",
        "audio",
        "file_name",
        "filename",
        "file",
        "wav",
        "audio_path",
        "audio_file",
        "audio_filepath",
    ),
    "speaker": ("speaker", "spk", "speaker_id", "spk_id", "spkid"),
    "session": ("session", "session_id", "chapter", "chapter_id"),
    "gender": ("gender", "sex"),
    "age": ("age", "age_group"),
    "accent": ("accent", "accents", "dialect"),
    "language": ("language", "lang", "locale"),
    "emotion": ("emotion", "emo"),
    "transcript": ("transcript", "text", "transcription", "sentence"),
    "start": ("start", "start_s", "start_time"),
    "end": ("end", "end_s", "end_time"),
}
_GENDERS = {
    **dict.fromkeys(("f", "female", "woman", "w"), "f"),
    **dict.fromkeys(("m", "male", "man"), "m"),
}
_UNKNOWN = frozenset(("", "-", "?", "unknown", "unk", "u", "n/a", "na", "nan", "none", "null"))


@dataclass(frozen=True, slots=True)
class ListedRow:
    """One row: the cells we know, trimmed, None where empty. ``place`` is ``file:line``."""

    place: str
    id: str | None = None
    path: str | None = None
    speaker: str | None = None
    session: str | None = None
    gender: str | None = None
    transcript: str | None = None
    start: str | None = None
    end: str | None = None
    age: str | None = None
    accent: str | None = None
    language: str | None = None
    emotion: str | None = None

    @property
    def labels(self) -> Labels:
        """What the row tells of the person and of how they speak."""
        return Labels(**{name: label(getattr(self, name)) for name in NAMES})

    def times(self) -> tuple[float | None, float | None]:
        """Start and end in seconds; raises :class:`ItemFault` if one is not a number."""
        return _seconds("start", self.start), _seconds("end", self.end)


MARKED = ("id", "speaker", "session", "gender", "transcript", *NAMES)
"""Fields that hold texts, see `pseudovoice.cells`."""

FIELDS = tuple(field.name for field in fields(ListedRow) if field.name != "place")


def find_columns(header: Sequence[str]) -> dict[str, str]:
    """Which column of the header holds which field; case and surrounding spaces do not matter."""
    present = {name.strip().lower(): name for name in reversed(header)}
    found = {}
    for field, names in ALIASES.items():
        for name in names:
            if name in present:
                found[field] = present[name]
                break
    return found


def make_row(place: str, cells: Mapping[str, object], columns: Mapping[str, str]) -> ListedRow:
    """The known cells of one row; raises :class:`ItemFault` for a cell that is not a text."""
    values: dict[str, str | None] = {}
    for field, column in columns.items():
        cell = cells.get(column)
        if isinstance(cell, (dict, list, bytes)):
            # Hugging Face Parquet files carry the audio itself in the column "audio".
            raise ItemFault(
                f"the column {quoted(column)} holds {type(cell).__name__} values, not text",
                "save the audio as files and put their paths into the table",
            )
        text = "" if cell is None else str(cell).strip()
        # Paths stay: the file is looked for in either spelling.
        values[field] = (text if field == "path" else nfc(text)) or None
    # Built by name, so that an extra field can never arrive unchecked.
    return ListedRow(place, **{field: values.get(field) for field in FIELDS})


def unmarked(row: ListedRow) -> ListedRow:
    """The row of a CSV or TSV file without the marks that keep texts from being run as formulas."""
    texts = {name: getattr(row, name) for name in MARKED}
    return replace(row, **{n: from_cell(text) for n, text in texts.items() if text is not None})


def gender(text: str | None) -> str | None:
    """``"f"``, ``"m"``, another word in lower case, or None where the text says unknown."""
    word = (text or "").strip().lower()
    return None if word in _UNKNOWN else _GENDERS.get(word, word)


def label(text: str | None) -> str | None:
    """A word in lower case, or None where the text says unknown."""
    word = (text or "").strip().lower()
    return None if word in _UNKNOWN else word


def _seconds(name: str, text: str | None) -> float | None:
    # pandas writes a missing number as nan.
    if text is None or text.lower() == "nan":
        return None
    try:
        return float(text)
    except ValueError:
        raise ItemFault(
            f"the {name} {quoted(text)} is not a number", "give seconds with a decimal point"
        ) from None
