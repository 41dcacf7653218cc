"""Which channel of a recording an utterance of a Kaldi data directory is on.

Two files may say so: the fifth field of ``segments``, a number from 0 as ``extract-segments`` takes
it, and ``reco2file_and_channel``, which gives the side of a call for a whole recording: A or 1 is
the first channel, B or 2 the second. Their mean would mix the two people on the line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from .faults import ItemFault
from .naming import quoted
from .recording import channels_of
from .register import Register

_MOST_DIGITS = 4  # no recording has ten thousand channels


class Channels:
    """Channels of the recordings of one data directory; a file is looked into once."""

    def __init__(self) -> None:
        self._sides: dict[str, int] = {}
        self._counts: dict[Path, int | None] = {}

    def read_sides(self, entries: Iterable[tuple[str, str, str]], register: Register) -> set[str]:
        """Take in ``reco2file_and_channel``; returns the recordings whose side it does not tell.

        Those cannot be used: any channel taken for them would be a guess.
        """
        untold = set()
        for place, recording, value in entries:
            cells = re.split(r"[ \t]+", value) if value else []
            try:
                if len(cells) != 2:
                    raise ItemFault(
                        f"a recording needs 3 fields here, this line has {len(cells) + 1}",
                        "write: recording file side; until then the recording is left out",
                    )
                side = _side(cells[1])
                if self._sides.setdefault(recording, side) != side:
                    raise ItemFault(
                        f"the recording {quoted(recording)} has two sides",
                        "keep one of the two lines; until then the recording is left out",
                    )
            except ItemFault as fault:
                untold.add(recording)
                register.fault(place, fault)
        return untold

    def of(self, recording: str, path: Path | None, number: str | None = None) -> int | None:
        """The channel of one utterance; None where the recording has one only, or none is named.

        ``path`` is that of the audio, None for the output of a command. ``number`` is the fifth
        field of ``segments``; it counts before the side of the whole recording. Raises
        :class:`ItemFault` for a channel that the recording does not have.
        """
        if number is None and recording not in self._sides:
            return None
        channel = self._sides[recording] if number is None else _number(number)
        count = None if path is None else self._count(path)
        if count is None:
            return channel  # whoever decodes it will see
        # A side of a call that is alone in its file was cut out of the recording before.
        if count == 1 and (number is None or channel == 0):
            return None
        if channel >= count:
            raise ItemFault(
                f"the recording {quoted(recording)} has {count} channel(s), so there is no "
                f"channel {channel} (the first is 0)",
                "correct the channel",
            )
        return channel

    def _count(self, path: Path) -> int | None:
        if path not in self._counts:
            self._counts[path] = channels_of(path)
        return self._counts[path]


def _side(text: str) -> int:
    """A letter from A, or a number from 1, as NIST writes the sides of a call."""
    if re.fullmatch("[A-Za-z]", text):
        return ord(text.upper()) - ord("A")
    if re.fullmatch(f"0*[1-9][0-9]{{0,{_MOST_DIGITS - 1}}}", text):
        return int(text) - 1
    raise ItemFault(
        f"{quoted(text)} is no side of a recording",
        "write A or B, or 1 or 2; until then the recording is left out",
    )


def _number(text: str) -> int:
    if not re.fullmatch(f"[0-9]{{1,{_MOST_DIGITS}}}", text):
        raise ItemFault(
            f"{quoted(text)} is no channel of a recording", "give its number, the first is 0"
        )
    return int(text)
