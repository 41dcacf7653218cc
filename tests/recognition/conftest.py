"""Waveforms, reference values and small ONNX models for the encoder tests.

Tests marked ``weights`` fetch real weights (150 MB in all, once) by name into the user's cache, or
into PSEUDOVOICE_CACHE; ``-m "not weights"`` leaves them out.

``oracle.npz`` holds three synthetic voices (int16, 16 kHz) and what the original implementations
make of them: every 20th frame of SpeechBrain 1.1.2's ``Fbank(n_mels=80)`` with sentence
normalisation and of Resemblyzer 0.1.4's ``wav_to_mel_spectrogram`` (librosa 0.11), the output of
SpeechBrain's ``ECAPA_TDNN`` and that of Resemblyzer's ``embed_utterance`` after
``normalize_volume(-30, increase_only=True)``, all run with torch 2.15 on the CPU.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import kaldi_native_fbank
import numpy as np
import onnx
import pytest
from numpy.typing import NDArray

from pseudovoice.encoders.graph import Graph

VOICES = ("a", "b", "quiet")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "weights: fetches real model weights by name")


@pytest.fixture(scope="session")
def oracle() -> dict[str, NDArray[np.float32]]:
    with np.load(Path(__file__).parent / "oracle.npz") as archive:
        return dict(archive)


@pytest.fixture(scope="session")
def voices(oracle: dict[str, NDArray[np.float32]]) -> list[NDArray[np.float32]]:
    """Of 2.1, 3.4 and 1.0 s; the last one very quiet."""
    return [oracle[f"wave_{name}"].astype(np.float32) / 32768 for name in VOICES]


@pytest.fixture(scope="session")
def fbank_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Mean over time of |features|: [batch, time, 80] → [batch, 80]."""
    net = Graph("fbank")
    result = net.op("ReduceMean", net.op("Abs", "features"), axes=[1], keepdims=0)
    path = tmp_path_factory.mktemp("models") / "fbank.onnx"
    path.write_bytes(net.serialise(("features", 80), (result, 80)))
    return path


@pytest.fixture(scope="session")
def waveform_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Mean of 16 rectified filters over the samples: [batch, time] → [batch, 16]."""
    rng = np.random.default_rng(0)
    net = Graph("waveform")
    channel = net.op("Unsqueeze", "samples", net.integers(1))
    kernel = net.constant(rng.standard_normal((16, 1, 200)).astype(np.float32))
    filtered = net.op("Relu", net.op("Conv", channel, kernel, strides=[100]))
    result = net.op("ReduceMean", filtered, axes=[2], keepdims=0)
    model = onnx.load_from_string(net.serialise(("samples", 1), (result, 16)))
    del model.graph.input[0].type.tensor_type.shape.dim[2]
    path = tmp_path_factory.mktemp("models") / "waveform.onnx"
    path.write_bytes(model.SerializeToString())
    return path


@pytest.fixture(scope="session")
def kaldi() -> Callable[..., NDArray[np.float32]]:
    """``kaldi(waveform, rate=, mels=)``: the features by kaldi-native-fbank."""

    def compute(
        waveform: NDArray[np.float32], *, rate: int = 16_000, mels: int = 80
    ) -> NDArray[np.float32]:
        options = kaldi_native_fbank.FbankOptions()
        options.frame_opts.dither = 0.0
        options.frame_opts.window_type = "hamming"
        options.frame_opts.samp_freq = rate
        options.frame_opts.snip_edges = True
        options.mel_opts.num_bins = mels
        extractor = kaldi_native_fbank.OnlineFbank(options)
        extractor.accept_waveform(rate, (waveform * 32768).tolist())
        extractor.input_finished()
        return np.stack([extractor.get_frame(i) for i in range(extractor.num_frames_ready)])

    return compute
