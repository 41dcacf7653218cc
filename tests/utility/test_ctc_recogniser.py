"""A folder of `train-asr` as a recogniser, without torch: what it hears, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from pseudovoice.asr.ctc import learn_language, load_ctc
from pseudovoice.asr.ctc.front_end import load_front_end
from pseudovoice.asr.ctc.units import UNITS
from pseudovoice.asr.moonshine import Moonshine
from pseudovoice.asr.recogniser import SpeechRecogniser
from pseudovoice.asr.registry import load_recogniser
from pseudovoice.corpus import Corpus, load
from pseudovoice.errors import InputError, UsageError
from pseudovoice.text.arpa import write_arpa
from pseudovoice.text.kneser_ney import train
from pseudovoice.training.ctc_graph import ctc_graph
from pseudovoice.training.ctc_recipe import SHAPES

RATE = 16_000
WIDTH = 8


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An untrained network for log-mel energies, as training would leave it."""
    rng, shape = np.random.default_rng(0), SHAPES["scratch"]
    state = {
        "mean": np.zeros(80),
        "deviation": np.full(80, 5.0),
        "entry.weight": rng.normal(0, 0.1, (WIDTH, 80, shape.kernel)),
        "entry.bias": np.zeros(WIDTH),
        "norm.weight": np.ones(WIDTH),
        "norm.bias": np.zeros(WIDTH),
        "exit.weight": rng.normal(0, 1.0, (len(UNITS), WIDTH)),
        "exit.bias": np.zeros(len(UNITS)),
    }
    for i in range(len(shape.dilations)):
        state |= {f"norms.{i}.weight": np.ones(WIDTH), f"norms.{i}.bias": np.zeros(WIDTH)}
        state[f"layers.{i}.weight"] = rng.normal(0, 0.1, (WIDTH, WIDTH, 3))
        state[f"layers.{i}.bias"] = np.zeros(WIDTH)
    floats = {name: value.astype(np.float32) for name, value in state.items()}
    (tmp_path / "model.onnx").write_bytes(ctc_graph(floats, shape))
    declare(tmp_path)
    return tmp_path


def declare(folder: Path, **other: object) -> None:
    front_end = load_front_end("fbank")
    said = {"recipe": "scratch", "front_end": "fbank", "identity": front_end.identity}
    (folder / "model.json").write_text(json.dumps(said | {"units": UNITS} | other))


def test_it_is_a_recogniser_like_any_other(folder: Path) -> None:
    recogniser = load_recogniser(f"ctc:{folder}")
    assert isinstance(recogniser, SpeechRecogniser)
    assert recogniser.name.startswith("ctc:scratch ")
    assert "no language model" in recogniser.decoding
    samples = np.random.default_rng(1).normal(0, 0.1, RATE).astype(np.float32)
    heard = load_ctc(folder).hear(samples)
    assert heard.shape == (1 + (1 + (RATE - 400) // 160 - 1) // 3, len(UNITS))
    np.testing.assert_allclose(np.exp(heard).sum(axis=1), 1.0, atol=1e-5)
    assert set(recogniser.transcribe(samples)) <= set("".join(UNITS))
    assert load_ctc(folder).hear(samples[:10]).shape[0] > 0
    with pytest.raises(InputError, match="takes floats"):
        recogniser.transcribe(np.zeros(RATE, np.int16))


def test_a_language_model_in_the_folder_is_used(folder: Path) -> None:
    before = load_ctc(folder)
    language = train([["some", "words"], ["other", "words"]])
    write_arpa(language, folder / "language.arpa.gz")
    after = load_ctc(folder, weight=0.5)
    assert after.decoder.language is not None
    assert "3 words" in after.decoding
    assert "power 0.5" in after.decoding
    # The cache of measurements must tell the two apart, whatever way the model was given.
    given = load_ctc(folder, language=language)
    assert len({*before.sha256s, "language"}) == len(after.sha256s) == len(given.sha256s)
    samples = np.random.default_rng(1).normal(0, 0.1, RATE).astype(np.float32)
    assert isinstance(after.transcribe(samples), str)


def test_wrong_folders_are_sentences(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"model\.json does not exist; name a folder"):
        load_recogniser(f"ctc:{tmp_path / 'nothing'}")
    declare(folder, identity="kaldi-fbank 0")
    with pytest.raises(InputError, match="trained on frames of another version of fbank"):
        load_ctc(folder)
    declare(folder, units=["", "x"])
    with pytest.raises(InputError, match="not of a network that can be used here"):
        load_ctc(folder)
    for wrong in ("[]", "[" * 100_000):
        (folder / "model.json").write_text(wrong)
        with pytest.raises(InputError, match="not of a network that can be used here"):
            load_ctc(folder)
    with pytest.raises(UsageError, match="whisper-small or ctc:FOLDER"):
        load_recogniser("whisper")
    with pytest.raises(UsageError, match="There is no front end 'mfcc'"):
        load_front_end("mfcc")


def test_tested_sentences_are_not_in_the_language_model(tmp_path: Path) -> None:
    text = tmp_path / "text.txt"
    kept, tested = "Mr. Quilter laboured at 3", "a b c d e f g h"
    text.write_text(f"{kept}\n{tested} i j\nhello\n", encoding="utf-8")
    language = learn_language([text], tested=[tested, "HELLO"])
    words = set(language.words)
    assert {"mister", "quilter", "labored", "three"} <= words
    assert not {"c", "hello"} & words
    with pytest.raises(InputError, match=r"none\.txt: the text for the language model"):
        learn_language([tmp_path / "none.txt"])


def test_the_frozen_encoder_is_that_of_moonshine(moonshine: Moonshine, dev: Corpus) -> None:
    front_end = load_front_end("moonshine-base")
    assert front_end.sha256s["encoder"] == moonshine.sha256s["encoder"]
    samples = load(dev.utterances[0], sample_rate=RATE)
    frames = front_end(samples)
    wanted = moonshine.encoder().run(None, {"input_values": samples[None]})[0][0]
    np.testing.assert_array_equal(frames, wanted)
    assert frames.shape[1] == front_end.dimension
    expected = samples.size / RATE * front_end.frames_per_second
    assert abs(len(frames) - expected) <= 2
    # Longer than the encoder was trained on: cut at a quiet place, none of it lost.
    long = front_end(np.tile(samples, 6))
    assert abs(len(long) - 6 * expected) <= 4
