"""Real speech for the demo: the recordings fetched by name, cut at pauses, a few drawn of each."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from pseudovoice.corpus import Corpus, Utterance, load
from pseudovoice.demo.corpus import RATE, Said, corpus_place, kept_corpus
from pseudovoice.demo.draw import drawn
from pseudovoice.demo.recordings import COLLECTION, RECORDINGS
from pseudovoice.models import fetch_collection
from pseudovoice.pieces import pauses

UTTERANCES, SHORTEST = 4, 6
"""So many utterances are drawn of each recording, out of so many of its shortest: the time of the
demo grows with the seconds of speech, what it shows with the number of utterances."""


def real_corpus(progress: Callable[[int, int], None] = lambda *_: None) -> Corpus:
    """The corpus of the recordings; fetched and cut the first time, then taken from the cache."""
    made_of = {
        "recordings": [(one.id, one.speaker, one.session, one.file.sha256) for one in RECORDINGS],
        "cut": {name: value for name, value in vars(pauses).items() if name.isupper()},
        "drawn": [UTTERANCES, SHORTEST],
        "rate": RATE,
    }
    place = corpus_place("speech", made_of)
    return kept_corpus(place, lambda: _utterances(progress))


def _utterances(progress: Callable[[int, int], None]) -> Iterator[Said]:
    folder = fetch_collection(COLLECTION)
    for done, recording in enumerate(RECORDINGS, 1):
        whole = load(
            Utterance(recording.id, recording.speaker, folder / recording.file.path),
            sample_rate=RATE,
        )
        spans = pauses.cut_at_pauses(pauses.powers_of([whole], RATE))
        numbered = [(f"{recording.id}-{k:02d}", span) for k, span in enumerate(spans, 1)]
        short = sorted(sorted(numbered, key=lambda pair: pair[1].seconds)[:SHORTEST])
        for name, span in drawn(short, UTTERANCES, lambda pair: pair[0]):
            samples = whole[round(span.start * RATE) : round(span.end * RATE)]
            yield Said(name, recording.speaker, recording.session, samples)
        progress(done, len(RECORDINGS))
