"""Pieces of speech as the attacker has them: a vector each, whose it is and where it comes from.

An utterance is decoded once and cut in memory, so that one corpus serves for many durations and
nothing has to be written to be attacked.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from pseudovoice.cores import usable_cores
from pseudovoice.corpus import AudioError, Corpus, Utterance, load
from pseudovoice.encoders.encoder import Encoder
from pseudovoice.errors import InputError, Problem
from pseudovoice.parallel import in_parallel
from pseudovoice.slicing.algorithm import Slice

Cut = Callable[[Utterance, float], Sequence[Slice]]
"""The pieces of an utterance of so many seconds."""


@dataclass(frozen=True, eq=False)
class Segments:
    """A vector each; ``utterances`` names what each piece was cut from, ``seconds`` its length.

    Two pieces of one utterance share words, room and day: whoever compares them learns nothing
    about recognising people.
    """

    vectors: NDArray[np.float32]
    speakers: tuple[str, ...]
    utterances: tuple[str, ...]
    seconds: tuple[float, ...]

    def __len__(self) -> int:
        return len(self.speakers)

    def take(self, rows: Sequence[int]) -> Segments:
        return Segments(
            self.vectors[list(rows)],
            tuple(self.speakers[k] for k in rows),
            tuple(self.utterances[k] for k in rows),
            tuple(self.seconds[k] for k in rows),
        )

    def of_utterances(self, wanted: frozenset[str]) -> Segments:
        """The pieces of these utterances."""
        return self.take([k for k, name in enumerate(self.utterances) if name in wanted])


def embed_segments(
    corpus: Corpus,
    encoder: Encoder,
    cut: Cut | None = None,
    *,
    workers: int | None = None,
    progress: Callable[[int], None] | None = None,
) -> tuple[Segments, tuple[Problem, ...]]:
    """Embed every piece of every utterance, or whole utterances without ``cut``.

    What cannot be decoded is a problem and left out, and so are pieces too short for the encoder.
    """
    say = progress or (lambda _: None)
    found: dict[str, list[tuple[NDArray[np.float32], float]]] = {}
    problems: dict[str, Problem] = {}

    def one(utterance: Utterance) -> list[tuple[NDArray[np.float32], float]] | Problem:
        try:
            return list(_embed(utterance, encoder, cut))
        except AudioError as error:
            return error.problem
        except InputError as error:
            return Problem(utterance.place, str(error).rstrip("."), "it is left out")

    with threadpool_limits(1):
        for utterance, result in in_parallel(one, corpus, workers or usable_cores()):
            if isinstance(result, Problem):
                problems[utterance.id] = result
            else:
                found[utterance.id] = result
            say(1)
    rows = [(u, *piece) for u in corpus for piece in found.get(u.id, ())]
    if not rows:
        first = next(iter(problems.values()), "no utterance is long enough")
        raise InputError(f"{corpus.root}: gives nothing to embed; the first reason: {first}.")
    return (
        Segments(
            np.stack([vector for _, vector, _ in rows]),
            tuple(u.speaker for u, _, _ in rows),
            tuple(u.id for u, _, _ in rows),
            tuple(seconds for _, _, seconds in rows),
        ),
        tuple(problems[u.id] for u in corpus if u.id in problems),
    )


def _embed(
    utterance: Utterance, encoder: Encoder, cut: Cut | None
) -> list[tuple[NDArray[np.float32], float]]:
    rate = encoder.sample_rate
    samples = load(utterance, sample_rate=rate, min_duration=encoder.shortest_seconds)
    duration = samples.size / rate
    pieces = (Slice(0.0, duration, 0, 0),) if cut is None else cut(utterance, duration)
    kept = []
    for piece in pieces:
        part = samples[round(piece.start * rate) : round(piece.end * rate)]
        if part.size < encoder.shortest_seconds * rate:
            continue
        vector = encoder.embed([part])[0]
        # A piece of digital silence has no voice.
        if np.isfinite(vector).all() and vector.any():
            kept.append((vector, part.size / rate))
    return kept
