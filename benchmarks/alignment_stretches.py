"""How many short stretches of running speech are aligned, and how many wrong transcripts let in.

Stretches of 2 to 3 s are cut out of utterances where words touch, so that no silence is at either
end. Each is aligned with its own words, with another stretch's of about as many letters, with one
word exchanged, put in or left out, and with a fifth of its words left out: by the search alone, and
with a recogniser that listens (`slice --check-words`), whose processor time is told as a share of
the time of speaking. --whole takes utterances as they are; --protect takes what a safeguard makes
of the sound, such as mcadams.

Run: python benchmarks/alignment_stretches.py [--corpus dev] [--every 4] [--half 0|1] [--whole]
     [--protect NAME] [--search-alone]   (every n-th utterance; one half of the speakers)
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pseudovoice.alignment import Aligner, AlignmentError, SphinxAligner, align
from pseudovoice.alignment.heard import Listening
from pseudovoice.asr.moonshine import Moonshine, load_moonshine
from pseudovoice.asr.recogniser import Hearing
from pseudovoice.corpus import Sound, Utterance, decode, load, read_corpus
from pseudovoice.keys import Key
from pseudovoice.safeguards import parse_chain
from pseudovoice.safeguards.safeguard import Voice

SPEECH = Path(__file__).resolve().parents[2] / "shared" / "speech"
RATE = 16_000
SHORTEST, LONGEST = 2.0, 3.0
TOUCHING = 0.02
KEY = Key(b"stretches of a benchmark, none..")


@dataclass(frozen=True)
class Stretch:
    """A piece of an utterance, and what is said in it."""

    utterance: Utterance
    sound: Sound
    words: tuple[str, ...]

    def aligned(self, words: tuple[str, ...], aligner: Aligner) -> bool:
        """Whether these words are let in."""
        claimed = replace(self.utterance, transcript=" ".join(words))
        try:
            align(claimed, aligner, sound=self.sound)
        except AlignmentError:
            return False
        return True


class Remembered:
    """A recogniser that hears a sound once, however many transcripts it is asked about."""

    def __init__(self, recogniser: Moonshine) -> None:
        self._recogniser = recogniser
        self._known: dict[bytes, Hearing] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._recogniser, name)

    def hearing(self, samples: NDArray[Any]) -> Hearing:
        sound = samples.tobytes()
        if sound not in self._known:
            heard = self._recogniser.hearing(samples)
            self._known[sound] = Hearing(heard.text, cache(heard.log_probability))
        return self._known[sound]

    def forget(self) -> None:
        self._known.clear()


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
    strange = others[int(rng.integers(len(others)))]
    more = list(mine.words)
    more.insert(int(rng.integers(len(more) + 1)), strange[int(rng.integers(len(strange)))])
    return {
        "its own words": mine.words,
        "another's": others[int(rng.integers(min(10, len(others))))],
        "one exchanged": tuple(exchanged),
        "one put in": tuple(more),
        "one left out": tuple(w for k, w in enumerate(mine.words) if k != place),
        "a fifth left out": tuple(w for k, w in enumerate(mine.words) if k not in gone),
    }


def stretches_of(
    utterances: list[Utterance], rng: np.random.Generator, *, whole: bool
) -> Iterator[Stretch]:
    aligner = SphinxAligner()
    for utterance in utterances:
        if not whole:
            one = cut(utterance, aligner, rng)
            if one is not None:
                yield one
            continue
        words = tuple((utterance.transcript or "").split())
        if len(words) > 1:
            yield Stretch(utterance, decode(utterance), words)


def protected(one: Stretch, safeguard: str) -> Stretch:
    """The stretch in another voice, a fixed one of everybody's."""
    chain, rate = parse_chain(safeguard), one.sound.sample_rate
    samples = one.sound.samples[:, 0]
    for link in chain.links:
        samples = link(samples, rate, Voice(KEY, "default", one.utterance.speaker))
    return replace(one, sound=Sound(samples[:, None], rate, one.sound.subtype))


def main() -> None:
    asked = argparse.ArgumentParser()
    asked.add_argument("--corpus", default="dev")
    asked.add_argument("--every", type=int, default=4)
    asked.add_argument("--half", type=int, choices=(0, 1))
    asked.add_argument("--whole", action="store_true")
    asked.add_argument("--protect", default="")
    asked.add_argument("--search-alone", action="store_true")
    options = asked.parse_args()
    if not SPEECH.is_dir():
        print(f"skipped: there is no {SPEECH}")
        return
    rng = np.random.default_rng(1)
    said = [u for u in read_corpus(SPEECH / options.corpus) if u.transcript]
    if options.half is not None:
        people = sorted({u.speaker for u in said})[options.half :: 2]
        said = [u for u in said if u.speaker in people]
    stretches = list(stretches_of(said[:: options.every], rng, whole=options.whole))
    search = SphinxAligner()
    aligners: dict[str, Aligner] = {"search": search}
    ear = None if options.search_alone else Remembered(load_moonshine())
    if ear is not None:
        aligners["listening"] = Listening(search, ear)
    spent = spoke = 0.0
    passed: dict[str, dict[str, int]] = {}
    for done, one in enumerate(stretches, 1):
        spoken = protected(one, options.protect) if options.protect else one
        if ear is not None:
            ear.forget()
        spoke += one.sound.duration
        for name, words in wrong(one, stretches, rng).items():
            counts = passed.setdefault(name, dict.fromkeys(aligners, 0))
            # Whoever listens refuses all that the search alone refuses.
            for who, aligner in aligners.items():
                before = time.process_time()
                let_in = spoken.aligned(words, aligner)
                if who == "listening" and words == one.words:
                    spent += time.process_time() - before
                if not let_in:
                    break
                counts[who] += 1
        if done % 20 == 0 or done == len(stretches):
            print(f"{done} of {len(stretches)} stretches")
            for name, counts in passed.items():
                told = ", ".join(f"{who} {count}" for who, count in counts.items())
                print(f"  {name:17} let in: {told}", flush=True)
            print(f"  listening took {spent / spoke:.2f} of the speaking time of their own words")


if __name__ == "__main__":
    main()
