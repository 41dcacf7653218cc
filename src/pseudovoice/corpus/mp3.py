"""The length of an MP3 file, counted frame by frame.

Where the file has no Xing or Info header, libsndfile reckons its length from the bit rate of the
first frame, and reads no further. For a variable bit rate that silently drops speech.
"""

from __future__ import annotations

import os

from .descriptor import read_at

# kbit/s of layer III by the four bits of the header; 0 and 15 are not used.
_MPEG1 = (0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 0)
_MPEG2 = (0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160, 0)
_RATES = {3: (44100, 48000, 32000), 2: (22050, 24000, 16000), 0: (11025, 12000, 8000)}
_LAYER_III = 1


def has_length(descriptor: int) -> bool:
    """Whether the first frame tells the number of frames (Xing, Info or VBRI)."""
    content = read_at(descriptor, 10, 0)
    first = read_at(descriptor, 200, after_id3(content))
    return any(tag in first for tag in (b"Xing", b"Info", b"VBRI"))


def count_samples(descriptor: int) -> int:
    """Samples per channel in the unbroken row of layer III frames at the beginning of the file.

    Never more than there are: what is not a frame ends the count.
    """
    size = os.fstat(descriptor).st_size
    content = read_at(descriptor, size, 0)
    position = after_id3(content)
    samples = 0
    while (frame := _frame(content[position : position + 4])) is not None:
        length, count = frame
        position += length
        if position > size:
            break
        samples += count
    return samples


def after_id3(content: bytes) -> int:
    if content[:3] != b"ID3" or len(content) < 10:
        return 0
    # Four bytes of seven bits each.
    return 10 + sum(
        byte << shift for byte, shift in zip(content[6:10], (21, 14, 7, 0), strict=True)
    )


def _frame(header: bytes) -> tuple[int, int] | None:
    """Bytes and samples of the frame with this header; None if it is none."""
    if len(header) < 4 or header[0] != 0xFF or header[1] & 0xE0 != 0xE0:
        return None
    version, layer = header[1] >> 3 & 3, header[1] >> 1 & 3
    bits, rate, padding = header[2] >> 4, header[2] >> 2 & 3, header[2] >> 1 & 1
    if layer != _LAYER_III or version == 1 or rate == 3:
        return None
    samples = 1152 if version == 3 else 576
    bit_rate = (_MPEG1 if version == 3 else _MPEG2)[bits] * 1000
    if bit_rate == 0:
        return None
    return samples // 8 * bit_rate // _RATES[version][rate] + padding, samples
