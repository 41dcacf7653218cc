"""The search for words against an exhaustive one, and what a lexicon and 3-grams are good for."""

from __future__ import annotations

import itertools
import math
from collections import defaultdict

import numpy as np
import pytest

from pseudovoice.asr.ctc.beam import SPELLING
from pseudovoice.asr.ctc.decoder import Decoder
from pseudovoice.asr.ctc.lexicon import NOWHERE, lexicon_of
from pseudovoice.asr.ctc.units import (
    BLANK,
    SPACE,
    UNITS,
    collapsed,
    frames_needed,
    spelt,
    written,
)
from pseudovoice.errors import UsageError
from pseudovoice.text.kneser_ney import train
from pseudovoice.text.ngram import Float64, NGram

SENTENCES = [s.split() for s in ("a ab", "ab a", "a a ab", "ba", "ab ab a", "a b", "b a ab")]
FEW = (BLANK, SPACE, *map(int, spelt("ab")))


@pytest.fixture(scope="module")
def language() -> NGram:
    return train(SENTENCES)


def random_frames(rng: np.random.Generator, frames: int, sharp: float = 1.5) -> Float64:
    """ln P of blank, space, a and b in each frame; other units cannot be."""
    logits = rng.normal(0.0, sharp, (frames, len(FEW)))
    heard = np.full((frames, len(UNITS)), -np.inf)
    heard[:, FEW] = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
    return heard


def exhaustive(heard: Float64, language: NGram, weight: float, bonus: float) -> dict[str, float]:
    """The score of every text that some path collapses to, straight from the definition."""
    total: dict[str, float] = defaultdict(float)
    for path in itertools.product(FEW, repeat=len(heard)):
        probability = math.exp(sum(heard[t, unit] for t, unit in enumerate(path)))
        total[written(collapsed(path))] += probability
    return {
        text: math.log(p) + weight * spoken(text.split(), language) + bonus * len(text.split())
        for text, p in total.items()
        if not text.startswith(" ") and "  " not in text
    }


def spoken(words: list[str], language: NGram) -> float:
    """ln P of a sentence, unknown words spelt out of a hat."""
    spelling = sum(len(word) for word in words if word not in language.index)
    return math.log(10.0) * language.sentence(words).sum() + spelling * math.log(SPELLING)


@pytest.mark.parametrize(("weight", "bonus"), [(0.0, 0.0), (0.7, 0.5), (1.5, 2.0)])
@pytest.mark.parametrize("seed", range(4))
def test_a_wide_beam_finds_the_best_of_all_texts(
    language: NGram, seed: int, weight: float, bonus: float
) -> None:
    heard = random_frames(np.random.default_rng(seed), 6)
    found = Decoder(language, weight=weight, bonus=bonus, beam=5000)(heard, least=0.0)
    scores = exhaustive(heard, language, weight, bonus)
    assert found.score == pytest.approx(max(scores.values()), abs=1e-9)
    best = {text.strip() for text, score in scores.items() if score > found.score - 1e-9}
    assert found.text in best


def test_a_narrow_beam_never_claims_more_than_is_there(language: NGram) -> None:
    """Pruning loses paths, so a score is a lower bound of the true one, and more beam is better."""
    rng = np.random.default_rng(9)
    worse = 0
    for _ in range(10):
        heard = random_frames(rng, 6)
        scores = exhaustive(heard, language, 0.7, 0.5)
        by_beam = [
            Decoder(language, weight=0.7, bonus=0.5, beam=beam)(heard, least=0.0).score
            for beam in (1, 8, 5000)
        ]
        assert max(by_beam) <= max(scores.values()) + 1e-9
        worse += by_beam[0] < by_beam[2] - 1e-6
    assert worse


def certain(text: str, *, doubt: float = 0.1) -> Float64:
    """Frames that spell a text, a blank after each letter, with some doubt about each."""
    path = [unit for letter in spelt(text) for unit in (letter, BLANK)]
    heard = np.full((len(path), len(UNITS)), math.log(doubt / (len(UNITS) - 1)))
    heard[np.arange(len(path)), path] = math.log1p(-doubt)
    return heard


def test_the_language_model_mends_what_was_heard() -> None:
    language = train([s.split() for s in ("the king has gone", "the king is here", "kind words")])
    heard = certain("the kinq has gone")
    assert Decoder()(heard).text == "the kinq has gone"
    assert Decoder(language)(heard).text == "the king has gone"
    # Two words sound alike; the one before decides.
    heard = certain("the kin", doubt=0.3)
    last = np.full((2, len(UNITS)), -9.0)
    last[0, spelt("gd")] = math.log(0.49), math.log(0.5)
    last[1, BLANK] = math.log(0.9)
    assert Decoder(language)(np.concatenate([heard, last])).text == "the king"
    assert Decoder(language, weight=0.0)(np.concatenate([heard, last])).text == "the kind"


def test_a_word_outside_the_lexicon_can_be_written() -> None:
    language = train([s.split() for s in ("the king has gone", "the king is here")])
    assert Decoder(language)(certain("the zorro is here", doubt=0.001)).text == "the zorro is here"


def test_doubled_letters_need_a_blank() -> None:
    assert written(collapsed([2, 2, 0, 2, 1, 1, 3])) == "aa b"
    assert frames_needed(spelt("all")) == 4
    language = train([["all"], ["al"]])
    heard = np.full((5, len(UNITS)), -30.0)
    for t, unit in enumerate((*spelt("al"), BLANK, *spelt("l"), BLANK)):
        heard[t, unit] = 0.0
    assert Decoder(language)(heard).text == "all"
    assert Decoder(language)(heard[[0, 1, 3, 4]]).text == "al"


def test_silence_has_no_words(language: NGram) -> None:
    heard = np.full((20, len(UNITS)), -20.0)
    heard[:, BLANK] = 0.0
    assert Decoder(language)(heard).text == ""
    assert Decoder()(heard).text == ""
    assert Decoder(language)(heard[:0]).text == ""


def test_the_lexicon_is_the_words_of_the_model(language: NGram) -> None:
    tree = lexicon_of(language)
    assert tree.words == 4
    for word in ("a", "ab", "b", "ba"):
        node = 0
        for unit in spelt(word):
            node = tree.children[node, unit]
            assert tree.ahead[node] >= language.log10[language.index[word]]
        assert tree.word[node] == language.index[word]
    assert tree.children[0, spelt("c")[0]] == NOWHERE
    assert lexicon_of(train([["naïve", "3rd", "plain"]])).words == 1


def test_units_and_text_are_inverse() -> None:
    assert written(spelt("don't go  now ")) == "don't go now"
    assert written(spelt("señor 5")) == "seor"
    assert spelt("").size == 0


def test_wrong_choices_are_sentences(language: NGram) -> None:
    with pytest.raises(UsageError, match="beam must be at least 1"):
        Decoder(language, beam=0)
    with pytest.raises(UsageError, match="among 29 units"):
        Decoder(language)(np.zeros((4, 7)))
    assert "4 words" in Decoder(language).said
    assert "no language model" in Decoder().said
