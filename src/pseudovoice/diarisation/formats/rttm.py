"""RTTM, the Rich Transcription Time Marked lines of NIST: one for each turn.

``SPEAKER recording channel start duration <NA> <NA> person <NA> <NA>``; lines of other kinds (word
tokens, speaker information) and comments (``;;``) are passed over.
"""

from __future__ import annotations

from collections.abc import Iterable

from pseudovoice.diarisation.formats.faults import FormatFault, recording_of, turn_of
from pseudovoice.diarisation.formats.names import plain
from pseudovoice.diarisation.turns import Turn, Turns

_FEWEST = 8


def read_rttm(text: str, stem: str) -> list[Turns]:
    del stem  # its lines name the recording themselves
    found: dict[str, list[Turn]] = {}
    for number, line in enumerate(text.splitlines(), 1):
        fields = line.split()
        if not fields or line.lstrip().startswith(";") or fields[0] != "SPEAKER":
            continue
        if len(fields) < _FEWEST:
            raise FormatFault(number, f"has {len(fields)} fields instead of at least {_FEWEST}")
        own = found.setdefault(recording_of(fields[1], number), [])
        own.append(turn_of(fields[3], fields[4], fields[7], number, duration=True))
    return [Turns.of(recording, turns) for recording, turns in found.items()]


def write_rttm(recordings: Iterable[Turns]) -> str:
    """Blanks end a field, so names have none."""
    return "".join(
        f"SPEAKER {plain(one.recording)} 1 {turn.start:.3f} {turn.seconds:.3f} <NA> <NA> "
        f"{plain(turn.person)} <NA> <NA>\n"
        for one in recordings
        for turn in one.turns
    )
