"""Learn what `pseudovoice.encoders.prosody` has to know, and write it beside the code.

    python benchmarks/prosody_weights.py speech/train speech/voice

Usual syllables are the centres of k-means, the scale of the figures is that of all utterances, and
what varies from one utterance of a person to the next is the covariance within speakers, sessions
together: who speaks otherwise on another day is the same person. Only readers of LibriSpeech are
taken: on a quarter of the speakers of speech/voice, with the others to learn from, the EER of one
utterance was 30.5 % so, 31.1 % without those of speech/train, 32.5 % with all of speech/train,
whose single sentences and digits are read otherwise, and 34.8 % with speech/train alone.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from pathlib import Path

import numpy as np
from scipy.cluster.vq import kmeans2

from pseudovoice.atomic import write_atomic
from pseudovoice.corpus import Corpus, Utterance, load, read_corpus
from pseudovoice.encoders import prosody
from pseudovoice.encoders.prosody import Scale, unusual
from pseudovoice.signal.melody import described, melody, syllables
from pseudovoice.signal.pitch import RATE, Float64

USUAL = 8
"""Of 1 to 32 usual syllables, 8 told most on speakers of speech/voice who had no part in it."""
SHRINKAGE = 0.3
"""Towards the same variance everywhere; between 0.1 and 0.6 it hardly matters."""
MOST = 40
"""Utterances of a speaker, spread over their sessions: nobody's habits should be everybody's."""
SEED = 1

Heard = tuple[str, Float64, Float64]
"""Speaker, figures and syllables of an utterance."""


def learn(heard: Iterable[Heard]) -> Scale:
    """The scale that makes one person's utterances alike."""
    speakers, figures, found = zip(*heard, strict=True)
    every = np.concatenate(found)
    unit = every.std(axis=0)
    usual, _ = kmeans2(every / unit, USUAL, minit="++", seed=SEED)
    rows = np.array(
        [np.concatenate([f, unusual(s / unit, usual)]) for f, s in zip(figures, found, strict=True)]
    )
    mean, spread = np.nanmean(rows, axis=0), np.nanstd(rows, axis=0)
    plain = Scale(usual, unit, mean, spread, np.eye(rows.shape[1]))(rows)
    who = np.array(speakers)
    within = np.zeros((rows.shape[1], rows.shape[1]))
    n = 0
    for name in np.unique(who):
        own = plain[who == name]
        within += (own - own.mean(axis=0)).T @ (own - own.mean(axis=0))
        n += len(own) - 1
    within /= n
    within = (1 - SHRINKAGE) * within + SHRINKAGE * np.trace(within) / len(within) * np.eye(
        len(within)
    )
    return Scale(usual, unit, mean, spread, np.linalg.cholesky(np.linalg.inv(within)))


def some(corpus: Corpus) -> Iterator[Utterance]:
    """At most :data:`MOST` utterances of each speaker, spread over what there is."""
    for speaker, own in corpus.speakers.items():
        if not speaker.isdigit():  # as LibriSpeech names its readers
            continue
        step = max(1, len(own) // MOST)
        yield from islice(own[::step], MOST)


def hear(utterance: Utterance) -> Heard | None:
    heard = melody(load(utterance, sample_rate=RATE))
    return None if heard is None else (utterance.speaker, described(heard), syllables(heard))


def main() -> None:
    chosen = [u for place in sys.argv[1:] for u in some(read_corpus(Path(place)))]
    with ThreadPoolExecutor() as pool:
        heard = [one for one in pool.map(hear, chosen) if one is not None]
    scale = learn(heard)
    data = io.BytesIO()
    np.savez_compressed(data, **{n: v.astype(np.float32) for n, v in vars(scale).items()})
    place = Path(prosody.__file__).with_name(prosody.WEIGHTS)
    write_atomic(place, data.getvalue())
    print(f"{place}: {len(heard)} utterances of {len({who for who, *_ in heard})} speakers")


if __name__ == "__main__":
    main()
