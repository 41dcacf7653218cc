"""Word errors: counted values, an independent edit distance, and merging."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pseudovoice.errors import InputError
from pseudovoice.utility.words import WordErrors, total, word_errors

WORDS = st.lists(st.sampled_from(["a", "bee", "sea", "dee"]), max_size=8)


def distance(a: Sequence[str], b: Sequence[str]) -> int:
    """Levenshtein's, by its recurrence."""
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        before, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (x != y))
    return row[-1]


@given(WORDS.filter(bool), WORDS)
def test_errors_are_the_edit_distance(reference: list[str], heard: list[str]) -> None:
    found = word_errors(" ".join(reference), " ".join(heard))
    assert found.errors == distance(reference, heard)
    assert found.words == len(reference)
    assert found.character_errors == distance(" ".join(reference), " ".join(heard))
    assert found.characters == len(" ".join(reference))
    assert found.substitutions + found.deletions <= found.words
    assert found.insertions - found.deletions == len(heard) - len(reference)
    assert found.empty == (not heard)
    assert found.lost == (not heard or found.errors >= len(reference))


@pytest.mark.parametrize(
    ("heard", "wer", "lost"),
    [
        ("the cat sat", 0.0, 0),
        ("the cat", 1 / 3, 0),
        ("the cat sat on it", 2 / 3, 0),
        ("a dog ran", 1.0, 1),
        ("", 1.0, 1),
        ("no no no no no no", 2.0, 1),
    ],
)
def test_counted_by_hand(heard: str, wer: float, lost: int) -> None:
    found = word_errors("the cat sat", heard)
    assert found.wer == pytest.approx(wer)
    assert found.lost == lost


def test_corpus_rate_is_of_sums_not_of_rates() -> None:
    parts = [word_errors("a b c d e f g h i", "a b c d e f g h i"), word_errors("a", "b")]
    assert total(parts).wer == pytest.approx(0.1)
    assert total(parts).utterances == 2
    assert total([]).wer != total([]).wer  # NaN: nothing to divide by


@given(st.lists(st.tuples(WORDS.filter(bool), WORDS), max_size=6), st.integers(0, 6))
def test_merging_parts_gives_the_whole(pairs: list[tuple[list[str], list[str]]], at: int) -> None:
    parts = [word_errors(" ".join(a), " ".join(b)) for a, b in pairs]
    assert total(parts[:at]) + total(parts[at:]) == total(parts)
    assert total(parts) + WordErrors() == total(parts)


def test_no_reference_is_a_sentence() -> None:
    with pytest.raises(InputError, match="holds no words"):
        word_errors("  ", "something")
