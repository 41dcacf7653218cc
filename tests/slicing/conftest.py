"""A corpus with known word times, so that slicing is tested without an aligner."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import soundfile

from pseudovoice.alignment import ReadAlignments, Word
from pseudovoice.corpus import Corpus, Utterance

RATE = 8_000


@pytest.fixture
def known(tmp_path: Path) -> tuple[Corpus, ReadAlignments]:
    """Six utterances of three speakers with made-up words and distinct noise."""
    rng = np.random.default_rng(3)
    utterances, times = [], {}
    for number in range(6):
        speaker, name = f"spk{number % 3}", f"utterance{number}"
        at, words = float(rng.uniform(0.1, 0.4)), []
        for k in range(int(rng.integers(8, 14))):
            end = at + float(rng.uniform(0.1, 0.4))
            words.append(Word(f"w{number}x{k}", round(at, 3), round(end, 3), 0.9))
            at = end + float(rng.choice([0.0, 0.05, 0.3]))
        path = tmp_path / "corpus" / speaker / f"{name}.wav"
        path.parent.mkdir(parents=True, exist_ok=True)
        samples = rng.integers(-9000, 9000, int((at + 0.2) * RATE)).astype(np.int16)
        soundfile.write(path, samples, RATE)
        text = " ".join(word.word for word in words)
        utterances.append(Utterance(name, speaker, path, session="morning", transcript=text))
        times[name] = tuple(words)
    corpus = Corpus("corpus", tmp_path / "corpus", tuple(utterances))
    return corpus, ReadAlignments("known times", times)
