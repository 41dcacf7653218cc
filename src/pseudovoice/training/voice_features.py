"""What a neural voice learns from, kept by content: no recording is taken apart twice.

Content is heard from copies whose voice was changed, while what is to be spoken stays as
it was: a network cannot read the speaker off what does not fit him, and has to take him from the
target. About 350 MB an hour of speech.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pseudovoice.asr.ctc.front_end import FrontEnd
from pseudovoice.corpus import AudioError, Corpus, Utterance, audio_hash, load
from pseudovoice.engines import in_threads
from pseudovoice.errors import Problem
from pseudovoice.models.cache import private_cache, store
from pseudovoice.plain_arrays import DAMAGE, plain_arrays
from pseudovoice.progress import Progress
from pseudovoice.safeguards.xvector.frames import (
    RATE,
    SHARED,
    SPOKEN,
    Float32,
    content_of,
    energy_of,
    loudest,
    pitch_of,
    spoken_of,
    steps,
)
from pseudovoice.safeguards.xvector.neural_voice import prosody
from pseudovoice.training.voice_copies import COPIES, copies

LONGEST = 20.0
"""Seconds of an utterance that are learnt from."""
SHORTEST = 30
"""Frames of content: 0.7 s."""
_FORMAT = 3


@dataclass(frozen=True)
class Taken:
    """An utterance taken apart: whose it is, its frames of content, and where the parts lie."""

    id: str
    speaker: str
    steps: int
    key: str
    path: Path

    def parts(self) -> Parts:
        arrays = plain_arrays(self.path)
        energy = arrays["energy"].astype(np.float64)
        loud = loudest(energy)
        spoken = arrays["spoken"].astype(np.float32)
        # All at one level: the first number of an envelope is its mean log power.
        spoken[:, 0] -= loud
        told = prosody(arrays["f0"].astype(np.float64))
        copies = tuple(arrays[f"content{c}"] for c in range(COPIES))
        return Parts(copies, told, spoken.astype(np.float16))


@dataclass(frozen=True)
class Parts:
    """Content of each copy [T, c], what is told [3T, 2] and what was spoken [3T, 61]."""

    content: tuple[NDArray[np.float16], ...]
    told: Float32
    spoken: NDArray[np.float16]


def taken_apart(
    corpora: Sequence[Corpus], front_end: FrontEnd, workers: int, progress: Progress
) -> tuple[list[Taken], list[Problem]]:
    """Every utterance that can be decoded and is long enough, and what is wrong with the others.

    Speakers of two corpora are taken for different people.
    """
    work = [(f"{n}/{u.speaker}", u) for n, corpus in enumerate(corpora) for u in corpus]
    found: dict[int, Taken | Problem] = {}

    def one(k: int) -> Taken | Problem:
        speaker, utterance = work[k]
        return _taken(speaker, utterance, front_end)

    for k, result in in_threads(one, range(len(work)), workers):
        found[k] = result
        progress("taking speech apart", len(found), len(work))
    ordered = [found[k] for k in range(len(work))]
    problems = [one for one in ordered if isinstance(one, Problem)]
    taken = [one for one in ordered if isinstance(one, Taken) and one.steps >= SHORTEST]
    return taken, problems


def _taken(speaker: str, utterance: Utterance, front_end: FrontEnd) -> Taken | Problem:
    try:
        told = f"{audio_hash(utterance)} {utterance.id} {front_end.identity} voice {_FORMAT}"
        key = hashlib.sha256(told.encode()).hexdigest()
        path = private_cache("voice-parts") / key[:2] / f"{key}.npz"
        count = _count(path)
        if count is None:
            waveform = load(utterance, sample_rate=RATE)[: round(LONGEST * RATE)]
            arrays = _parts(waveform.astype(np.float32), utterance.id, front_end)
            stream = io.BytesIO()
            np.savez(stream, allow_pickle=False, **arrays)
            store(stream.getvalue(), path, private=True)
            count = steps(waveform.size)
    except AudioError as error:
        return error.problem
    return Taken(utterance.id, speaker, count, key, path)


def _parts(waveform: Float32, name: str, front_end: FrontEnd) -> dict[str, NDArray[np.floating]]:
    f0 = pitch_of(waveform)
    arrays: dict[str, NDArray[np.floating]] = {
        "f0": f0.astype(np.float32),
        "spoken": spoken_of(waveform, f0).astype(np.float16),
        "energy": energy_of(waveform).astype(np.float16),
    }
    # By the utterance, not by the corpus or the order: the same speech gives the same copies.
    seed = int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "little")
    rng = np.random.default_rng(seed)
    for copy, changed in enumerate(copies(waveform, rng)):
        content = content_of(front_end, changed, stretch=changed.size / waveform.size)
        arrays[f"content{copy}"] = content.astype(np.float16)
    return arrays


def _count(path: Path) -> int | None:
    """Frames of content that a file holds; None where it is not there or damaged."""
    try:
        spoken = plain_arrays(path, ("spoken",))["spoken"]
    except (OSError, *DAMAGE):
        return None
    whole_one = spoken.ndim == 2 and spoken.shape[1] == SPOKEN and not len(spoken) % SHARED
    return len(spoken) // SHARED if whole_one else None
