"""The embedded aligner on speech whose word times are known."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import soundfile
from known_times import Joined

from pseudovoice.alignment import (
    AlignmentError,
    SphinxAligner,
    align,
    align_corpus,
    sphinx,
    sphinx_search,
)
from pseudovoice.alignment.sphinx_search import Scored, confidence, sure, times_of
from pseudovoice.corpus import Corpus, Sound, load, read_corpus


def errors(joined: list[Joined], aligner: SphinxAligner) -> np.ndarray:
    found = []
    for item in joined:
        words = align(item.utterance, aligner).words
        assert [w.word for w in words] == (item.utterance.transcript or "").split()
        found.append(np.array([(w.start, w.end) for w in words]) - np.array(item.times))
    return np.concatenate(found)


def test_word_times_are_those_of_the_joins(joined_digits: list[Joined]) -> None:
    signed = errors(joined_digits, SphinxAligner())
    off = np.abs(signed)
    assert len(off) > 20
    assert np.median(off) < 0.015
    assert (off < 0.05).mean() > 0.85
    # Neither beginnings nor ends are late or early as a whole.
    assert np.abs(np.median(signed, axis=0)).max() < 0.01


def test_short_pauses_are_not_taken_into_words(
    hurried_digits: list[Joined], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the package's price of silence more of them are."""

    def share_near() -> float:
        return float((np.abs(errors(hurried_digits, SphinxAligner())) < 0.05).mean())

    now = share_near()
    monkeypatch.setattr(sphinx_search, "_SILENCE", 0.005)
    assert now > 0.9
    assert now > share_near()


def test_pauses_that_are_not_silent_lower_the_confidence() -> None:
    """A word that nobody wrote down is taken for silence; its neighbours tell."""
    words = [Scored(20, -20.0), Scored(10, -20.0)]
    none, silent, loud = Scored(0, 0.0), Scored(30, 0.0), Scored(30, -150.0)
    alone = [confidence(-1.0), confidence(-2.0)]
    assert sure(words, [none, none, none]) == alone
    assert sure(words, [silent, silent, silent]) == alone
    assert sure(words, [none, loud, none]) == [
        confidence(-170.0 / 50),
        confidence(-170.0 / 40),
    ]


def test_only_times_beside_a_pause_are_moved() -> None:
    # Silence of 0.3 s, two words without a gap, 0.2 s, a word to the end.
    times = times_of([(30, 50), (50, 80), (100, 120)], 120, 0.01)
    border = (0.025625 - 0.01) / 2
    expected = [(0.305, 0.5), (0.5, 0.785), (1.005, 1.2)]
    assert np.array(times) == pytest.approx(np.array(expected) + border)
    assert times_of([(0, 10)], 11, 0.01) == [(0.0, pytest.approx(0.1 + border))]


def test_times_do_not_depend_on_what_was_aligned_before(joined_digits: list[Joined]) -> None:
    first, second = (item.utterance for item in joined_digits[:2])
    one, other = SphinxAligner(), SphinxAligner()
    alone = align(first, one)
    align(second, other)
    assert align(first, other) == alone


def test_threads_give_the_sametimes_of(joined_digits: list[Joined]) -> None:
    utterances = tuple(item.utterance for item in joined_digits[:4])
    corpus = Corpus("digits", utterances[0].path.parent, utterances)
    assert align_corpus(corpus, workers=2) == align_corpus(corpus, workers=1)


def test_a_transcript_that_is_not_said_is_found_out(joined_digits: list[Joined]) -> None:
    first, other = joined_digits[0].utterance, joined_digits[3].utterance
    for text in (
        "PLEASE REMEMBER THE QUESTION THAT NOBODY ANSWERED YESTERDAY",
        " ".join(["EXTRAORDINARY"] * 200),
    ):
        with pytest.raises(AlignmentError) as caught:
            align(replace(first, transcript=text))
        assert caught.value.kind in ("confidence", "fit")
        assert first.id in str(caught.value)
    right = align(other).confidence
    assert right is not None
    assert right > 0.5


