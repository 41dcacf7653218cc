"""What a file of audio carries besides sound: tags, pictures, chunks of other programs, more files.

Our writers put nothing of the kind into a file, so whatever is there came from elsewhere.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator

from pseudovoice.corpus.ogg import page_of
from pseudovoice.release.undoing.windows import Bytes, windows

_WAV = (b"fmt ", b"data", b"fact", b"PEAK")
_AIFF = (b"COMM", b"SSND", b"FVER", b"PEAK")
_CAF = (b"desc", b"data", b"peak", b"chan", b"free", b"pakt", b"kuki")
_STREAMINFO, _PADDING, _SEEKTABLE, _COMMENT = 0, 1, 3, 4
# Long enough that sound does not look like them by chance, in any number of hours.
_FILES = re.compile(
    rb"RIFF....WAVE|FORM....AIF[FC]|fLaC\x00\x00\x00\x22|OggS\x00\x02|caff\x00\x01\x00\x00|APETAGEX"
    rb"|PK\x03\x04\x14\x00",
    re.DOTALL,
)


def besides_sound(data: Bytes) -> list[str]:
    """What is in a file that is no sound, for a sentence; empty for what our writers write."""
    head = bytes(data[:12])
    if head[:4] == b"RIFF":
        found = _chunks(data, "<", 4, _WAV)
    elif head[:4] == b"FORM":
        found = _chunks(data, ">", 4, _AIFF)
    elif head[:4] == b"caff":
        found = _chunks(data, ">", 8, _CAF)
    elif head[:4] == b"fLaC":
        found = _flac(data)
    elif head[:4] == b"OggS":
        found = _ogg(data)
    elif head[:4] == b".snd":
        start = struct.unpack(">I", head[4:8])[0]
        found = iter(["a note in its header"] if any(data[24:start]) else [])
    elif head[:3] == b"ID3":
        found = iter(["an ID3 tag"])
    else:
        found = iter(())
    said = list(found)
    if bytes(data[-128:-125]) == b"TAG":
        said.append("an ID3 tag")
    if any(_FILES.search(part, k == 0) for k, part in enumerate(windows(data))):
        said.append("another file")
    return list(dict.fromkeys(said))


def _chunks(data: Bytes, order: str, width: int, known: tuple[bytes, ...]) -> Iterator[str]:
    """Chunks of a RIFF, AIFF or CAF file that hold no sound, and what comes after the last."""
    offset = 8 if width == 8 else 12
    while offset + 4 + width <= len(data):
        name = bytes(data[offset : offset + 4])
        size = struct.unpack(
            f"{order}{'q' if width == 8 else 'I'}", data[offset + 4 : offset + 4 + width]
        )[0]
        body = offset + 4 + width
        if name == b"data" and size < 0:  # to the end
            return
        if name not in known:
            yield f"a chunk {name.decode('ascii', 'replace').strip()!r}"
            if not name.isascii():
                return
        elif name == b"free" and any(data[body : body + size]):
            yield "something in its padding"
        offset = body + size + (size % 2 if width == 4 else 0)
    if offset < len(data) and any(data[offset:]):
        yield "something after its end"


def _flac(data: Bytes) -> Iterator[str]:
    offset = 4
    while offset + 4 <= len(data):
        first = data[offset]
        kind, size = first & 0x7F, int.from_bytes(data[offset + 1 : offset + 4], "big")
        body = bytes(data[offset + 4 : offset + 4 + size])
        if kind == _COMMENT:
            yield from _comments(body)
        elif kind == _PADDING:
            if any(body):
                yield "something in its padding"
        elif kind not in (_STREAMINFO, _SEEKTABLE):
            yield "a picture" if kind == 6 else "a block of another program"
        offset += 4 + size
        if first & 0x80:
            return


def _ogg(data: Bytes) -> Iterator[str]:
    """The comments of Vorbis, Opus or FLAC in Ogg: the second packet."""
    packets: list[bytes] = []
    packet, offset = b"", 0
    while len(packets) < 2 and (page := page_of(bytes(data[offset : offset + (1 << 17)]))):
        count = page[26]
        at = 27 + count
        for size in page[27 : 27 + count]:
            packet += page[at : at + size]
            at += size
            if size < 255:
                packets.append(packet)
                packet = b""
        offset += len(page)
    for start in (b"\x03vorbis", b"OpusTags"):
        if len(packets) > 1 and packets[1].startswith(start):
            yield from _comments(packets[1][len(start) :], padded=start == b"OpusTags")


def _comments(body: bytes, *, padded: bool = False) -> Iterator[str]:
    """Vorbis comments but the program's own name, all that our writers write."""
    try:
        (vendor,) = struct.unpack_from("<I", body, 0)
        (count,) = struct.unpack_from("<I", body, 4 + vendor)
        offset = 8 + vendor
        for _ in range(count):
            (size,) = struct.unpack_from("<I", body, offset)
            comment = body[offset + 4 : offset + 4 + size]
            if comment != b"ENCODER=libsndfile":
                yield f"a tag {comment.split(b'=')[0].decode('utf-8', 'replace').lower()!r}"
            offset += 4 + size
    except struct.error:
        yield "comments that cannot be read"
        return
    if padded and any(body[offset:]):
        yield "something in its padding"
