"""A sample of what `make faults` tries in full: each kind of fault, at operations of each verb."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from fault_shim import KINDS, why_not
from fault_study import VERBS, Verb
from fault_trials import Trials

SAMPLE = {"protect": 3, "persona": 2, "slice": 3, "chain": 2, "inspect": 3, "assess": 3}
"""Operations of a verb that each kind of fault strikes; one of the others."""


@pytest.fixture(scope="module")
def trials(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Trials]:
    if reason := why_not():
        pytest.skip(reason)
    with Trials(tmp_path_factory.mktemp("faults")) as ready:
        yield ready


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.name)
def test_nothing_is_lost_doubled_or_hidden(trials: Trials, verb: Verb, kind: str) -> None:
    count = trials.counts[verb.name, kind]
    if count == 0:
        assert verb.name == "inspect"  # it writes nothing
        return
    chosen = random.Random(f"{verb.name} {kind}").sample(
        range(1, count + 1), SAMPLE.get(verb.name, 1)
    )
    for nth in chosen:
        trial = trials(verb, kind, nth)
        assert trial.failures == (), f"n = {nth}, {trial.place}"


def test_a_failed_read_of_a_header_is_no_other_sound(trials: Trials) -> None:
    """libsndfile takes a failed read for zeros: samples of 16 bits would become twice as many."""
    protect = next(verb for verb in VERBS if verb.name == "protect")
    struck = []
    for nth in range(40, trials.counts["protect", "broken"] + 1):
        trial = trials(protect, "broken", nth)
        if trial.place == "read in/speech/ann/ann-0.wav":
            struck.append(trial.code)
            assert trial.failures == (), f"n = {nth}"
        elif struck:
            break
    assert struck
    assert set(struck) == {1}


def test_slices_that_went_at_the_very_end_are_missed(trials: Trials) -> None:
    """A listing written into a folder made anew is no release."""
    cut = next(verb for verb in VERBS if verb.name == "slice")
    for nth in range(trials.counts["slice", "vanished"], 0, -1):
        trial = trials(cut, "vanished", nth)
        assert trial.failures == (), f"n = {nth}, {trial.place}"
        if trial.place == "make out/slices":
            assert trial.code == 2
            return
    pytest.fail("nothing was written into the folder")