def test_whoever_speaks_fast_is_aligned_too(
    joined_digits: list[Joined], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Twice as fast: phones are shorter than three frames of the package's."""

    def sure(item: Joined) -> float:
        """The confidence, -1 where the words found no place."""
        samples = load(item.utterance, sample_rate=8_000)  # to be taken for 16 kHz
        sound = Sound(samples[:, None], 16_000, "PCM_16")
        try:
            words = SphinxAligner()(item.utterance, sound, item.utterance.transcript.split())
        except AlignmentError:
            return -1.0
        assert all(word.end <= sound.duration + 0.01 for word in words)
        return float(np.mean([word.confidence for word in words]))

    now = [sure(item) for item in joined_digits[:8]]
    monkeypatch.setattr(sphinx, "_TRIES", sphinx._TRIES[:1])
    before = [sure(item) for item in joined_digits[:8]]
    assert all(new >= old - 0.02 for new, old in zip(now, before, strict=True))
    assert sum(new > old + 0.02 for new, old in zip(now, before, strict=True)) >= 2
    assert min(now) >= 0


def test_words_without_a_place_are_weighed_in_shorter_frames(
    joined_digits: list[Joined], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A word too many in fast speech finds no path in the package's frames, but in others."""

    def weighed(item: Joined) -> float | None:
        samples = load(item.utterance, sample_rate=8_000)  # to be taken for 16 kHz
        sound = Sound(samples[:, None], 16_000, "PCM_16")
        said = str(item.utterance.transcript).split()
        return SphinxAligner().likelier(item.utterance, sound, said, [*said, "EXTRAORDINARY"])

    now = [weighed(item) for item in joined_digits[:6]]
    monkeypatch.setattr(sphinx, "_TRIES", sphinx._TRIES[:1])
    before = [weighed(item) for item in joined_digits[:6]]
    assert sum(one is None for one in now) < sum(one is None for one in before)
    assert all(one > 0 for one in now if one is not None)
    one = joined_digits[0].utterance
    sound = Sound(load(one, sample_rate=16_000)[:, None], 16_000, "PCM_16")
    assert SphinxAligner().likelier(one, sound, ["ONE"], ["один"]) is None


@pytest.mark.usefixtures("g2p_weights")
def test_unknown_words_are_not_dropped(joined_digits: list[Joined]) -> None:
    item = joined_digits[0]
    words = (item.utterance.transcript or "").split()
    # Not in any dictionary, but pronounced like the digit.
    odd = {"ONE": "WUNN", "SIX": "SIXXE", "NINE": "NYNNE", "ZERO": "ZEEROE", "SEVEN": "SEVVUNN"}
    text = " ".join(odd.get(word, word) for word in words)
    assert text != item.utterance.transcript
    found = align(replace(item.utterance, transcript=text), least_confidence=0.0)
    assert [w.word for w in found.words] == text.split()


def test_other_rates_channels_and_numerals(joined_digits: list[Joined], tmp_path: Path) -> None:
    item = joined_digits[1]
    samples, rate = soundfile.read(item.utterance.path)
    stereo = np.stack([samples, samples], axis=1)
    doubled = np.repeat(stereo, 3, axis=0)  # 48 kHz, roughly
    soundfile.write(tmp_path / "a.wav", doubled, 3 * rate)
    names = "ZERO ONE TWO THREE FOUR FIVE SIX SEVEN EIGHT NINE".split()  # noqa: SIM905
    digits = " ".join(str(names.index(w)) for w in (item.utterance.transcript or "").split())
    moved = replace(item.utterance, path=tmp_path / "a.wav", transcript=digits)
    found = align(moved)
    assert [w.word for w in found.words] == digits.split()
    plain = align(item.utterance)
    starts = np.array([[w.start for w in a.words] for a in (found, plain)])
    assert np.median(np.abs(starts[0] - starts[1])) <= 0.02


def test_read_speech_aligns(shared: Path) -> None:
    folder = shared / "speech" / "dev"
    if not folder.is_dir():
        pytest.skip(f"the development speech is not here: there is no {folder}")
    corpus = read_corpus(folder)
    few = replace(corpus, utterances=corpus.utterances[::100])
    found = align_corpus(few)
    assert not found.problems
    for utterance in few:
        words = found.alignments[utterance.id].words
        assert " ".join(w.word for w in words) == utterance.transcript


def test_agrees_with_another_aligner(shared: Path) -> None:
    """Published times of the Montreal Forced Aligner for one utterance of LibriSpeech."""
    path = shared / "speech" / "dev" / "84" / "121123" / "84-121123-0001.flac"
    if not path.is_file():
        pytest.skip(f"the development speech is not here: there is no {path}")
    corpus = read_corpus(shared / "speech" / "dev")
    ends = [0.42, 0.53, 0.73, 0.87, 1.10, 1.46, 1.58, 2.08, 2.49, 2.78, 2.86, 3.47, 3.83]
    words = align(corpus.by_id["84-121123-0001"]).words
    off = np.array([word.end for word in words]) - ends
    assert np.abs(off).max() < 0.05
    assert np.median(np.abs(off)) < 0.02
