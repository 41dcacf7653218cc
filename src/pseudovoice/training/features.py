"""The features of a corpus, computed once and kept in the user's cache by content.

One file per utterance: log-mel energies as float16, mapped into memory when a piece is read, so
that neither memory nor start-up time grows with the hours of speech. The rounding (at most 0.008
on a natural-log scale) is far below what augmentation adds on purpose. The mean over time is not
removed, because noise is added to energies.
"""

from __future__ import annotations

import hashlib
import io
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pseudovoice.corpus import AudioError, Channel, Corpus, Utterance, audio_hash, load
from pseudovoice.encoders.encoder import SHORTEST_SECONDS
from pseudovoice.engines import in_threads
from pseudovoice.errors import Problem
from pseudovoice.models.cache import private_cache, store
from pseudovoice.progress import Progress
from pseudovoice.signal.fbank import kaldi_fbank

RATE = 16_000
MELS = 80
_VERSION = 1

Float16 = NDArray[np.float16]


@dataclass(frozen=True)
class TrainingRecording:
    """One utterance whose features are in the cache; ``key`` names their content."""

    id: str
    speaker: str
    gender: str | None
    key: str
    path: Path

    def features(self) -> Float16:
        """Log-mel energies [T, 80], mapped: only what is looked at is read."""
        mapped: Float16 = np.load(self.path, mmap_mode="r", allow_pickle=False)
        return mapped


def cached_features(
    corpus: Corpus,
    *,
    channel: Channel = "mean",
    workers: int | None = None,
    progress: Progress | None = None,
) -> tuple[list[TrainingRecording], list[Problem]]:
    """Every utterance that can be decoded, in corpus order, and what is wrong with the others."""
    genders = corpus.genders
    found: dict[str, TrainingRecording | Problem] = {}

    def one(utterance: Utterance) -> TrainingRecording | Problem:
        return _recording(utterance, genders[utterance.speaker], channel)

    # Decoding and transforms work outside the interpreter's lock.
    for utterance, result in in_threads(one, corpus, workers):
        found[utterance.id] = result
        if progress is not None:
            progress("features", len(found), len(corpus))
    ordered = [found[utterance.id] for utterance in corpus]
    problems = [result for result in ordered if isinstance(result, Problem)]
    return [result for result in ordered if isinstance(result, TrainingRecording)], problems


def _recording(
    utterance: Utterance, gender: str | None, channel: Channel
) -> TrainingRecording | Problem:
    try:
        sound = audio_hash(utterance)
        parameters = f"kaldi-fbank {_VERSION} rate={RATE} mels={MELS} channel={channel}"
        key = hashlib.sha256(f"{sound} {parameters}".encode()).hexdigest()
        path = private_cache("features") / key[:2] / f"{key}.npy"
        if not _usable(path):
            samples = load(
                utterance, sample_rate=RATE, channel=channel, min_duration=SHORTEST_SECONDS
            )
            store(_as_npy(kaldi_fbank(samples, rate=RATE, mels=MELS)), path, private=True)
    except AudioError as error:
        return error.problem
    return TrainingRecording(utterance.id, utterance.speaker, gender, key, path)


def _as_npy(features: NDArray[np.float32]) -> bytes:
    stream = io.BytesIO()
    np.save(stream, features.astype(np.float16), allow_pickle=False)
    return stream.getvalue()


def _usable(path: Path) -> bool:
    """Whether a whole file of features is there; a damaged one is computed again."""
    try:
        mapped = np.load(path, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError):
        return False
    return bool(mapped.ndim == 2 and mapped.shape[1] == MELS and mapped.dtype == np.float16)
