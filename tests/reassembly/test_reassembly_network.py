"""The speech successor without torch: features of joined slices, and the network over them."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from numpy.typing import NDArray
from slow_successor import random_state, slow_score

from pseudovoice.cli.main import app
from pseudovoice.corpus import read_corpus
from pseudovoice.errors import InputError, UsageError
from pseudovoice.keys import Key
from pseudovoice.reassembly import Succession, cue_scores, listen, load_successor
from pseudovoice.reassembly.decisions import decisions
from pseudovoice.reassembly.joined import AROUND, Edges, across, edges
from pseudovoice.signal.fbank import kaldi_fbank
from pseudovoice.slicing import Slicing, slice_corpus
from pseudovoice.training.successor_graph import successor_graph
from pseudovoice.training.xvector_graph import xvector_graph

RATE = 16_000


def noises(*lengths: int) -> list[NDArray[np.float32]]:
    """Noise whose level changes all the time, and which is not centred on zero."""
    rng = np.random.default_rng(0)
    pieces = []
    for n in lengths:
        level = np.exp(np.cumsum(rng.normal(0, 0.02, n)))
        pieces.append((0.01 + 0.05 * level * rng.standard_normal(n)).astype(np.float32))
    return pieces


def joined(first: Edges, second: Edges) -> NDArray[np.float32]:
    middle = across(first.ending, second.beginning)
    return np.concatenate([first.before, middle, second.after])


@pytest.fixture(scope="module")
def sliced(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Pieces of real speech, and the table that undoes them."""
    folder = shared / "speech" / "dev"
    if not folder.is_dir():
        pytest.skip(f"the development speech is not here: there is no {folder}")
    place = tmp_path_factory.mktemp("sliced")
    whole = read_corpus(folder)
    # Without transcripts, which pieces of fixed duration do not need.
    few = [replace(u, transcript=None) for u in whole.utterances[:: len(whole) // 8][:8]]
    slice_corpus(
        replace(whole, utterances=tuple(few), problems=()),
        place / "out",
        Slicing(1.0, "fixed"),
        key=Key(b"k" * 32),
        table=place / "undo.csv",
        workers=1,
    )
    return place


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("model") / "model.onnx"
    path.write_bytes(successor_graph(random_state(8, kind="cut")))
    return path


def test_joined_features_are_those_of_the_joined_signal() -> None:
    one, other = noises(20_011, 17_003)
    found = joined(edges(one).within(AROUND), edges(other).within(AROUND))
    # The grid hangs on the cut: fifty frames end with the first slice, and one each 10 ms follows.
    begin = one.size - 400 - (AROUND - 1) * 160
    whole = kaldi_fbank(np.concatenate([one, other])[begin:], mels=40)
    assert found.shape == (2 * AROUND + 2, 40)
    np.testing.assert_allclose(found, whole[: len(found)], atol=2e-3)
    # And so it is for all there is, but for what does not fill a frame at either end.
    everything = joined(edges(one), edges(other))
    whole = kaldi_fbank(np.concatenate([one, other])[(one.size - 400) % 160 :], mels=40)
    np.testing.assert_allclose(everything, whole[: len(everything)], atol=2e-3)
    assert len(whole) - len(everything) <= 1


@pytest.mark.parametrize("size", [1, 479, 480, 481, 700, 3000, 8239, 8240, 8241])
def test_short_slices_repeat_their_outermost_frame(size: int) -> None:
    (piece,) = noises(size)
    found = edges(piece).within(AROUND)
    assert found.before.shape == found.after.shape == (AROUND, 40)
    assert np.isfinite(joined(found, found)).all()
    if 480 <= size < 8240:
        frames = 1 + (size - 400) // 160
        last = kaldi_fbank(piece[size - 400 - (frames - 1) * 160 :], mels=40)
        np.testing.assert_array_equal(found.before[-frames:], last)
        assert (found.before[: AROUND - frames] == last[0]).all()


@pytest.mark.parametrize("kind", ["cut", "xvector"])
def test_sums_of_single_slices_give_the_score_of_the_joined_ones(kind: str, tmp_path: Path) -> None:
    state = random_state(8, kind=kind)
    path = tmp_path / "model.onnx"
    path.write_bytes(successor_graph(state))
    heard = [edges(piece) for piece in noises(16_000, 9_000, 2_000, 400, 24_321)]
    scores = load_successor(path).scores(heard, workers=1)
    # The paper's network hears slices as a whole, of which the shortest has too few frames.
    part = [piece.within(AROUND if kind == "cut" else None, 15) for piece in heard]
    slow = [[slow_score(joined(w, v), state) for v in part] for w in part]
    np.testing.assert_allclose(scores, slow, atol=2e-3)
    assert np.std(slow) > 0.05
    # Order matters: what follows what is not what precedes what.
    assert np.abs(scores - scores.T).max() > 0.01


def test_it_runs_without_torch(model: Path, sliced: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    heard = listen(read_corpus(sliced / "out"), joining=True, workers=1)
    slices = list(heard.slices.values())
    scores = cue_scores(slices, successors=[load_successor(model)], workers=1)
    assert scores["network"].shape == (len(slices), len(slices))
    assert np.isfinite(scores["network"]).all()
    assert scores["network"].std() > 0
    assert "network" not in cue_scores(slices)
    deaf = list(listen(read_corpus(sliced / "out"), workers=1).slices.values())
    with pytest.raises(UsageError, match="joining=True"):
        cue_scores(deaf, successors=[load_successor(model)])


def test_decisions_count_as_the_paper_does_and_balanced() -> None:
    truth = Succession(
        tuple("abcd"), np.array([1, -1, 3, -1]), np.array([0, 0, 1, 1]), np.array([0, 0, 1, 1])
    )
    # Right on both successive pairs and all of two speakers, wrong on others of one speaker.
    scores = np.where(truth.speaker[:, None] == truth.speaker[None], 1.0, -1.0)
    found = decisions([(scores, truth)])
    assert found.pairs == (2, 2, 8)
    assert (found.successive, found.same_speaker, found.other_speaker) == (1.0, 0.0, 1.0)
    assert found.every_pair == pytest.approx(10 / 12)
    assert found.balanced == pytest.approx(0.75)
    never = decisions([(-np.ones((4, 4)), truth)])
    assert (never.every_pair, never.balanced) == (pytest.approx(10 / 12), 0.5)


def test_command_ranks_by_both_networks(model: Path, sliced: Path, tmp_path: Path) -> None:
    papers = tmp_path / "papers.onnx"
    papers.write_bytes(successor_graph(random_state(8, kind="xvector")))
    words = ["attack", "slices", str(sliced / "out"), "--table", str(sliced / "undo.csv")]
    more = ["--encoder", "none", "--samples", "1", "--utterances", "4", "--json", "--sound"]
    both = ["--successor-model", str(papers), "--successor-model", str(model)]
    result = CliRunner().invoke(app, [*words, *more, *both])
    assert result.exit_code == 0, result.output
    facts = json.loads(result.stdout)["attacks"]
    assert list(facts)[-3:-1] == ["network, samples", "x-vector network, samples"]
    decided = facts["x-vector network, samples"]["decided"]
    assert sum(decided["pairs"]) > 20 * decided["pairs"][0]
    assert 0 < decided["every_pair"] < 1
    assert "decided" not in facts["waveform, samples"]
    told = CliRunner().invoke(app, [*words, *(w for w in more if w != "--json"), *both])
    assert "x-vector network: right on" in " ".join(told.stdout.split())
    again = ["--successor-model", str(model), "--successor-model", str(model)]
    refused = CliRunner().invoke(app, [*words, *more, *again])
    assert refused.exit_code == 2
    assert "a network of this kind already" in " ".join(refused.output.split())


def test_command_ranks_by_the_network_too(model: Path, sliced: Path) -> None:
    words = ["attack", "slices", str(sliced / "out"), "--table", str(sliced / "undo.csv")]
    more = ["--encoder", "none", "--samples", "2", "--utterances", "6", "--json"]
    network = ["--sound", "--successor-model", str(model)]
    result = CliRunner().invoke(app, [*words, *network, *more])
    assert result.exit_code == 0, result.output
    facts = json.loads(result.stdout)["attacks"]
    low, value, high = (facts["network, samples"]["average"][k] for k in (1, 0, 2))
    assert 0 < low <= value <= high < 1
    # Of the sound's mean rank it is a part: another than without it.
    without = CliRunner().invoke(app, [*words, "--sound", *more])
    assert "network, samples" not in json.loads(without.stdout)["attacks"]
    joint = "all of sound, mean rank, samples"
    assert json.loads(without.stdout)["attacks"][joint] != facts[joint]


def test_wrong_models_get_a_sentence(model: Path, sliced: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such successor model"):
        load_successor(tmp_path / "none.onnx")
    (tmp_path / "text.onnx").write_text("hello")
    with pytest.raises(InputError, match="cannot be opened as an ONNX model"):
        load_successor(tmp_path / "text.onnx")
    rng = np.random.default_rng(0)
    shapes = {f"frames.{i}.conv.weight": (8, 80 if i == 0 else 8, k) for i, k in enumerate("53311")}
    state = {name: rng.random((*s[:2], int(s[2]))) for name, s in shapes.items()}
    for i in range(5):
        state[f"frames.{i}.conv.bias"] = rng.random(8)
        for part in ("weight", "bias", "running_mean", "running_var"):
            state[f"frames.{i}.norm.{part}"] = rng.random(8)
    state |= {"segment.weight": rng.random((4, 16)), "segment.bias": rng.random(4)}
    voices = tmp_path / "voices.onnx"
    voices.write_bytes(xvector_graph({n: a.astype(np.float32) for n, a in state.items()}))
    with pytest.raises(InputError, match="is no successor model of this version"):
        load_successor(voices)
    start = ["attack", "slices", str(sliced / "out"), "--table", str(sliced / "undo.csv")]
    result = CliRunner().invoke(app, [*start, "--arpa", "x", "--successor-model", str(model)])
    assert result.exit_code == 2
    assert "together with --sound" in " ".join(result.output.split())
