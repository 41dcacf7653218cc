"""Whisper: its features, its tokens, its bounds, and that it understands real speech."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pseudovoice.asr.greedy import SPARE_TOKENS, TOKENS_PER_SECOND
from pseudovoice.asr.recogniser import SpeechRecogniser
from pseudovoice.asr.whisper import Whisper
from pseudovoice.asr.whisper_tokens import _letters, read_rules, read_table, text_of
from pseudovoice.corpus import Corpus, load
from pseudovoice.errors import InputError
from pseudovoice.models import ARTEFACTS
from pseudovoice.signal.mel_slaney import slaney_filters
from pseudovoice.signal.mel_whisper import whisper_mel
from pseudovoice.text.normalise import normalise
from pseudovoice.utility.words import total, word_errors

RATE = 16_000


# --- features


def test_features_of_a_known_recording_are_the_published_ones(dev: Corpus) -> None:
    """The first thirty of the lowest band, as the tests of transformers have them."""
    published = """
        0.1193 -0.0946 -0.1098 -0.0196 0.0225 -0.0690 -0.1736 0.0951 0.0971 -0.0817 -0.0702 0.0162
        0.0260 0.0017 -0.0192 -0.1678 0.0709 -0.1867 -0.0655 -0.0274 -0.0234 -0.1884 -0.0516
        -0.0554 -0.0274 -0.1425 -0.1423 0.0837 0.0377 -0.0854
    """
    quilter = next(u for u in dev if u.id == "1272-128104-0000")
    features = whisper_mel(load(quilter, sample_rate=RATE))
    assert features.shape == (80, 3000)
    assert features[0, :30] == pytest.approx([float(x) for x in published.split()], abs=1e-4)


def test_features_of_a_tone() -> None:
    """A full-scale sine at a bin has |rfft| = 100 there (N/4 for a Hann window), 50 beside it."""
    times = np.arange(RATE) / RATE
    features = whisper_mel(np.sin(2 * np.pi * 1000 * times).astype(np.float32))
    power = np.zeros(201)
    power[24:27] = 50.0**2, 100.0**2, 50.0**2
    logs = np.log10(np.maximum(power @ slaney_filters(80), 1e-10))
    loudest = logs.max()
    wanted = (np.maximum(logs, loudest - 8) + 4) / 4
    strong = np.flatnonzero(logs > loudest - 4)
    assert features[strong, 50] == pytest.approx(wanted[strong], abs=1e-3)
    # Where nothing sounds, features are 8 / 4 under the loudest value.
    assert features[:, 200:] == pytest.approx(features.max() - 2.0, abs=1e-6)


@given(st.sampled_from([1, 199, 400, RATE, 30 * RATE]))
def test_features_have_one_shape_and_are_finite(size: int) -> None:
    features = whisper_mel(np.full(size, 0.1, np.float32))
    assert features.shape == (80, 3000)
    assert features.dtype == np.float32
    assert np.isfinite(features).all()


# --- tokens


def test_every_byte_has_a_letter_of_its_own() -> None:
    letters = _letters()
    assert sorted(letters.values()) == list(range(256))
    # GPT-2 writes a space as Ġ and a line end as Ċ.
    assert (letters["Ġ"], letters["Ċ"], letters["a"], letters["é"]) == (32, 10, 97, 0xE9)


@given(st.lists(st.binary(min_size=1, max_size=8), min_size=1, max_size=20, unique=True))
def test_the_table_is_read_as_written(tokens: list[bytes]) -> None:
    spelt = {byte: letter for letter, byte in _letters().items()}
    data = json.dumps({"".join(spelt[b] for b in token): k for k, token in enumerate(tokens)})
    assert read_table(data.encode()) == tuple(tokens)


def test_text_joins_bytes_and_drops_what_steers() -> None:
    table = [b" caf", b"\xc3", b"\xa9", b" au", b"<|endoftext|>"]
    assert text_of([0, 1, 2, 3, 4, 99], table, end=4) == "café au"
    assert text_of([0, 1], table, end=4) == "caf"
    assert text_of([], table, end=4) == ""


RULES: dict[str, Any] = {
    "decoder_start_token_id": 7,
    "eos_token_id": 6,
    "lang_to_id": {"<|de|>": 8, "<|en|>": 9},
    "task_to_id": {"translate": 10, "transcribe": 11},
    "no_timestamps_token_id": 12,
    "suppress_tokens": [1, 2],
    "begin_suppress_tokens": [3, 6],
}


def test_english_is_asked_for_without_times() -> None:
    rules = read_rules(json.dumps(RULES).encode())
    assert rules.prompt("en") == (7, 9, 11, 12)
    assert (rules.end, rules.never, rules.never_first) == (6, (1, 2), (3, 6))


@pytest.mark.parametrize("data", [b"", b"[]", b"{}", b'{"a": "b"}', b'{"a": 1}', b"\xff", b"1"])
def test_files_of_another_network_are_sentences(data: bytes) -> None:
    with pytest.raises(InputError, match="not those of Whisper"):
        read_rules(data)
    if data != b"{}":
        with pytest.raises(InputError, match="not that of Whisper"):
            read_table(data)


def test_both_sizes_share_their_tokens() -> None:
    base, small = (ARTEFACTS[f"whisper-{size}-tokens"] for size in ("base", "small"))
    assert base.sha256 == small.sha256


# --- the recogniser itself


def _wer(recogniser: Whisper, dev: Corpus, people: int) -> float:
    short = sorted(dev, key=lambda u: u.path.stat().st_size)
    chosen = [next(u for u in short if u.speaker == s) for s in list(dev.speakers)[:people]]
    errors = [
        word_errors(
            normalise(u.transcript or ""),
            normalise(recogniser.transcribe(load(u, sample_rate=RATE))),
        )
        for u in chosen
    ]
    return total(errors).wer


@pytest.mark.weights
def test_real_speech_is_understood(whisper: Whisper, dev: Corpus) -> None:
    assert _wer(whisper, dev, 4) < 0.3


@pytest.mark.weights
def test_real_speech_is_understood_by_the_large_one(large_whisper: Whisper, dev: Corpus) -> None:
    assert _wer(large_whisper, dev, 2) < 0.3


@pytest.mark.weights
def test_noise_and_a_click_end_soon_and_alike(whisper: Whisper) -> None:
    noise = np.random.default_rng(0).normal(0, 0.1, RATE).astype(np.float32)
    for waveform in (noise, np.ones(1, np.float32)):
        text = whisper.transcribe(waveform)
        assert len(text.split()) <= TOKENS_PER_SECOND + SPARE_TOKENS
    assert whisper.transcribe(np.ones(1, np.float32)) == text


@pytest.mark.weights
def test_it_says_who_it_is(whisper: Whisper) -> None:
    assert isinstance(whisper, SpeechRecogniser)
    assert whisper.name == "whisper-base"
    assert "MIT" in whisper.licence
    assert set(whisper.sha256s) == {"encoder", "decoder", "tokens", "rules"}
    assert "English" in whisper.decoding
    assert len(whisper.table) == 50_258
    assert whisper.rules.prompt("en") == (50_258, 50_259, 50_359, 50_363)
    with pytest.raises(InputError, match="whisper-base takes mono"):
        whisper.transcribe(np.zeros((2, 10), np.float32))
