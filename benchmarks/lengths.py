"""How far lengths tell renamed utterances apart: as they are, on a grid, and with padding attacked.

Three attackers want to know which original a renamed file comes from:

- ``length`` knows the lengths of the originals and looks at that of the file;
- ``edges`` knows them too, and looks for where the padding ends: for the change of sound at either
  edge, or for the speech itself, to which it adds the silence that recordings usually have;
- ``speech`` has the originals, and compares from the first sound to the last in both; ``contour``
  compares how loud they are from moment to moment.

As a control, ``edges`` looks at originals that are padded with zeros. One is *found* if exactly one
original fits to within the tolerance, and it is the right one.

Run: python benchmarks/lengths.py WORK [--safeguard mcadams]
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import soundfile
from numpy.typing import NDArray

from pseudovoice.corpus import Corpus, load, read_corpus
from pseudovoice.keys import Key
from pseudovoice.protection.lengths import LengthGrid, singled_out
from pseudovoice.protection.protect import protect_corpus
from pseudovoice.safeguards import parse_chain

SHARED = Path(__file__).resolve().parents[2] / "shared" / "speech" / "dev"
RATE = 16_000
HOP = 80  # 5 ms
GRIDS = (None, LengthGrid(0.25), LengthGrid(0.5), LengthGrid(1.0), LengthGrid(0.5, "trim"))
TOLERANCES = (0.01, 0.05)

Floats = NDArray[np.float64]


def bands(samples: NDArray[np.float32]) -> Floats:
    """Log energies in eight bands, every 5 ms."""
    looks = np.lib.stride_tricks.sliding_window_view(samples, 4 * HOP)[::HOP]
    power = np.square(np.abs(np.fft.rfft(looks * np.hanning(4 * HOP))))
    edges = np.linspace(0, power.shape[1], 9).astype(int)
    summed = np.add.reduceat(power, edges[:-1], axis=1)
    logs: Floats = np.log(summed + 1e-9)
    return logs


def extent(samples: NDArray[np.float32]) -> tuple[float, float]:
    """Seconds of the first and the last sound that is 20 dB above the quietest tenth."""
    looks = np.lib.stride_tricks.sliding_window_view(samples.astype(np.float64), 2 * HOP)[::HOP]
    level = 10 * np.log10(np.square(looks).mean(axis=1) + 1e-12)
    loud = np.flatnonzero(level > min(np.quantile(level, 0.1) + 20, level.max() - 10))
    return loud[0] * HOP / RATE, (loud[-1] + 2) * HOP / RATE


def change(logs: Floats) -> int:
    """The frame at which one kind of sound becomes another, by the likelihood of two Gaussians."""
    best, at = -np.inf, 0
    total, squares = np.cumsum(logs, axis=0), np.cumsum(np.square(logs), axis=0)
    count = len(logs)

    def likelihood(first: int, last: int) -> float:
        n = last - first
        one = total[last - 1] - (total[first - 1] if first else 0)
        two = squares[last - 1] - (squares[first - 1] if first else 0)
        variance = np.maximum(two / n - np.square(one / n), 1e-3)
        return float(-0.5 * n * np.log(variance).sum())

    whole = likelihood(0, count)
    for k in range(6, count - 6):
        gain = likelihood(0, k) + likelihood(k, count) - whole
        if gain > best:
            best, at = gain, k
    return at


def padding_of(samples: NDArray[np.float32], seconds: float) -> float:
    """Seconds of padding at both edges, where the sound changes before speech sets in."""
    logs = bands(samples)
    first, last = extent(samples)
    found = 0.0
    for part in (logs[: int(first * RATE / HOP)], logs[int(last * RATE / HOP) :][::-1]):
        near = part[: int(seconds * RATE / HOP) + 40]
        found += change(near) * HOP / RATE if len(near) > 16 else 0.0
    return min(found, seconds)


def contours(sounds: Sequence[NDArray[np.float32]]) -> NDArray[np.complex128]:
    """Fourier transforms of how loud each is, every 20 ms."""
    rows = np.zeros((len(sounds), 2048))
    for row, samples in zip(rows, sounds, strict=True):
        power = np.square(samples[: len(samples) // 320 * 320].reshape(-1, 320)).mean(axis=1)
        level = np.log(power + 1e-7)
        row[: len(level)] = (level - level.mean()) / np.linalg.norm(level - level.mean())
    return np.asarray(np.fft.rfft(rows))


def alike(released: NDArray[np.complex128], known: NDArray[np.complex128]) -> int:
    """For how many the original whose loudness goes with theirs, wherever it begins, is theirs."""
    return sum(
        int(np.fft.irfft(known.conj() * one).max(axis=1).argmax()) == k
        for k, one in enumerate(released)
    )


def zero_padded(samples: NDArray[np.float32], step: int, number: int) -> NDArray[np.float32]:
    extra = -len(samples) % step
    before = int(np.random.default_rng(number).integers(extra + 1))
    return np.pad(samples, (before, extra - before))


def found(released: Sequence[float], known: Sequence[float], tolerance: float) -> tuple[int, int]:
    """How many fit one original alone, the right one; and for how many the nearest is the right."""
    distance = np.abs(np.subtract.outer(np.asarray(released), np.asarray(known)))
    fits = distance <= tolerance + 1e-9
    right = fits.diagonal() & (fits.sum(axis=1) == 1)
    return int(right.sum()), int((distance.argmin(axis=1) == np.arange(len(known))).sum())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("work", type=Path)
    parser.add_argument("--safeguard", default="mcadams")
    parser.add_argument("--every", type=int, default=1)
    options = parser.parse_args()
    corpus = read_corpus(SHARED)
    corpus = corpus.subset(ids=[u.id for u in corpus.utterances[:: options.every]])
    chain = parse_chain(options.safeguard)
    heard = [load(u, sample_rate=RATE) for u in corpus]
    lengths = [len(x) / RATE for x in heard]
    extents = [extent(x) for x in heard]
    spoken = [last - first for first, last in extents]
    margins = [length - one for length, one in zip(lengths, spoken, strict=True)]
    print(f"{len(corpus)} utterances; around the speech there is {np.median(margins):.2f} s")
    zeros = [zero_padded(x, RATE // 2, k) for k, x in enumerate(heard)]
    guesses = [len(x) / RATE - padding_of(x, 0.5) for x in zeros]
    print("\nzeros up to 0.5 s, no safeguard:")
    show("edges, by change", guesses, lengths)
    for grid in GRIDS:
        name = "as they are" if grid is None else f"{grid.how} {grid.seconds:g} s"
        out = options.work / name.replace(" ", "-")
        done = protect_corpus(corpus, out, chain, key=Key(b"l" * 32), grid=grid).corpus
        report(name, grid, done, lengths, spoken, float(np.median(margins)))
        sounds = [load(u, sample_rate=RATE) for u in done]
        print(f"  contour: nearest is right: {alike(contours(sounds), contours(heard))}")


def report(
    name: str,
    grid: LengthGrid | None,
    done: Corpus,
    lengths: Sequence[float],
    spoken: Sequence[float],
    margin: float,
) -> None:
    print(f"\n{name}: {singled_out(soundfile.info(u.path).frames for u in done)}")
    sounds = [load(u, sample_rate=RATE) for u in done]
    seconds = [len(x) / RATE for x in sounds]
    now = [last - first for first, last in map(extent, sounds)]
    guesses: dict[str, tuple[Sequence[float], Sequence[float]]] = {"speech": (now, spoken)}
    if grid is None:
        guesses["length"] = seconds, lengths
    elif grid.how == "pad":
        step = grid.seconds
        changed = [len(x) / RATE - padding_of(x, step) for x in sounds]
        guesses["edges, by change"] = changed, lengths
        guesses["edges, by speech"] = _bounded([n + margin for n in now], seconds, step), lengths
    for who, (released, known) in guesses.items():
        show(who, released, known)


def show(who: str, released: Sequence[float], known: Sequence[float]) -> None:
    error = np.median(np.abs(np.subtract(released, known)))
    cells = [f"within {t * 1000:g} ms: {found(released, known, t)[0]}" for t in TOLERANCES]
    nearest = found(released, known, 0.0)[1]
    print(f"  {who}: {', '.join(cells)}; nearest is right: {nearest}; off by {error:.3f} s")


def _bounded(guesses: Sequence[float], seconds: Sequence[float], step: float) -> list[float]:
    """An original is no longer than its padded file, and less than a step shorter."""
    pairs = zip(guesses, seconds, strict=True)
    return [float(np.clip(guess, whole - step, whole)) for guess, whole in pairs]


if __name__ == "__main__":
    main()
