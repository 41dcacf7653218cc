"""What the sound of two slices tells about whether one follows the other.

The cheap attacks, which an adversary tries before training any network:

- ``silence``: samples that stand at the end of one slice and again at the beginning of the other,
  as Algorithm 1 to the letter leaves them there; how many, in a row and exactly alike;
- ``waveform``: the waveform goes on across the cut (:mod:`pseudovoice.reassembly.waveform`);
- ``energy``: the level at the end of one is near that at the beginning of the other;
- ``pitch``: the last F0 of one is near the first of the other;
- ``spectrum``: the log-mel spectrum around the cut goes on;
- ``channel``: background and voice are those of one recording, by the mean spectrum of the slices;
- ``embedding``: a speaker encoder hears one voice.

And those that are not cheap, where their networks are given:

- ``network``: a TDNN about the cut (:mod:`pseudovoice.reassembly.speech_successor`) takes them for
  successive;
- ``x-vector network``: the paper's does, which hears both slices as a whole.

Every cue is a matrix of scores, queries by candidates, the higher the likelier successors.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from pseudovoice.compiled import compiled
from pseudovoice.corpus import AudioError, Corpus, Utterance, decode, load
from pseudovoice.encoders.encoder import Encoder
from pseudovoice.engines import Lost, in_parallel, worker_lost
from pseudovoice.errors import Problem, UsageError
from pseudovoice.reassembly.joined import Edges, edges
from pseudovoice.reassembly.speech_successor import CUES as NETWORKS
from pseudovoice.reassembly.speech_successor import SpeechSuccessor
from pseudovoice.reassembly.waveform import continuity
from pseudovoice.signal.fbank import kaldi_fbank
from pseudovoice.signal.pitch import pitch

Float64 = NDArray[np.float64]
Int16 = NDArray[np.int16]

CUES = (
    "silence",
    "waveform",
    "energy",
    "pitch",
    "spectrum",
    "channel",
    "embedding",
    *NETWORKS.values(),
)
RATE = 16_000
_MELS = 40
# Frames of 10 ms at an end whose mean stands for it, and samples that make a match more than luck.
_AT_END = 5
_LEAST_MATCH = 32
_BASE = np.uint64(1_000_003)


@dataclass(frozen=True)
class Ends:
    """What an attacker hears of one slice: how it begins and ends, and what runs through it.

    Log-mel spectra are natural logarithms; F0 is log2 Hz, NaN where nothing is voiced.
    ``samples`` are those of the file, for finding them again. ``edges`` are for a network.
    """

    head: Float64
    tail: Float64
    mean: Float64
    head_pitch: float
    tail_pitch: float
    samples: Int16
    embedding: Float64 | None
    edges: Edges | None = None


@dataclass(frozen=True)
class HeardSlices:
    """The slices that could be heard, by id, and a problem for each that could not."""

    slices: dict[str, Ends]
    problems: tuple[Problem, ...]


def listen(
    corpus: Corpus,
    *,
    encoder: Encoder | None = None,
    joining: bool = False,
    workers: int | None = None,
    progress: Callable[[int], None] | None = None,
) -> HeardSlices:
    """Take the cues of every slice of a corpus; with an ``encoder`` also its voice.

    ``joining`` keeps what a network needs of each slice.
    """
    say = progress or (lambda _: None)
    found: dict[str, Ends | Problem] = {}
    one = partial(_heard, encoder=encoder, joining=joining)
    for utterance, result in in_parallel(one, corpus, workers, _lost):
        found[utterance.id] = result
        say(1)
    ordered = {utterance.id: found[utterance.id] for utterance in corpus}
    return HeardSlices(
        {name: ends for name, ends in ordered.items() if isinstance(ends, Ends)},
        tuple(p for p in ordered.values() if isinstance(p, Problem)),
    )


def _heard(utterance: Utterance, encoder: Encoder | None, joining: bool) -> Ends | Problem:
    try:
        return _ends(utterance, encoder, joining)
    except AudioError as error:
        return error.problem


def _lost(utterance: Utterance, lost: Lost) -> Problem:
    return worker_lost(utterance.place, lost)


def _ends(utterance: Utterance, encoder: Encoder | None, joining: bool) -> Ends:
    samples = load(utterance, sample_rate=RATE, min_duration=0.0, refuse_silence=False)
    joined = edges(samples) if joining else None
    # One window must fit, and an encoder wants more: a piece that short is repeated.
    shortest = max(0.05, encoder.shortest_seconds if encoder else 0.0)
    repeats = -(-int(shortest * RATE + 1) // samples.size)
    samples = np.tile(samples, max(1, repeats))
    spectrum = kaldi_fbank(samples, mels=_MELS).astype(np.float64)
    f0 = pitch(samples)
    voiced = np.log2(f0[f0 > 0])
    embedding = None
    if encoder is not None:
        vector = encoder.embed([samples])[0].astype(np.float64)
        embedding = vector / max(float(np.linalg.norm(vector)), 1e-12)
    first = decode(utterance).samples[:, 0]
    return Ends(
        head=spectrum[:_AT_END].mean(axis=0),
        tail=spectrum[-_AT_END:].mean(axis=0),
        mean=spectrum.mean(axis=0),
        head_pitch=float(voiced[0]) if voiced.size else float("nan"),
        tail_pitch=float(voiced[-1]) if voiced.size else float("nan"),
        samples=np.clip(np.rint(first * 32768.0), -32768, 32767).astype(np.int16),
        embedding=embedding,
        edges=joined,
    )


def cue_scores(
    slices: Sequence[Ends],
    *,
    successors: Sequence[SpeechSuccessor] = (),
    workers: int | None = None,
) -> dict[str, Float64]:
    """Each cue as a matrix, queries by candidates.

    ``embedding`` only where there are some, networks only with ``successors``, for which the
    slices must have been heard ``joining``.
    """
    tail, head, mean = (
        np.stack([getattr(piece, part) for piece in slices]) for part in ("tail", "head", "mean")
    )
    last, first = (
        np.array([getattr(piece, part) for piece in slices])
        for part in ("tail_pitch", "head_pitch")
    )
    scores = {
        "silence": shared_samples([piece.samples for piece in slices]),
        "waveform": continuity([piece.samples for piece in slices]),
        "energy": -np.abs(tail.mean(axis=1)[:, None] - head.mean(axis=1)[None]),
        # A slice without voice is a typical distance from all.
        "pitch": _filled(-np.abs(last[:, None] - first[None])),
    }
    # How BLAS rounds depends on its threads: scores are the same on any number of cores.
    with threadpool_limits(1):
        scores["spectrum"] = -_distances(tail, head)
        scores["channel"] = -_distances(mean, mean)
        embeddings = [piece.embedding for piece in slices if piece.embedding is not None]
        if len(embeddings) == len(slices):
            voices = np.stack(embeddings)
            scores["embedding"] = voices @ voices.T
    if successors:
        joined = [piece.edges for piece in slices if piece.edges is not None]
        if len(joined) < len(slices):
            raise UsageError("A successor network needs slices that were heard with joining=True.")
        scores |= {one.cue: one.scores(joined, workers=workers) for one in successors}
    return scores


def _filled(scores: Float64) -> Float64:
    known = np.isfinite(scores)
    return np.where(known, scores, np.median(scores[known]) if known.any() else 0.0)


def _distances(one: Float64, other: Float64) -> Float64:
    """Euclidean distances between all rows of two arrays."""
    squares = (one**2).sum(1)[:, None] + (other**2).sum(1)[None] - 2 * one @ other.T
    distances: Float64 = np.sqrt(np.maximum(squares, 0.0))
    return distances


def shared_samples(slices: Sequence[Int16]) -> Float64:
    """How many samples end one slice and begin the other, exactly alike; 0 below 2 ms.

    Digital silence and other constant stretches are no match: they are alike everywhere.
    """
    bounds = np.cumsum([0, *(piece.size for piece in slices)]).astype(np.int64)
    joined = np.concatenate(slices) if len(slices) else np.zeros(0, np.int16)
    heads = np.array(
        [_hash(joined, a) if b - a >= _LEAST_MATCH else 0 for a, b in pairwise(bounds)],
        dtype=np.uint64,
    )
    order = np.argsort(heads, kind="stable")
    shared = np.zeros((len(slices), len(slices)))
    _match(joined, bounds, heads[order], order.astype(np.int64), shared)
    return shared


@compiled
def _hash(samples: Int16, at: int) -> np.uint64:
    """A polynomial in the samples from ``at`` on, modulo 2^64."""
    value = np.uint64(0)
    for k in range(_LEAST_MATCH):
        value = value * _BASE + np.uint64(np.int64(samples[at + k]) + 32769)
    return value


@compiled
def _match(
    samples: Int16,
    bounds: NDArray[np.int64],
    heads: NDArray[np.uint64],
    order: NDArray[np.int64],
    shared: Float64,
) -> None:
    """Roll over each slice, look its windows up among the beginnings, and compare to the end."""
    most = np.uint64(1)
    for _ in range(_LEAST_MATCH - 1):
        most = most * _BASE
    for w in range(len(bounds) - 1):
        low, high = bounds[w], bounds[w + 1]
        if high - low < _LEAST_MATCH:
            continue
        value = _hash(samples, low)
        for at in range(low, high - _LEAST_MATCH + 1):
            if at > low:
                gone = np.uint64(np.int64(samples[at - 1]) + 32769)
                new = np.uint64(np.int64(samples[at + _LEAST_MATCH - 1]) + 32769)
                value = (value - gone * most) * _BASE + new
            k = np.searchsorted(heads, value)
            while k < len(heads) and heads[k] == value:
                v = order[k]
                k += 1
                length = high - at
                begin = bounds[v]
                if v == w or length > bounds[v + 1] - begin or shared[w, v] > 0:
                    continue
                alike, varied = True, False
                for i in range(length):
                    if samples[at + i] != samples[begin + i]:
                        alike = False
                        break
                    if samples[at + i] != samples[at]:
                        varied = True
                if alike and varied:
                    shared[w, v] = length
