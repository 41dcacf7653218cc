"""What was heard in short recordings lately: whoever gives them several voices hears them once.

Content, pitch and whose voice it is depend on no voice that is given, and on no key; hearing them
takes much of the time (`benchmarks/xvector_speed.py`, `benchmarks/forecast.py`). Long recordings
are not kept: they would take the memory that blocks save.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

Samples = TypeVar("Samples", NDArray[np.float32], NDArray[np.float64])

LONGEST = 30 * 16_000
"""Samples of a recording that is kept: half a minute at the rate of all that hears here."""
ROOM = 128 * 2**20
"""Bytes: about half an hour of speech."""


class HeardBefore:
    """Arrays by what was heard and in what; the one that was not asked for longest goes first."""

    def __init__(self, room: int = ROOM) -> None:
        self._room = room
        self._kept: OrderedDict[bytes, NDArray[Any]] = OrderedDict()
        self._size = 0
        self._alone = Lock()

    def __call__(
        self, what: str, hear: Callable[[Samples], NDArray[Any]], waveform: Samples
    ) -> NDArray[Any]:
        """``hear(waveform)``; ``what`` names all that it depends on besides."""
        if waveform.size > LONGEST:
            return hear(waveform)
        name = hashlib.blake2b(what.encode() + b"\0" + waveform.tobytes(), digest_size=16).digest()
        with self._alone:
            if name in self._kept:
                self._kept.move_to_end(name)
                return self._kept[name]
        heard = hear(waveform)
        heard.setflags(write=False)  # it is everybody's now
        with self._alone:
            if name not in self._kept:
                self._kept[name] = heard
                self._size += heard.nbytes
            while self._size > self._room:
                self._size -= self._kept.popitem(last=False)[1].nbytes
        return heard

    def forget(self) -> None:
        with self._alone:
            self._kept.clear()
            self._size = 0


heard_before = HeardBefore()
