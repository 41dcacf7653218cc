"""The speakers of a corpus, heard once before they get voices."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pseudovoice.corpus import AudioError, Corpus, Utterance, excerpt, load
from pseudovoice.engines import in_parallel
from pseudovoice.errors import InputError
from pseudovoice.safeguards.given import Vectors
from pseudovoice.safeguards.heard_before import heard_before
from pseudovoice.safeguards.world import RATE, TYPICAL_PITCH, contour, pitch_of

if TYPE_CHECKING:
    from pseudovoice.encoders import Encoder

SAMPLES_A_SPEAKER = 3
"""Utterances of a speaker that are listened to."""

SECONDS = 3.0
SHORTEST_SECONDS = 1.0

Unit = NDArray[np.float32]


@dataclass(frozen=True)
class HeardSpeaker:
    """A speaker of the corpus: where there is material, median F0, and the originals by encoder.

    Material is decoded again by whoever needs it: three seconds cost less than keeping, or sending,
    those of everybody.
    """

    speaker: str
    tag: str
    material: tuple[Utterance, ...]
    pitch: float
    original: Vectors


def listen(
    corpus: Corpus,
    tags: Mapping[str, str],
    encoders: Sequence[Encoder],
    workers: int | None,
    progress: Callable[[int], None],
) -> list[HeardSpeaker]:
    """Every speaker once, in the order of their tags: that of names would tell the state's."""
    by_speaker: dict[str, list[Utterance]] = {}
    for utterance in corpus:
        by_speaker.setdefault(utterance.speaker, []).append(utterance)

    tasks = [(s, tags[s], _spread(by_speaker[s])) for s in sorted(by_speaker)]
    found = []
    for _, heard in in_parallel(partial(_hear, encoders=tuple(encoders)), tasks, workers):
        found.append(heard)
        progress(1)
    return sorted(found, key=lambda heard: heard.tag)


def _hear(task: tuple[str, str, list[Utterance]], encoders: tuple[Encoder, ...]) -> HeardSpeaker:
    speaker, tag, utterances = task
    used: list[Utterance] = []
    waveforms: list[NDArray[np.float64]] = []
    for utterance in utterances:
        if len(used) == SAMPLES_A_SPEAKER:
            break
        try:
            middle = material(utterance)
        except AudioError:
            continue  # it is listed when its turn to be protected comes
        if middle.size >= SHORTEST_SECONDS * RATE and np.square(middle).mean() > 1e-8:
            used.append(utterance)
            waveforms.append(middle)
    pitches = [pitch_of(contour(w)) for w in waveforms]
    known = [p for p in pitches if p is not None]
    pitch = float(np.median(known)) if known else TYPICAL_PITCH
    original = {e.name: mean_direction(_embedded(e, waveforms)) for e in encoders if waveforms}
    return HeardSpeaker(speaker, tag, tuple(used), pitch, original)


def _spread(utterances: Sequence[Utterance]) -> list[Utterance]:
    """Utterances to listen to, from several recording sessions where there are some."""
    by_session: dict[str, list[Utterance]] = {}
    for utterance in sorted(utterances, key=lambda u: u.id):
        by_session.setdefault(utterance.session or "", []).append(utterance)
    rounds = max(len(group) for group in by_session.values())
    spread = [group[k] for k in range(rounds) for group in by_session.values() if k < len(group)]
    return spread[: 4 * SAMPLES_A_SPEAKER]


def material(utterance: Utterance) -> NDArray[np.float64]:
    """A few seconds from the middle of an utterance."""
    samples = load(excerpt(utterance, SECONDS), sample_rate=RATE).astype(np.float64)
    start = max(0, (samples.size - int(SECONDS * RATE)) // 2)
    return samples[start : start + int(SECONDS * RATE)]


def embed(encoder: Encoder, waveforms: Sequence[NDArray[np.float64]]) -> Unit:
    """Unit embeddings, a row each."""
    try:
        rows = np.stack([encoder.embed([w.astype(np.float32)])[0] for w in waveforms])
    except InputError as error:  # a waveform of ours: a fault of the search, not of the user
        raise RuntimeError(str(error)) from error
    unit: Unit = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    return unit


def _embedded(encoder: Encoder, originals: Sequence[NDArray[np.float64]]) -> Unit:
    """The same of what is heard again under every key."""
    ear = f"{encoder.name} {encoder.sha256}"
    return np.concatenate([heard_before(ear, lambda w: embed(encoder, [w]), o) for o in originals])


def mean_direction(rows: Unit) -> Unit:
    """The unit vector of their mean."""
    mean = rows.mean(axis=0)
    direction: Unit = (mean / max(float(np.linalg.norm(mean)), 1e-12)).astype(np.float32)
    return direction
