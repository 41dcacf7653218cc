"""Times that cannot be cut by are found, and rounding is not taken for a fault."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
import soundfile
from hypothesis import given
from hypothesis import strategies as st

from pseudovoice.alignment import AlignmentError, ReadAlignments, Word, align_corpus
from pseudovoice.alignment.check import checked
from pseudovoice.corpus import Corpus, Utterance
from pseudovoice.text.transcript import same_word, words_of


def check(*times: tuple[float, float], duration: float = 2.0) -> tuple[Word, ...]:
    words = [Word(f"w{k}", a, b) for k, (a, b) in enumerate(times)]
    return checked("here", "u", words, [word.word for word in words], duration).words


@pytest.mark.parametrize(
    ("times", "sentence"),
    [
        ([(0.1, 0.5), (0.5, 0.5)], r"word 2 \('w1'\) lasts 0 s"),
        ([(0.1, 0.5), (0.9, 0.7)], r"lasts -0.2 s"),
        ([(0.1, 0.5), (0.4, 0.9)], r"begins at 0.4 s, before the word before it ends \(0.5 s\)"),
        ([(-0.1, 0.5)], "outside the utterance"),
        ([(0.1, 2.1)], "outside the utterance, which lasts 2.00 s"),
        ([(math.nan, 0.5)], "has no time"),
        ([(0.1, math.inf)], "has no time"),
        ([(0.1, 0.505), (0.5, 0.505)], "no longer than times are rounded to"),
    ],
)
def test_impossible_times_are_faults(times: list[tuple[float, float]], sentence: str) -> None:
    with pytest.raises(AlignmentError, match=sentence) as caught:
        check(*times)
    assert caught.value.kind == "times"


def test_rounding_is_no_fault_and_leaves_times_in_order() -> None:
    words = check((-0.004, 0.51), (0.50, 1.0), (1.0, 2.008))
    assert [(w.start, w.end) for w in words] == [(0.0, 0.51), (0.51, 1.0), (1.0, 2.0)]


@given(
    st.lists(st.tuples(st.floats(-1, 4), st.floats(-1, 4)), min_size=1, max_size=6),
    st.floats(0.1, 4),
)
def test_what_passes_is_in_order_and_inside(
    times: list[tuple[float, float]], duration: float
) -> None:
    try:
        words = check(*times, duration=duration)
    except AlignmentError:
        return
    edges = [t for w in words for t in (w.start, w.end)]
    assert edges == sorted(edges)
    assert edges[0] >= 0
    assert edges[-1] <= duration
    assert all(w.end > w.start for w in words)
    assert np.abs(np.array([(w.start, w.end) for w in words]) - np.array(times)).max() < 0.011


def test_words_must_be_those_of_the_transcript() -> None:
    words = [Word("go", 0.1, 0.5), Word("home", 0.5, 0.9)]
    with pytest.raises(AlignmentError, match="transcript has 1 word and the alignment 2"):
        checked("here", "u", words, ["go"], 1.0)
    with pytest.raises(AlignmentError, match="word 2 of the transcript is 'away'"):
        checked("here", "u", words, ["go", "away"], 1.0)
    assert [w.word for w in checked("here", "u", words, ["Go,", "HOME!"], 1.0).words] == [
        "Go,",
        "HOME!",
    ]


def test_transcripts_lose_no_character() -> None:
    text = "- “Well” — he said , 50 % of R&B . . . costs $ 5 !"
    words = words_of(text)
    assert " ".join(words) == text
    assert words[0] == "- “Well” —"
    assert words_of(" — . ") == ()
    assert same_word("Café’s", "cafe's,")
    assert not same_word("cafes", "coffees")


def test_problems_are_per_utterance_and_the_rest_goes_on(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    utterances = []
    for name, text in (("a", "go home"), ("b", None), ("c", "go home"), ("d", "go"), ("e", "x y")):
        soundfile.write(tmp_path / f"{name}.wav", 0.1 * rng.standard_normal(16_000), 16_000)
        utterances.append(Utterance(name, "s", tmp_path / f"{name}.wav", transcript=text))
    (tmp_path / "e.wav").write_bytes(b"no audio")
    good = (Word("go", 0.1, 0.4, 0.9), Word("home", 0.5, 0.9, 0.9))
    unsure = tuple(Word(w.word, w.start, w.end, 0.2) for w in good)
    read = ReadAlignments("made", {"a": good, "c": unsure, "d": good, "e": good})
    found = align_corpus(Corpus("c", tmp_path, tuple(utterances)), read, workers=2)
    assert set(found.alignments) == {"a"}
    assert found.alignments["a"].confidence == pytest.approx(0.9)
    said = [str(problem) for problem in found.problems]
    assert len(said) == 4
    for sentence, what in zip(
        ("there is no transcript", "confidence 0.20, below", "1 word and the alignment 2", "audio"),
        said,
        strict=True,
    ):
        assert sentence in what
    assert all("left out" in what for what in said[:3])
