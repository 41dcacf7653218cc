"""persona with its voices found, against bare WORLD analysis and synthesis of the same files.

Bare WORLD has persona's pitch tracker (Harvest on speech resampled to 2 kHz); beside it stand the
quicker DIO and Harvest at the full rate.

Run: python benchmarks/persona_speed.py
"""

from __future__ import annotations

import resource
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyworld
import soundfile

from pseudovoice.corpus import read_corpus
from pseudovoice.keys import Key
from pseudovoice.protection.protect import protect_corpus
from pseudovoice.safeguards import parse_chain
from pseudovoice.safeguards.safeguard import Samples
from pseudovoice.safeguards.world import FRAME_SECONDS, RATE, Floats, contour
from timing import interleaved_seconds, print_ratios, versions

SHARED = Path(__file__).resolve().parents[2] / "shared" / "speech" / "dev"


def by_dio(x: Samples) -> Floats:
    rough, times = pyworld.dio(x, RATE)
    f0: Floats = pyworld.stonemask(x, rough, times, RATE)
    return f0


def by_harvest(x: Samples) -> Floats:
    rough, times = pyworld.harvest(x, RATE)
    f0: Floats = pyworld.stonemask(x, rough, times, RATE)
    return f0


def main() -> None:
    files = sorted(SHARED.rglob("*.flac"))[::100]
    if not files:
        print(f"skipped: there is no speech in {SHARED}")
        return
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        for file in files:
            speaker = place / "speech" / file.parts[-3]
            speaker.mkdir(parents=True, exist_ok=True)
            (speaker / file.name).write_bytes(file.read_bytes())
        corpus, chain = read_corpus(place / "speech"), parse_chain("persona:candidates=1")
        key, runs = Key(b"s" * 32), iter(range(100))

        def protect(out: str) -> None:
            protect_corpus(corpus, place / out, chain, key=key, key_file=place / "key", workers=1)

        def bare(pitch: Callable[[Samples], Floats]) -> None:
            for utterance in corpus:
                x, rate = soundfile.read(utterance.path)
                f0 = pitch(x)
                times = np.arange(f0.size) * FRAME_SECONDS
                envelope = pyworld.cheaptrick(x, f0, times, rate)
                pyworld.synthesize(f0, envelope, pyworld.d4c(x, f0, times, rate), rate)

        protect("first")  # finds the voices
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        spent = interleaved_seconds(
            {
                "bare WORLD": lambda: bare(contour),
                "bare WORLD, pitch by DIO": lambda: bare(by_dio),
                "bare WORLD, Harvest at 16 kHz": lambda: bare(by_harvest),
                "persona": lambda: protect(f"run{next(runs)}"),
            },
            rounds=3,
        )
        after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    title = f"persona on {len(files)} utterances of LibriSpeech dev, one core ({versions()})"
    print_ratios(title, spent, "bare WORLD", {"persona": 1.5})
    print(f"  peak memory grew by {(after - before) / 1024:.0f} MB over these passes")


if __name__ == "__main__":
    main()
