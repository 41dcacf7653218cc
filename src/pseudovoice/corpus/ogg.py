"""Whether an Ogg file (Vorbis, Opus, FLAC in Ogg) is damaged where the decoder does not notice.

Every Ogg page has a checksum. libsndfile passes over a page whose checksum is wrong; the length
of the file is reckoned from the first page with audio and the last one, so that the speech on a
damaged one of these two is lost without a word. Between them the missing samples are counted.
"""

from __future__ import annotations

import os
import struct
import zlib

from .descriptor import read_at

_HEADER = 27
# The longest page: the header, 255 lacing values, 255 segments of 255 bytes.
LONGEST_PAGE = _HEADER + 255 + 255 * 255
# Headers of audio (with comments and a cover picture) come first; few files have that many pages.
_MOST_HEADERS = 64
_REVERSED = bytes(int(f"{byte:08b}"[::-1], 2) for byte in range(256))


def has_damaged_edge(descriptor: int) -> bool:
    """Whether the first page with audio or the last page has a wrong checksum."""
    if read_at(descriptor, 4, 0) != b"OggS":
        return False
    size = os.fstat(descriptor).st_size
    tail = read_at(descriptor, LONGEST_PAGE, max(0, size - LONGEST_PAGE))
    last = tail.rfind(b"OggS")
    return _is_damaged(_first_audio(descriptor)) or _is_damaged(tail[max(0, last) :])


def _first_audio(descriptor: int) -> bytes:
    """The first page on which a packet of audio ends: its position counts samples."""
    offset = 0
    for _ in range(_MOST_HEADERS):
        page = page_of(read_at(descriptor, LONGEST_PAGE, offset))
        if page[:4] != b"OggS" or struct.unpack("<q", page[6:14])[0] > 0:
            return page
        offset += len(page)
    return b""


def page_of(content: bytes) -> bytes:
    """The page at the beginning of these bytes, or what there is of it."""
    if len(content) < _HEADER:
        return content
    segments = content[26]
    return content[: _HEADER + segments + sum(content[_HEADER : _HEADER + segments])]


def _is_damaged(content: bytes) -> bool:
    page = page_of(content)
    if len(page) < _HEADER:
        return False  # no page at all, or cut off, which the length tells
    if page[:4] != b"OggS":
        return True
    stated = int.from_bytes(page[22:26], "little")
    return stated != checksum(page[:22] + bytes(4) + page[26:])


def checksum(content: bytes) -> int:
    """CRC-32 with the bits of Ogg, highest first: zlib's, whose lowest come first, in a mirror."""
    mirrored = zlib.crc32(content.translate(_REVERSED), 0xFFFFFFFF) ^ 0xFFFFFFFF
    return int(f"{mirrored:032b}"[::-1], 2)
