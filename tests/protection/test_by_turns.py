"""Several people in one recording: everybody gets a voice, and all is put together again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
import soundfile
from hypothesis import given
from hypothesis import strategies as st

from pseudovoice.corpus import Corpus, Utterance
from pseudovoice.corpus.recordings import read_recordings
from pseudovoice.diarisation import Turn, Turns
from pseudovoice.errors import UsageError
from pseudovoice.keys import Key
from pseudovoice.protection.by_turns import OUTSIDE, OVERLAP, ByTurns, matched_turns
from pseudovoice.protection.protect import protect_corpus
from pseudovoice.safeguards import Chain, parse_chain
from pseudovoice.safeguards.channel import Channel, whole
from pseudovoice.safeguards.safeguard import Voice

KEY = Key(b"k" * 32)
RATE = 16_000
SAID = Utterance("talk", "talk", Path("talk.wav"))
TOLD = Turns.of("talk", [Turn(0.5, 2.0, "anna"), Turn(1.8, 3.0, "ben"), Turn(3.05, 3.06, "anna")])


@dataclass(frozen=True)
class Labelling:
    """Multiplies by a number of each voice's own, and notes whose voices were asked for."""

    factors: dict[str, float]
    asked: list[str] = field(default_factory=list)
    name: ClassVar[str] = "labelling"
    reference: ClassVar[str] = "a test"
    deterministic: ClassVar[bool] = True
    level: ClassVar[str] = "speaker"

    def to_dict(self) -> dict[str, Any]:
        return {"safeguard": self.name}

    def __call__(self, samples: np.ndarray, sample_rate: int, voice: Voice) -> np.ndarray:
        del sample_rate
        self.asked.append(voice.name)
        return samples * self.factors[voice.name]


def noise(seconds: float, seed: int = 0) -> np.ndarray:
    sound: np.ndarray = np.random.default_rng(seed).uniform(-0.5, 0.5, round(seconds * RATE))
    return sound


def put_together(
    samples: np.ndarray,
    turns: Turns,
    factors: dict[str, float] | None = None,
    overlap: Any = "voice",
    place: Path | None = None,
) -> np.ndarray:
    def speak(channel: Channel, said: Utterance) -> Iterator[np.ndarray]:
        factor = 1.0 if factors is None else factors[said.speaker]
        for piece in channel.pieces():
            yield piece * factor

    channel = Channel(place, [samples])
    by_turns = ByTurns({"talk": turns}, overlap)
    return whole(by_turns.protected(SAID, channel, RATE, speak))


times = st.integers(0, 400).map(lambda n: n / 100)


@given(st.lists(st.tuples(times, times, st.sampled_from("abc")), max_size=12))
def test_a_safeguard_that_changes_nothing_gives_the_recording_back(
    told: list[tuple[float, float, str]],
) -> None:
    samples = noise(3.7)
    turns = Turns.of("talk", [Turn(a, b, who) for a, b, who in told if a < b])
    assert np.abs(put_together(samples, turns) - samples).max() < 1e-12


def test_also_where_it_is_too_long_for_memory(tmp_path: Path) -> None:
    samples = noise(150).astype(np.float32).astype(float)
    turns = Turns.of("talk", [Turn(k, k + 3.3, "ab"[k % 2]) for k in range(0, 140, 3)])
    made = put_together(samples, turns, place=tmp_path / "x.wav")
    # Kept in 32 bits on its way.
    assert np.abs(made - samples).max() < 1e-6


def test_everybody_has_a_voice_and_nothing_is_left_out() -> None:
    samples = noise(4.0)
    factors = {"anna": 2.0, "ben": 3.0, "talk" + OVERLAP: 5.0, "talk" + OUTSIDE: 7.0}
    made = put_together(samples, TOLD, factors)
    ratio = made / samples
    for start, end, factor in (
        (0.0, 0.49, 7.0), (0.51, 1.79, 2.0), (1.81, 1.99, 5.0), (2.01, 2.99, 3.0), (3.08, 4.0, 7.0),
    ):  # fmt: skip
        assert ratio[round(start * RATE) : round(end * RATE)] == pytest.approx(factor)
    # No sample is as it was: also across borders everything is between two voices.
    assert ratio.min() > 2.0 - 1e-9


