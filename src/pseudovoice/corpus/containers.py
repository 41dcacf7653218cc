"""Containers of phones, cameras and browsers, told by their bytes: which it is, where it ends.

libsndfile reads none of them; FFmpeg does (``media.py``). It is told which one to expect and never
guesses: its hundreds of readers include lists of other files to open.
"""

from __future__ import annotations

import os
import struct

from .descriptor import read_at
from .mp3 import after_id3

_MATROSKA, _SEGMENT = b"\x1a\x45\xdf\xa3", b"\x18\x53\x80\x67"
_ASF = bytes.fromhex("3026b2758e66cf11a6d900aa0062ce6c")
_ASF_DATA = bytes.fromhex("3626b2758e66cf11a6d900aa0062ce6c")
# The first box of MPEG-4; QuickTime of old times begins with one of the others.
_FIRST_BOXES = (b"ftyp", b"moov", b"mdat", b"wide", b"free", b"skip")
# What lies in other boxes is not missed; and bytes after the last box need not be one.
_WHOLE_BOXES = (b"moov", b"mdat", b"moof")
_MOST_BOXES = 1000


def container_of(descriptor: int) -> str | None:
    """FFmpeg's name of the container of an open file; None if it is another kind of file."""
    head = read_at(descriptor, 16, 0)
    if head[4:8] in _FIRST_BOXES:
        return "mov"
    if head.startswith(_MATROSKA):
        return "matroska"
    if head.startswith(_ASF):
        return "asf"
    if head.startswith(b"#!AMR"):
        return "amr"
    start = after_id3(head)
    return "aac" if _adts(descriptor, start) else None


def _adts(descriptor: int, start: int) -> bool:
    """Whether two frames of bare AAC follow each other here; one could be chance."""
    for _ in range(2):
        head = read_at(descriptor, 7, start)
        if len(head) < 7 or head[0] != 0xFF or head[1] & 0xF6 != 0xF0:
            return False
        length = (head[3] & 3) << 11 | head[4] << 3 | head[5] >> 5
        if length < 7:
            return False
        start += length
    return True


def end_of(descriptor: int, container: str) -> int:
    """The size in bytes that the file should have at least; 0 if it does not tell."""
    size = os.fstat(descriptor).st_size
    if container == "mov":
        return _end_of_boxes(descriptor, size)
    if container == "matroska":
        return _end_of_matroska(descriptor)
    return _end_of_asf(descriptor) if container == "asf" else 0


def _end_of_boxes(descriptor: int, size: int) -> int:
    offset = 0
    for _ in range(_MOST_BOXES):
        head = read_at(descriptor, 16, offset)
        if len(head) < 8:
            break
        length, kind = struct.unpack(">I", head[:4])[0], head[4:8]
        if length == 1 and len(head) == 16:
            length = struct.unpack(">Q", head[8:])[0]
        if length < 8:  # 0 is: to the end of the file
            break
        offset += length
        if offset > size:
            return offset if kind in _WHOLE_BOXES else 0
    return 0


def _end_of_matroska(descriptor: int) -> int:
    first = read_at(descriptor, 12, 0)
    length, digits = _number(first[4:])
    if length is None:
        return 0
    offset = 4 + digits + length
    head = read_at(descriptor, 12, offset)
    if not head.startswith(_SEGMENT):
        return 0
    length, digits = _number(head[4:])
    return 0 if length is None else offset + 4 + digits + length


def _number(text: bytes) -> tuple[int | None, int]:
    """A number whose first bits tell its length in bytes; None if all its bits are 1: unknown."""
    digits = 9 - text[0].bit_length() if text else 9
    if not 1 <= digits <= 8 or len(text) < digits:
        return None, 0
    most = (1 << 7 * digits) - 1
    value = int.from_bytes(text[:digits], "big") & most
    return None if value == most else value, digits


def _end_of_asf(descriptor: int) -> int:
    header: int = struct.unpack("<Q", read_at(descriptor, 24, 0).ljust(24, b"\0")[16:])[0]
    if header >= 1 << 40:
        return 0
    data = read_at(descriptor, 24, header)
    if len(data) < 24 or not data.startswith(_ASF_DATA):
        return 0
    length: int = struct.unpack("<Q", data[16:])[0]
    return header + length if length < 1 << 60 else 0
