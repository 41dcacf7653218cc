"""The text attack against its definition, and the ranking metrics against counting by hand."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pseudovoice.errors import InputError, UsageError
from pseudovoice.reassembly import (
    NGram,
    Ranks,
    measure,
    rank_by_scores,
    rank_by_text,
    succession,
    text_scores,
    tokens,
    train,
)
from pseudovoice.slicing import Origin


def origins(utterances: list[list[str]]) -> list[Origin]:
    return [
        Origin(f"{u}-{k}", str(u), k, float(k), k + 1.0, f"s{u % 3}", "", text)
        for u, texts in enumerate(utterances)
        for k, text in enumerate(texts)
    ]


ODD = [["hello", "there my", "zebra zebra zebra", "", "the"], ["the"], ["of the", "the of", "of"]]


@pytest.fixture(scope="module")
def sliced(shared: Path) -> tuple[list[Origin], NGram]:
    """Three-word slices of sentences, with odd ones among them, and a model of other sentences."""
    path = shared / "text" / "common_voice_sentences.txt"
    if not path.is_file():
        pytest.skip(f"the text is not here: there is no {path}")
    lines = path.read_text().splitlines()[:6000]
    random.Random(0).shuffle(lines)
    model = train(map(tokens, lines[60:]))
    pieces = [
        [" ".join(words[k : k + 3]) for k in range(0, len(words), 3)]
        for words in (line.split() for line in lines[:60])
    ]
    return origins(pieces + ODD), model


def log_of(model: NGram, words: list[str]) -> float:
    """Eq. 1, as it stands."""
    return sum(
        model.log_probability(word, words[max(0, k - 2) : k]) for k, word in enumerate(words)
    )


@pytest.mark.parametrize("score", ["joint", "ratio"])
def test_scores_are_those_of_the_definition(sliced: tuple[list[Origin], NGram], score: str) -> None:
    rows, model = sliced
    texts = [row.text for row in rows]
    scores = text_scores(texts, model, score=score)
    rng = np.random.default_rng(0)
    odd = np.arange(len(rows) - 9, len(rows))
    for w, v in [*rng.integers(0, len(rows), (200, 2)), *((a, b) for a in odd for b in odd)]:
        end, begin = list(tokens(texts[w]))[-2:], list(tokens(texts[v]))[:2]
        expected = log_of(model, end + begin)
        if score == "ratio":
            expected -= log_of(model, end) + log_of(model, begin)
        elif not begin:
            expected -= 1000
        assert scores[w, v] == pytest.approx(expected), (texts[w], texts[v])


@pytest.mark.parametrize("score", ["joint", "ratio"])
@pytest.mark.parametrize("workers", [1, 2])
def test_ranks_are_those_of_all_scores(
    sliced: tuple[list[Origin], NGram], score: str, workers: int
) -> None:
    rows, model = sliced
    texts, truth = [row.text for row in rows], succession(rows)
    ranks = rank_by_text(texts, truth, model, score=score, workers=workers)
    scores = np.round(text_scores(texts, model, score=score), 7)
    expected = rank_by_scores(scores, truth)
    assert (ranks.above == expected.above).all()
    assert (ranks.tied == expected.tied).all()
    assert ranks.tied.max() > 1  # the odd slices tie
    assert (ranks.utterance == truth.utterance[truth.queries]).all()


def test_the_attack_finds_more_than_chance(sliced: tuple[list[Origin], NGram]) -> None:
    rows, model = sliced
    truth = succession(rows)
    found = measure(rank_by_text([r.text for r in rows], truth, model, score="ratio"))
    assert float(found.average.value) < 0.4
    assert found.average.high is not None
    assert float(found.average.high) < 0.5 < 2 * float(found.top_10.value) + 0.5
    # Slices in random order tell it nothing.
    texts = [row.text for row in rows]
    random.Random(1).shuffle(texts)
    lost = measure(rank_by_text(texts, truth, model, score="ratio"))
    assert float(lost.average.value) == pytest.approx(0.5, abs=0.08)


def test_unknown_scores_are_refused(sliced: tuple[list[Origin], NGram]) -> None:
    rows, model = sliced
    with pytest.raises(UsageError, match="no text score 'best'"):
        text_scores([row.text for row in rows], model, score="best")


def test_metrics_by_hand() -> None:
    """Five slices in a row, so four queries with four candidates each."""
    truth = succession(origins([["a"] * 5]))
    scores = np.zeros((5, 5))
    scores[0, 1] = 1  # alone at the top: rank 1
    scores[1, [0, 2]] = 1  # two tie at the top: rank 1.5
    scores[2, [0, 1]] = 1  # behind two, tied with 4: rank 3.5
    scores[2, 2] = 9  # a slice is no candidate of its own
    scores[3, [0, 1, 2]] = 1  # last: rank 4
    ranks = rank_by_scores(scores, truth)
    assert ranks.above.tolist() == [0, 0, 2, 3]
    assert ranks.tied.tolist() == [1, 2, 2, 1]
    assert ranks.rank.tolist() == [1, 1.5, 3.5, 4]
    found = measure(ranks)
    assert found.slices == 5
    assert found.queries == 4
    assert found.average.value == pytest.approx(10 / 4 / 4)
    assert found.median.value == pytest.approx(2.5 / 4)
    assert found.top_1.value == pytest.approx((1 + 0.5) / 4)
    assert found.top_10.value == pytest.approx((1 + 0.5) / 4)
    assert found.top_1.null == pytest.approx(1 / 4)


def test_equal_scores_are_chance() -> None:
    truth = succession(origins([["a"] * 3 for _ in range(40)]))
    found = measure(rank_by_scores(np.zeros((120, 120)), truth))
    for figure in (found.average, found.median, found.top_1, found.top_10):
        assert figure.value == pytest.approx(figure.null)
        assert figure.chance


@given(st.integers(0, 10_000))
def test_only_the_order_of_scores_counts(seed: int) -> None:
    rng = np.random.default_rng(seed)
    truth = succession(origins([["a"] * int(n) for n in rng.integers(1, 5, 8)] + [["a", "b"]]))
    scores = rng.integers(0, 5, (len(truth), len(truth))).astype(float)
    plain, bent = (rank_by_scores(s, truth) for s in (scores, np.exp(3 * scores) - 7))
    assert (plain.rank == bent.rank).all()
    assert (plain.rank >= 1).all()
    assert (plain.rank <= len(truth) - 1).all()


def test_intervals_are_over_utterances() -> None:
    """Many slices of few utterances must not look like many observations."""
    rng = np.random.default_rng(0)
    level = np.repeat(rng.integers(0, 100, 12), 50)
    ranks = Ranks(level, np.ones_like(level), 601, np.repeat(np.arange(12), 50))
    single = Ranks(level, np.ones_like(level), 601, np.arange(600))
    wide, narrow = measure(ranks).average, measure(single).average
    widths = [float(e.high or 0) - float(e.low or 0) for e in (wide, narrow)]
    assert widths[0] > 4 * widths[1] > 0
    assert measure(ranks, replicates=0).average.low is None
    median = measure(ranks).median
    assert float(median.low or 0) <= float(median.value) <= float(median.high or 0)


def test_the_median_of_replicates_is_a_median() -> None:
    rng = np.random.default_rng(1)
    values = rng.integers(0, 50, 30)
    ranks = Ranks(values, np.ones(30, int), 100, np.arange(30))
    found = measure(ranks, replicates=400, seed=3)
    drawn = np.random.default_rng(3).multinomial(30, np.full(30, 1 / 30), size=400)
    medians = [np.median(np.repeat(ranks.normalised, weights)) for weights in drawn]
    assert (found.median.low, found.median.high) == pytest.approx(
        np.quantile(medians, [0.025, 0.975])
    )


def test_successors_are_read_off_the_table() -> None:
    truth = succession(origins([["a", "b"], ["c"], ["d", "e", "f"]]))
    assert truth.successor.tolist() == [1, -1, -1, 4, 5, -1]
    assert truth.queries.tolist() == [0, 3, 4]
    part, where = truth.of_utterances(np.array([0, 2]))
    assert where.tolist() == [0, 1, 3, 4, 5]
    assert part.successor.tolist() == [1, -1, 3, 4, -1]
    with pytest.raises(InputError, match="twice"):
        succession([*origins([["a", "b"]]), origins([["a"]])[0]])
    with pytest.raises(InputError, match="No slice has a successor"):
        measure(rank_by_scores(np.zeros((2, 2)), succession(origins([["a"], ["b"]]))))
