"""Frames of a transcribed corpus, kept by content: no recording goes through an encoder twice.

Vectors are kept in half precision, about 125 MB an hour for those of Moonshine and 58 MB for
log-mel energies.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pseudovoice.asr.ctc.front_end import RATE, FrontEnd
from pseudovoice.asr.ctc.units import Int64, spelt
from pseudovoice.corpus import AudioError, Channel, Corpus, Utterance, audio_hash, load
from pseudovoice.engines import in_threads
from pseudovoice.errors import InputError, Problem
from pseudovoice.models.cache import private_cache, store
from pseudovoice.progress import Progress

Float16 = NDArray[np.float16]


@dataclass(frozen=True)
class Spoken:
    """One utterance: its words as units, and where its frames lie; ``key`` names their content."""

    id: str
    speaker: str
    units: Int64
    frames: int
    key: str
    path: Path

    def features(self) -> Float16:
        """Frames [T, dimension], mapped: only what is looked at is read."""
        mapped: Float16 = np.load(self.path, mmap_mode="r", allow_pickle=False)
        return mapped


def cached_frames(
    corpus: Corpus,
    front_end: FrontEnd,
    normaliser: Callable[[str], str],
    *,
    channel: Channel = "mean",
    workers: int | None = None,
    progress: Progress | None = None,
) -> tuple[list[Spoken], list[Problem]]:
    """Every transcribed utterance that can be decoded, in corpus order, and what is wrong.

    Utterances without a transcript are one problem together: a corpus may have many of them.
    """
    told = [utterance for utterance in corpus if (utterance.transcript or "").strip()]
    problems = _untold(corpus, len(told))
    found: dict[str, Spoken | Problem] = {}

    def one(utterance: Utterance) -> Spoken | Problem:
        units = spelt(normaliser(utterance.transcript or ""))
        if not units.size:
            where = f"{utterance.id} ({utterance.place})"
            return Problem(where, "its transcript has no letter of a to z", "it is left out")
        return _spoken(utterance, units, front_end, channel)

    # Decoding and the encoder work outside the interpreter's lock.
    for utterance, result in in_threads(one, told, workers):
        found[utterance.id] = result
        if progress is not None:
            progress(f"frames of {corpus.name}", len(found), len(told))
    ordered = [found[utterance.id] for utterance in told]
    problems += [one for one in ordered if isinstance(one, Problem)]
    return [one for one in ordered if isinstance(one, Spoken)], problems


def _untold(corpus: Corpus, told: int) -> list[Problem]:
    without = len(corpus) - told
    if not told:
        raise InputError(
            f"{corpus.root}: no utterance has a transcript, so there is nothing to learn from; "
            "add transcripts to the corpus."
        )
    if not without:
        return []
    what = f"has {without:,} utterances without a transcript"
    return [Problem(str(corpus.root), what, "they are left out")]


def _spoken(
    utterance: Utterance, units: Int64, front_end: FrontEnd, channel: Channel
) -> Spoken | Problem:
    try:
        parts = f"{audio_hash(utterance)} {front_end.identity} channel={channel}"
        key = hashlib.sha256(parts.encode()).hexdigest()
        path = private_cache("features") / key[:2] / f"{key}.npy"
        count = _count(path, front_end.dimension)
        if count is None:
            waveform = load(utterance, sample_rate=RATE, channel=channel)
            frames = front_end(waveform)
            store(_as_npy(frames), path, private=True)
            count = len(frames)
    except AudioError as error:
        return error.problem
    return Spoken(utterance.id, utterance.speaker, units, count, key, path)


def _as_npy(frames: NDArray[np.float32]) -> bytes:
    stream = io.BytesIO()
    np.save(stream, frames.astype(np.float16), allow_pickle=False)
    return stream.getvalue()


def _count(path: Path, dimension: int) -> int | None:
    """How many frames a file holds; None if it is not there or damaged: it is computed again."""
    try:
        mapped = np.load(path, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError):
        return None
    whole = mapped.ndim == 2 and mapped.shape[1] == dimension and mapped.dtype == np.float16
    return len(mapped) if whole else None
