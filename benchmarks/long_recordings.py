"""What one long recording costs: peak memory and time of `pseudovoice protect` by its length.

Real speech, looped, in stereo at 48 kHz with another speaker on each channel; each run is a process
of its own. Memory must not grow with the length, and time only in proportion.

Run: python benchmarks/long_recordings.py [--minutes 10,40] [--safeguard persona:candidates=1 …]
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path
from time import perf_counter

import numpy as np
import soundfile
import soxr
from numpy.typing import NDArray

from timing import versions

SHARED = Path(__file__).resolve().parents[2] / "shared" / "speech" / "dev"
RATE, CHANNELS = 48_000, 2
SAFEGUARDS = ("mcadams", "mcadams-random", "persona:candidates=1")


def speech(speaker: Path) -> Iterator[NDArray[np.float32]]:
    """One speaker's utterances at 48 kHz, over and over."""
    for file in cycle(sorted(speaker.rglob("*.flac"))):
        samples, rate = soundfile.read(file, dtype="float32")
        yield soxr.resample(samples, rate, RATE)


def interview(path: Path, minutes: float) -> None:
    """Write a recording of this length, block by block."""
    path.parent.mkdir(parents=True)
    people = sorted(folder for folder in SHARED.iterdir() if folder.is_dir())[:CHANNELS]
    left = round(minutes * 60 * RATE)
    with soundfile.SoundFile(path, "w", RATE, CHANNELS, "PCM_16") as file:
        for parts in zip(*map(speech, people), strict=True):
            length = min(left, *(part.size for part in parts))
            file.write(np.stack([part[:length] for part in parts], axis=1))
            left -= length
            if not left:
                return


def cost(source: Path, out: Path, safeguard: str) -> tuple[float, float, float]:
    """Peak memory in MB, seconds of processor and seconds on the clock."""
    words = ["protect", str(source), str(out), "--safeguard", safeguard, "--workers", "1"]
    begin = perf_counter()
    program = [sys.executable, "-m", "pseudovoice", *words]
    child = subprocess.Popen(program, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise SystemExit(f"{safeguard} ended with {child.returncode}")
    return used.ru_maxrss / 1024, used.ru_utime + used.ru_stime, perf_counter() - begin


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
            interview(place / f"speech{minutes:g}" / "people" / "interview.wav", minutes)
        for safeguard in given.safeguard:
            first = 0.0
            for minutes in lengths:
                source = place / f"speech{minutes:g}"
                with tempfile.TemporaryDirectory(dir=place) as out:
                    peak, processor, clock = cost(source, Path(out, "protected"), safeguard)
                first = first or peak
                print(
                    f"  {safeguard:22} {minutes:7g} {peak:6.0f} MB {peak / first:5.2f}× "
                    f"{60 * processor / minutes:8.0f} {60 * clock / minutes:7.0f}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
