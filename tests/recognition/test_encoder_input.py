"""What no encoder takes, each as a sentence; and fusions. With small models, for speed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from pseudovoice.encoders import Encoder, FusedEncoder, load_encoder, load_onnx
from pseudovoice.errors import InputError, UsageError

Float32 = NDArray[np.float32]


@pytest.fixture(scope="module")
def encoder(fbank_model: Path) -> Encoder:
    return load_onnx(fbank_model, name="small")


@pytest.mark.parametrize(
    ("waveform", "sentence"),
    [
        (np.zeros(3_999, np.float32), r"Waveform 1 .* lasts 0\.250 s, but small needs at least"),
        (np.zeros(0, np.float32), "lasts 0.000 s"),
        (np.zeros((2, 8_000), np.float32), "mono"),
        (np.zeros(8_000, np.int16), "int16 samples"),
        (np.full(8_000, np.nan, np.float32), "not finite"),
        (np.r_[np.zeros(8_000), np.inf], "not finite"),
    ],
)
def test_refused(encoder: Encoder, waveform: NDArray[np.generic], sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        encoder.embed([np.zeros(8_000, np.float32), waveform])


def test_shortest_is_taken_and_silence_gives_numbers(encoder: Encoder) -> None:
    rows = encoder.embed([np.zeros(4_000, np.float32)])
    assert np.isfinite(rows).all()


def test_empty_batch(encoder: Encoder) -> None:
    assert encoder.embed([]).shape == (0, 80)


def test_float64_is_taken(encoder: Encoder, voices: list[Float32]) -> None:
    doubled = [v.astype(np.float64) for v in voices]
    np.testing.assert_array_equal(encoder.embed(doubled), encoder.embed(voices))


@pytest.mark.parametrize("name", ["resnet", "", "fusion", "resnet34-lm:x", "x:y", "onnx"])
def test_unknown_names_list_the_known(name: str) -> None:
    with pytest.raises(UsageError, match=r"resnet34-lm, ecapa, ge2e.*onnx:PATH.*hf:org/name"):
        load_encoder(name)


def test_fusion_is_the_mean_of_cosines(
    fbank_model: Path, waveform_model: Path, voices: list[Float32]
) -> None:
    fused = load_encoder(f"fusion:onnx:{fbank_model}+onnx:{waveform_model}")
    rows = fused.embed(voices)
    assert rows.dtype == np.float32
    assert rows.shape == (3, fused.dimension) == (3, 96)
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1.0, rtol=1e-6)
    cosines = []
    for path in (fbank_model, waveform_model):
        part = load_onnx(path).embed(voices).astype(np.float64)
        part /= np.linalg.norm(part, axis=1, keepdims=True)
        cosines.append(part @ part.T)
    np.testing.assert_allclose(rows @ rows.T, np.mean(cosines, axis=0), atol=1e-6)
    assert fused.embed([]).shape == (0, 96)


def test_fusion_names_and_hashes_its_parts(fbank_model: Path, waveform_model: Path) -> None:
    one, two = load_onnx(fbank_model, name="one"), load_onnx(waveform_model, name="two")
    fused = FusedEncoder((one, two))
    assert fused.name == "fusion:one+two"
    assert fused.licence == "one: not declared; two: not declared"
    assert fused.sha256 != FusedEncoder((two, one)).sha256
    assert isinstance(fused, Encoder)


def test_fusions_that_make_no_sense(encoder: Encoder, fbank_model: Path) -> None:
    with pytest.raises(UsageError, match="two encoders or more"):
        load_encoder(f"fusion:onnx:{fbank_model}")
    with pytest.raises(UsageError, match="same weights twice"):
        load_encoder(f"fusion:onnx:{fbank_model}+onnx:{fbank_model}")
    with pytest.raises(UsageError, match="There is no encoder 'nobody'"):
        load_encoder(f"fusion:onnx:{fbank_model}+nobody")
    with pytest.raises(InputError, match=r"fusion:.* needs at least"):
        FusedEncoder((encoder, _other_rate(encoder, rate=16_000))).embed([np.zeros(9, np.float32)])
    with pytest.raises(UsageError, match="one sample rate"):
        FusedEncoder((encoder, _other_rate(encoder, rate=8_000)))


def _other_rate(encoder: Encoder, *, rate: int) -> Encoder:
    return replace(encoder, name="other", sample_rate=rate, sha256="0" * 64)  # type: ignore[type-var]
