"""A corpus through an encoder: decoded, embedded and stored utterance by utterance.

Workers are threads: decoding, feature extraction and onnxruntime all work outside the
interpreter's lock, each on one core, and share one copy of the network. Only a few batches are
under way at a time, so memory does not grow with the corpus.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from pseudovoice.cores import usable_cores
from pseudovoice.corpus import AudioError, Channel, Corpus, Utterance, audio_hash, load
from pseudovoice.embeddings.store import EmbeddingStore, Vector, embedding_key
from pseudovoice.encoders.encoder import Encoder
from pseudovoice.errors import InputError, Problem
from pseudovoice.parallel import in_parallel

BATCH = 8
"""Utterances a worker takes at a time: enough to keep it busy, few enough to lose little."""

Progress = Callable[[int], None]


@dataclass(frozen=True)
class Embedded:
    """The utterances that could be embedded, their vectors row by row, and all that could not.

    ``problems`` has those of the corpus's listing first: whoever embeds a corpus has to say what
    it lacks, be it the attacker's or that of a back-end.
    """

    utterances: tuple[Utterance, ...]
    vectors: NDArray[np.float32]
    problems: tuple[Problem, ...]

    @property
    def speakers(self) -> list[str]:
        return [utterance.speaker for utterance in self.utterances]

    def take(self, ids: Sequence[str]) -> Embedded:
        """The rows of these utterances, in this order."""
        at = {utterance.id: k for k, utterance in enumerate(self.utterances)}
        rows = [at[name] for name in ids]
        return Embedded(tuple(self.utterances[k] for k in rows), self.vectors[rows], self.problems)


def embed_corpus(
    corpus: Corpus,
    encoder: Encoder,
    store: EmbeddingStore | None = None,
    *,
    channel: Channel = "mean",
    workers: int | None = None,
    progress: Progress | None = None,
) -> Embedded:
    """Embed every utterance; what cannot be decoded is listed and left out.

    ``progress`` is called with the number of utterances that have just been done. With a
    ``store``, what it holds is taken from it, and what is new is kept there as soon as it is
    ready: a killed run goes on where it was.
    """
    say = progress or (lambda _: None)
    vectors: dict[str, Vector] = {}
    problems: dict[str, Problem] = {}
    todo: list[tuple[Utterance, str]] = []
    keys: dict[str, str] = {}
    for utterance in corpus:
        try:
            keys[utterance.id] = embedding_key(
                audio_hash(utterance), encoder.sha256, f"{encoder.name} channel={channel}"
            )
        except AudioError as error:
            problems[utterance.id] = error.problem
    known = {} if store is None else store.get(keys.values(), encoder.dimension)
    for utterance in corpus:
        if (key := keys.get(utterance.id)) is not None:
            if key in known:
                vectors[utterance.id] = known[key]
            else:
                todo.append((utterance, key))
    say(len(corpus) - len(todo))
    for batch, results in _work(todo, encoder, channel, workers or usable_cores()):
        fresh = {}
        for (utterance, key), result in zip(batch, results, strict=True):
            if isinstance(result, Problem):
                problems[utterance.id] = result
            else:
                vectors[utterance.id] = fresh[key] = result
        if store is not None and fresh:
            store.put(fresh)
        say(len(batch))
    kept = tuple(u for u in corpus if u.id in vectors)
    if not kept:
        raise InputError(
            f"{corpus.root}: none of the {len(corpus)} utterances could be embedded; the first "
            f"reason: {next(iter(problems.values()), 'the corpus is empty')}"
        )
    return Embedded(
        kept,
        np.stack([vectors[u.id] for u in kept]),
        (*corpus.problems, *(problems[u.id] for u in corpus if u.id in problems)),
    )


def _work(
    todo: list[tuple[Utterance, str]], encoder: Encoder, channel: Channel, workers: int
) -> Iterator[tuple[list[tuple[Utterance, str]], list[Vector | Problem]]]:
    """Embed in batches; yields each as it is done."""
    batches = (todo[k : k + BATCH] for k in range(0, len(todo), BATCH))
    # One BLAS thread each: the workers are the parallelism, more threads only get in their way.
    with threadpool_limits(1):
        yield from in_parallel(
            lambda batch: _embed([u for u, _ in batch], encoder, channel), batches, workers
        )


def _embed(
    utterances: Sequence[Utterance], encoder: Encoder, channel: Channel
) -> list[Vector | Problem]:
    results: list[Vector | Problem] = []
    for utterance in utterances:
        try:
            samples = load(
                utterance,
                sample_rate=encoder.sample_rate,
                channel=channel,
                min_duration=encoder.shortest_seconds,
            )
            vector = encoder.embed([samples])[0]
        except AudioError as error:
            results.append(error.problem)
        except InputError as error:
            results.append(Problem(utterance.place, str(error).rstrip("."), "it is left out"))
        except Exception as error:  # onnxruntime's own exceptions share no base class of theirs
            # One recording that a network cannot take, such as one of ten hours, costs itself only.
            reason = next(iter(str(error).splitlines()), "").rstrip(".") or type(error).__name__
            results.append(
                Problem(
                    utterance.place,
                    f"{encoder.name} cannot take it ({reason})",
                    "leave it out, or cut it into shorter pieces",
                )
            )
        else:
            if np.isfinite(vector).all() and vector.any():
                results.append(vector)
            else:
                results.append(
                    Problem(
                        utterance.place,
                        f"{encoder.name} gives no usable embedding",
                        "listen to it; it is left out",
                    )
                )
    return results
