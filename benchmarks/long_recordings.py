"""What one long recording costs: peak memory and time of `pseudovoice protect` by its length.

Real speech, looped, in stereo at 48 kHz with another speaker on each channel; each run is a process
of its own. Memory must not grow with the length, and time only in proportion. An interview with two
people in one channel is in `interview.py`.

Run: python benchmarks/long_recordings.py [--minutes 10,40] [--safeguard persona:candidates=1 …]
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path

import numpy as np
import soundfile
import soxr
from numpy.typing import NDArray

from costs import Cost, cost
from timing import versions

SHARED = Path(__file__).resolve().parents[2] / "shared" / "speech" / "dev"
RATE, CHANNELS = 48_000, 2
SAFEGUARDS = ("mcadams", "mcadams-random", "persona:candidates=1", "xvector")


def speech(speaker: Path) -> Iterator[NDArray[np.float32]]:
    """One speaker's utterances, over and over."""
    for file in cycle(sorted(speaker.rglob("*.flac"))):
        samples, rate = soundfile.read(file, dtype="float32")
        yield soxr.resample(samples, rate, RATE)


def people(count: int) -> list[Path]:
    return sorted(folder for folder in SHARED.iterdir() if folder.is_dir())[:count]


def two_channels(path: Path, minutes: float) -> None:
    """Write a recording of this length, block by block."""
    path.parent.mkdir(parents=True)
    left = round(minutes * 60 * RATE)
    with soundfile.SoundFile(path, "w", RATE, CHANNELS, "PCM_16") as file:
        for parts in zip(*map(speech, people(CHANNELS)), strict=True):
            length = min(left, *(part.size for part in parts))
            file.write(np.stack([part[:length] for part in parts], axis=1))
            left -= length
            if not left:
                return


def protecting(source: Path, out: Path, safeguard: str) -> Cost:
    found = cost(["protect", str(source), str(out), "--safeguard", safeguard, "--workers", "1"])
    if found.code:
        raise SystemExit(f"{safeguard} ended with {found.code}")
    return found


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--minutes", default="10,40")
    options.add_argument("--safeguard", nargs="*", default=SAFEGUARDS)
    given = options.parse_args()
    if not SHARED.is_dir():
        print(f"skipped: there is no speech in {SHARED}")
        return
    print(f"one recording, {RATE // 1000} kHz, {CHANNELS} channels, one worker ({versions()})")
    print(f"  {'safeguard':22} {'minutes':>7} {'peak':>9} {'ratio':>6} {'CPU s/h':>8} {'s/h':>7}")
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        lengths = [float(text) for text in given.minutes.split(",")]
        for minutes in lengths:
            two_channels(place / f"speech{minutes:g}" / "people" / "talk.wav", minutes)
        for safeguard in given.safeguard:
            first = 0.0
            for minutes in lengths:
                source = place / f"speech{minutes:g}"
                with tempfile.TemporaryDirectory(dir=place) as out:
                    told = protecting(source, Path(out, "protected"), safeguard)
                first = first or told.peak
                print(
                    f"  {safeguard:22} {minutes:7g} {told.peak:6.0f} MB {told.peak / first:5.2f}× "
                    f"{60 * told.processor / minutes:8.0f} {60 * told.clock / minutes:7.0f}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
