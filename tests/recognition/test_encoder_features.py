"""The three feature extractors against the originals."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from pseudovoice.signal.fbank import kaldi_fbank, utterance_fbank
from pseudovoice.signal.fbank_speechbrain import speechbrain_fbank
from pseudovoice.signal.mel_slaney import slaney_mel

VOICES = ("a", "b", "quiet")
Float32 = NDArray[np.float32]
Kaldi = Callable[..., Float32]


def test_kaldi_fbank_agrees_with_kaldi(voices: list[Float32], kaldi: Kaldi) -> None:
    noise = np.random.default_rng(0).uniform(-1, 1, 20_000).astype(np.float32)
    silence = np.zeros(8_000, np.float32)
    for waveform in [*voices, noise, silence]:
        expected = kaldi(waveform)
        found = kaldi_fbank(waveform)
        assert found.dtype == np.float32
        assert found.shape == expected.shape
        assert np.abs(found - expected).max() < 1e-3


@pytest.mark.parametrize(("rate", "mels"), [(8_000, 40), (16_000, 24), (48_000, 80)])
def test_kaldi_fbank_at_other_settings(
    voices: list[Float32], kaldi: Kaldi, rate: int, mels: int
) -> None:
    expected = kaldi(voices[0], rate=rate, mels=mels)
    assert np.abs(kaldi_fbank(voices[0], rate=rate, mels=mels) - expected).max() < 1e-3


@pytest.mark.parametrize(("samples", "frames"), [(400, 1), (559, 1), (560, 2), (16_000, 98)])
def test_edges_are_snipped(samples: int, frames: int) -> None:
    noise = np.random.default_rng(0).standard_normal(samples).astype(np.float32)
    assert kaldi_fbank(noise).shape == (frames, 80)


def test_utterance_mean_is_removed(voices: list[Float32]) -> None:
    features = utterance_fbank(voices[0])
    assert np.abs(features.mean(axis=0)).max() < 1e-4
    # Loudness is an additive constant in the logarithm, so it is gone with the mean.
    assert np.abs(utterance_fbank(voices[0] * 0.5) - features).max() < 1e-3


@pytest.mark.parametrize("name", VOICES)
def test_speechbrain_fbank_agrees_with_speechbrain(oracle: dict[str, Float32], name: str) -> None:
    found = speechbrain_fbank(oracle[f"wave_{name}"].astype(np.float32) / 32768)
    assert np.abs(found[::20] - oracle[f"speechbrain_{name}"]).max() < 1e-3


@pytest.mark.parametrize("name", VOICES)
def test_slaney_mel_agrees_with_librosa(oracle: dict[str, Float32], name: str) -> None:
    found = slaney_mel(oracle[f"wave_{name}"].astype(np.float32) / 32768)
    expected = oracle[f"slaney_{name}"]
    assert np.abs(found[::20] - expected).max() < 1e-5 * expected.max()