def test_no_clicks_at_the_joins() -> None:
    samples = np.full(4 * RATE, 0.1)
    factors = {"anna": 1.0, "ben": -1.0, "talk" + OVERLAP: 2.0, "talk" + OUTSIDE: -2.0}
    made = put_together(samples, TOLD, factors)
    # A jump of 0.2 to 0.4 is spread over 20 ms: half a cosine of 320 samples.
    assert np.abs(np.diff(made)).max() < 0.4 * np.pi / 2 / 320 * 1.01


def test_overlap_can_be_silent() -> None:
    samples = noise(4.0)
    made = put_together(samples, TOLD, overlap="mute")
    assert np.abs(made[round(1.81 * RATE) : round(1.99 * RATE)]).max() == 0.0
    kept = np.r_[0 : round(1.79 * RATE), round(2.01 * RATE) : samples.size]
    assert made[kept] == pytest.approx(samples[kept])


def test_a_recording_without_turns_is_protected_whole() -> None:
    samples = noise(1.0)
    assert put_together(samples, Turns("talk", ()), {"talk" + OUTSIDE: 3.0}) == pytest.approx(
        3.0 * samples
    )


def a_recording(folder: Path, name: str = "talk.wav", channels: int = 2) -> Path:
    folder.mkdir(exist_ok=True)
    samples = np.stack([noise(4.0, seed) for seed in range(channels)], axis=1)
    soundfile.write(folder / name, samples, RATE)
    return folder / name


def test_a_file_through_the_whole_pipeline(tmp_path: Path) -> None:
    path = a_recording(tmp_path)
    corpus = read_recordings(path)
    factors = {"anna": 0.5, "ben": 1.0, "talk" + OVERLAP: 1.0, "talk" + OUTSIDE: 1.0}
    safeguard = Labelling(factors)
    turns = ByTurns({"talk": TOLD})
    done = protect_corpus(
        corpus, tmp_path / "out.wav", Chain((safeguard,)), key=None, turns=turns, one_file=True
    )
    # As loud as it was, so that such a safeguard changes nothing.
    before, after = soundfile.read(path)[0], soundfile.read(tmp_path / "out.wav")[0]
    assert after.shape == before.shape
    assert np.abs(after - before).max() <= 2**-15
    assert set(safeguard.asked) == set(factors)
    assert done.corpus.utterances[0].path == tmp_path / "out.wav"
    with pytest.raises(UsageError, match=r"out\.wav: there is a file already"):
        protect_corpus(
            corpus, tmp_path / "out.wav", Chain((safeguard,)), key=None, turns=turns, one_file=True
        )


def test_a_person_sounds_alike_in_all_recordings(tmp_path: Path) -> None:
    for name in ("one.wav", "two.wav"):
        a_recording(tmp_path / "in", name, 1)
    corpus = read_recordings(tmp_path / "in")
    turns = {
        "one": Turns.of("one", [Turn(0, 2, "anna"), Turn(2, 4, "ben")]),
        "two": Turns.of("two", [Turn(0, 2, "anna"), Turn(2, 4, "cleo")]),
    }
    made = protect_corpus(
        corpus, tmp_path / "out", parse_chain("mcadams-random"), key=KEY, turns=ByTurns(turns)
    )
    one, two = (soundfile.read(u.path)[0] for u in made.corpus)
    at = round(1.9 * RATE)
    assert np.abs(one[:at] - two[:at]).max() <= 2 * 2**-15
    assert np.abs(one[-at:] - two[-at:]).max() > 0.01
    # Turns that change make the recording anew, and only that.
    changed = {**turns, "two": Turns.of("two", [Turn(0, 4, "anna")])}
    again = protect_corpus(
        corpus, tmp_path / "out", parse_chain("mcadams-random"), key=KEY, turns=ByTurns(changed)
    )
    assert (again.done, again.resumed) == (1, 1)


