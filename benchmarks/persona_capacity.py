"""How many pseudo-voices of one speaker can be told apart.

    python benchmarks/persona_capacity.py CORPUS [--safeguard persona] [--draws 64]
        [--encoder resnet34-lm]

One speaker says the same sentences in many plain draws of a safeguard. Two draws count as different
voices if the encoder finds them no more alike than two different speakers of the corpus are at the
threshold of its equal error rate. Draws are taken in order and kept if they differ from all kept
before; the count grows with the number of draws, so both are printed. Whatever makes pseudo-voices
makes them all a little alike, so the same is counted at the threshold of the equal error rate of
the draws themselves: for whoever has to tell pseudo-voices apart and knows that they are.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from pseudovoice.cores import usable_cores
from pseudovoice.corpus import load, read_corpus
from pseudovoice.encoders import load_encoder
from pseudovoice.engines import in_threads
from pseudovoice.keys import Key
from pseudovoice.safeguards import parse_chain
from pseudovoice.safeguards.one_voice import per_utterance
from pseudovoice.safeguards.safeguard import Voice

RATE = 16_000
SECONDS = 5

Samples = NDArray[np.float64]
Direction = NDArray[np.float32]
Made = TypeVar("Made")


def each(work: Callable[[int], Made], count: int) -> list[Made]:
    """What is made of 0, 1, …, in that order."""
    made = dict(in_threads(work, range(count), usable_cores()))
    return [made[k] for k in range(count)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--safeguard", default="persona")
    parser.add_argument("--draws", type=int, default=64)
    parser.add_argument("--encoder", default="resnet34-lm")
    options = parser.parse_args()
    corpus, encoder = read_corpus(options.corpus), load_encoder(options.encoder)
    key = Key(b"c" * 32)
    safeguard = per_utterance(parse_chain(options.safeguard).links[0])

    def direction(samples: Samples) -> Direction:
        row = encoder.embed([samples.astype(np.float32)])[0]
        unit: Direction = row / np.linalg.norm(row)
        return unit

    by_speaker: dict[str, list[Samples]] = {}
    gender = {}
    for utterance in corpus:
        gender[utterance.speaker] = utterance.gender
        mine = by_speaker.setdefault(utterance.speaker, [])
        if len(mine) < 2:
            mine.append(load(utterance, sample_rate=RATE)[: SECONDS * RATE].astype(np.float64))
    people = list(by_speaker.values())
    first, second = (
        np.array(each(lambda k, n=n: direction(people[k][n]), len(people))) for n in (0, 1)
    )
    original, rate = equal_errors(first @ second.T)
    print(f"equal error rate of originals: {rate:.1%} at cosine {original:.2f}")
    for wanted in ("f", "m"):
        speaker = next(s for s in by_speaker if gender[s] == wanted)
        one, two = by_speaker[speaker]

        def heard(k: int, sentences: tuple[Samples, Samples] = (one, two)) -> list[Direction]:
            """The draw's voice in both sentences; thousands of waveforms are not kept."""
            voice = Voice(key, "capacity", str(k))
            return [direction(safeguard(x, RATE, voice)) for x in sentences]

        a, b = np.swapaxes(np.array(each(heard, options.draws)), 0, 1)
        own, rate = equal_errors(a @ b.T)
        print(f"{wanted.upper()}, {options.draws} draws: equal error rate {rate:.1%}")
        for name, threshold in (("the originals'", original), ("their own", own)):
            alike = (a @ b.T >= threshold) | (b @ a.T >= threshold)
            kept: list[int] = []
            for k in range(options.draws):
                if not alike[k, kept].any():
                    kept.append(k)
            pairs = ~np.eye(options.draws, dtype=bool)
            print(
                f"  at {name} threshold ({threshold:.2f}): {len(kept)} voices apart; "
                f"{100 * (1 - alike[pairs].mean()):.0f} % of pairs of draws differ; a draw is its "
                f"own voice in another sentence in {100 * alike.diagonal().mean():.0f} %"
            )


def equal_errors(scores: NDArray[np.float32]) -> tuple[float, float]:
    """The threshold at which as many are missed as are taken for others, and how many."""
    same = np.eye(len(scores), dtype=bool)
    levels, own, others = (
        np.sort(part, axis=None) for part in (scores, scores[same], scores[~same])
    )
    misses = np.searchsorted(own, levels) / own.size
    alarms = 1 - np.searchsorted(others, levels) / others.size
    best = np.argmin(np.abs(misses - alarms))
    return float(levels[best]), float(misses[best] + alarms[best]) / 2


if __name__ == "__main__":
    main()
