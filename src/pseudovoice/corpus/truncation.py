"""How many bytes an audio file lacks, by what its own header says.

libsndfile reads a WAV, AIFF, AU, W64 or Ogg file that was cut off by a full disk or a broken
download as if it were simply shorter, and FFmpeg does so too. FLAC, CAF and MP3 are noticed by the
decoder.
"""

from __future__ import annotations

import os
import struct

from .containers import container_of, end_of
from .descriptor import read_at
from .ogg import LONGEST_PAGE

# Writers that stream to a pipe cannot know the length: sox writes 0x7FFFF000 and a little more
# or less, ffmpeg 0xFFFFFFFF.
_UNKNOWN = 0x7FFF0000
_MOST_CHUNKS = 1000
# Some writers count the header into the length of the samples; so much is no lost speech.
_MISCOUNT = 64


def missing_bytes(descriptor: int) -> int:
    """Bytes that the header promises beyond the end of the file; 0 if whole or unknown."""
    size = os.fstat(descriptor).st_size
    head = read_at(descriptor, 40, 0)
    if head[:4] in (b"RIFF", b"RIFX", b"RF64", b"BW64") and head[8:12] == b"WAVE":
        end = _end_of_wav(descriptor, head, size)
    elif head[:4] == b"FORM" and head[8:11] == b"AIF":
        end = _length(8, struct.unpack(">I", head[4:8])[0])
    elif head[:4] == b".snd" and len(head) >= 12:
        start, length = struct.unpack(">II", head[4:12])
        end = _length(start, length)
    elif head[:4] == b"riff" and len(head) >= 24:
        end = struct.unpack("<Q", head[16:24])[0]
    elif head[:4] == b"OggS":
        end = _end_of_ogg(descriptor, size)
    else:
        container = container_of(descriptor)
        end = 0 if container is None else end_of(descriptor, container)
    return int(max(0, end - size))


def _length(start: int, length: int) -> int:
    return 0 if length >= _UNKNOWN else start + length


def _end_of_wav(descriptor: int, head: bytes, size: int) -> int:
    order = ">" if head[:4] == b"RIFX" else "<"
    long_data: int | None = None
    offset = 12
    for _ in range(_MOST_CHUNKS):
        chunk = read_at(descriptor, 28, offset)
        if len(chunk) < 8:
            break
        name, length = chunk[:4], struct.unpack(f"{order}I", chunk[4:8])[0]
        if name == b"data":
            end = _length(offset + 8, length) if long_data is None else offset + 8 + long_data
            return 0 if end <= size + _MISCOUNT else end
        if name == b"ds64" and len(chunk) >= 24:
            # Beyond 4 GB (RF64) the true length of "data" is here.
            long_data = struct.unpack("<Q", chunk[16:24])[0]
        offset += 8 + length + length % 2
        if offset > size:
            break
    # Cut off before the samples: something is missing, if only one byte.
    return size + 1


def _end_of_ogg(descriptor: int, size: int) -> int:
    start = max(0, size - LONGEST_PAGE)
    tail = read_at(descriptor, LONGEST_PAGE, start)
    page = tail.rfind(b"OggS")
    if page < 0:
        return 0
    lacing = tail[page + 27 :]
    if len(tail) < page + 27 or len(lacing) < tail[page + 26]:
        return size + 1
    segments = tail[page + 26]
    return start + page + 27 + segments + sum(lacing[:segments])
