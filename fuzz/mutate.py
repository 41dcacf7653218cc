"""Inputs spoilt without an engine: for the ordinary tests, the same ones in every run."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

_ODD = (
    *(b"\0", b"\xff", b"\n", b"\r\n", b"\t", b'"', b"'", b"-1", b"nan", b"1e999", b"{}", b"[[["),
    *(b"\xef\xbb\xbf", b"\xff\xfe", b"\xe2\x80\xa8", b"\\ud800", b"9" * 400, b"\x85", b"\xff" * 8),
)


def spoilt(
    seeds: Sequence[bytes], words: Sequence[bytes], count: int, *, seed: int = 0
) -> Iterator[bytes]:
    """The seeds themselves, then as many inputs made from them."""
    yield from seeds
    draw = random.Random(seed)
    tokens = (*words, *_ODD)
    for _ in range(count):
        data = bytearray(draw.choice(seeds))
        for _ in range(draw.choice((1, 1, 2, 4))):
            _spoil(data, draw, tokens, seeds)
        yield bytes(data)


def _spoil(
    data: bytearray, draw: random.Random, tokens: Sequence[bytes], seeds: Sequence[bytes]
) -> None:
    at = draw.randrange(len(data) + 1)
    end = min(len(data), at + draw.choice((1, 2, 8, 64)))
    match draw.randrange(7):
        case 0:
            data[at:end] = draw.choice(tokens)
        case 1:
            data[at:at] = draw.choice(tokens)
        case 2:
            del data[at:end]
        case 3:
            data[at:at] = data[at:end]
        case 4:
            del data[at:]
        case 5:
            other = draw.choice(seeds)
            data[at:end] = other[at : at + 64]
        case _:
            for place in range(at, end):
                data[place] ^= 1 << draw.randrange(8)
