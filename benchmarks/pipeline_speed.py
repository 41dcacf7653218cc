"""The whole way from files to the assessment, against embedding the same audio alone.

The reference embeds samples that are already in memory, on as many threads as there are cores.
The job decodes the files, embeds original and protected speech, scores and assesses. The speech
is LibriSpeech dev from ../shared where it is there, artificial voices (said so) where not.

Run: python benchmarks/pipeline_speed.py [ENCODER [UTTERANCES]]
"""

from __future__ import annotations

import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import perf_counter

import numpy as np
import soundfile
from threadpoolctl import threadpool_limits

from pseudovoice.cores import usable_cores
from pseudovoice.corpus import Corpus, load, read_corpus
from pseudovoice.recognition.assess import Material, assess_audio
from pseudovoice.recognition.encoders import load_encoder
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


def main() -> None:
    name = sys.argv[1] if len(sys.argv) > 1 else "resnet34-lm"
    most = int(sys.argv[2]) if len(sys.argv) > 2 else 160
    with tempfile.TemporaryDirectory() as place:
        where = SHARED if SHARED.is_dir() else artificial(Path(place))
        print("speech: " + ("LibriSpeech dev" if where is SHARED else "artificial voices"))
        whole = read_corpus(where)
        step = max(1, len(whole) // most)
        corpus = Corpus(whole.name, whole.root, whole.utterances[::step], (), whole.layout)
        encoder = load_encoder(name)
        waves = [load(u, sample_rate=encoder.sample_rate) for u in corpus]
        seconds = sum(w.size for w in waves) / encoder.sample_rate
        encoder.embed(waves[:1])
        ratios = []
        for _ in range(2):
            start = perf_counter()
            # Original and protected speech: everything is embedded twice.
            with threadpool_limits(1), ThreadPoolExecutor(usable_cores()) as pool:
                list(pool.map(lambda w: encoder.embed([w]), waves * 2))
            alone = perf_counter() - start
            start = perf_counter()
            assess_audio(Material(corpus, corpus), [encoder], by_gender=False)
            job = perf_counter() - start
            ratios.append(job / alone)
            print(f"  embedding alone {alone:.1f} s, files to assessment {job:.1f} s")
    print(f"{len(corpus)} utterances, {seconds / 60:.1f} min of speech, {name} ({versions()})")
    print(f"  whole pipeline / embedding alone  {min(ratios):.2f}×  target 1.3×")


if __name__ == "__main__":
    main()
