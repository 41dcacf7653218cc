"""The diarisation error rate: numbers worked out by hand, and a slow way to the same."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pseudovoice.diarisation import Turn, Turns, diarisation_error
from pseudovoice.errors import UsageError


def turns(*told: tuple[float, float, str]) -> Turns:
    return Turns.of("r", [Turn(*one) for one in told])


def test_missed_and_false_alarm_by_hand() -> None:
    reference = turns((0, 10, "anna"), (8, 15, "ben"))
    system = turns((0, 9, "1"), (9, 16, "2"))
    # From 8 to 10 two speak and one is found; from 15 to 16 nobody speaks.
    error = diarisation_error(reference, system)
    assert (error.missed, error.false_alarm, error.confusion, error.speech) == (2, 1, 0, 17)
    assert error.rate == pytest.approx(3 / 17)
    assert error.names == {"1": "anna", "2": "ben"}


def test_collar_by_hand() -> None:
    reference = turns((0, 10, "anna"), (8, 15, "ben"))
    system = turns((0, 9, "1"), (9, 16, "2"))
    # Left out: up to 0.25, 7.75 to 8.25, 9.75 to 10.25, 14.75 to 15.25. What is left of speech is
    # 7.5 + 2 · 1.5 + 4.5 = 15 s, of what was missed 1.5 s, of the false alarm 0.75 s.
    error = diarisation_error(reference, system, collar=0.25)
    assert error.speech == pytest.approx(15)
    assert (error.missed, error.false_alarm, error.confusion) == pytest.approx((1.5, 0.75, 0))
    assert error.rate == pytest.approx(0.15)


def test_confusion_by_hand() -> None:
    # Six seconds of Anna, four of which are given to 1; two go to 2, who is Ben.
    reference = turns((0, 6, "anna"), (6, 10, "ben"))
    error = diarisation_error(reference, turns((0, 4, "1"), (4, 10, "2")))
    assert (error.missed, error.false_alarm, error.confusion) == (0, 0, 2)
    assert error.rate == pytest.approx(0.2)
    # One person for two: the one who speaks less is confused throughout.
    assert diarisation_error(reference, turns((0, 10, "1"))).confusion == 4
    # Two for one: only one of them can be Anna.
    alone = diarisation_error(turns((0, 10, "anna")), turns((0, 7, "1"), (7, 10, "2")))
    assert (alone.confusion, alone.names) == (3, {"1": "anna"})


def test_nothing_found_and_nothing_there() -> None:
    assert diarisation_error(turns((1, 3, "a")), turns()).rate == 1.0
    nobody = diarisation_error(turns(), turns((1, 3, "a")))
    assert nobody.false_alarm == 2
    assert nobody.rate != nobody.rate
    with pytest.raises(UsageError, match="A collar is a number of seconds from 0 up, not -1"):
        diarisation_error(turns(), turns(), collar=-1)


def test_recordings_add_up() -> None:
    one = diarisation_error(turns((0, 10, "a")), turns((0, 9, "1")))
    other = diarisation_error(turns((0, 30, "a")), turns((0, 33, "1")))
    assert (one + other).rate == pytest.approx((1 + 3) / 40)


ticks = st.integers(0, 30)
some_turns = st.lists(st.tuples(ticks, ticks, st.sampled_from("abc")), max_size=6)


def slow(reference: Turns, system: Turns, collar: int) -> tuple[int, int, int, int]:
    """Second by second, with every pairing of names tried."""

    def speaking(turns: Turns, second: int) -> set[str]:
        return {t.person for t in turns.turns if t.start <= second < t.end}

    borders = {edge for t in reference.turns for edge in (t.start, t.end)}
    seconds = [s for s in range(40) if all(not b - collar <= s < b + collar for b in borders)]
    best = None
    names = [*system.people, *(None for _ in reference.people)]
    for order in permutations(names, len(reference.people)):
        called = {name: true for name, true in zip(order, reference.people, strict=True) if name}
        missed = alarm = confusion = speech = 0
        for second in seconds:
            told, found = speaking(reference, second), speaking(system, second)
            right = len({called.get(name) for name in found} & told)
            speech += len(told)
            missed += max(0, len(told) - len(found))
            alarm += max(0, len(found) - len(told))
            confusion += min(len(told), len(found)) - right
        if best is None or confusion < best[2]:
            best = (missed, alarm, confusion, speech)
    assert best is not None
    return best


@given(some_turns, some_turns, st.sampled_from([0, 1]))
def test_the_slow_way_agrees(
    told: list[tuple[int, int, str]], found: list[tuple[int, int, str]], collar: int
) -> None:
    reference = turns(*(t for t in told if t[0] < t[1]))
    system = turns(*(t for t in found if t[0] < t[1]))
    error = diarisation_error(reference, system, collar=collar)
    got = (error.missed, error.false_alarm, error.confusion, error.speech)
    assert got == pytest.approx(slow(reference, system, collar))


@given(some_turns)
def test_other_names_are_no_error(told: list[tuple[int, int, str]]) -> None:
    reference = turns(*(t for t in told if t[0] < t[1]))
    renamed = reference.renamed({"a": "z", "b": "y", "c": "x"})
    error = diarisation_error(reference, renamed)
    assert (error.missed, error.false_alarm, error.confusion) == (0, 0, 0)
