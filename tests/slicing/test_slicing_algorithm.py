"""Where the cuts are: Algorithm 1 line by line, and what every way of cutting must keep."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pseudovoice.alignment import Word
from pseudovoice.errors import UsageError
from pseudovoice.slicing import Slice, fixed, shorten, slice_words
from pseudovoice.slicing.algorithm import cutter

Times = list[tuple[float, float]]


def words_at(times: Sequence[tuple[float, float]]) -> list[Word]:
    return [Word(f"w{k}", a, b) for k, (a, b) in enumerate(times)]


def algorithm_1(times: Times, duration: float, delta: float) -> list[tuple[float, float, int, int]]:
    """The paper's pseudo-code, line for line, in integers of 10 ms, words from 1 to |w|."""
    slices = []
    t_prv, k_prv = 0, 1
    for k in range(1, len(times) + 1):
        _, t_end = times[k - 1]
        t_next = times[k][0] if k + 1 <= len(times) else duration
        if t_next - t_prv >= delta:
            slices.append((t_prv, t_next, k_prv - 1, k))
            t_prv = t_end
            k_prv = k + 1
    return slices


@st.composite
def utterances(draw: st.DrawFn) -> tuple[Times, int]:
    """Word times in whole hundredths and the utterance's duration."""
    steps = draw(
        st.lists(st.tuples(st.integers(0, 60), st.integers(1, 80)), min_size=1, max_size=25)
    )
    at, times = 0, []
    for gap, length in steps:
        times.append((at + gap, at + gap + length))
        at += gap + length
    return times, at + draw(st.integers(0, 50))


@given(utterances(), st.integers(1, 300))
def test_overlap_is_algorithm_1_to_the_letter(made: tuple[Times, int], delta: int) -> None:
    times, duration = made
    expected = algorithm_1(times, duration, delta)
    seconds = words_at([(a / 100, b / 100) for a, b in times])
    found = slice_words(seconds, duration / 100, delta / 100, overlap=True)
    assert [(round(100 * s.start), round(100 * s.end), s.first, s.last) for s in found] == expected


@given(utterances(), st.integers(1, 300))
def test_default_covers_once_and_cuts_in_silence(made: tuple[Times, int], delta: int) -> None:
    times, duration = made
    words = words_at([(a / 100, b / 100) for a, b in times])
    found = slice_words(words, duration / 100, delta / 100)
    until, next_word = 0.0, 0
    for piece in found:
        assert piece.start == until
        assert piece.first == next_word
        assert piece.last > piece.first
        assert piece.duration >= delta / 100 - 1e-6
        # Its words lie in it, and it stops as soon as it may.
        assert words[piece.first].start >= piece.start - 1e-9
        assert words[piece.last - 1].end <= piece.end + 1e-9
        until, next_word = piece.end, piece.last
    # What is left is shorter than a slice, whether or not words are in it.
    assert duration / 100 - until < delta / 100 + 1e-6
    if found and found[-1].last < len(words):
        gap = words[found[-1].last - 1].end, words[found[-1].last].start
        assert until == pytest.approx(sum(gap) / 2)


def test_the_papers_silence_is_shared_and_the_middle_is_not() -> None:
    words = words_at([(0.2, 0.9), (1.3, 1.6), (1.6, 2.4), (2.5, 2.7)])
    letter = slice_words(words, 3.0, 1.0, overlap=True)
    assert letter == (Slice(0.0, 1.3, 0, 1), Slice(0.9, 2.5, 1, 3))
    middle = slice_words(words, 3.0, 1.0)
    assert middle == (Slice(0.0, 1.1, 0, 1), Slice(1.1, 2.45, 1, 3))


def test_exactly_the_target_is_enough_despite_binary_fractions() -> None:
    # 2.3 - 1.3 is 0.9999999999999998.
    words = words_at([(0.1, 1.3), (1.3, 2.3), (2.3, 2.5)])
    assert [s.last for s in slice_words(words, 2.6, 1.0, overlap=True)] == [1, 2]
    assert len(fixed([], 0.1 * 3, 0.1)) == 3


def test_silence_at_both_ends_is_kept_and_one_word_can_be_a_slice() -> None:
    assert slice_words(words_at([(3.0, 3.2)]), 5.0, 1.0) == (Slice(0.0, 5.0, 0, 1),)
    assert slice_words(words_at([(0.1, 0.2)]), 0.5, 1.0) == ()
    assert slice_words([], 5.0, 1.0) == ()


def test_fixed_pieces_have_the_words_that_lie_wholly_in_them() -> None:
    words = words_at([(0.1, 0.4), (0.8, 1.2), (1.3, 1.9), (2.0, 2.1), (2.2, 2.9)])
    assert fixed(words, 2.95, 1.0) == (Slice(0.0, 1.0, 0, 1), Slice(1.0, 2.0, 2, 3))
    assert shorten(words, 2.95, 1.0) == (Slice(0.0, 1.0, 0, 1),)
    assert shorten(words, 0.95, 1.0) == ()
    assert [(s.first, s.last) for s in fixed(words, 3.0, 1.5)] == [(0, 2), (3, 5)]


@given(utterances(), st.integers(1, 300))
def test_fixed_pieces_follow_each_other_and_no_word_is_in_two(
    made: tuple[Times, int], delta: int
) -> None:
    times, duration = made
    words = words_at([(a / 100, b / 100) for a, b in times])
    found = fixed(words, duration / 100, delta / 100)
    assert len(found) == duration // delta
    held = [k for piece in found for k in range(piece.first, piece.last)]
    assert held == sorted(set(held))
    for piece in found:
        assert piece.duration == pytest.approx(delta / 100)
        for k in range(piece.first, piece.last):
            assert words[k].start >= piece.start - 1e-6
            assert words[k].end <= piece.end + 1e-6
    inside = [
        k
        for k, (a, b) in enumerate(times)
        if a // delta == (b - 1) // delta and b <= duration // delta * delta
    ]
    assert held == inside


@given(utterances(), st.integers(20, 300), st.integers(1, 9))
def test_trimmed_slices_last_as_long_and_keep_apart(
    made: tuple[Times, int], delta: int, trim: int
) -> None:
    times, duration = made
    words = words_at([(a / 100, b / 100) for a, b in times])
    for found in (
        slice_words(words, duration / 100, delta / 100, trim=trim / 100),
        fixed(words, duration / 100, delta / 100, trim=trim / 100),
    ):
        assert all(piece.duration >= delta / 100 - 1e-6 for piece in found)
        assert all(piece.start == 0.0 for piece in found[:1])
        for one, other in pairwise(found):
            assert other.start - one.end == pytest.approx(2 * trim / 100)
    if found := slice_words(words, duration / 100, delta / 100, trim=trim / 100):
        assert found[-1].last < len(words) or found[-1].end == duration / 100


def test_trim_and_overlap_exclude_each_other() -> None:
    with pytest.raises(UsageError, match="not at all where slices overlap"):
        cutter("words", 1.0, overlap=True, trim=0.01)


@pytest.mark.parametrize(
    ("method", "target", "overlap", "sentence"),
    [
        ("syllables", 1.0, False, "There is no slicing 'syllables'"),
        ("words", 0.0, False, "lasts more than 0 s, not 0 s"),
        ("words", float("nan"), False, "lasts more than 0 s"),
        ("fixed", 1.0, True, "Only slices between words can overlap"),
    ],
)
def test_wrong_use_gets_a_sentence(
    method: str, target: float, overlap: bool, sentence: str
) -> None:
    with pytest.raises(UsageError, match=sentence):
        cutter(method, target, overlap=overlap)
