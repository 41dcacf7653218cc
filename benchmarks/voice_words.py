"""Where words are lost on the way through the neural voice.

    python benchmarks/voice_words.py CORPUS [--recogniser whisper-base] [--voice FOLDER]

CORPUS has transcripts. Every utterance is heard as it is, taken apart by WORLD and put together
again, said by the network as its own speaker (own place, own pitch), said as somebody else (a
synthetic target for each speaker) with the melody kept, smoothed, and drawn anew. Each row adds one
change to those before it. Word errors in %, with 95 % intervals over speakers (three at least), and
the difference from the row before under the same draws.
"""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from pseudovoice.asr.registry import load_recogniser
from pseudovoice.corpus import Utterance, load, read_corpus
from pseudovoice.encoders import load_encoder
from pseudovoice.safeguards.xvector import targets
from pseudovoice.safeguards.xvector.build import people_of
from pseudovoice.safeguards.xvector.contour import CONTOURS, moved
from pseudovoice.safeguards.xvector.frames import RATE, pitch_of, spoken_of, waveform_of
from pseudovoice.safeguards.xvector.neural_voice import NeuralVoice
from pseudovoice.text.normalise import normalise
from pseudovoice.utility.interval import Interval, Ratio, draws, interval
from pseudovoice.utility.words import WordErrors, total, word_errors

Samples = NDArray[np.float32]
STAGES = ("clear", "WORLD", "as itself", "as another", "melody smoothed", "melody anew")
REPLICATES = 1000


def drawn_by(speaker: str) -> Callable[[str], float]:
    """Draws for a speaker, as a key would make them."""
    return lambda purpose: (
        int.from_bytes(hashlib.sha256(f"{speaker} {purpose}".encode()).digest()[:6], "big") / 2**48
    )


def said(
    x: Samples, voice: NeuralVoice, own: NDArray[np.float64], another: targets.Target
) -> Iterator[Samples]:
    """The utterance in every stage."""
    yield x
    f0 = pitch_of(x)
    yield waveform_of(spoken_of(x, f0), f0)[: x.size].astype(np.float32)
    content = voice.content(x)
    melodies = (moved(f0, another, contour, lambda _: 0.5) for contour in CONTOURS)
    for pitch, place in ((f0, own), *((f, np.array(another.place)) for f in melodies)):
        made = voice.say(content, pitch, place)[: x.size]
        # A voice speaks at a level of its own; recognisers hear that of the recording.
        yield (made * np.sqrt(np.mean(x**2) / max(1e-12, np.mean(made**2)))).astype(np.float32)


def by_speaker(errors: dict[str, list[WordErrors]]) -> Ratio:
    sums = [total(errors[speaker]) for speaker in sorted(errors)]
    return Ratio(
        np.array([s.errors for s in sums], float), np.array([s.words for s in sums], float)
    )


def told(found: Interval) -> str:
    return f"{100 * found.value:5.1f} [{100 * found.low:.1f}, {100 * found.high:.1f}]"


def main(corpus_path: str, names: list[str], folder: str) -> None:
    corpus = read_corpus(corpus_path)
    voice = targets.voice_of(folder, "")
    assert isinstance(voice, NeuralVoice)
    chooser = targets.chooser_of("", folder, "synthetic", "any")
    people, _ = people_of([corpus], load_encoder(voice.space.encoder), 1)
    places = {p.speaker.partition("/")[2]: voice.space.places(p.embedding[None])[0] for p in people}
    another = {
        speaker: chooser.target(None, "FM"[k % 2], drawn_by(speaker))
        for k, speaker in enumerate(sorted(places))
    }
    recognisers = {name: load_recogniser(name) for name in names}
    errors: dict[tuple[str, str], dict[str, list[WordErrors]]] = {}

    def count(utterance: Utterance) -> None:
        speaker = utterance.speaker
        x = load(utterance, sample_rate=RATE).astype(np.float32)
        made = said(x, voice, places[speaker], another[speaker])
        for stage, samples in zip(STAGES, made, strict=True):
            for name, recogniser in recognisers.items():
                heard = normalise(recogniser.transcribe(samples))
                found = word_errors(normalise(utterance.transcript or ""), heard)
                errors.setdefault((name, stage), {}).setdefault(speaker, []).append(found)

    for utterance in corpus:
        if utterance.speaker in places:
            count(utterance)
    often = draws(len(places), REPLICATES, 0)
    for name in names:
        before = None
        for stage in STAGES:
            ratio = by_speaker(errors[name, stage])
            more = "" if before is None else told(interval(ratio, minus=before, drawn=often))
            print(f"{name:14} {stage:16} {told(interval(ratio, drawn=often))}   {more}")
            before = ratio


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus")
    parser.add_argument("--recogniser", action="append")
    parser.add_argument("--voice", default="")
    given = parser.parse_args()
    with threadpool_limits(1):
        main(given.corpus, given.recogniser or ["whisper-base"], given.voice)
