"""What it saves to tell the recogniser what was heard in the original.

Forty utterances of dev, one of each person, and what two safeguards make of them. Each protected
utterance is transcribed plainly and again with the text of its original as an offer, in one run;
the texts must be the same. Time is the processor's.

Run: python benchmarks/words_told.py [SAFEGUARD...]   (mcadams-random and xvector without a name)
"""

from __future__ import annotations

import sys
from pathlib import Path
from time import process_time

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

import pseudovoice as pv
from pseudovoice.asr.moonshine import load_moonshine
from pseudovoice.corpus import load, read_corpus

DEV = Path(__file__).resolve().parents[2] / "shared" / "speech" / "dev"
RATE = 16_000


def main(names: list[str]) -> None:
    corpus = read_corpus(DEV)
    people = [next(u for u in corpus if u.speaker == speaker) for speaker in corpus.speakers]
    originals: list[NDArray[np.float32]] = [load(u, sample_rate=RATE) for u in people]
    recogniser = load_moonshine()
    recogniser.transcribe(originals[0])  # the first run prepares the graphs
    before = process_time()
    heard = [recogniser.transcribe(samples) for samples in originals]
    print(f"original: {process_time() - before:.1f} s")
    key = pv.new_key()
    for name in names or ["mcadams-random", "xvector"]:
        spoken = [
            np.asarray(
                pv.protect_samples(x, RATE, safeguard=name, key=key, speaker=u.speaker), np.float32
            )
            for u, x in zip(people, originals, strict=True)
        ]
        before = process_time()
        plain = [recogniser.transcribe(samples) for samples in spoken]
        between = process_time()
        told = [recogniser.transcribe_told(x, t) for x, t in zip(spoken, heard, strict=True)]
        after = process_time()
        ratio = (between - before) / (after - between)
        same = sum(a == b for a, b in zip(plain, told, strict=True))
        print(
            f"{name}: plain {between - before:.1f} s, told {after - between:.1f} s, "
            f"{ratio:.1f} times; {same} of {len(told)} texts the same"
        )


if __name__ == "__main__":
    with threadpool_limits(1):
        main(sys.argv[1:])
