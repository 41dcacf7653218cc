"""Convolutions of 3×3 with a quarter of the multiplications (Winograd; Lavin and Gray 2016).

Tiles of 4×4 results come from 6×6 samples: samples and weights become 36 numbers each, in which the
convolution is a plain product, Y = Aᵀ[(G g Gᵀ) ⊙ (Bᵀ d B)]A. Over all channels each of the 36 is a
product of matrices. What comes out is the same to rounding; `benchmarks/encoder_speed.py` says what
it gains.

Images are [image, row, column, channel] with an edge of zeros: a row and a column before, and after
it as many as fill the last tile and one more.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pseudovoice.compiled import compiled

Float32 = NDArray[np.float32]
One = np.float32
Four = tuple[One, One, One, One]
Six = tuple[One, One, One, One, One, One]

TILE = 4
POINTS = 36
STRIP, FEWEST = 300_000, 96
"""Numbers of some tiles in the 36 points, which stay near the processor between the steps; of many
channels more, since all weights have to be fetched for them."""

_TWO, _FOUR, _FIVE, _EIGHT = (np.float32(n) for n in (2, 4, 5, 8))
_NOTHING = np.float32(0.0)

# fmt: off
_G = np.array([
    [1 / 4, 0, 0], [-1 / 6, -1 / 6, -1 / 6], [-1 / 6, 1 / 6, -1 / 6],
    [1 / 24, 1 / 12, 1 / 6], [1 / 24, -1 / 12, 1 / 6], [0, 0, 1],
])
# fmt: on


def edged(images: int, rows: int, columns: int, channels: int) -> Float32:
    """Zeros with room for so many rows and columns and their edge."""
    size = (-(-count // TILE) * TILE + 2 for count in (rows, columns))
    return np.zeros((images, *size, channels), np.float32)


def transformed(weights: Float32) -> Float32:
    """Weights [out, in, 3, 3] as [36, in, out]."""
    points = np.tensordot(_G, weights.astype(np.float64) @ _G.T, (1, 2)).transpose(0, 3, 2, 1)
    outs, ins = weights.shape[:2]
    return np.ascontiguousarray(points.reshape(POINTS, ins, outs), np.float32)


def convolve(
    x: Float32, rows: int, columns: int, weights: Float32, bias: Float32, y: Float32, *, add: bool
) -> None:
    """Write max(0, x ∗ weights + bias) into ``y``; with ``add`` what is there is added before."""
    down, across = -(-rows // TILE), -(-columns // TILE)
    ins, outs = weights.shape[1:]
    tiles = len(x) * down * across
    at_once = min(tiles, max(FEWEST, STRIP // (POINTS * max(ins, outs))))
    before = np.empty(POINTS * at_once * ins, np.float32)
    after = np.empty(POINTS * at_once * outs, np.float32)
    for first in range(0, tiles, at_once):
        count = min(at_once, tiles - first)
        heard = before[: POINTS * count * ins].reshape(POINTS, count, ins)
        made = after[: POINTS * count * outs].reshape(POINTS, count, outs)
        _into_points(x, heard, first, down, across)
        np.matmul(heard, weights, out=made)
        _out_of_points(made, bias, add, y, rows, columns, first, down, across)


@compiled
def _into_points(x: Float32, points: Float32, first: int, down: int, across: int) -> None:
    """Bᵀ d B of some tiles, columns first."""
    channels = x.shape[3]
    half = np.empty((6, 6, channels), np.float32)
    for tile in range(points.shape[1]):
        strip, column = (first + tile) // across, TILE * ((first + tile) % across)
        image, row = strip // down, TILE * (strip % down)
        for k in range(6):
            for c in range(channels):
                d0, d1 = x[image, row, column + k, c], x[image, row + 1, column + k, c]
                d2, d3 = x[image, row + 2, column + k, c], x[image, row + 3, column + k, c]
                d4, d5 = x[image, row + 4, column + k, c], x[image, row + 5, column + k, c]
                p0, p1, p2, p3, p4, p5 = _six_of_six(d0, d1, d2, d3, d4, d5)
                half[0, k, c], half[1, k, c], half[2, k, c] = p0, p1, p2
                half[3, k, c], half[4, k, c], half[5, k, c] = p3, p4, p5
        for k in range(6):
            for c in range(channels):
                d0, d1, d2 = half[k, 0, c], half[k, 1, c], half[k, 2, c]
                d3, d4, d5 = half[k, 3, c], half[k, 4, c], half[k, 5, c]
                p0, p1, p2, p3, p4, p5 = _six_of_six(d0, d1, d2, d3, d4, d5)
                points[6 * k, tile, c], points[6 * k + 1, tile, c] = p0, p1
                points[6 * k + 2, tile, c], points[6 * k + 3, tile, c] = p2, p3
                points[6 * k + 4, tile, c], points[6 * k + 5, tile, c] = p4, p5


@compiled
def _out_of_points(
    points: Float32,
    bias: Float32,
    add: bool,
    y: Float32,
    rows: int,
    columns: int,
    first: int,
    down: int,
    across: int,
) -> None:
    """Aᵀ m A of some tiles, and what follows it, where there are results."""
    channels = y.shape[3]
    half = np.empty((4, 6, channels), np.float32)
    whole = np.empty((4, 4, channels), np.float32)
    for tile in range(points.shape[1]):
        strip, column = (first + tile) // across, TILE * ((first + tile) % across)
        image, row = strip // down, TILE * (strip % down)
        for k in range(6):
            for c in range(channels):
                m0, m1 = points[k, tile, c], points[6 + k, tile, c]
                m2, m3 = points[12 + k, tile, c], points[18 + k, tile, c]
                m4, m5 = points[24 + k, tile, c], points[30 + k, tile, c]
                r0, r1, r2, r3 = _four_of_six(m0, m1, m2, m3, m4, m5)
                half[0, k, c], half[1, k, c], half[2, k, c], half[3, k, c] = r0, r1, r2, r3
        for k in range(4):
            for c in range(channels):
                m0, m1, m2 = half[k, 0, c], half[k, 1, c], half[k, 2, c]
                m3, m4, m5 = half[k, 3, c], half[k, 4, c], half[k, 5, c]
                r0, r1, r2, r3 = _four_of_six(m0, m1, m2, m3, m4, m5)
                b = bias[c]
                whole[k, 0, c], whole[k, 1, c] = r0 + b, r1 + b
                whole[k, 2, c], whole[k, 3, c] = r2 + b, r3 + b
        for i in range(min(TILE, rows - row)):
            for j in range(min(TILE, columns - column)):
                for c in range(channels):
                    v = whole[i, j, c]
                    if add:
                        v += y[image, row + i + 1, column + j + 1, c]
                    y[image, row + i + 1, column + j + 1, c] = max(v, _NOTHING)


@compiled
def _six_of_six(d0: One, d1: One, d2: One, d3: One, d4: One, d5: One) -> Six:
    """Bᵀ d of six numbers; whole numbers would make doubles of them."""
    a, b, c, d = d4 - _FOUR * d2, d3 - _FOUR * d1, d4 - d2, _TWO * (d3 - d1)
    first, last = _FOUR * d0 - _FIVE * d2 + d4, _FOUR * d1 - _FIVE * d3 + d5
    return first, a + b, a - b, c + d, c - d, last


@compiled
def _four_of_six(m0: One, m1: One, m2: One, m3: One, m4: One, m5: One) -> Four:
    """Aᵀ m of six numbers."""
    a, b, c, d = m1 + m2, m1 - m2, m3 + m4, m3 - m4
    return m0 + a + c, b + _TWO * d, a + _FOUR * c, b + _EIGHT * d + m5