def test_safeguards_that_search_hear_each_person(tmp_path: Path) -> None:
    path = a_recording(tmp_path, channels=1)
    corpus = read_recordings(path)
    people = ByTurns({"talk": TOLD}).people(corpus)
    assert set(people.speakers) == {"anna", "ben", "talk" + OVERLAP, "talk" + OUTSIDE}
    (longest, *_) = people.speakers["anna"]
    assert (longest.start, longest.end) == (0.5, 1.8)
    chain = parse_chain("persona:candidates=1")
    protect_corpus(
        corpus, tmp_path / "out.wav", chain, key=KEY, turns=ByTurns({"talk": TOLD}), one_file=True
    )
    before, after = soundfile.read(path)[0], soundfile.read(tmp_path / "out.wav")[0]
    assert after.shape == before.shape
    likeness = np.corrcoef(before, after)[0, 1]
    assert abs(likeness) < 0.2


def test_what_cannot_be_put_back_is_refused(tmp_path: Path) -> None:
    corpus = read_recordings(a_recording(tmp_path))
    turns = ByTurns({"talk": TOLD})
    with pytest.raises(UsageError, match="slice cuts what one person said, and here are several"):
        protect_corpus(corpus, tmp_path / "o", parse_chain("slice"), key=KEY, turns=turns)

    class Slower(Labelling):
        name = "slower"
        keeps_timing = False

    with pytest.raises(UsageError, match="slower changes when things are said"):
        protect_corpus(corpus, tmp_path / "o", Chain((Slower({}),)), key=None, turns=turns)
    from pseudovoice.protection.lengths import LengthGrid

    with pytest.raises(UsageError, match="`pad` and `trim` would move that"):
        protect_corpus(
            corpus, tmp_path / "o", parse_chain("mcadams"), key=KEY, turns=turns,
            grid=LengthGrid(0.5),
        )  # fmt: skip
    with pytest.raises(UsageError, match="A single file has the name it is given"):
        protect_corpus(
            corpus, tmp_path / "o.wav", parse_chain("mcadams"), key=KEY, rename=True, one_file=True
        )


def test_turns_of_what_cannot_be_heard_are_not_missed(tmp_path: Path) -> None:
    """`diarise` has none for it, and `protect` lists it as a problem, as without turns."""
    for name in ("one.wav", "two.wav"):
        a_recording(tmp_path / "in", name)
    (tmp_path / "in" / "two.wav").write_bytes(b"no audio at all")
    corpus = read_recordings(tmp_path / "in")
    turns = matched_turns(corpus, {"one": replace(TOLD, recording="one"), "x": TOLD})
    assert turns["two"].turns == ()
    done = protect_corpus(
        corpus, tmp_path / "out", parse_chain("mcadams"), key=None, turns=ByTurns(turns)
    )
    assert [u.id for u in done.corpus] == ["one"]
    assert [problem.where for problem in done.problems] == [str(tmp_path / "in" / "two.wav")]
    with pytest.raises(UsageError, match="There are no turns of 'one' and 1 other"):
        matched_turns(corpus, {"x": TOLD, "y": TOLD})


def test_turns_find_their_recordings(tmp_path: Path) -> None:
    one, two = (Utterance(n, n, a_recording(tmp_path, f"{n}.wav")) for n in ("Gespräch 1", "b"))
    told = {"Gespräch_1": TOLD, "b": Turns("b", ())}
    assert matched_turns(Corpus("c", Path(), (one, two)), told)["Gespräch 1"] == TOLD
    # Of one recording alone, whatever its name is.
    (found,) = matched_turns(Corpus("c", Path(), (one,)), {"x": TOLD}).values()
    assert found == Turns("Gespräch_1", TOLD.turns), "written again, they bear its name"
    with pytest.raises(UsageError, match=r"no turns of 'b'; name .* in `turns` as .* empty"):
        matched_turns(Corpus("c", Path(), (one, two)), {"Gespräch_1": TOLD})
