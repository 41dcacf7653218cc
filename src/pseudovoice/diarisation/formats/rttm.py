"""RTTM, the Rich Transcription Time Marked lines of NIST: one for each turn.

``SPEAKER recording channel start duration <NA> <NA> person <NA> <NA>``; lines of other kinds (word
tokens, speaker information) and comments (``;;``) are passed over. A recording in which nobody
speaks has a line ``NON-SPEECH``: without any it would be one of which nobody knows. An empty file
is that of the recording whose name it bears.
"""

from __future__ import annotations

from collections.abc import Iterable

from pseudovoice.diarisation.formats.faults import FormatFault, recording_of, turn_of
from pseudovoice.diarisation.formats.names import plain
from pseudovoice.diarisation.turns import Turn, Turns

_FEWEST = 8
_SPEAKER, _NOBODY = "SPEAKER", "NON-SPEECH"


def read_rttm(text: str, stem: str) -> list[Turns]:
    found: dict[str, list[Turn]] = {}
    for number, line in enumerate(text.splitlines(), 1):
        fields = line.split()
        if not fields or fields[0] not in (_SPEAKER, _NOBODY):
            continue
        if len(fields) < _FEWEST:
            raise FormatFault(number, f"has {len(fields)} fields instead of at least {_FEWEST}")
        own = found.setdefault(recording_of(fields[1], number), [])
        if fields[0] == _SPEAKER:
            own.append(turn_of(fields[3], fields[4], fields[7], number, duration=True))
    if not text.strip():
        found[plain(stem)] = []
    return [Turns.of(recording, turns) for recording, turns in found.items()]


def write_rttm(recordings: Iterable[Turns]) -> str:
    """Blanks end a field, so names have none."""
    lines = []
    for one in recordings:
        name = plain(one.recording)
        lines += [
            f"{_SPEAKER} {name} 1 {turn.start:.3f} {turn.seconds:.3f} <NA> <NA> "
            f"{plain(turn.person)} <NA> <NA>\n"
            for turn in one.turns
        ] or [f"{_NOBODY} {name} 1 0.000 0.000 <NA> other <NA> <NA> <NA>\n"]
    return "".join(lines)
