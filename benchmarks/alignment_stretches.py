"""How many short stretches of running speech are aligned, and how many wrong transcripts let in.

Stretches of 2 to 3 s are cut out of utterances where words touch, so that no silence is at either
end. Each is aligned with its own words, with another stretch's of about as many letters, with one
word exchanged, and with a fifth of its words left out.

Run: python benchmarks/alignment_stretches.py [every]   (take every n-th utterance of dev; 4)
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import numpy as np

from pseudovoice.alignment import AlignmentError, SphinxAligner, align
from pseudovoice.corpus import Sound, Utterance, load, read_corpus

SPEECH = Path(__file__).resolve().parents[2] / "shared" / "speech"
RATE = 16_000
SHORTEST, LONGEST = 2.0, 3.0
TOUCHING = 0.02


@dataclass(frozen=True)
class Stretch:
    """A piece of an utterance, and what is said in it."""

    utterance: Utterance
    sound: Sound
    words: tuple[str, ...]

    def confidence(self, words: tuple[str, ...], aligner: SphinxAligner) -> float:
        """How sure the aligner is that these words are said; -1 if they find no place."""
        claimed = replace(self.utterance, transcript=" ".join(words))
        try:
            found = align(claimed, aligner, sound=self.sound, least_confidence=0.0)
        except AlignmentError:
            return -1.0
        return float(found.confidence or 0.0)


def cut(utterance: Utterance, aligner: SphinxAligner, rng: np.random.Generator) -> Stretch | None:
    """One stretch from within an utterance; None if there is none."""
    try:
        words = align(utterance, aligner).words
    except AlignmentError:
        return None
    gaps = [after.start - before.end for before, after in pairwise(words)]
    at = [k for k, gap in enumerate(gaps, 1) if gap < TOUCHING]
    choices = [
        (i, j)
        for i in at
        for j in at
        if j - i >= 3 and SHORTEST <= words[j - 1].end - words[i].start <= LONGEST
    ]
    if not choices:
        return None
    i, j = choices[rng.integers(len(choices))]
    first, last = (round((words[k - 1].end + words[k].start) / 2 * RATE) for k in (i, j))
    samples = load(utterance, sample_rate=RATE)[first:last, None]
    return Stretch(utterance, Sound(samples, RATE, "PCM_16"), tuple(w.word for w in words[i:j]))


def wrong(
    mine: Stretch, everybody: list[Stretch], rng: np.random.Generator
) -> dict[str, tuple[str, ...]]:
    """Other transcripts, by what is wrong with them."""
    others = [one.words for one in everybody if one.utterance.speaker != mine.utterance.speaker]
    length = len(" ".join(mine.words))
    others.sort(key=lambda words: abs(len(" ".join(words)) - length))
    place = int(rng.integers(len(mine.words)))
    said = mine.words[place]
    alike = [w for words in others for w in words if abs(len(w) - len(said)) <= 1 and w != said]
    exchanged = list(mine.words)
    exchanged[place] = alike[rng.integers(len(alike))]
    gone = rng.choice(len(mine.words), max(1, round(0.2 * len(mine.words))), replace=False)
    return {
        "its own words": mine.words,
        "another's": others[int(rng.integers(min(10, len(others))))],
        "one exchanged": tuple(exchanged),
        "a fifth left out": tuple(w for k, w in enumerate(mine.words) if k not in gone),
    }


def main() -> None:
    if not SPEECH.is_dir():
        print(f"skipped: there is no {SPEECH}")
        return
    every = int(sys.argv[1]) if len(sys.argv) > 1 else 4
    rng, aligner = np.random.default_rng(1), SphinxAligner()
    cuts = (cut(u, aligner, rng) for u in read_corpus(SPEECH / "dev").utterances[::every])
    stretches = [one for one in cuts if one is not None]
    sure: dict[str, list[float]] = {}
    for one in stretches:
        for name, words in wrong(one, stretches, rng).items():
            sure.setdefault(name, []).append(one.confidence(words, aligner))
    for name, found in sure.items():
        passed, lost = sum(c >= 0.5 for c in found), sum(c < 0 for c in found)
        low, half, high = np.quantile(found, [0.05, 0.5, 0.95])
        print(
            f"{name:17} {passed} of {len(found)} aligned, {lost} without a place; confidence "
            f"{half:.2f} in the median, {low:.2f} to {high:.2f} in nine of ten"
        )


if __name__ == "__main__":
    main()
