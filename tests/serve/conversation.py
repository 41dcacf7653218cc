"""A conversation of two real people, as somebody's telephone would hold it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import soundfile

from pseudovoice.corpus import load, read_corpus
from pseudovoice.diarisation import Turn

RATE = 16_000
SECONDS, PAUSE = 4.0, 0.5


def compose(dev: Path, into: Path, rounds: int = 3) -> list[Turn]:
    """Write it, and say who speaks when; the two take turns of four seconds."""
    corpus = read_corpus(dev)
    names = list(corpus.speakers)
    who = (names[0], names[2])
    parts, turns, at = [], [], 0.0
    for k in range(rounds):
        for name in who:
            said = load(corpus.speakers[name][k], sample_rate=RATE)[: int(SECONDS * RATE)]
            turns.append(Turn(at, at + len(said) / RATE, name))
            parts += [said, np.zeros(int(PAUSE * RATE), np.float32)]
            at += len(said) / RATE + PAUSE
    into.parent.mkdir(parents=True, exist_ok=True)
    soundfile.write(into, np.concatenate(parts), RATE)
    return turns
