"""CTM, the time-marked words of NIST's scoring tools and of Kaldi.

A line is ``utterance channel start duration word [confidence]``, in seconds; lines that begin
with ``;;`` are comments.
"""

from __future__ import annotations

from collections.abc import Iterator

from pseudovoice.alignment.readers.labels import is_silence
from pseudovoice.alignment.readers.textgrid import FormatFault
from pseudovoice.alignment.word import Word


def read_ctm(text: str) -> Iterator[tuple[str, int, Word | FormatFault | None]]:
    """Each line's utterance, number and word; None for a silence, a fault for a bad line."""
    for number, line in enumerate(text.splitlines(), 1):
        fields = line.split()
        if not fields or line.startswith(";;"):
            continue
        yield fields[0], number, _word(fields)


def _word(fields: list[str]) -> Word | FormatFault | None:
    if len(fields) not in (5, 6):
        return FormatFault(f"has {len(fields)} fields instead of 5 or 6")
    _, _, start, duration, label, *confidence = fields
    if is_silence(label):
        return None
    if label.upper().startswith("<ALT"):
        return FormatFault("gives alternatives (<ALT…>), which cannot be cut by")
    try:
        begin, length = float(start), float(duration)
        sure = float(confidence[0]) if confidence and confidence[0].upper() != "NA" else None
    except ValueError:
        return FormatFault("has a time or confidence that is no number")
    if sure is not None and not 0 <= sure <= 1:
        return FormatFault(f"has a confidence of {sure:g}, not from 0 to 1")
    return Word(label, begin, begin + length, sure)
