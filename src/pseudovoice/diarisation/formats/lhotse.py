"""lhotse's supervisions: a JSON object a line, with recording, start, duration and speaker.

An empty file is that of the recording whose name it bears, in which nobody speaks.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from pseudovoice.diarisation.formats.faults import FormatFault, recording_of, turn_of
from pseudovoice.diarisation.formats.names import plain
from pseudovoice.diarisation.turns import Turn, Turns
from pseudovoice.json_tree import json_tree


def read_supervisions(text: str, stem: str) -> list[Turns]:
    found: dict[str, list[Turn]] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            said: Any = json_tree(line)
        except ValueError:
            raise FormatFault(number, "is no JSON") from None
        if not isinstance(said, dict):
            raise FormatFault(number, "is no supervision")
        person = said.get("speaker")
        start, duration = said.get("start"), said.get("duration")
        found.setdefault(recording_of(said.get("recording_id"), number), []).append(
            turn_of(
                start, duration, person if isinstance(person, str) else "", number, duration=True
            )
        )
    if not text.strip():
        found[plain(stem)] = []
    return [Turns.of(recording, turns) for recording, turns in found.items()]


def write_supervisions(recordings: Iterable[Turns]) -> str:
    return "".join(
        json.dumps(
            {
                "id": f"{one.recording}-{k:05d}",
                "recording_id": one.recording,
                "start": round(turn.start, 3),
                "duration": round(turn.seconds, 3),
                "channel": 0,
                "speaker": turn.person,
            },
            ensure_ascii=False,
        )
        + "\n"
        for one in recordings
        for k, turn in enumerate(one.turns)
    )
