"""What a recording sounds and looks like, in pieces that a browser can play and draw.

Pieces come decoded, through the one reader there is: whatever can be protected can be listened to,
also where a browser knows nothing of the format.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import soundfile  # type: ignore[import-untyped, unused-ignore]

from pseudovoice.corpus import Utterance, reading
from pseudovoice.errors import InputError

WAV = "audio/wav"
LONGEST_PIECE = 60.0
"""Seconds that are sent at once."""

PEAKS_A_SECOND = 20
_LOUDEST = 255


@dataclass(frozen=True)
class Look:
    """What there is to know of a recording that was read to its end.

    ``peaks`` holds a byte for each twentieth of a second: its largest sample, 255 at full scale.
    """

    seconds: float
    sample_rate: int
    channels: int
    peaks: bytes


def look_at(path: Path) -> Look:
    """Read a recording once; raises AudioError."""
    with reading(Utterance(path.stem, path.stem, path)) as recording:
        hop = max(1, recording.sample_rate // PEAKS_A_SECOND)
        frames, waiting, found = 0, np.zeros(0, np.float32), []
        for block in recording.blocks():
            frames += len(block)
            waiting = np.concatenate([waiting, np.abs(block).max(axis=1)])
            whole = waiting.size - waiting.size % hop
            found.append(waiting[:whole].reshape(-1, hop).max(axis=1, initial=0.0))
            waiting = waiting[whole:]
        if waiting.size:
            found.append(waiting.max(keepdims=True))
        loud = np.concatenate(found) if found else np.zeros(0, np.float32)
        peaks = np.rint(np.clip(loud, 0.0, 1.0) * _LOUDEST).astype(np.uint8).tobytes()
        return Look(
            frames / recording.sample_rate, recording.sample_rate, recording.channels, peaks
        )


def piece(path: Path, start: float, end: float, seconds: float) -> bytes:
    """The part from ``start`` to ``end`` of a recording that lasts so long, as a WAV file."""
    first, last = max(0.0, start), min(end, seconds, start + LONGEST_PIECE)
    if not last - first > 0.0:
        raise InputError(f"The recording has nothing between {start:g} s and {end:g} s.")
    part = Utterance(path.stem, path.stem, path, start=first, end=last)
    with reading(part) as recording:
        samples = np.clip(np.concatenate(list(recording.blocks())), -1.0, 1.0)
        into = io.BytesIO()
        soundfile.write(into, samples, recording.sample_rate, format="WAV", subtype="PCM_16")
    return into.getvalue()
