"""The search for each speaker's pseudo-voice: unlike the speaker, and unlike all others given.

A handful of candidates is drawn with the key, spoken by a few seconds of the speaker, and heard by
several encoders. Each encoder says how much closer a candidate is to its own speaker than to the
speakers most like them, in standard deviations (the z of score normalisation): 0 means that it
could be anybody. The mean over encoders keeps the choice from fitting one of them; what lies too
close to a voice given before is passed over, so that voices stay distinct; and of voices that hide
a speaker alike the one that strains words least is taken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic

import numpy as np

from pseudovoice.engines import in_parallel
from pseudovoice.safeguards.given import Given, SessionState, Vectors
from pseudovoice.safeguards.hearing import HeardSpeaker, Unit, embed, material, mean_direction
from pseudovoice.safeguards.persona.speaking import Speaking
from pseudovoice.safeguards.world import Floats

if TYPE_CHECKING:
    from pseudovoice.encoders import Encoder

SPOKEN = 2
"""Of the utterances that are listened to: the candidates speak those."""

COHORT = 10
"""The speakers most like the own, among whom the candidate should be lost."""

FEWEST_OTHERS = 3
"""With fewer other speakers there is no cohort, and the plain similarity is kept low."""

DISTINCT_WEIGHT = 12.0
"""Price in z of a cosine of one above what two originals have."""

WORDS_WEIGHT = 8.0
"""Price in z of a strain of one: of formants that move by a factor of e more than words bear."""


@dataclass(frozen=True)
class Judged(Generic[Given]):
    """Candidates of one speaker: their embeddings and z by encoder, and strains [candidate]."""

    heard: HeardSpeaker
    voices: tuple[Given, ...]
    places: tuple[Vectors, ...]
    likeness: Mapping[str, Floats]
    strain: Floats


def judge(
    speaking: Speaking[Given],
    heard: HeardSpeaker,
    voices: tuple[Given, ...],
    encoders: Sequence[Encoder],
    others: Mapping[str, Unit],
) -> Judged[Given]:
    """Let the candidates speak; ``others`` are the originals of all other speakers by encoder."""
    waveforms = [material(utterance) for utterance in heard.material[:SPOKEN]]
    spoken = speaking.tried(waveforms, voices)
    places: list[Vectors] = [{} for _ in voices]
    likeness: dict[str, Floats] = {}
    for encoder in encoders:
        own, rest = heard.original[encoder.name], others[encoder.name]
        near = rest[np.argsort(-(rest @ own), kind="stable")[:COHORT]]
        z = np.empty(len(voices))
        for k, said in enumerate(spoken):
            embedded = embed(encoder, said)
            places[k][encoder.name] = mean_direction(embedded)
            z[k] = np.mean([_z(row, own, near) for row in embedded])
        likeness[encoder.name] = z
    strain = np.array([speaking.strain(voice) for voice in voices])
    return Judged(heard, voices, tuple(places), likeness, strain)


def choose(
    judged: Judged[Given],
    given: Sequence[Vectors],
    alike: Mapping[str, float],
    encoders: Sequence[str],
) -> int:
    """The candidate that is least its speaker, clear, and no nearer to a given voice than people.

    ``alike`` is the cosine two different originals seldom exceed.
    """
    cost = np.mean([judged.likeness[name] for name in encoders], axis=0)
    for k, place in enumerate(judged.places):
        for name in encoders:
            nearest = max((float(place[name] @ other[name]) for other in given), default=-1.0)
            cost[k] += DISTINCT_WEIGHT * max(0.0, nearest - alike[name]) / len(encoders)
    return int(np.argmin(cost + WORDS_WEIGHT * judged.strain))


def search(
    speaking: Speaking[Given],
    heard: Sequence[HeardSpeaker],
    state: SessionState[Given],
    encoders: Sequence[Encoder],
    draws: Callable[[HeardSpeaker], tuple[Given, ...]],
    workers: int | None,
    progress: Callable[[int], None],
) -> None:
    """Give every speaker without a voice one, in the order of the tags."""
    names = [encoder.name for encoder in encoders]
    # Whoever says too little to be heard gets a plain draw, even if nobody says more.
    known = [h for h in heard if h.original]
    names = names if known else []
    originals = {n: np.stack([h.original[n] for h in known]) for n in names}
    rows = {h.tag: k for k, h in enumerate(known)}
    alike = {n: usual_likeness(originals[n]) for n in names}

    new = [h for h in heard if h.tag not in state.voices]
    work = _Judging(speaking, tuple(encoders), originals)
    # Drawn here, where the key is.
    tasks = ((h, draws(h), rows.get(h.tag)) for h in new)
    for judged in _in_order(in_parallel(work, tasks, workers), new):
        with state.alone():
            # Another run may have been quicker, and what it gave stays.
            if judged.heard.tag not in state.voices:
                chosen = 0
                if judged.likeness:
                    given = [place for place in state.places.values() if place]
                    chosen = choose(judged, given, alike, names)
                state.give(judged.heard.tag, judged.voices[chosen], judged.places[chosen])
        progress(1)


def usual_likeness(originals: Unit) -> float:
    """The cosine that one in ten pairs of different speakers exceeds."""
    if len(originals) < 2:
        return 1.0
    above = np.triu_indices(len(originals), 1)
    return float(np.quantile((originals @ originals.T)[above], 0.9))


_Task = tuple[HeardSpeaker, tuple[Given, ...], int | None]
"""A speaker, candidates, and which of the originals is the speaker's own."""


@dataclass(frozen=True)
class _Judging(Generic[Given]):
    """Lets candidates speak, each task anywhere; ``originals`` are those of all speakers."""

    speaking: Speaking[Given]
    encoders: tuple[Encoder, ...]
    originals: Mapping[str, Unit]

    def __call__(self, task: _Task[Given]) -> Judged[Given]:
        heard, voices, own = task
        if len(voices) == 1 or own is None:
            return Judged(heard, voices[:1], ({},), {}, np.zeros(1))
        others = {name: np.delete(rows, own, axis=0) for name, rows in self.originals.items()}
        return judge(self.speaking, heard, voices, self.encoders, others)


def _in_order(
    found: Iterable[tuple[_Task[Given], Judged[Given]]], heard: Sequence[HeardSpeaker]
) -> Iterator[Judged[Given]]:
    """Results in the order of the tasks: what is given first constrains what is given next."""
    waiting: dict[str, Judged[Given]] = {}
    turn = 0
    for (task, _, _), judged in found:
        waiting[task.tag] = judged
        while turn < len(heard) and heard[turn].tag in waiting:
            yield waiting.pop(heard[turn].tag)
            turn += 1


def _z(row: Unit, own: Unit, near: Unit) -> float:
    """(s_own − mean of the cohort) / its standard deviation; the plain cosine without a cohort."""
    if len(near) < FEWEST_OTHERS:
        return float(row @ own)
    cohort = near @ row
    return float((row @ own - cohort.mean()) / max(float(cohort.std()), 1e-3))
