"""Word errors and time of the recognisers that install by name, on read English.

Every other speaker of dev, in turns, until there are thirty utterances of 4 to 10 s; one thread.
Time is the processor's, so that other work on the machine does not count.

Run: python benchmarks/recognisers.py [NAME...]   (all of them without a name)
"""

from __future__ import annotations

import sys
from itertools import chain, zip_longest
from pathlib import Path
from time import process_time

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from pseudovoice.asr.registry import RECOGNISER_NAMES, load_recogniser
from pseudovoice.corpus import Corpus, Utterance, load, read_corpus
from pseudovoice.text.normalise import normalise
from pseudovoice.utility.words import total, word_errors

DEV = Path(__file__).resolve().parents[2] / "shared" / "speech" / "dev"
RATE = 16_000
COUNT, SHORTEST, LONGEST = 30, 4.0, 10.0


def chosen(corpus: Corpus) -> list[tuple[Utterance, NDArray[np.float32]]]:
    """The utterances with their samples; a second one of a speaker after everybody's first."""
    people = []
    for speaker in list(corpus.speakers)[::2]:
        first = [(u, load(u, sample_rate=RATE)) for u in corpus if u.speaker == speaker][:6]
        people.append([(u, x) for u, x in first if SHORTEST <= x.size / RATE <= LONGEST])
    turns = chain.from_iterable(zip_longest(*people))
    return [pair for pair in turns if pair is not None][:COUNT]


def main(names: list[str]) -> None:
    speech = chosen(read_corpus(DEV))
    seconds = sum(samples.size for _, samples in speech) / RATE
    print(f"{len(speech)} utterances, {seconds:.0f} s")
    for name in names or RECOGNISER_NAMES:
        recogniser = load_recogniser(name)
        recogniser.transcribe(speech[0][1])  # the first run prepares the graphs
        begun = process_time()
        texts = [recogniser.transcribe(samples) for _, samples in speech]
        spent = process_time() - begun
        errors = []
        for (utterance, _), text in zip(speech, texts, strict=True):
            said, heard = normalise(utterance.transcript or ""), normalise(text)
            errors.append(word_errors(said, heard))
            if said != heard:
                print(f"  {utterance.id}\n    said  {said}\n    heard {heard}\n    wrote {text}")
        whole = total(errors)
        print(f"{name}: WER {whole.wer:.1%} of {whole.words} words, RTF {spent / seconds:.2f}")


if __name__ == "__main__":
    with threadpool_limits(1):
        main(sys.argv[1:])
