"""Recordings in, who speaks when in each of them out.

Conventions
-----------
- All channels are heard as one, their mean; a person has one place in a file, not one per channel.
- People are named after what they were found in: ``interview-1`` is the one who speaks first. Two
  recordings that have nothing to do with each other then never share a name, and so no voice.
- Only one recording is listened to at a time, block by block: memory does not grow with its length
  but for a kilobyte a window.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pseudovoice.corpus import AudioError, Corpus, Utterance, reading, resampled
from pseudovoice.corpus.audio import mono
from pseudovoice.diarisation.activity import (
    RATE,
    SECONDS,
    VoiceActivity,
    load_activity,
    runs,
    speech,
)
from pseudovoice.diarisation.clustering import voices
from pseudovoice.diarisation.formats.names import plain
from pseudovoice.diarisation.matching import matched
from pseudovoice.diarisation.resegment import resegment
from pseudovoice.diarisation.turns import Turn, Turns
from pseudovoice.diarisation.windows import Windows, embed_windows, window_spans
from pseudovoice.encoders.encoder import Encoder
from pseudovoice.errors import InputError, Problem
from pseudovoice.signal.frames import Float32

BRIDGE = 0.5
"""Seconds of pause within which a person is still speaking."""

ACROSS = 0.3
"""Seconds before and after a change of person within speech that are both people's: whoever does
not wait for a pause talks across the other, and a border there is not known any better."""

SHORTEST_TURN = 0.2
"""Seconds; a shorter one is left to nobody."""

Stage = Callable[[str, int], Callable[[int], None]]


@dataclass(frozen=True)
class Diarised:
    """What was found: turns and the seconds of each recording by its id, and what failed."""

    turns: dict[str, Turns]
    seconds: dict[str, float]
    problems: tuple[Problem, ...]

    @property
    def people(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(p for turns in self.turns.values() for p in turns.people))


@dataclass(frozen=True)
class Found:
    """One recording: its turns under numbers, and the voice of each number."""

    turns: Turns
    voices: dict[str, Float32]
    seconds: float


def diarise_corpus(
    corpus: Corpus,
    encoder: Encoder,
    *,
    people: int | None = None,
    match: bool = True,
    workers: int = 1,
    stage: Stage | None = None,
) -> Diarised:
    """Find who speaks when in every recording, each an utterance of the corpus.

    ``people`` is how many speak in each recording, where that is known. With ``match`` whoever
    speaks in several recordings has one name in all of them.
    """
    begin = stage or (lambda _title, _size: lambda _: None)
    activity = load_activity()
    found: dict[str, Found] = {}
    problems: list[Problem] = []
    for utterance in corpus:
        try:
            found[utterance.id] = _diarise(utterance, activity, encoder, people, workers, begin)
        except AudioError as error:
            problems.append(error.problem)
    if not found:
        raise InputError(
            f"{corpus.root}: none of the {len(corpus)} recordings can be listened to; the first "
            f"reason: {next(iter((*corpus.problems, *problems)), 'there are none')}"
        )
    if match and len(found) > 1:
        groups = matched([one.voices for one in found.values()])
        names = [
            {number: f"{plain(corpus.name)}-{k + 1}" for number, k in group.items()}
            for group in groups
        ]
    else:
        names = [
            {number: f"{one.turns.recording}-{number}" for number in one.voices}
            for one in found.values()
        ]
    return Diarised(
        {
            name: one.turns.renamed(own)
            for (name, one), own in zip(found.items(), names, strict=True)
        },
        {name: one.seconds for name, one in found.items()},
        (*corpus.problems, *problems),
    )


def _diarise(
    utterance: Utterance,
    activity: VoiceActivity,
    encoder: Encoder,
    people: int | None,
    workers: int,
    stage: Stage,
) -> Found:
    probabilities, seconds = listened(utterance, activity)
    spoken = speech(probabilities)
    spans = window_spans(spoken)
    name = plain(utterance.id)
    if not spans:
        return Found(Turns(name, ()), {}, seconds)
    with reading(utterance) as recording:
        windows = embed_windows(
            heard(utterance, recording.blocks(), recording.sample_rate, encoder.sample_rate),
            spans,
            encoder,
            workers,
            stage(f"listening to {utterance.id}", len(spans)),
        )
    if not len(windows):
        return Found(Turns(name, ()), {}, seconds)
    return turns_from(name, windows, spoken, people, seconds)


def turns_from(
    name: str,
    windows: Windows,
    spoken: NDArray[np.bool_],
    people: int | None,
    seconds: float,
) -> Found:
    """The turns of one recording whose windows have been heard; ``spoken`` are frames of speech."""
    path, states, centres = resegment(windows, voices(windows, people), spoken)
    given: dict[int, list[tuple[float, float]]] = {}
    for k, members in enumerate(states):
        for first, last in runs(path == k):
            start, end = first * SECONDS, min(seconds, last * SECONDS)
            if first > 0 and path[first - 1] >= 0:
                start -= ACROSS
            if last < len(path) and path[last] >= 0:
                end += ACROSS
            for member in members:
                given.setdefault(member, []).append((max(0.0, start), min(seconds, end)))
    # Numbered by who speaks first.
    order = sorted(given, key=lambda member: min(given[member]))
    turns = Turns.of(
        name,
        (
            Turn(start, end, str(number))
            for number, member in enumerate(order, 1)
            for start, end in given[member]
        ),
        BRIDGE,
    )
    kept = tuple(turn for turn in turns.turns if turn.seconds >= SHORTEST_TURN)
    numbers = {str(number): centres[member] for number, member in enumerate(order, 1)}
    return Found(Turns(name, kept), numbers, seconds)


def listened(utterance: Utterance, activity: VoiceActivity) -> tuple[Float32, float]:
    """How probable speech is in each frame of a recording, and its seconds."""
    frames = 0

    def counted(blocks: Iterator[NDArray[np.float32]]) -> Iterator[NDArray[np.float32]]:
        nonlocal frames
        for block in blocks:
            frames += len(block)
            yield block

    with reading(utterance) as recording:
        rate = recording.sample_rate
        found = activity.probabilities(heard(utterance, counted(recording.blocks()), rate, RATE))
    return found, frames / rate


def heard(
    utterance: Utterance, blocks: Iterator[NDArray[np.float32]], before: int, after: int
) -> Iterator[NDArray[np.float32]]:
    """One channel at the rate ``after``: the mean of all."""
    return resampled(
        (mono(utterance, block, "mean") for block in blocks), before, after, quality="HQ"
    )
