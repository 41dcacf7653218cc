"""How well the embedded aligner finds words whose times are known, and how much it aligns.

Digits recorded one by one are cut at the quiet between them, faded in and out over 5 ms and
joined with pauses: the times of the joins are the truth. Only zero, one, six, seven and nine are
kept, since where the others begin or end (f, th, v, t) is hardly louder than the room.

Then dev is aligned, and slices of it are recognised again: as they are, and cut a little later
or earlier than they should be. Were words cut at the wrong place, a shift would do no harm.

Run: python benchmarks/alignment_accuracy.py [every]   (take every n-th utterance; 1 for all)
"""

from __future__ import annotations

import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from time import process_time

import numpy as np
import soundfile
from numpy.typing import NDArray

from pseudovoice.alignment import Aligned, SphinxAligner, align, align_corpus
from pseudovoice.asr.registry import load_recogniser
from pseudovoice.corpus import Corpus, Utterance, load, read_corpus
from pseudovoice.slicing import slice_words
from pseudovoice.text.normalise import normalise
from pseudovoice.utility.words import WordErrors, total, word_errors

SPEECH = Path(__file__).resolve().parents[2] / "shared" / "speech"
RATE, HOP = 16_000, 160
SHIFTS, TARGET = (0.0, 0.1, 0.3, -0.3), 2.0
SLICES_EVERY = 2
CLEAR = {"ZERO", "ONE", "SIX", "SEVEN", "NINE"}


def words_between_gaps(samples: NDArray[np.float32], count: int) -> list[tuple[int, int]] | None:
    """The ``count`` stretches of sound between the longest quiet gaps, in samples.

    None if it is not clear which gaps lie between words and which within one, as in six.
    """
    starts = range(0, samples.size - HOP, HOP)
    level = np.array([np.square(samples[k : k + 2 * HOP]).mean() for k in starts])
    loud = np.flatnonzero(level > np.quantile(level, 0.1) * 10 + level.max() * 1e-3)
    gaps = np.diff(loud)
    order = np.argsort(gaps)
    if gaps[order[-count + 1]] < 1.5 * gaps[order[-count]]:
        return None
    cuts = np.sort(order[-count + 1 :])
    begins = loud[np.concatenate([[0], cuts + 1])]
    ends = loud[np.concatenate([cuts, [loud.size - 1]])] + 1
    if (ends - begins).min() < 15 or (ends - begins).max() > 100:
        return None
    return [(int(a) * HOP, int(b) * HOP) for a, b in zip(begins, ends, strict=True)]


