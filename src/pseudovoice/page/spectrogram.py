"""A spectrogram as a small grey PNG: time to the right, pitch upwards in mel, dark is loud.

Sixteen greys are all the eye takes from a thumb-sized picture, and make it three kilobytes.
"""

from __future__ import annotations

import struct
import zlib

import numpy as np
from numpy.typing import NDArray

BANDS, FRAMES_PER_SECOND = 64, 40
RANGE_DB = 60.0
"""From the loudest point of a clip down to white."""


def spectrogram_png(samples: NDArray[np.floating], sample_rate: int) -> bytes:
    """The picture of some seconds of mono sound, `BANDS` pixels high."""
    levels = log_mel(samples, sample_rate)
    loudness = np.clip(1.0 + (levels - levels.max()) / RANGE_DB, 0.0, 1.0)
    grey = np.round(15.0 * (1.0 - loudness)).astype(np.uint8)
    return grey_png(grey[::-1])


def log_mel(samples: NDArray[np.floating], sample_rate: int) -> NDArray[np.float64]:
    """Levels in dB, (bands, frames), of Hann windows of 32 ms."""
    size = int(0.032 * sample_rate)
    hop = max(1, sample_rate // FRAMES_PER_SECOND)
    padded = np.pad(np.asarray(samples, np.float64), (size // 2, size))
    starts = np.arange(0, max(1, samples.size), hop)
    frames = padded[starts[:, None] + np.arange(size)] * np.hanning(size)
    power = np.abs(np.fft.rfft(frames, axis=1)) ** 2
    levels: NDArray[np.float64] = 10.0 * np.log10(power @ _mel_bands(size, sample_rate) + 1e-10)
    return levels.T


def _mel_bands(size: int, sample_rate: int) -> NDArray[np.float64]:
    """Triangles evenly spaced in mel from 60 Hz to 8 kHz or half the sample rate."""
    hertz = np.fft.rfftfreq(size, 1.0 / sample_rate)
    low, high = (_mel(f) for f in (60.0, min(8000.0, sample_rate / 2)))
    corners = 700.0 * (10.0 ** (np.linspace(low, high, BANDS + 2) / 2595.0) - 1.0)
    rising = (hertz[:, None] - corners[:-2]) / (corners[1:-1] - corners[:-2])
    falling = (corners[2:] - hertz[:, None]) / (corners[2:] - corners[1:-1])
    weight = np.maximum(0.0, np.minimum(rising, falling))
    # Low bands are narrower than a bin: they take the nearest, or would be silent.
    empty = np.flatnonzero(weight.sum(axis=0) == 0.0)
    weight[np.abs(hertz[:, None] - corners[1:-1][empty]).argmin(axis=0), empty] = 1.0
    shares: NDArray[np.float64] = weight / weight.sum(axis=0)
    return shares


def _mel(hertz: float) -> float:
    return float(2595.0 * np.log10(1.0 + hertz / 700.0))


def grey_png(pixels: NDArray[np.uint8]) -> bytes:
    """Pixels of 0 (black) to 15 (white) as a PNG of four bits a pixel."""
    height, width = pixels.shape
    even = np.pad(pixels, ((0, 0), (0, width % 2)))
    packed = (even[:, 0::2] << 4 | even[:, 1::2]).astype(np.uint8)
    lines = np.pad(packed, ((0, 0), (1, 0)))  # each line begins with its filter: none
    header = struct.pack(">IIBBBBB", width, height, 4, 0, 0, 0, 0)
    parts = ((b"IHDR", header), (b"IDAT", zlib.compress(lines.tobytes(), 9)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, data) for kind, data in parts)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
