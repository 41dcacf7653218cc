"""Which slice follows which: what the attacks try to find out.

A *query* is a slice that has a successor. The last slice of an utterance has none; it is a
candidate like any other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pseudovoice.corpus import Corpus
from pseudovoice.errors import InputError
from pseudovoice.slicing.table import Origin

Int64 = NDArray[np.int64]


@dataclass(frozen=True)
class Succession:
    """Slices by name with the number of each one's successor, −1 where there is none.

    ``utterance`` and ``speaker`` number what the slices come from.
    """

    names: tuple[str, ...]
    successor: Int64
    utterance: Int64
    speaker: Int64

    def __len__(self) -> int:
        return len(self.names)

    @property
    def queries(self) -> Int64:
        """The slices that have a successor."""
        return np.flatnonzero(self.successor >= 0)

    def of_utterances(self, kept: NDArray[np.int64]) -> tuple[Succession, Int64]:
        """The slices of these utterances alone, and where they stood."""
        where = np.flatnonzero(np.isin(self.utterance, kept))
        new = np.full(len(self) + 1, -1)
        new[where] = np.arange(where.size)
        return (
            Succession(
                tuple(self.names[k] for k in where),
                new[self.successor[where]],
                self.utterance[where],
                self.speaker[where],
            ),
            where,
        )


def succession(origins: Sequence[Origin]) -> Succession:
    """Read the successors off the table that undoes slicing, in the table's order."""
    at = {(o.speaker, o.utterance, o.position): k for k, o in enumerate(origins)}
    if len(at) < len(origins):
        raise InputError("The table of slices names one place of an utterance twice; slice again.")
    follows = [at.get((o.speaker, o.utterance, o.position + 1), -1) for o in origins]
    utterances = {name: k for k, name in enumerate(dict.fromkeys(map(_utterance, origins)))}
    speakers = {name: k for k, name in enumerate(dict.fromkeys(o.speaker for o in origins))}
    return Succession(
        tuple(origin.slice for origin in origins),
        np.array(follows, dtype=np.int64),
        np.array([utterances[_utterance(o)] for o in origins], dtype=np.int64),
        np.array([speakers[o.speaker] for o in origins], dtype=np.int64),
    )


def public_texts(slices: Corpus, names: Sequence[str]) -> list[str]:
    """What the attacker reads of these slices: the public transcripts, not the table's."""
    return [slices.by_id[name].transcript or "" for name in names]


def _utterance(origin: Origin) -> tuple[str, str]:
    return origin.speaker, origin.utterance
