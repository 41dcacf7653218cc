"""Synthetic voices for the demo, where real recordings are not to be had.

Thirteen voices of a formant synthesiser differ far less than people do, and none of them varies
from one sentence to the next as people do: a report on them shows what a report looks like, and
says nothing about how well a safeguard protects anybody.
"""

from __future__ import annotations

from collections.abc import Iterator

import soxr

from pseudovoice.corpus import Corpus
from pseudovoice.demo.corpus import RATE, Said, corpus_place, kept_corpus
from pseudovoice.demo.draw import drawn
from pseudovoice.demo.espeak import PACKAGE, VERSION, load_espeak

UTTERANCES = 8
"""Sentences of each voice."""

WORDS_A_MINUTE = 150

VOICES = {
    "f1": 60, "f2": 45, "f3": 70, "f4": 50, "f5": 35,
    "m1": 40, "m2": 30, "m3": 55, "m4": 20, "m5": 65, "m6": 45, "m7": 25, "m8": 75,
}  # fmt: skip
"""Voice variant and its pitch, so that the voices differ in more than one respect."""

SENTENCES = (
    "The ferry was late again, so we waited on the quay and watched the gulls quarrel over bread.",
    "My grandmother kept her letters in a tin box that smelled of lavender and old paper.",
    "There is a narrow path behind the mill which leads down to the river and the stone bridge.",
    "On market days the square is full of people long before the church clock strikes seven.",
    "He promised to mend the kitchen door in spring, and in autumn it still would not close.",
    "We planted three apple trees by the wall, and only the smallest of them ever bore fruit.",
    "The teacher opened every window, because somebody had dropped a bottle of vinegar.",
    "If it rains tomorrow, we shall take the early train and visit the museum by the harbour.",
    "Nobody could remember who had brought the blue umbrella, so it stayed behind the counter.",
    "The road climbs for an hour through the pine wood before you can see the lake below.",
    "She counted the coins twice, put them back into the jar and smiled at the baker.",
    "In winter the old bus often stops at the top of the hill and will not start again.",
    "A small dog followed us home from the beach and slept in front of the stove that night.",
    "They painted the boat green last year, although everyone in the village preferred red.",
    "The letter arrived on a Thursday and was answered before the soup had gone cold.",
    "You can hear the bells on the far side of the valley when the wind comes from the east.",
)


def synthetic_corpus() -> Corpus:
    """The corpus of the voices of eSpeak NG; spoken the first time, then taken from the cache."""
    made_of = {
        "of": f"{PACKAGE} {VERSION}",
        "voices": VOICES,
        "sentences": SENTENCES,
        "drawn": [UTTERANCES, WORDS_A_MINUTE, RATE],
    }
    return kept_corpus(corpus_place("synthetic", made_of), _utterances)


def _utterances() -> Iterator[Said]:
    espeak = load_espeak()
    for voice, pitch in VOICES.items():
        numbered = [(f"synthetic-{voice}-{k:02d}", text) for k, text in enumerate(SENTENCES, 1)]
        for name, text in drawn(numbered, UTTERANCES, lambda pair: pair[0]):
            samples = espeak.speak(text, f"en-us+{voice}", pitch=pitch, rate=WORDS_A_MINUTE)
            at_rate = soxr.resample(samples, espeak.sample_rate, RATE)
            yield Said(name, f"synthetic-{voice}", "english", at_rate)
