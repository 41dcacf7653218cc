"""Conversations put together from read speech, with who speaks when known to ten milliseconds.

Turns of 2 to 10 s alternate between two to four people, with pauses of 0.2 to 1 s; in some of the
conversations a turn begins before the one before it has ended, so that about 5 % of the speech
overlaps. The truth comes from levels alone, not from any network: a turn lasts from its first to
its last sound, and a quiet stretch of half a second or more inside it is nobody's.

Read speech flatters diarisation: everybody has a microphone and a room of their own. So there are
two takes of each conversation: as it is, and ``room``, in which all speak at one level through one
simulated room (reverberation time 0.4 s) into one noise 25 dB below them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.signal import fftconvolve

from pseudovoice.corpus import Corpus, Utterance, load, read_corpus, write_audio
from pseudovoice.diarisation.activity import runs
from pseudovoice.diarisation.turns import Turn, Turns
from pseudovoice.pieces.pauses import HOP, _quiet, powers_of

RATE = 16_000
PAUSES = (0.2, 1.0)
TURNS = (2.0, 10.0)
BRIDGED = 0.5
OVERLAP = 0.05
LEVEL = 0.05

# Who speaks, and whether they talk across each other.
KINDS: tuple[tuple[str, bool], ...] = (
    ("ff", False), ("mm", False), ("fm", False), ("fm", True), ("ff", True),
    ("fmf", False), ("mmf", True), ("mmm", False), ("ffmm", False), ("fmfm", True),
)  # fmt: skip

Samples = NDArray[np.float64]


@dataclass(frozen=True)
class Conversation:
    """Samples at 16 kHz, who speaks when in them, and the utterances they were taken from."""

    name: str
    samples: Samples
    truth: Turns
    sources: dict[str, tuple[Utterance, ...]]


def conversations(
    folder: Path, *, seconds: float = 180.0, seed: int = 0, room: bool = False
) -> list[Conversation]:
    """Ten of them, of the people of a corpus whose genders are known."""
    corpus = read_corpus(folder)
    rng = np.random.default_rng(seed)
    waiting = {
        sex: list(rng.permutation([s for s, g in corpus.genders.items() if g == sex]))
        for sex in "fm"
    }
    spent: dict[str, list[str]] = {"f": [], "m": []}
    found = []
    for k, (kind, overlap) in enumerate(KINDS):
        people = []
        for sex in kind:
            if not waiting[sex]:  # more are needed than there are: begin again
                waiting[sex], spent[sex] = spent[sex], []
            people.append(waiting[sex].pop(0))
            spent[sex].append(people[-1])
        name = f"{k:02d}-{kind}{'-across' if overlap else ''}"
        # Its own generator: the room changes no turn.
        own = np.random.default_rng([seed, k])
        found.append(_conversation(name, corpus, people, overlap, seconds, own, room))
    return found


def interview(
    folder: Path, people: Sequence[str], *, seconds: float, seed: int = 0
) -> Conversation:
    """One of any length, of these people of a corpus, who do not talk across each other.

    Whoever has said all their utterances begins again, each time with another part of them.
    """
    rng = np.random.default_rng(seed)
    return _conversation("-".join(people), read_corpus(folder), people, False, seconds, rng, False)


def _conversation(
    name: str,
    corpus: Corpus,
    people: Sequence[str],
    overlap: bool,
    seconds: float,
    rng: np.random.Generator,
    room: bool,
) -> Conversation:
    material = {p: list(rng.permutation(np.array(corpus.speakers[p], object))) for p in people}
    sources: dict[str, list[Utterance]] = {p: [] for p in people}
    placed: list[tuple[int, Samples, str]] = []
    turns: list[Turn] = []
    at, before = 0.5, ""
    while at < seconds:
        person = str(rng.choice([p for p in people if p != before]))
        length = rng.uniform(*TURNS)
        samples, spans, used = _turn(material[person], length, rng)
        sources[person] += used
        if overlap and before and rng.random() < 0.5:
            # Every second turn begins early, by a tenth of itself: a twentieth of all.
            at -= 2 * OVERLAP * samples.size / RATE + rng.uniform(*PAUSES)
        placed.append((round(at * RATE), samples, person))
        turns += [Turn(at + a, at + b, person) for a, b in spans]
        at += samples.size / RATE + rng.uniform(*PAUSES)
        before = person
    total = np.zeros(max(first + s.size for first, s, _ in placed) + RATE // 2)
    for first, samples, _ in placed:
        total[first : first + samples.size] += samples
    if room:
        total = _in_a_room(total, np.random.default_rng(7))
    return Conversation(
        name,
        total / max(1.0, np.abs(total).max() * 1.01),
        Turns.of(name, turns, BRIDGED - 1e-6),
        {p: tuple(used) for p, used in sources.items()},
    )


def _turn(
    material: list[Utterance], length: float, rng: np.random.Generator
) -> tuple[Samples, list[tuple[float, float]], list[Utterance]]:
    """A stretch of one utterance from sound to sound, about as long as wanted, at one level."""
    while True:
        utterance = material.pop(0)
        material.append(utterance)
        samples = load(utterance, sample_rate=RATE).astype(np.float64)
        quiet = _quiet(powers_of([samples], RATE).hops)
        if quiet is None:
            continue
        sound = [(a * HOP, b * HOP) for a, b in runs(~quiet) if (b - a) * HOP >= 0.03]
        starts = [a for k, (a, _) in enumerate(sound) if k == 0 or a - sound[k - 1][1] >= 0.15]
        begin = float(rng.choice(starts))
        ends = [b for a, b in sound if a >= begin and TURNS[0] <= b - begin <= TURNS[1]]
        if not ends:
            continue
        end = min(ends, key=lambda b: abs(b - begin - length))
        part = samples[round(begin * RATE) : round(end * RATE)].copy()
        ramp = np.linspace(0, 1, 80)
        part[:80] *= ramp
        part[-80:] *= ramp[::-1]
        part *= LEVEL / np.sqrt(np.square(part).mean())
        spans = [(a - begin, b - begin) for a, b in sound if a >= begin and b <= end]
        return part, spans, [utterance]


def _in_a_room(samples: Samples, rng: np.random.Generator) -> Samples:
    t = np.arange(round(0.4 * RATE)) / RATE
    tail = rng.standard_normal(t.size) * 10 ** (-3 * t / 0.4) * 0.03
    tail[0] = 1.0
    wet = fftconvolve(samples, tail)[: samples.size]
    return wet + rng.standard_normal(samples.size) * LEVEL * 10 ** (-25 / 20)


def written(conversation: Conversation, folder: Path) -> Path:
    """The recording and its turns in a folder."""
    from pseudovoice.diarisation.formats import write_turns

    path = folder / f"{conversation.name}.wav"
    write_audio(path, conversation.samples, RATE)
    write_turns([conversation.truth], path.with_suffix(".rttm"))
    return path
