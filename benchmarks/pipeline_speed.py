"""The whole way from files to the assessment, against embedding the same audio alone.

The reference embeds samples that are already in memory, on as many threads as there are cores.
The job decodes the files, embeds original and protected speech, scores and assesses. The speech
is LibriSpeech dev from ../shared where it is there, artificial voices (said so) where not. The
ratio that counts is that of the fastest rounds: what a machine that does nothing else would show.

Run: python benchmarks/pipeline_speed.py [--encoder NAME] [--utterances N] [--rounds N]
All of LibriSpeech dev: python benchmarks/pipeline_speed.py --utterances 800 --rounds 1
"""

from __future__ import annotations

import argparse
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import perf_counter

import numpy as np
import soundfile
from threadpoolctl import threadpool_limits

from pseudovoice.attacks.assess import assess_audio
from pseudovoice.attacks.material import Material
from pseudovoice.cores import usable_cores
from pseudovoice.corpus import Corpus, load, read_corpus
from pseudovoice.encoders import load_encoder
from timing import versions

SHARED = Path(__file__).resolve().parents[2] / "shared" / "speech" / "dev"


def artificial(folder: Path) -> Path:
    rng = np.random.default_rng(0)
    for s in range(20):
        (folder / f"s{s:02d}").mkdir(parents=True)
        for k in range(10):
            sound = np.cumsum(rng.normal(size=(16_000 * 6)))
            sound = 0.3 * np.diff(sound, prepend=0) * (1 + np.sin(np.arange(96_000) / (50 + s)))
            soundfile.write(folder / f"s{s:02d}" / f"s{s:02d}_{k}.flac", 0.2 * sound / 6, 16_000)
    return folder


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Whole pipeline against embedding alone.")
    parser.add_argument("--encoder", default="resnet34-lm", help="default: %(default)s")
    parser.add_argument(
        "--utterances", type=int, default=160, help="how many of all; default: %(default)s"
    )
    parser.add_argument("--rounds", type=int, default=2, help="default: %(default)s")
    return parser.parse_args()


def spread(corpus: Corpus, most: int) -> Corpus:
    """So many utterances, or all if there are no more, at least two of a speaker."""
    each = max(2, -(-most // len(corpus.speakers)))
    picked = [u for group in corpus.speakers.values() for u in group[:each]][:most]
    return Corpus(corpus.name, corpus.root, tuple(picked), (), corpus.layout)


def main() -> None:
    asked = options()
    with tempfile.TemporaryDirectory() as place:
        where = SHARED if SHARED.is_dir() else artificial(Path(place))
        print("speech: " + ("LibriSpeech dev" if where is SHARED else "artificial voices"))
        corpus = spread(read_corpus(where), asked.utterances)
        encoder = load_encoder(asked.encoder)
        waves = [load(u, sample_rate=encoder.sample_rate) for u in corpus]
        seconds = sum(w.size for w in waves) / encoder.sample_rate
        encoder.embed(waves[:1])
        alone, job = [], []
        for _ in range(max(1, asked.rounds)):
            start = perf_counter()
            # Original and protected speech: everything is embedded twice.
            with threadpool_limits(1), ThreadPoolExecutor(usable_cores()) as pool:
                list(pool.map(lambda w: encoder.embed([w]), waves * 2))
            alone.append(perf_counter() - start)
            start = perf_counter()
            assess_audio(Material(corpus, corpus), [encoder], by_gender=False)
            job.append(perf_counter() - start)
            print(
                f"  embedding alone {alone[-1]:.1f} s, files to assessment {job[-1]:.1f} s",
                flush=True,
            )
    ratio = min(job) / min(alone)
    print(
        f"{len(corpus)} utterances of {len(corpus.speakers)} speakers, {seconds / 60:.1f} min of "
        f"speech, {asked.encoder}, {usable_cores()} cores ({versions()})"
    )
    print(
        f"  whole pipeline / embedding alone  {ratio:.2f}×  target 1.3× "
        f"{'met' if ratio <= 1.3 else 'MISSED'}"
    )


if __name__ == "__main__":
    main()
