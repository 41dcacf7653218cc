"""The encoders with their real weights, against the original implementations."""

from __future__ import annotations

import csv
import os
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from pseudovoice.encoders import Encoder, load_encoder
from pseudovoice.models import artefact, fetch
from pseudovoice.models.cache import sha256_of
from pseudovoice.models.session import as_function, open_session

pytestmark = pytest.mark.weights
Float32 = NDArray[np.float32]
NAMES = ("resnet34-lm", "ecapa", "ge2e")


@pytest.fixture(scope="module", params=NAMES)
def encoder(request: pytest.FixtureRequest) -> Encoder:
    return load_encoder(request.param)


def unit(rows: Float32) -> Float32:
    return rows / np.linalg.norm(rows, axis=-1, keepdims=True)


def test_facts_are_those_of_the_weights(encoder: Encoder) -> None:
    item = artefact(encoder.name)
    assert encoder.sha256 == item.sha256 == sha256_of(fetch(item).path)
    assert encoder.licence == item.licence
    assert encoder.sample_rate == 16_000


@pytest.mark.parametrize("name", ["ecapa", "ge2e"])
def test_embeddings_are_those_of_the_original(
    name: str, oracle: dict[str, Float32], voices: list[Float32]
) -> None:
    rows = load_encoder(name).embed(voices)
    expected = np.stack([oracle[f"{name}_{voice}"] for voice in ("a", "b", "quiet")])
    scale = np.linalg.norm(expected, axis=1, keepdims=True)
    assert (np.abs(rows - expected) / scale).max() < 1e-5


@pytest.mark.parametrize("name", ["resnet34-lm", "resnet34"])
def test_resnet_is_its_graph_on_kaldi_features(
    name: str, voices: list[Float32], kaldi: Callable[..., Float32]
) -> None:
    network = as_function(open_session(fetch(name).path))
    rows = load_encoder(name).embed(voices)
    for row, voice in zip(rows, voices, strict=True):
        features = kaldi(voice)
        features -= features.mean(axis=0)
        expected = network(features[None].astype(np.float32))[0]
        assert 1.0 - unit(row) @ unit(expected) < 1e-6


def test_rows_do_not_depend_on_their_company(encoder: Encoder, voices: list[Float32]) -> None:
    voice = voices[1]
    # Same length, same number of frames with other lengths, and others.
    batch = [voice[:20_000], voice[9_000:29_000], voice[:20_001], voices[2], voice[:20_079]]
    together = encoder.embed(batch)
    assert together.dtype == np.float32
    assert together.shape == (5, encoder.dimension)
    alone = np.concatenate([encoder.embed([waveform]) for waveform in batch])
    np.testing.assert_allclose(unit(together), unit(alone), atol=1e-5)
    np.testing.assert_array_equal(encoder.embed(batch[::-1])[::-1], together)
    assert np.abs(unit(together)[0] - unit(together)[1]).max() > 1e-3


def test_least_duration_and_silence_give_numbers(encoder: Encoder) -> None:
    shortest = int(encoder.shortest_seconds * encoder.sample_rate)
    noise = (0.1 * np.random.default_rng(0).standard_normal(shortest)).astype(np.float32)
    assert np.isfinite(encoder.embed([noise, np.zeros(shortest, np.float32)])).all()


def test_written_graph_is_made_anew_when_damaged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, voices: list[Float32]
) -> None:
    source = fetch("ge2e").path
    before = load_encoder("ge2e").embed(voices)
    monkeypatch.setenv("PSEUDOVOICE_CACHE", str(tmp_path))
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / source.name).symlink_to(source)
    load_encoder("ge2e")
    (graph,) = (tmp_path / "graphs").glob("*.onnx")
    good = graph.read_bytes()
    graph.write_bytes(good[:-1] + b"?")
    np.testing.assert_array_equal(load_encoder("ge2e").embed(voices), before)
    assert graph.read_bytes() == good, "writing a graph is not deterministic"


def test_fusion_of_real_encoders(voices: list[Float32]) -> None:
    fused = load_encoder("fusion:resnet34-lm+ge2e")
    rows = fused.embed(voices)
    parts = [unit(load_encoder(name).embed(voices)) for name in ("resnet34-lm", "ge2e")]
    mean = sum(part @ part.T for part in parts) / 2
    np.testing.assert_allclose(rows @ rows.T, mean, atol=1e-5)


# Per gender (F, M); one of the 200 mated pairs is 0.5 %.
PUBLISHED = {"resnet34-lm": (4.9, 0.5), "ecapa": (4.6, 0.5), "ge2e": (11.5, 3.2)}


@pytest.mark.skipif(
    "PSEUDOVOICE_DEV_CORPUS" not in os.environ,
    reason="PSEUDOVOICE_DEV_CORPUS names no LibriSpeech dev-clean with a metadata.tsv",
)
def test_equal_error_rates_on_librispeech(encoder: Encoder) -> None:
    """Every fourth of a speaker's twenty utterances: five that spread over the chapters."""
    import soundfile

    root = Path(os.environ["PSEUDOVOICE_DEV_CORPUS"])
    speakers = defaultdict(list)
    with (root / "metadata.tsv").open(newline="") as stream:
        for row in csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE):
            speakers[row["gender"], row["speaker"]].append(row)
    for gender, published in zip("FM", PUBLISHED[encoder.name], strict=True):
        rows = [
            row
            for (g, _), utterances in speakers.items()
            if g == gender
            for row in sorted(utterances, key=lambda r: r["utt_id"])[::4]
        ]
        waves = [soundfile.read(root / row["path"], dtype="float32")[0] for row in rows]
        embeddings = unit(encoder.embed(waves))
        who = np.array([row["speaker"] for row in rows])
        pairs = np.triu_indices(len(rows), 1)
        scores = (embeddings @ embeddings.T)[pairs]
        mated = (who[:, None] == who)[pairs]
        assert abs(100 * _equal_error_rate(scores, mated) - published) < 1.0


def _equal_error_rate(scores: Float32, mated: NDArray[np.bool_]) -> float:
    order = np.argsort(scores)
    missed = np.cumsum(mated[order]) / mated.sum()
    accepted = 1.0 - np.cumsum(~mated[order]) / (~mated).sum()
    crossing = int(np.argmin(np.abs(missed - accepted)))
    return float((missed[crossing] + accepted[crossing]) / 2)