def joined(utterance: Utterance, path: Path) -> tuple[Utterance, NDArray[np.float64]] | None:
    """The clear words of an utterance with other pauses, and when each begins and ends."""
    rng = np.random.default_rng(sum(utterance.id.encode()))
    samples = load(utterance, sample_rate=RATE)
    said = (utterance.transcript or "").split()
    places = words_between_gaps(samples, len(said))
    clear = [k for k, word in enumerate(said) if word in CLEAR]
    if places is None or len(clear) < 2:
        return None
    # Pauses are the room's own quiet, there and back again so that it has no seams.
    length = 6 * HOP
    power = np.convolve(np.square(samples), np.ones(length), "valid")
    at = int(np.argmin(power))
    quiet = samples[at : at + length]
    quiet = np.tile(np.concatenate([quiet, quiet[::-1]]), 20)
    pieces: list[NDArray[np.float32]] = []
    times = []
    at = 0
    for begin, end in (places[k] for k in clear):
        pause = quiet[: int(rng.uniform(0.05, 0.4) * RATE)]
        ramp = np.minimum(1.0, np.arange(end - begin) / 80).astype(np.float32)
        pieces += [pause, samples[begin:end] * ramp * ramp[::-1]]
        times.append((at + pause.size, at + pause.size + end - begin))
        at = times[-1][1]
    soundfile.write(path, np.concatenate([*pieces, quiet[: RATE // 5]]), RATE)
    kept = " ".join(said[k] for k in clear)
    return replace(utterance, path=path, transcript=kept), np.array(times) / RATE


def show(name: str, errors: NDArray[np.float64]) -> None:
    off = np.abs(errors)
    print(
        f"  {name:10} {errors.size:6} boundaries: median error {1000 * np.median(off):.0f} ms, "
        f"{100 * (off <= 0.05).mean():.1f} % within 50 ms, "
        f"{100 * (off <= 0.02).mean():.1f} % within 20 ms, bias {1000 * np.median(errors):+.0f} ms"
    )


def main() -> None:
    if not SPEECH.is_dir():
        print(f"skipped: there is no {SPEECH}")
        return
    every = int(sys.argv[1]) if len(sys.argv) > 1 else 8
    aligner = SphinxAligner()
    digits = [u for u in read_corpus(SPEECH / "train") if u.speaker.startswith("amnist")][::every]
    errors = []
    with tempfile.TemporaryDirectory() as folder:
        for k, utterance in enumerate(digits):
            made = joined(utterance, Path(folder) / f"{k}.wav")
            if made is not None:
                words = align(made[0], aligner, least_confidence=0.0).words
                errors.append(np.array([(w.start, w.end) for w in words]) - made[1])
    found = np.concatenate(errors)
    print(f"{len(errors)} utterances of digits joined with pauses")
    show("all", found.ravel())
    show("starts", found[:, 0])
    show("ends", found[:, 1])
    dev = read_corpus(SPEECH / "dev")
    part = replace(dev, utterances=dev.utterances[::every])
    begin = process_time()
    done = align_corpus(part, aligner)
    spent = process_time() - begin
    seconds = sum(a.duration for a in done.alignments.values())
    sure = np.quantile([float(a.confidence or 0) for a in done.alignments.values()], [0, 0.05, 0.5])
    print(f"{len(done.alignments)} of {len(part)} utterances of dev aligned")
    print(f"  {spent / seconds:.3f} of real time; confidence at least {sure[0]:.2f}, "
          f"5 % {sure[1]:.2f}, median {sure[2]:.2f}")  # fmt: skip
    for problem in done.problems:
        print(f"  - {problem}")
    recognise_slices(part, done)


def recognise_slices(corpus: Corpus, done: Aligned) -> None:
    """Word errors of one slice from within each utterance, for cuts shifted by up to 0.3 s."""
    asr = load_recogniser()
    rate = asr.sample_rate
    counts: dict[float, list[WordErrors]] = {}
    for utterance in corpus.utterances[::SLICES_EVERY]:
        alignment = done.alignments.get(utterance.id)
        slices = slice_words(alignment.words, alignment.duration, TARGET) if alignment else ()
        if alignment is None or len(slices) < 3:
            continue
        samples, piece = load(utterance, sample_rate=rate), slices[1]
        said = " ".join(w.word for w in alignment.words[piece.first : piece.last])
        for shift in SHIFTS:
            first, last = (round((t + shift) * rate) for t in (piece.start, piece.end))
            heard = normalise(asr.transcribe(samples[first:last]))
            counts.setdefault(shift, []).append(word_errors(normalise(said), heard))
    words = total(counts[0.0]).words
    print(f"{len(counts[0.0])} slices of {TARGET:g} s recognised again ({words} words)")
    for shift, some in counts.items():
        sums = total(some)
        # A short clip can make the recogniser say a phrase over and over: insertions that have
        # nothing to do with the cut, so words that are not heard are also counted by themselves.
        missed = (sums.substitutions + sums.deletions) / sums.words
        pairs = zip(counts[0.0], some, strict=True)
        better = [
            (a.substitutions + a.deletions) - (b.substitutions + b.deletions) for a, b in pairs
        ]
        print(
            f"  cut {shift:+.1f} s: {100 * missed:.1f} % of the words not heard, WER "
            f"{100 * sums.wer:.1f} %; of the slices, {sum(x < 0 for x in better)} are heard better "
            f"as they are and {sum(x > 0 for x in better)} as shifted"
        )


if __name__ == "__main__":
    main()
