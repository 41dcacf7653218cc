"""The exported encoder is the trained network."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed; `make test-train` installs it")

from pseudovoice.corpus import Corpus, load  # noqa: E402
from pseudovoice.encoders import load_encoder  # noqa: E402
from pseudovoice.signal.fbank import utterance_fbank  # noqa: E402
from pseudovoice.training import MODELS, Recipe  # noqa: E402
from pseudovoice.training.export import export_onnx  # noqa: E402
from pseudovoice.training.learner import tensors  # noqa: E402
from pseudovoice.training.network import build  # noqa: E402
from pseudovoice.training.xvector import CONTEXTS, LEAST_VARIANCE  # noqa: E402


@pytest.mark.parametrize("model", MODELS)
def test_onnx_gives_the_embeddings_of_torch(model: str, voices: Corpus, tmp_path: Path) -> None:
    network = build(Recipe(model=model, width=32), classes=5, start=None)
    # Norms as after training: with their first values a forgotten one would not be noticed.
    torch.manual_seed(0)
    network.encoder.train()
    for _ in range(3):
        network.encoder(2.0 + torch.randn(6, 120, 80))
    export_onnx(model, tensors(network.encoder), tmp_path / "model.onnx")
    encoder = load_encoder(f"onnx:{tmp_path / 'model.onnx'}")
    assert encoder.dimension == network.encoder.dimension
    sounds = [load(u, sample_rate=16_000) for u in voices.utterances[:4]]
    sounds = [*sounds, sounds[0][:4_000], np.tile(sounds[1], 5)]
    got = encoder.embed(sounds)
    wanted = np.concatenate([network.embed(utterance_fbank(sound)[None]) for sound in sounds])
    scale = np.abs(wanted).max()
    np.testing.assert_allclose(got / scale, wanted / scale, atol=1e-4)


def test_the_graph_shares_the_networks_constants() -> None:
    """They are written twice, since the graph must not need torch."""
    from pseudovoice.training import xvector_graph

    assert tuple(dilation for _, dilation in CONTEXTS) == xvector_graph._DILATIONS
    assert xvector_graph._LEAST_VARIANCE == LEAST_VARIANCE
    # Snyder et al. 2018, Table 1: a frame of the last layer sees 15 frames.
    assert 1 + sum((kernel - 1) * dilation for kernel, dilation in CONTEXTS) == 15
