"""Moonshine: its table of tokens, its bounds, and that it understands real speech."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from pseudovoice.asr.byte_pairs import joined
from pseudovoice.asr.greedy import MOST_REPEATS, SPARE_TOKENS, TOKENS_PER_SECOND, Text, looping
from pseudovoice.asr.moonshine import Moonshine, read_vocabulary, text_of
from pseudovoice.asr.recogniser import SpeechRecogniser
from pseudovoice.asr.registry import load_recogniser
from pseudovoice.corpus import Corpus, load
from pseudovoice.errors import InputError, UsageError
from pseudovoice.signal.quiet import quiet_pieces
from pseudovoice.text.normalise import normalise
from pseudovoice.utility.words import total, word_errors

RATE = 16_000


# --- the table of tokens


def written(entries: list[bytes]) -> bytes:
    def length(n: int) -> bytes:
        return bytes([n]) if n < 128 else bytes([n % 128 + 128, n // 128])

    return b"".join(length(len(entry)) + entry for entry in entries)


@given(st.lists(st.binary(max_size=400), min_size=3, max_size=20))
def test_vocabulary_is_read_as_written(entries: list[bytes]) -> None:
    assert read_vocabulary(written(entries)) == tuple(entries)


@pytest.mark.parametrize("data", [b"", b"\x05abc", b"\x01a\x01b\x01c\x85", b"\x01a\x01b"])
def test_a_table_that_breaks_off_is_a_sentence(data: bytes) -> None:
    with pytest.raises(InputError, match="table of tokens"):
        read_vocabulary(data)


def test_text_joins_bytes_and_drops_what_is_no_text() -> None:
    vocabulary = [b"<unk>", b"<s>", b"</s>", "▁caf".encode(), b"\xc3", b"\xa9", "▁au".encode()]
    assert text_of([1, 3, 4, 5, 6, 2, 99], vocabulary) == "café au"
    assert text_of([3, 4], vocabulary) == "caf"
    assert text_of([], vocabulary) == ""


# --- bounds


@given(st.lists(st.integers(0, 3), min_size=1, max_size=12), st.lists(st.integers(4, 9)))
def test_a_repeated_phrase_is_a_loop_at_the_last_repeat(
    phrase: list[int], before: list[int]
) -> None:
    assert looping([*before, *phrase * MOST_REPEATS])
    assert looping(before + list(range(10, 60))) == 0


def test_three_times_is_speech_four_times_a_loop() -> None:
    assert looping([7, 8] * 3) == 0
    assert looping([1, *[7, 8] * 4]) == 2
    assert looping([5] * 4) == 1


@given(arrays(np.float32, st.integers(1, 5000), elements=st.floats(-1, 1, width=32)))
def test_pieces_are_the_whole_and_none_is_too_long(waveform: np.ndarray) -> None:
    parts = quiet_pieces(waveform, 1600)
    assert np.array_equal(np.concatenate(parts), waveform)
    assert max(part.size for part in parts) <= 1600


def test_a_cut_is_made_in_the_pause() -> None:
    sound = np.random.default_rng(0).normal(0, 0.1, 3 * RATE).astype(np.float32)
    sound[int(1.4 * RATE) : int(1.6 * RATE)] = 0.0
    first, second = quiet_pieces(sound, 2 * RATE)
    assert 1.4 * RATE <= first.size <= 1.6 * RATE
    assert first.size + second.size == 3 * RATE


# --- the recogniser itself


@pytest.mark.weights
def test_real_speech_is_understood_alike_from_any_thread(moonshine: Moonshine, dev: Corpus) -> None:
    """Four short utterances of four people; the whole set has a WER of 3 %."""
    short = sorted(dev, key=lambda u: u.path.stat().st_size)
    chosen = [next(u for u in short if u.speaker == s) for s in list(dev.speakers)[:4]]
    waveforms = [load(u, sample_rate=RATE) for u in chosen]
    with ThreadPoolExecutor(2) as pool:
        texts = list(pool.map(moonshine.transcribe, waveforms))
    errors = [
        word_errors(normalise(u.transcript or ""), normalise(text))
        for u, text in zip(chosen, texts, strict=True)
    ]
    assert total(errors).wer < 0.2
    assert moonshine.transcribe(waveforms[0]) == texts[0]


@pytest.mark.weights
def test_company_changes_nothing_but_the_time(moonshine: Moonshine, dev: Corpus) -> None:
    """Ten people, short and long, noise and what is cut in pieces: as if each were alone."""
    people = list(dev.speakers.values())[::4]
    chosen = [min(said, key=lambda u: u.path.stat().st_size) for said in people[:9]]
    chosen.append(max(people[9], key=lambda u: u.path.stat().st_size))
    waveforms = [load(u, sample_rate=RATE) for u in chosen]
    lengths = sorted(waveform.size for waveform in waveforms)
    assert lengths[-1] > 3 * lengths[0]
    noise = np.random.default_rng(0).normal(0, 0.1, RATE).astype(np.float32)
    waveforms += [noise, np.zeros(RATE, np.float32), np.concatenate(waveforms * 2)]
    assert waveforms[-1].size > 30 * RATE
    texts = moonshine.transcribe_together(waveforms)
    assert texts == [moonshine.transcribe(waveform) for waveform in waveforms]
    assert len(set(texts)) > 10
    assert moonshine.transcribe_together([]) == []


def test_a_text_ends_at_the_end_the_bound_or_a_loop() -> None:
    ended, bound, loop = Text(1.0), Text(1.0), Text(60.0)
    for token in (5, 6, 2):
        ended.append(token, end=2)
    assert ended.ended
    assert ended.tokens == [5, 6]
    for token in range(10, 10 + int(TOKENS_PER_SECOND) + SPARE_TOKENS):
        assert not bound.ended
        bound.append(token, end=2)
    assert bound.ended
    for token in [9, *[7, 8] * MOST_REPEATS]:
        assert not loop.ended
        loop.append(token, end=2)
    assert loop.ended
    assert loop.tokens == [9, 7, 8]


@pytest.mark.weights
def test_a_text_becomes_the_tokens_it_was_written_in(moonshine: Moonshine, dev: Corpus) -> None:
    """How likely a text is can be told only if it is spelt as the decoder spells."""
    utterance = min(dev, key=lambda u: u.path.stat().st_size)
    waveform = load(utterance, sample_rate=RATE)
    heard = moonshine.encoder().run(None, {"input_values": waveform[None]})[0]
    (written,) = moonshine._decode(list(heard), [waveform.size / RATE])
    text = text_of(written, moonshine.vocabulary)
    letters = ["▁", *text.replace(" ", "▁")]
    assert joined((letter.encode() for letter in letters), moonshine._numbers) == written


@pytest.mark.weights
def test_noise_silence_and_a_click_end_soon(moonshine: Moonshine) -> None:
    noise = np.random.default_rng(0).normal(0, 0.1, RATE).astype(np.float32)
    for waveform in (noise, np.zeros(RATE, np.float32), np.ones(1, np.float32)):
        words = moonshine.transcribe(waveform).split()
        assert len(words) <= TOKENS_PER_SECOND + SPARE_TOKENS


@pytest.mark.weights
def test_what_cannot_be_transcribed_is_a_sentence(moonshine: Moonshine) -> None:
    for waveform, what in (
        (np.zeros((2, 10), np.float32), "mono"),
        (np.zeros(0, np.float32), "at least one sample"),
        (np.zeros(10, np.int16), "divide 16-bit"),
        (np.full(10, np.nan, np.float32), "finite"),
    ):
        with pytest.raises(InputError, match=what):
            moonshine.transcribe(waveform)


@pytest.mark.weights
def test_it_says_who_it_is(moonshine: Moonshine) -> None:
    assert isinstance(moonshine, SpeechRecogniser)
    assert moonshine.licence == "MIT"
    assert moonshine.sha256s["decoder"].startswith("370e0c1f")
    assert len(moonshine.vocabulary) == 32_000


def test_an_unknown_name_is_a_sentence() -> None:
    with pytest.raises(UsageError, match="There is no speech recogniser 'sphinx'; name moonshine"):
        load_recogniser("sphinx")
