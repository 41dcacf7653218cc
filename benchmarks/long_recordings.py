"""What one long recording costs: peak memory and time of `pseudovoice protect` by its length.

Real speech, looped, in stereo at 48 kHz with another speaker on each channel; each run is a process
of its own. Memory must not grow with the length, and time only in proportion. With --diarise it is
an interview on a phone instead: two people in turn, stereo, AAC, 44.1 kHz, and who speaks when is
found first.

Run: python benchmarks/long_recordings.py [--minutes 10,40] [--safeguard persona:candidates=1 …]
     python benchmarks/long_recordings.py --diarise --minutes 30 --safeguard xvector
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

import av
import numpy as np
import soundfile
import soxr
from numpy.typing import NDArray

from pseudovoice.diarisation import Turn, Turns
from timing import versions

SHARED = Path(__file__).resolve().parents[2] / "shared" / "speech" / "dev"
RATE, PHONE_RATE, CHANNELS = 48_000, 44_100, 2
NEARER, FARTHER = 1.0, 0.8
"""How loud a person is on the two channels of a phone."""
SAFEGUARDS = ("mcadams", "mcadams-random", "persona:candidates=1", "xvector")


def speech(speaker: Path, wanted: int = RATE) -> Iterator[NDArray[np.float32]]:
    """One speaker's utterances at a rate, over and over."""
    for file in cycle(sorted(speaker.rglob("*.flac"))):
        samples, rate = soundfile.read(file, dtype="float32")
        yield soxr.resample(samples, rate, wanted)


def people(count: int) -> list[Path]:
    return sorted(folder for folder in SHARED.iterdir() if folder.is_dir())[:count]


def interview(path: Path, minutes: float) -> Turns:
    """Write two people in turn as a phone does, utterance by utterance; says who speaks when."""
    path.parent.mkdir(parents=True)
    left, at = round(minutes * 60 * PHONE_RATE), 0
    both = people(2)
    turns = zip(*(speech(one, PHONE_RATE) for one in both), strict=True)
    spoken = []
    with av.open(path, "w") as out:
        stream = out.add_stream("aac", rate=PHONE_RATE)
        stream.layout = "stereo"
        for k, said in enumerate(one for pair in turns for one in pair):
            samples = np.concatenate([np.zeros(PHONE_RATE // 2, np.float32), said])[: left - at]
            loud = (NEARER, FARTHER) if k % 2 else (FARTHER, NEARER)
            stereo = np.ascontiguousarray(np.outer(loud, samples), np.float32)
            frame = av.AudioFrame.from_ndarray(stereo, "fltp", "stereo")
            frame.sample_rate, frame.pts = PHONE_RATE, at
            for packet in stream.encode(frame):
                out.mux(packet)
            begun = at + PHONE_RATE // 2
            at += samples.size
            if begun < at:
                spoken.append(Turn(begun / PHONE_RATE, at / PHONE_RATE, both[k % 2].name))
            if at == left:
                break
        for packet in stream.encode(None):
            out.mux(packet)
    return Turns.of(path.stem, spoken)


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


def cost(source: Path, out: Path, safeguard: str, *more: str) -> tuple[float, float, float]:
    """Peak memory in MB, seconds of processor and seconds on the clock."""
    words = ["protect", str(source), str(out), "--safeguard", safeguard, *more]
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
    options.add_argument("--diarise", action="store_true", help="an interview on a phone")
    given = options.parse_args()
    if not SHARED.is_dir():
        print(f"skipped: there is no speech in {SHARED}")
        return
    if given.diarise:
        name, write, more = "interview.m4a", interview, ["--diarise"]
        print(f"an interview, {PHONE_RATE / 1000} kHz, AAC, stereo ({versions()})")
    else:
        name, write, more = "interview.wav", two_channels, ["--workers", "1"]
        print(f"one recording, {RATE // 1000} kHz, {CHANNELS} channels, one worker ({versions()})")
    print(f"  {'safeguard':22} {'minutes':>7} {'peak':>9} {'ratio':>6} {'CPU s/h':>8} {'s/h':>7}")
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        lengths = [float(text) for text in given.minutes.split(",")]
        for minutes in lengths:
            write(place / f"speech{minutes:g}" / "people" / name, minutes)
        for safeguard in given.safeguard:
            first = 0.0
            for minutes in lengths:
                source = place / f"speech{minutes:g}"
                with tempfile.TemporaryDirectory(dir=place) as out:
                    peak, processor, clock = cost(source, Path(out, "protected"), safeguard, *more)
                first = first or peak
                print(
                    f"  {safeguard:22} {minutes:7g} {peak:6.0f} MB {peak / first:5.2f}× "
                    f"{60 * processor / minutes:8.0f} {60 * clock / minutes:7.0f}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
