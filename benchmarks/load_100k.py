"""Memory, open files and time per utterance from a thousand to a hundred thousand utterances.

Short utterances of synthetic speech, a hundred of each speaker, go through protect, inspect and
assess audio with a very small encoder, each verb in a process of its own. Its memory and the files
it has open are sampled while it works, those of its workers added. What is flat in N may grow only
by the names of the utterances; what is not is seen in the ratios.

All pairs are N² trials: the time of `assess audio` per utterance grows with N, and that per
thousand million trials is what should be flat.

Run: python benchmarks/load_100k.py [--utterances N …] [--verb NAME …] [--place FOLDER]
"""

from __future__ import annotations

import argparse
import csv
import os
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import astuple, dataclass, fields
from pathlib import Path

import numpy as np
import onnx
import soundfile
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from pseudovoice.keys import Key, write_key

RATE = 8_000
TAKES = 100
"""Utterances of a speaker."""
LONGEST = int(0.6 * RATE)
EVERY = 0.2
"""Seconds between two samples of a process."""


@dataclass(frozen=True)
class Load:
    """What one verb took for N utterances; memory in MB.

    ``cpu`` are the seconds of all cores together, which other work on the machine lengthens little.
    ``early`` is the highest memory in the second quarter of the run, ``late`` in the last one: a
    leak makes them differ, whatever a larger corpus may need from the beginning.
    """

    verb: str
    utterances: int
    seconds: float
    cpu: float
    peak_mb: float
    early_mb: float
    late_mb: float
    open_files: int

    @property
    def ms(self) -> float:
        """Of one core, for an utterance."""
        return 1e3 * self.cpu / self.utterances


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Load: memory, open files, time per utterance.")
    parser.add_argument(
        "--utterances", type=int, nargs="+", default=[1_000, 10_000, 100_000], metavar="N"
    )
    parser.add_argument("--verb", nargs="+", choices=VERBS, default=list(VERBS))
    parser.add_argument("--place", type=Path, help="keep speech and results in this folder")
    return parser.parse_args()


def spoken(speaker: int) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """All takes of a speaker at once: pulses and noise through resonances of the speaker's own."""
    own = np.random.default_rng([21, speaker])
    rng = np.random.default_rng([22, speaker])
    pitch = own.uniform(80, 260) * np.exp(rng.normal(0, 0.04, (TAKES, 1)))
    formants = own.uniform((280, 900, 2000, 3000), (900, 2000, 3000, 3800))
    steps = np.arange(LONGEST)
    phase = np.cumsum(pitch * (1 + 0.02 * np.sin(steps / RATE * 30)) / RATE, axis=1)
    source = np.diff(np.floor(phase), axis=1, prepend=0.0)
    source += 0.03 * rng.standard_normal(source.shape)
    bins = np.fft.rfftfreq(2 * LONGEST, 1 / RATE)
    z = np.exp(-2j * np.pi * bins / RATE)
    response = np.ones((TAKES, bins.size), np.complex128)
    for formant in formants:
        centre = formant * np.exp(rng.normal(0, 0.03, (TAKES, 1)))
        pole = 0.97 * np.exp(2j * np.pi * centre / RATE)
        response /= (1 - pole * z) * (1 - pole.conj() * z)
    sound = np.fft.irfft(np.fft.rfft(source, 2 * LONGEST) * response)[:, :LONGEST]
    sound *= 0.3 / np.abs(sound).max(axis=1, keepdims=True)
    return sound.astype(np.float32), rng.integers(int(0.4 * RATE), LONGEST, TAKES)


def write_speech(folder: Path, utterances: int) -> Path:
    """A folder for each speaker, written once."""
    if not folder.exists():
        unfinished = folder.with_name(f"{folder.name}-unfinished")
        for speaker in range(utterances // TAKES):
            place = unfinished / f"s{speaker:04d}"
            place.mkdir(parents=True, exist_ok=True)
            for take, (sound, length) in enumerate(zip(*spoken(speaker), strict=True)):
                soundfile.write(place / f"s{speaker:04d}-{take:03d}.wav", sound[:length], RATE)
        unfinished.rename(folder)
    return folder


def write_encoder(path: Path) -> Path:
    """Mean and spread of 40 log-mel bands, mixed to 32 numbers: a few kilobytes."""
    mix = np.random.default_rng(5).normal(size=(80, 32)).astype(np.float32) / 9
    nodes = [
        helper.make_node("ReduceMean", ["feats", "axis"], ["mean"], keepdims=0),
        helper.make_node("Mul", ["feats", "feats"], ["squares"]),
        helper.make_node("ReduceMean", ["squares", "axis"], ["power"], keepdims=0),
        helper.make_node("Sqrt", ["power"], ["spread"]),
        helper.make_node("Concat", ["mean", "spread"], ["both"], axis=1),
        helper.make_node("MatMul", ["both", "mix"], ["embedding"]),
    ]
    graph = helper.make_graph(
        nodes,
        "statistics",
        [helper.make_tensor_value_info("feats", TensorProto.FLOAT, ["n", "t", 40])],
        [helper.make_tensor_value_info("embedding", TensorProto.FLOAT, ["n", 32])],
        [
            numpy_helper.from_array(mix, "mix"),
            numpy_helper.from_array(np.array([1], np.int64), "axis"),
        ],
    )
    onnx.save(
        helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9), path
    )
    declared = '{"input": "fbank", "sample_rate": 8000, "subtract_mean": false}'
    path.with_suffix(".json").write_text(declared)
    return path


