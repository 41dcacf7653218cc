"""A corpus through an encoder: decoded, embedded and stored utterance by utterance.

Unless another engine is chosen, workers are threads: decoding, feature extraction and onnxruntime
all work outside the interpreter's lock, each on one core, and share one copy of the network. Only a
few batches are under way at a time, so memory does not grow with the corpus.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from pseudovoice.corpus import (
    AudioError,
    Channel,
    Corpus,
    Utterance,
    audio_hash,
    hashed_ahead,
    load,
)
from pseudovoice.embeddings.embeddings import Embeddings
from pseudovoice.embeddings.store import EmbeddingStore, Vector, embedding_key
from pseudovoice.encoders.encoder import Encoder
from pseudovoice.engines import Lost, in_parallel, worker_lost
from pseudovoice.errors import InputError, Problem

BATCH = 8
"""Utterances a worker takes at a time: enough to keep it busy, few enough to lose little."""


class Piece(Protocol):
    """A stretch of an utterance, in seconds."""

    @property
    def start(self) -> float: ...
    @property
    def end(self) -> float: ...


Cut = Callable[[Utterance, float], Sequence[Piece]]
"""The pieces of an utterance of so many seconds."""

Progress = Callable[[int], None]

Rows = list[tuple[Vector, float]]
"""Vector and seconds of each piece of an utterance."""


def embed_corpus(
    corpus: Corpus,
    encoder: Encoder,
    store: EmbeddingStore | None = None,
    *,
    channel: Channel = "mean",
    cut: Cut | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
    may_be_empty: bool = False,
) -> Embeddings:
    """Embed every utterance, or with ``cut`` every piece of it; rows are in the corpus' order.

    What cannot be decoded is listed and left out, after what the corpus' own listing lacks:
    whoever embeds a corpus has to say so. Pieces too short for the encoder, or of digital silence,
    have no voice and no row. ``progress`` is called with the number of utterances that have just
    been done. With a ``store``, what it holds is taken from it, and what is new is kept there as
    soon as it is ready: a killed run goes on where it was. Nothing to be heard at all is an error,
    unless it ``may_be_empty``, as a share of a corpus may.
    """
    say = progress or (lambda _: None)
    ear = _Ear(encoder, store, channel, cut)
    problems: dict[str, Problem] = {}
    keys: dict[str, str] = {}
    for utterance in hashed_ahead(corpus, workers):
        try:
            keys[utterance.id] = ear.key(utterance)
        except AudioError as error:
            problems[utterance.id] = error.problem
    found = ear.heard_before(corpus, keys)
    todo = [(u, keys[u.id]) for u in corpus if u.id in keys and u.id not in found]
    say(len(corpus) - len(todo))
    batches = (todo[k : k + BATCH] for k in range(0, len(todo), BATCH))
    for batch, heard in in_parallel(ear, batches, workers, _lost):
        if store is not None and heard.fresh:
            store.put(heard.fresh)
        for (utterance, _), result in zip(batch, heard.results, strict=True):
            if isinstance(result, Problem):
                problems[utterance.id] = result
            else:
                found[utterance.id] = result
        say(len(batch))
    rows = [(u, *row) for u in corpus for row in found.get(u.id, ())]
    if not rows and not may_be_empty:
        raise InputError(
            f"{corpus.root}: none of the {len(corpus)} utterances could be embedded; the first "
            f"reason: {next(iter(problems.values()), 'there is no speech long enough')}"
        )
    return Embeddings(
        np.array([vector for _, vector, _ in rows], np.float32).reshape(-1, encoder.dimension),
        tuple(u.id for u, _, _ in rows),
        tuple(u.speaker for u, _, _ in rows),
        tuple(seconds for _, _, seconds in rows) if cut else (),
        str(corpus.root),
        (*corpus.problems, *(problems[u.id] for u in corpus if u.id in problems)),
    )


_Batch = list[tuple[Utterance, str]]
"""Utterances with the names under which their vectors are kept."""


@dataclass(frozen=True)
class _Stretch:
    """Some samples of an utterance, and the name under which their vector is kept."""

    key: str
    first: int
    last: int


class _Length(NamedTuple):
    """How many samples an utterance has, as a store of vectors keeps it: each part is exact."""

    high: float
    low: float

    @classmethod
    def of(cls, samples: int) -> _Length:
        return cls(*divmod(samples, 1 << 20))

    @property
    def samples(self) -> int:
        return (int(self.high) << 20) + int(self.low)

    @property
    def vector(self) -> Vector:
        return np.array(self, np.float32)


def _length_key(key: str) -> str:
    return embedding_key(key, "", "samples")


@dataclass(frozen=True)
class _Heard:
    """What a batch gave, and vectors that are new: whoever collects the results keeps them."""

    results: list[Rows | Problem]
    fresh: dict[str, Vector]

    @property
    def failed(self) -> int:
        return sum(isinstance(result, Problem) for result in self.results)


def _lost(batch: _Batch, lost: Lost) -> _Heard:
    return _Heard([worker_lost(utterance.place, lost) for utterance, _ in batch], {})


@dataclass(frozen=True)
class _Ear:
    """An encoder as it hears one corpus: whole utterances, or pieces of them.

    The store is only read, and does not go with it to another process: a database is for one
    machine.
    """

    encoder: Encoder
    store: EmbeddingStore | None
    channel: Channel
    cut: Cut | None

    def key(self, utterance: Utterance) -> str:
        """The name under which an utterance's vector is kept; pieces add their times to it."""
        return embedding_key(
            audio_hash(utterance),
            self.encoder.sha256,
            f"{self.encoder.name} channel={self.channel}",
        )

    def heard_before(self, corpus: Corpus, keys: Mapping[str, str]) -> dict[str, Rows]:
        """What the store has whole, by utterance.

        Where an utterance is cut depends on how long it is, which is kept too: so nobody has to
        open it to see that all its pieces are there.
        """
        if self.store is None:
            return {}
        size = self.encoder.dimension
        if self.cut is None:
            known = self.store.get(keys.values(), size)
            return {u: [(known[key], 0.0)] for u, key in keys.items() if key in known}
        kept = self.store.get(map(_length_key, keys.values()), len(_Length._fields))
        pieces = {
            u.id: self._pieces(u, keys[u.id], _Length(*kept[name]).samples)
            for u in corpus
            if u.id in keys and (name := _length_key(keys[u.id])) in kept
        }
        known = self.store.get([one.key for every in pieces.values() for one in every], size)
        rate = self.encoder.sample_rate
        return {
            name: [(known[one.key], (one.last - one.first) / rate) for one in every]
            for name, every in pieces.items()
            if all(one.key in known for one in every)
        }

    def _pieces(self, utterance: Utterance, key: str, samples: int) -> list[_Stretch]:
        """Where an utterance of so many samples is cut; what is too short for the ear is none."""
        assert self.cut is not None
        rate, shortest = self.encoder.sample_rate, self.encoder.shortest_seconds
        found = []
        for piece in self.cut(utterance, samples / rate):
            first, last = round(piece.start * rate), round(piece.end * rate)
            last = min(last, samples)
            if last - first >= shortest * rate:
                name = embedding_key(key, "", f"samples {first} to {last}")
                found.append(_Stretch(name, first, last))
        return found

    def __reduce__(self) -> tuple[Any, ...]:
        return _Ear, (self.encoder, None, self.channel, self.cut)

    def __call__(self, batch: _Batch) -> _Heard:
        fresh: dict[str, Vector] = {}
        return _Heard([self._one(utterance, key, fresh) for utterance, key in batch], fresh)

    def _one(self, utterance: Utterance, key: str, fresh: dict[str, Vector]) -> Rows | Problem:
        try:
            rows = list(self._rows(utterance, key, fresh))
        except AudioError as error:
            return error.problem
        except InputError as error:
            return Problem(utterance.place, str(error).rstrip("."), "it is left out")
        except Exception as error:  # onnxruntime's own exceptions share no base class of theirs
            # One recording that a network cannot take, such as one of ten hours, costs itself only.
            reason = next(iter(str(error).splitlines()), "").rstrip(".") or type(error).__name__
            return Problem(
                utterance.place,
                f"{self.encoder.name} cannot take it ({reason})",
                "leave it out, or cut it into shorter pieces",
            )
        if not rows and self.cut is None:
            return Problem(
                utterance.place,
                f"{self.encoder.name} gives no usable embedding",
                "listen to it; it is left out",
            )
        return rows

    def _rows(
        self, utterance: Utterance, key: str, fresh: dict[str, Vector]
    ) -> Iterator[tuple[Vector, float]]:
        rate, shortest = self.encoder.sample_rate, self.encoder.shortest_seconds
        samples = load(utterance, sample_rate=rate, channel=self.channel, min_duration=shortest)
        if self.cut is None:
            vector = self._vector(samples, key, fresh)
            if vector is not None:
                yield vector, samples.size / rate
            return
        pieces = self._pieces(utterance, key, samples.size)
        names = [one.key for one in pieces]
        known = {} if self.store is None else self.store.get(names, self.encoder.dimension)
        for one in pieces:
            part = samples[one.first : one.last]
            vector = known[one.key] if one.key in known else self._vector(part, one.key, fresh)
            if vector is not None:
                yield vector, part.size / rate
        fresh[_length_key(key)] = _Length.of(samples.size).vector

    def _vector(
        self, samples: NDArray[np.float32], key: str, fresh: dict[str, Vector]
    ) -> Vector | None:
        """The embedding, to be kept; None where there is no voice in the samples."""
        vector: Vector = np.asarray(self.encoder.embed([samples])[0])
        if vector.shape != (self.encoder.dimension,):
            raise InputError(
                f"{self.encoder.name} gives an array of the shape {vector.shape} instead of "
                f"{self.encoder.dimension} numbers; ask whoever made it."
            )
        if not np.isfinite(vector).all() or not vector.any():
            return None
        fresh[key] = vector
        return vector
