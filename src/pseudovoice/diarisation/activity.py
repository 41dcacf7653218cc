"""When somebody speaks: voice activity, frame by frame.

Silero VAD, a recurrent network of 1.2 MB, hears 32 ms at a time and says how probable speech is. It
keeps its state from frame to frame, so a recording of any length goes through it block by block.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import onnxruntime
from numpy.typing import NDArray

from pseudovoice.models import fetch
from pseudovoice.models.once import mark_of, once
from pseudovoice.models.session import open_session
from pseudovoice.signal.frames import Float32

_NAME = "silero-vad"

RATE = 16_000
FRAME = 512
"""Samples of a frame: 32 ms."""

SECONDS = FRAME / RATE

_CONTEXT = 64
"""Samples of the frame before that the network sees again."""

_FRAMES_A_CALL = 512

ONSET, OFFSET = 0.5, 0.35
"""Speech begins above one probability and ends below the other, or it would flutter."""

SHORTEST = 0.1
"""Seconds: shorter speech is a click, a shorter pause a stop consonant."""

Span = tuple[float, float]
"""From when to when, in seconds."""


@dataclass(frozen=True)
class VoiceActivity:
    """The network, ready to listen."""

    session: onnxruntime.InferenceSession = field(repr=False)

    def __reduce__(self) -> tuple[Any, ...]:
        return once, (_by_name, _NAME, mark_of(self))

    def probabilities(self, blocks: Iterable[NDArray[np.floating]]) -> Float32:
        """How probable speech is in each frame of mono samples at 16 kHz."""
        hidden, cell = np.zeros((1, 1, 128), np.float32), np.zeros((1, 1, 128), np.float32)
        context = np.zeros(_CONTEXT, np.float32)
        found = [np.zeros(0, np.float32)]
        for frames in _frames(blocks):
            before = np.vstack([context, frames[:-1, -_CONTEXT:]])
            context = frames[-1, -_CONTEXT:].copy()
            feeds = {"input": np.hstack([before, frames]), "h": hidden, "c": cell}
            heard, hidden, cell = self.session.run(["speech_probs", "hn", "cn"], feeds)
            found.append(heard)
        return np.concatenate(found)


def load_activity(*, threads: int = 1) -> VoiceActivity:
    """Load the network, fetching it into the user's cache the first time."""
    return VoiceActivity(open_session(fetch(_NAME).path, threads=threads))


def _by_name(_name: str) -> VoiceActivity:
    return load_activity()


def _frames(blocks: Iterable[NDArray[np.floating]]) -> Iterator[Float32]:
    """Frames [n, FRAME], a bounded number at a time; the last one filled with zeros."""
    size = FRAME * _FRAMES_A_CALL
    waiting = np.zeros(0, np.float32)
    for block in blocks:
        waiting = np.concatenate([waiting, np.asarray(block, np.float32)])
        while waiting.size >= size:
            yield waiting[:size].reshape(-1, FRAME)
            waiting = waiting[size:]
    if waiting.size:
        yield np.pad(waiting, (0, -waiting.size % FRAME)).reshape(-1, FRAME)


def speech(probabilities: Float32) -> NDArray[np.bool_]:
    """Which frames are speech: with two thresholds, without clicks and stop consonants."""
    sure = np.append(probabilities >= ONSET, False)
    possible = np.append(probabilities >= OFFSET, False)
    spoken = np.zeros(len(probabilities), bool)
    for first, last in runs(possible[:-1]):
        begin = first + int(np.argmax(sure[first:last]))
        spoken[begin:last] = sure[begin]
    for first, last in runs(~spoken):
        if first > 0 and last < len(spoken) and (last - first) * SECONDS < SHORTEST:
            spoken[first:last] = True
    for first, last in runs(spoken):
        if (last - first) * SECONDS < SHORTEST:
            spoken[first:last] = False
    return spoken


def runs(flags: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """From where to before where flags are set."""
    edges = np.flatnonzero(np.diff(np.concatenate(([0], flags.astype(np.int8), [0]))))
    return [(int(a), int(b)) for a, b in edges.reshape(-1, 2)]
