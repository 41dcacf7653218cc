"""Vectors of speech with their speakers: what every attack compares."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from pseudovoice.errors import Problem


@dataclass(frozen=True, eq=False)
class Embeddings:
    """A row each: its vector, the utterance it comes from, and who speaks.

    Equal ids are versions of one utterance, or pieces of it: they share words, room and day, and
    whoever compares them learns nothing about recognising people. ``seconds`` are the lengths of
    pieces, where speech was cut. ``source`` names the speech in a sentence; ``problems`` lists what
    of it has no row.
    """

    vectors: NDArray[np.floating]
    ids: tuple[str, ...]
    speakers: tuple[str, ...]
    seconds: tuple[float, ...] = ()
    source: str = "the corpus"
    problems: tuple[Problem, ...] = field(default=(), repr=False)

    def __len__(self) -> int:
        return len(self.ids)

    def take(self, rows: Sequence[int]) -> Embeddings:
        """Some of the rows, in this order."""
        return Embeddings(
            self.vectors[list(rows)],
            tuple(self.ids[k] for k in rows),
            tuple(self.speakers[k] for k in rows),
            tuple(self.seconds[k] for k in rows) if self.seconds else (),
            self.source,
            self.problems,
        )

    def of(self, wanted: Container[str]) -> Embeddings:
        """The rows of these utterances."""
        return self.take([k for k, name in enumerate(self.ids) if name in wanted])

    def in_order(self, ids: Iterable[str]) -> Embeddings:
        """The rows of these utterances in this order, as far as they are there."""
        place = {name: k for k, name in enumerate(self.ids)}
        return self.take([place[name] for name in ids if name in place])
