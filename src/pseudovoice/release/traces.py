"""What a container says of the moment it was written, taken out of renamed files.

libsndfile puts the time of writing into WAV and AIFF files of floating-point samples (the PEAK
chunk), and gives each Ogg stream a number of a sequence that goes on from file to file. Either
gives the order back that renaming takes away.
"""

from __future__ import annotations

import os
import struct
from pathlib import Path
from typing import IO

from pseudovoice.corpus.ogg import LONGEST_PAGE, checksum, page_of


def without_traces(path: Path) -> None:
    """Make the file the same whenever it was written; its samples stay as they are."""
    with path.open("r+b") as stream:
        form = stream.read(12)
        if form[:4] == b"OggS":
            _ogg(stream)
        elif form[:4] == b"RIFF":
            _chunks(stream, "<")
        elif form[:4] == b"FORM":
            _chunks(stream, ">")
        stream.flush()
        os.fsync(stream.fileno())


def _chunks(stream: IO[bytes], order: str) -> None:
    """Set the time in a PEAK chunk to zero: the second of its 32-bit words."""
    offset = 12
    while len(head := _at(stream, offset, 8)) == 8:
        name, size = head[:4], struct.unpack(f"{order}I", head[4:])[0]
        if name == b"PEAK" and size >= 8:
            stream.seek(offset + 12)
            stream.write(bytes(4))
        offset += 8 + size + size % 2


def _ogg(stream: IO[bytes]) -> None:
    """Give every page the stream number 1; a page carries a checksum."""
    offset = 0
    while page := page_of(_at(stream, offset, LONGEST_PAGE)):
        if page[:4] != b"OggS":
            return
        numbered = page[:14] + struct.pack("<I", 1) + page[18:22] + bytes(4) + page[26:]
        stream.seek(offset + 14)
        stream.write(numbered[14:22] + struct.pack("<I", checksum(numbered)))
        offset += len(page)


def _at(stream: IO[bytes], offset: int, count: int) -> bytes:
    stream.seek(offset)
    return stream.read(count)