def commands(place: Path, speech: Path) -> dict[str, list[str]]:
    """What is run, in this order, in a folder for this N."""
    protected = place / "protected"
    return {
        "protect": ["protect", str(speech), str(protected), "--safeguard", "mcadams-random",
                    "--key-file", str(place / "load.key")],
        "protect again": ["protect", str(speech), str(protected), "--safeguard", "mcadams-random",
                          "--key-file", str(place / "load.key")],
        "inspect": ["inspect", str(protected), "--json"],
        "assess audio": ["assess", "audio", str(speech), str(protected), "--encoder",
                         f"onnx:{place.parent / 'statistics.onnx'}", "--replicates", "100",
                         "--permutations", "100", "--no-figures", "-o", str(place / "assessed")],
    }  # fmt: skip


VERBS = ("protect", "protect again", "inspect", "assess audio")


def family(pid: int) -> list[int]:
    """The process and all that it started."""
    found, new = [], [pid]
    while new:
        one = new.pop()
        found.append(one)
        try:
            tasks = list(Path(f"/proc/{one}/task").iterdir())
            for task in tasks:
                new += map(int, (task / "children").read_text().split())
        except OSError:
            continue
    return found


def memory_and_files(pid: int) -> tuple[float, int]:
    """Resident memory of the family in MB, and the most files that one of it has open."""
    pages, most = 0, 0
    for one in family(pid):
        try:
            pages += int(Path(f"/proc/{one}/statm").read_text().split()[1])
            most = max(most, len(os.listdir(f"/proc/{one}/fd")))  # noqa: PTH208
        except (OSError, IndexError):
            continue
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20, most


def cpu_of_children() -> float:
    """Seconds that the processes which have ended spent, and theirs."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run(verb: str, words: list[str], place: Path, utterances: int) -> Load:
    """One verb, sampled; all samples are kept beside its result."""
    environment = {**os.environ, "PSEUDOVOICE_CACHE": str(place / "cache")}
    named = place / verb.replace(" ", "-")
    samples = []
    begun, spent = time.monotonic(), cpu_of_children()
    with named.with_suffix(".out").open("w") as out:
        process = subprocess.Popen(
            [sys.executable, "-m", "pseudovoice", *words], env=environment, stdout=out, stderr=out
        )
        while process.poll() is None:
            samples.append((time.monotonic() - begun, *memory_and_files(process.pid)))
            time.sleep(EVERY)
    seconds = time.monotonic() - begun
    if process.returncode != 0:
        sys.exit(f"{verb} ended with {process.returncode}: see {named.with_suffix('.out')}.")
    with named.with_suffix(".csv").open("w", newline="") as file:
        csv.writer(file).writerows([("seconds", "mb", "files"), *samples])
    sizes = [mb for _, mb, _ in samples]
    quarter = max(1, len(sizes) // 4)
    return Load(
        verb,
        utterances,
        seconds,
        cpu_of_children() - spent,
        max(sizes),
        max(sizes[quarter : 2 * quarter] or sizes),
        max(sizes[-quarter:]),
        max(files for _, _, files in samples),
    )


def table(loads: list[Load]) -> str:
    """As Markdown; ratios are to the smallest N of the verb."""
    lines = [
        "| verb | utterances | peak memory | last / second quarter | open files | "
        "ms of CPU per utterance | ratio |",
        "|---|--:|--:|--:|--:|--:|--:|",
    ]
    for one in sorted(loads, key=lambda load: (VERBS.index(load.verb), load.utterances)):
        least = min((o for o in loads if o.verb == one.verb), key=lambda load: load.utterances)
        lines.append(
            f"| {one.verb} | {one.utterances:,} | {one.peak_mb:,.0f} MB | "
            f"{one.late_mb / one.early_mb:.2f} | {one.open_files} | {one.ms:.2f} | "
            f"{one.ms / least.ms:.2f} |"
        )
    return "\n".join(lines)


def main() -> None:
    asked = options()
    with tempfile.TemporaryDirectory(prefix="load-") as temporary:
        place = (asked.place or Path(temporary)).resolve()
        place.mkdir(parents=True, exist_ok=True)
        write_encoder(place / "statistics.onnx")
        loads: list[Load] = []
        for utterances in asked.utterances:
            own = place / str(utterances)
            own.mkdir(exist_ok=True)
            if not (own / "load.key").exists():
                write_key(Key(bytes(range(32))), own / "load.key")
            begun = time.monotonic()
            speech = write_speech(own / "speech", utterances)
            print(f"{utterances:,} utterances in {time.monotonic() - begun:.0f} s", flush=True)
            for verb, words in commands(own, speech).items():
                if verb in asked.verb:
                    loads.append(run(verb, words, own, utterances))
                    print("  " + ", ".join(map(str, astuple(loads[-1]))), flush=True)
        with (place / "load.csv").open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow([field.name for field in fields(Load)])
            writer.writerows(map(astuple, loads))
        print(table(loads))


if __name__ == "__main__":
    main()
