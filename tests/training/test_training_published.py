"""Starting from SpeechBrain's published weights, which were trained on other features."""

from __future__ import annotations

import shutil
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed; `make test-train` installs it")

from pseudovoice.corpus import load, read_corpus  # noqa: E402
from pseudovoice.encoders import load_encoder  # noqa: E402
from pseudovoice.models import artefact, cached_path  # noqa: E402
from pseudovoice.training import Recipe, start  # noqa: E402
from pseudovoice.training.ecapa import Ecapa  # noqa: E402
from pseudovoice.training.export import export_onnx  # noqa: E402
from pseudovoice.training.learner import tensors  # noqa: E402
from pseudovoice.training.network import build  # noqa: E402

# Before any test has a cache of its own.
WEIGHTS = cached_path(artefact("ecapa"))


def test_logarithms_are_made_decibels(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its first layer takes 10·log10 of energies, ours ln: the factor goes into the weights."""
    torch.manual_seed(0)
    published = Ecapa(16).eval()
    state = {name: a for name, a in tensors(published).items() if not name.startswith("centre")}
    found = SimpleNamespace(path=None, artefact=SimpleNamespace(sha256="0" * 64))
    monkeypatch.setattr(start, "fetch", lambda _: found)
    monkeypatch.setattr(start, "read_tensors", lambda _: state)
    begun = start.read_start("ecapa")
    assert (begun.model, begun.width) == ("ecapa", 16)
    network = build(Recipe(model="ecapa", width=16), classes=3, start=begun)
    natural = np.random.default_rng(0).normal(size=(2, 60, 80)).astype(np.float32)
    with torch.no_grad():
        wanted = published(torch.from_numpy(natural * np.float32(10 / np.log(10)))).numpy()
    np.testing.assert_allclose(network.embed(natural), wanted, rtol=1e-3, atol=1e-4)


@pytest.mark.skipif(
    not WEIGHTS.is_file(), reason="no weights here: `pseudovoice models fetch ecapa`"
)
def test_the_published_encoder_survives_the_change_of_features(
    shared: Path, cache: Path, tmp_path: Path
) -> None:
    (cache / "models").mkdir(exist_ok=True)
    shutil.copy(WEIGHTS, cache / "models")
    begun = start.read_start("ecapa")
    export_onnx("ecapa", begun.state, tmp_path / "model.onnx")
    speech = read_corpus(shared / "speech" / "dev").utterances[::200]
    sounds = [load(utterance, sample_rate=16_000) for utterance in speech]
    ours = load_encoder(f"onnx:{tmp_path / 'model.onnx'}").embed(sounds)
    theirs = load_encoder("ecapa").embed(sounds)
    unit = [rows / np.linalg.norm(rows, axis=1, keepdims=True) for rows in (ours, theirs)]
    cosine = unit[0] @ unit[1].T
    # Measured on dev: EER 5.9 / 0.7 % (F / M) where its own features give 4.6 / 0.5 %.
    assert cosine.diagonal().min() > 0.85
    assert cosine[~np.eye(len(sounds), dtype=bool)].max() < 0.6
