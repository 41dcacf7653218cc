"""What a shard keeps of each file of a release: its name, what is told of it, and how it looked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import astuple
from pathlib import Path
from typing import Any

from pseudovoice.corpus import Corpus, Utterance
from pseudovoice.release.journal import Made

Row = tuple[Any, ...]


def part_rows(
    corpus: Corpus, made: Mapping[str, Made], position: Mapping[str, int] | None
) -> list[Row]:
    """A row for each file of a share; None as ``position`` keeps the originals' order out of it."""
    return [_row(u, corpus.root, made, position) for u in corpus]


def _row(
    u: Utterance, root: Path, made: Mapping[str, Made], position: Mapping[str, int] | None
) -> Row:
    place = u.path.relative_to(root).as_posix()
    told = (u.id, u.speaker, u.session, u.gender, u.transcript)
    return (position and position[u.id], place, told, astuple(made[place]))


def read_row(row: Row, out: Path) -> tuple[int, Utterance, Made]:
    """Position (0 where it is not kept), the utterance as ``out`` is to hold it, and its file."""
    position, place, (name, speaker, session, gender, transcript), made = row
    path = out / place
    if not path.resolve().is_relative_to(out.resolve()):
        raise ValueError(place)
    return (
        position or 0,
        Utterance(name, speaker, path, session=session, gender=gender, transcript=transcript),
        Made(*made),
    )
