"""Conversations composed of the utterances of a corpus, by a seeded plan.

Who is to be told apart speaks in turns of one utterance each, with pauses between them; who speaks
when is then known. The plan names utterances and pauses only: the same conversation can be put
together from the originals and from what a safeguard made of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pseudovoice.diarisation.activity import Span
from pseudovoice.diarisation.turns import Turn, Turns

SIZES = (2, 3, 4, 5, 6)
"""People of the first conversation, of the second and so on."""
TURNS_EACH = 4
"""Turns of each person, where there are so many utterances."""
PAUSES = (0.2, 1.0)
"""Seconds between turns."""

Samples = NDArray[np.float32]


@dataclass(frozen=True)
class Said:
    """One turn: an utterance, whose it is, and the seconds of pause before it."""

    utterance: str
    person: str
    pause: float


@dataclass(frozen=True)
class Conversation:
    """What is said in turn."""

    name: str
    said: tuple[Said, ...]

    def samples(self, heard: Callable[[str], Samples], rate: int) -> Samples:
        """The recording; ``heard`` gives an utterance at ``rate``."""
        parts: list[Samples] = []
        for one in self.said:
            parts += [np.zeros(round(one.pause * rate), np.float32), heard(one.utterance)]
        return np.concatenate(parts)

    def turns(
        self, spoken: Callable[[str], Sequence[Span]], seconds: Callable[[str], float]
    ) -> Turns:
        """Who speaks when in it, from when there is speech in an utterance, and its length."""
        turns: list[Turn] = []
        at = 0.0
        for one in self.said:
            at += one.pause
            turns += [Turn(at + a, at + b, one.person) for a, b in spoken(one.utterance)]
            at += seconds(one.utterance)
        return Turns.of(self.name, turns)


def conversations(
    speakers: Mapping[str, Sequence[str]], count: int, seed: int = 0
) -> list[Conversation]:
    """So many conversations of people of whom at least two utterances are there.

    Everybody takes part about equally often, and nobody speaks twice in a row.
    """
    rng = np.random.default_rng(seed)
    able = {person: list(names) for person, names in sorted(speakers.items()) if len(names) > 1}
    waiting: list[str] = []
    made = []
    for k in range(count):
        size = min(SIZES[k % len(SIZES)], len(able))
        if size < 2:
            break
        people: list[str] = []
        while len(people) < size:
            if not waiting:
                waiting = [str(p) for p in rng.permutation(list(able))]
            person = next((p for p in waiting if p not in people), None)
            if person is None:  # all who wait take part already: begin a new round
                waiting = []
                continue
            waiting.remove(person)
            people.append(person)
        made.append(_conversation(f"{k + 1:02d}", people, able, rng))
    return made


def _conversation(
    name: str, people: Sequence[str], able: Mapping[str, Sequence[str]], rng: np.random.Generator
) -> Conversation:
    left = {p: [str(u) for u in rng.permutation(able[p])][:TURNS_EACH] for p in people}
    said: list[Said] = []
    while any(left.values()):
        before = said[-1].person if said else ""
        # Whoever has most left is likeliest to go on, so that nobody is left to talk alone.
        others = [p for p in people if left[p] and p != before]
        if not others:
            break
        shares = np.array([len(left[p]) ** 2 for p in others], float)
        person = str(rng.choice(others, p=shares / shares.sum()))
        said.append(Said(left[person].pop(), person, float(rng.uniform(*PAUSES))))
    return Conversation(name, tuple(said))
