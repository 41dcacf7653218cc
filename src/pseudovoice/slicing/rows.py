"""What a shard keeps of each utterance that it cut."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import astuple
from typing import Any

from pseudovoice.corpus import Corpus
from pseudovoice.slicing.algorithm import Slice
from pseudovoice.slicing.summary import SliceTally
from pseudovoice.slicing.table import Origin

Row = tuple[Any, ...]


def part_rows(
    corpus: Corpus,
    tallies: Mapping[str, SliceTally],
    marks: Mapping[str, str],
    origins: Sequence[Origin],
    contents: Mapping[str, str],
    position: Mapping[str, int],
) -> list[Row]:
    """A row for each utterance of a share that was cut, with its slices and their hashes."""
    slices: dict[str, list[Origin]] = {}
    for origin in origins:
        slices.setdefault(origin.utterance, []).append(origin)
    return [
        (
            position[u.id],
            marks[u.id],
            [astuple(piece) for piece in tallies[u.id].slices],
            tallies[u.id].duration,
            tallies[u.id].words,
            [[*astuple(one), contents[one.slice]] for one in slices.get(u.id, ())],
        )
        for u in corpus
        if u.id in tallies
    ]


def read_row(row: Row) -> tuple[int, str, SliceTally, list[Origin], list[str]]:
    """Position, mark, how it was cut, its slices, and the hash of each."""
    position, mark, pieces, duration, words, slices = row
    tally = SliceTally(tuple(Slice(*piece) for piece in pieces), duration, words)
    origins = [Origin(*told) for *told, _ in slices]
    return position, mark, tally, origins, [str(content) for *_, content in slices]
