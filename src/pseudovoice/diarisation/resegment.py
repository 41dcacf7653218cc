"""Borders between people, once it is known who there is: the most probable path through time.

A hidden Markov model on the frames of the voice activity (32 ms). Its states are the people and,
where two voices are heard at once, pairs of them, whose voice lies between the two. What speaks
for a state is how near the windows around a frame are to its voice; what speaks against it is
having to change, which costs little in a pause and much within speech. Voices are then estimated
again from the frames they were given, and once more.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from pseudovoice.compiled import compiled
from pseudovoice.diarisation.activity import SECONDS
from pseudovoice.diarisation.windows import Windows
from pseudovoice.signal.frames import Float32

WEIGHT = 20.0
"""Evidence (in nats) of a cosine of one more for one second."""

CHANGE, CHANGE_IN_PAUSE = 2.0, 0.5
"""Price of a change of state in nats, within speech and where nobody speaks."""

PAIR = 0.03
"""Cosine by which a pair has to be nearer than either of the two."""

MOST_PAIRED = 6
"""People of whom pairs are considered."""

ROUNDS = 3

States = tuple[tuple[int, ...], ...]
"""Who speaks in each state: one person or two."""


def resegment(
    windows: Windows, voices: Float32, spoken: NDArray[np.bool_], *, pairs: bool = True
) -> tuple[NDArray[np.int64], States, Float32]:
    """The state of every frame, -1 where nobody speaks; who the states are; their voices again."""
    centres = voices.astype(np.float64)
    states = _states(len(voices), pairs)
    path = np.full(len(spoken), -1)
    for turn in range(ROUNDS):
        # A pair's voice is only as good as those of the two.
        states = _states(len(voices), pairs and turn == ROUNDS - 1)
        path = _path(windows, centres, states, spoken)
        if turn < ROUNDS - 1:
            centres = _again(windows, path, centres)
    path[~spoken] = -1
    return path, states, centres.astype(np.float32)


def _states(people: int, pairs: bool) -> States:
    alone: States = tuple((k,) for k in range(people))
    return (
        alone + tuple(combinations(range(people), 2)) if pairs and people <= MOST_PAIRED else alone
    )


def _path(
    windows: Windows, centres: NDArray[np.float64], states: States, spoken: NDArray[np.bool_]
) -> NDArray[np.int64]:
    directions = np.stack([centres[list(members)].sum(axis=0) for members in states])
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    scores = windows.directions.astype(np.float64) @ directions.T
    scores -= [PAIR * (len(members) - 1) for members in states]
    evidence = _by_frame(windows, scores, len(spoken)) * (WEIGHT * SECONDS)
    evidence[~spoken] = 0.0
    price = np.where(spoken, CHANGE, CHANGE_IN_PAUSE)
    return viterbi(evidence, price)


def _by_frame(windows: Windows, scores: NDArray[np.float64], frames: int) -> NDArray[np.float64]:
    """Scores of the windows around each frame, those with it in their middle first."""
    total, weight = np.zeros((frames, scores.shape[1])), np.zeros(frames)
    for (start, end), score in zip(windows.spans, scores, strict=True):
        first, last = round(start / SECONDS), min(frames, round(end / SECONDS))
        if last <= first:
            continue
        place = (np.arange(first, last) + 0.5) * SECONDS
        # Squared: the window centred on a frame says most of it, one that only touches it little.
        bell = np.clip(1.0 - np.abs(2.0 * (place - start) / (end - start) - 1.0), 0.02, 1.0) ** 2
        total[first:last] += bell[:, None] * score
        weight[first:last] += bell
    mean: NDArray[np.float64] = total / np.maximum(weight, 1e-9)[:, None]
    return mean


def _again(
    windows: Windows, path: NDArray[np.int64], centres: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The mean direction of the windows that are one person's throughout."""
    found = centres.copy()
    totals = np.zeros_like(centres)
    for (start, end), direction in zip(windows.spans, windows.directions, strict=True):
        given = path[round(start / SECONDS) : round(end / SECONDS)]
        if given.size and (given == given[0]).all():
            totals[given[0]] += (end - start) * direction
    lengths = np.linalg.norm(totals, axis=1)
    heard = lengths > 0
    found[heard] = totals[heard] / lengths[heard, None]
    return found


@compiled
def viterbi(evidence: NDArray[np.float64], price: NDArray[np.float64]) -> NDArray[np.int64]:
    """The path with the most evidence, [frames], where every change costs the frame's price."""
    frames, states = evidence.shape
    came = np.zeros((frames, states), np.int16)
    score = np.zeros(states)
    for t in range(frames):
        best = 0
        for k in range(1, states):
            if score[k] > score[best]:
                best = k
        leap = score[best] - price[t]
        for k in range(states):
            came[t, k] = k
            if leap > score[k]:
                score[k] = leap
                came[t, k] = best
        for k in range(states):
            score[k] += evidence[t, k]
    path = np.zeros(frames, np.int64)
    if frames == 0:
        return path
    at = 0
    for k in range(1, states):
        if score[k] > score[at]:
            at = k
    for t in range(frames - 1, -1, -1):
        path[t] = at
        at = came[t, at]
    return path
