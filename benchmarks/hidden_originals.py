"""Originals that are hidden among protected speech: how many `release` finds, and false alarms.

An utterance of each person of dev, in many disguises, and what safeguards make of it, is looked up
among the originals of all. Found should be every disguise and nothing that is protected; McAdams
with a coefficient near 1, which changes next to nothing, is the hard case.

Run: python benchmarks/hidden_originals.py [--people 40] [--safeguard xvector …]
"""

from __future__ import annotations

import argparse
import io
from collections.abc import Callable
from pathlib import Path

import numpy as np
import soundfile
import soxr
from numpy.typing import NDArray

from pseudovoice.corpus import load, read_corpus
from pseudovoice.keys import new_key
from pseudovoice.library.protect import protect_samples
from pseudovoice.release.undoing.originals import RATE as LOOKED_UP
from pseudovoice.release.undoing.originals import Originals
from timing import versions

SHARED = Path(__file__).resolve().parents[2] / "shared" / "speech" / "dev"
RATE = 16_000
SECONDS = 10.0
SAFEGUARDS = (
    *(f"mcadams:alpha={alpha}" for alpha in (0.8, 0.9, 0.93, 0.95, 0.97)),
    "mcadams-random",
    "persona:candidates=1",
    "xvector",
)

Samples = NDArray[np.float64]


def noisy(samples: Samples, decibel: float, colour: float, rng: np.random.Generator) -> Samples:
    """With noise so far below; its power falls with frequency to the power of ``colour``."""
    spectrum = np.fft.rfft(rng.standard_normal(samples.size))
    spectrum /= np.maximum(1, np.arange(spectrum.size)) ** (colour / 2)
    noise = np.fft.irfft(spectrum, samples.size)
    wanted = np.sqrt(np.mean(samples**2) / np.mean(noise**2) / 10 ** (decibel / 10))
    return np.asarray(samples + wanted * noise)


def coded(samples: Samples, kind: str, subtype: str, level: float) -> Samples:
    file = io.BytesIO()
    kept = {"format": kind, "subtype": subtype, "compression_level": level}
    soundfile.write(file, np.clip(samples, -1, 1), RATE, **kept)
    file.seek(0)
    back, rate = soundfile.read(file)
    return np.asarray(soxr.resample(back, rate, RATE))


def trimmed(samples: Samples, rate: int, first: int) -> Samples:
    return np.asarray(soxr.resample(soxr.resample(samples, RATE, rate)[first:], rate, RATE))


def disguises(rng: np.random.Generator) -> dict[str, Callable[[Samples], Samples]]:
    def mp3(x: Samples) -> Samples:
        return coded(x, "MP3", "MPEG_LAYER_III", 0.9)

    def opus(x: Samples) -> Samples:
        return coded(x, "OGG", "OPUS", 0.95)

    def within(x: Samples) -> Samples:
        protected = protect_samples(x, RATE, "mcadams:alpha=0.7")
        middle = len(x) // 2
        return np.concatenate([protected[:middle], 0.3 * x[-2 * RATE : -RATE], protected[middle:]])

    return {
        "as it is": lambda x: x,
        "quieter, 20 dB": lambda x: 0.1 * x,
        "44.1 kHz, 0.8 ms cut off": lambda x: trimmed(x, 44_100, 37),
        "8 kHz": lambda x: trimmed(x, 8_000, 0),
        "MP3, lowest rate": mp3,
        "Opus, lowest rate": opus,
        "white noise, 20 dB": lambda x: noisy(x, 20, 0, rng),
        "white noise, 10 dB": lambda x: noisy(x, 10, 0, rng),
        "white noise, 5 dB": lambda x: noisy(x, 5, 0, rng),
        "pink noise, 10 dB": lambda x: noisy(x, 10, 1, rng),
        "pink noise, 5 dB": lambda x: noisy(x, 5, 1, rng),
        "white noise, 10 dB, as Opus": lambda x: opus(noisy(x, 10, 0, rng)),
        "pink noise, 10 dB, as MP3": lambda x: mp3(noisy(x, 10, 1, rng)),
        "a second of it among McAdams": within,
        "2 s of it, pink noise, 10 dB": lambda x: noisy(x[RATE : 3 * RATE], 10, 1, rng),
    }


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--people", type=int, default=40)
    options.add_argument("--safeguard", nargs="*", default=SAFEGUARDS)
    given = options.parse_args()
    if not SHARED.is_dir():
        print(f"skipped: there is no speech in {SHARED}")
        return
    rng = np.random.default_rng(0)
    speech: dict[str, Samples] = {}
    for person, said in list(read_corpus(SHARED).speakers.items())[: given.people]:
        samples = load(said[0], sample_rate=RATE).astype(np.float64)[: round(SECONDS * RATE)]
        speech[person] = samples

    originals = Originals(
        [
            (person, soxr.resample(samples, RATE, LOOKED_UP).astype(np.float32))
            for person, samples in speech.items()
        ]
    )

    def found(name: str, change: Callable[[str, Samples], Samples]) -> None:
        held = [
            originals.holds(soxr.resample(change(person, samples), RATE, LOOKED_UP))
            for person, samples in speech.items()
        ]
        right = sum(h is not None and h[0] == p for h, p in zip(held, speech, strict=True))
        some = sum(h is not None for h in held)
        print(
            f"  {name:32} {some:3} of {len(held)} taken for an original ({right} for the right one)"
        )

    print(f"{len(speech)} utterances of as many people ({versions()})")
    for name, change in disguises(rng).items():
        found(name, lambda _, x, change=change: change(x))
    key = new_key()
    for safeguard in given.safeguard:
        found(
            safeguard,
            lambda p, x, s=safeguard: protect_samples(
                x, RATE, s, key=None if s.startswith("mcadams:") else key, speaker=p
            ),
        )


if __name__ == "__main__":
    main()
