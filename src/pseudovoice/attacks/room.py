"""Tell the room: do two recordings of a person come from one session, or from two?

Nothing is learnt. Pairs of utterances of one speaker are compared, those of one session with those
of two; the AUC is the mean over speakers, so that no voice is told from another. What all
recordings of a speaker in one version share, the voice and what a safeguard does to it, is taken
off first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pseudovoice.assessment.auc import aucs
from pseudovoice.assessment.estimate import Row
from pseudovoice.assessment.replicates import draw_speakers
from pseudovoice.attacks.heard import Heard
from pseudovoice.attacks.told import Draws, Told, auc_row
from pseudovoice.attacks.traits import LEAST_SPEAKERS
from pseudovoice.calibration.ladder import Floats
from pseudovoice.corpus import Corpus
from pseudovoice.embeddings.embeddings import Embeddings

ROOM = "room"
MOST = 40
"""Utterances of a speaker that are compared, spread over their sessions."""


def tell_room(heard: Heard, corpus: Corpus, draws: Draws) -> Told | None:
    """Compare the sessions of everybody who has several; None where hardly anybody has."""
    people = list(_people(heard, corpus))
    if len(people) < LEAST_SPEAKERS:
        return None
    rooms = _Rooms(people, draws)
    versions = {"o": _own(heard.original, people), "p": _own(heard.protected, people)}
    rows = tuple(
        rooms.row(condition, heard.encoder, *(versions[side] for side in condition))
        for condition in ("oo", "op", "pp")
    )
    return Told(ROOM, heard.encoder, {"with several sessions": len(people)}, rows)


@dataclass(frozen=True)
class _Person:
    """Utterances of one speaker by id, and the session of each as a number."""

    name: str
    ids: tuple[str, ...]
    session: NDArray[np.intp]


def _people(heard: Heard, corpus: Corpus) -> Iterator[_Person]:
    """Who has two sessions, one of them with two utterances."""
    there = {*heard.original.ids} & {*heard.protected.ids}
    for speaker, utterances in corpus.speakers.items():
        own = [u for u in utterances if u.id in there and u.session is not None]
        own = own[:: max(1, -(-len(own) // MOST))]
        if len({u.session for u in own}) > 1 and len({u.session for u in own}) < len(own):
            _, session = np.unique([str(u.session) for u in own], return_inverse=True)
            yield _Person(speaker, tuple(u.id for u in own), session)


def _own(version: Embeddings, people: Sequence[_Person]) -> list[Floats]:
    """What is a recording's own: vectors of each person around their mean, of length one."""
    around = []
    for person in people:
        own = version.in_order(person.ids).vectors.astype(np.float64)
        around.append(own - own.mean(axis=0))
    spread = np.concatenate(around).std(axis=0)
    scaled = (own / np.where(spread > 0, spread, 1.0) for own in around)
    return [own / np.maximum(np.linalg.norm(own, axis=1, keepdims=True), 1e-12) for own in scaled]


@dataclass(frozen=True)
class _Rooms:
    """The people, with the same shuffles and draws for everything that is compared."""

    people: Sequence[_Person]
    draws: Draws

    @cached_property
    def sessions(self) -> list[NDArray[np.intp]]:
        """Of each person, the sessions as they are and as often shuffled: [utterances, 1 + n]."""
        rng = self.draws.of(ROOM, "labels")
        made = []
        for person in self.people:
            many = np.tile(person.session[:, None], (1, self.draws.permutations))
            made.append(np.column_stack([person.session, rng.permuted(many, axis=0)]))
        return made

    def row(
        self, condition: str, encoder: str, rows: Sequence[Floats], columns: Sequence[Floats]
    ) -> Row:
        trials, of_each = np.zeros(2, np.intp), []
        for session, a, b in zip(self.sessions, rows, columns, strict=True):
            # A recording is not compared with itself, nor with its own protected version.
            i, j = np.nonzero(~np.eye(len(a), dtype=bool))
            same = session[i] == session[j]
            trials += np.bincount(same[:, 0].astype(np.intp), minlength=2)
            of_each.append(aucs((a @ b.T)[i, j][:, None], same))
        every = np.array(of_each)
        rng = self.draws.of(ROOM, "speakers")
        drawn = draw_speakers(rng, self.draws.replicates, len(every))
        return auc_row(
            condition,
            (ROOM, encoder),
            float(every[:, 0].mean()),
            drawn @ every[:, 0] / len(every),
            every[:, 1:].mean(axis=0),
            trials=(int(trials[1]), int(trials[0])),
            method="pairs of one speaker, mean over speakers",
        )
