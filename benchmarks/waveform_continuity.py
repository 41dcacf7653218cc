"""Why a safeguard makes slices easier to put back by their waveform, or harder.

    python benchmarks/waveform_continuity.py CORPUS NAME=PROTECTED …

Every utterance is cut at the same three places in all corpora. For each: how often the cue of the
waveform finds the other half of a cut first among all, how much the filter of the cue predicts
(dB), and how much of the power lies above 6 kHz (dB).
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import soundfile
from numpy.typing import NDArray

from pseudovoice.corpus import read_corpus
from pseudovoice.reassembly.waveform import ORDER, WINDOW, continuity
from pseudovoice.signal.lpc import burg

CUTS = 3
KEPT = 1_600
"""Samples on either side of a cut."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("protected", nargs="*", metavar="NAME=PROTECTED")
    options = parser.parse_args()
    clear = read_corpus(options.corpus)
    rng = np.random.default_rng(0)
    shares = {u.id: rng.uniform(0.2, 0.8, CUTS) for u in clear}
    named = (word.partition("=") for word in options.protected)
    print("| speech | found first | predicted | above 6 kHz |\n|---|---|---|---|")
    for name, corpus in [("clear", clear), *((n, read_corpus(Path(p))) for n, _, p in named)]:
        before, after = [], []
        for utterance in corpus:
            samples, _ = soundfile.read(utterance.path, dtype="int16")
            for cut in (shares[utterance.id] * samples.size).astype(int):
                before.append(samples[max(0, cut - KEPT) : cut])
                after.append(samples[cut : cut + KEPT])
        pieces = [piece for pair in zip(before, after, strict=True) for piece in pair]
        scores = continuity(pieces)[0::2, 1::2]
        first = (scores.argmax(axis=1) == np.arange(len(scores))).mean()
        ends = [piece[-WINDOW:].astype(np.float64) for piece in before if piece.size >= WINDOW]
        print(
            f"| {name} | {100 * first:.0f} % | {np.median([_predicted(e) for e in ends]):.0f} dB "
            f"| {np.median([_above_6_khz(e) for e in ends]):.0f} dB |",
            flush=True,
        )


def _predicted(end: NDArray[np.float64]) -> float:
    error = np.convolve(end, burg(end, ORDER), "valid")
    return float(10 * np.log10(((end**2).mean() + 0.25) / ((error**2).mean() + 0.25)))


def _above_6_khz(end: NDArray[np.float64]) -> float:
    power = np.abs(np.fft.rfft(end * np.hanning(end.size))) ** 2
    return float(10 * np.log10(power[power.size * 3 // 4 :].sum() / power.sum() + 1e-12))


if __name__ == "__main__":
    main()
