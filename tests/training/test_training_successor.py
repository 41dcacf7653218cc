"""The successor network: its pairs, that it learns what follows what, and that it resumes."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from pseudovoice.cli.main import app
from pseudovoice.corpus import Corpus, load, read_corpus
from pseudovoice.errors import InputError, MissingExtraError, UsageError
from pseudovoice.keys import Key
from pseudovoice.reassembly import load_successor, measure, rank_by_scores
from pseudovoice.reassembly.joined import AROUND, across, edges
from pseudovoice.slicing import Origin, Slicing, read_table, slice_corpus
from pseudovoice.training import SuccessorRecipe, train_successor
from pseudovoice.training.archive import read_archive
from pseudovoice.training.successor_pairs import PairSet, TrainingSlices, read_slices, split_slices

SMALL = {"width": 16, "epochs": 3, "batch": 32, "threads": 1}
PAPERS = {**SMALL, "network": "xvector"}

Cut = tuple[Corpus, list[Origin]]


def cut(corpus: Corpus, folder: Path) -> Cut:
    slice_corpus(
        corpus,
        folder / "out",
        Slicing(0.5, "fixed"),
        key=Key(b"k" * 32),
        table=folder / "undo.csv",
        workers=1,
    )
    return read_corpus(folder / "out"), list(read_table(folder / "undo.csv"))


@pytest.fixture(scope="module")
def slices(voices: Corpus, tmp_path_factory: pytest.TempPathFactory) -> Cut:
    return cut(voices, tmp_path_factory.mktemp("slices"))


@pytest.fixture(scope="module")
def undisturbed(slices: Cut, needs_torch: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    del needs_torch
    out = tmp_path_factory.mktemp("successor")
    train_successor(*slices, out, **SMALL)
    return out


def both(slices: Cut) -> tuple[TrainingSlices, TrainingSlices]:
    heard, problems = read_slices(*slices, workers=1)
    assert not problems
    return split_slices(heard, "")


def test_speakers_are_held_out_and_batches_balanced(slices: Cut) -> None:
    training, held_out = both(slices)
    assert set(training.truth.speaker).isdisjoint(held_out.truth.speaker)
    assert len(training.truth) + len(held_out.truth) == len(slices[0])
    pairs = PairSet(training, SuccessorRecipe(batch=32))
    first, again, next_ = (list(pairs.batches(k)) for k in (1, 1, 2))
    assert len(first) == pairs.steps
    labels = np.concatenate([batch.labels for batch in first])
    assert labels.mean() == pytest.approx(0.5, abs=0.02)
    assert all(0 < batch.labels.mean() < 1 for batch in first)
    assert all(
        (a.features == b.features).all() and (a.labels == b.labels).all()
        for a, b in zip(first, again, strict=True)
    )
    assert not (first[0].labels == next_[0].labels).all()


def test_augmentation_is_the_same_on_both_sides(slices: Cut) -> None:
    training, _ = both(slices)
    plain, moved = (
        next(PairSet(training, SuccessorRecipe(batch=32, augment=a)).batches(1)).features
        for a in (False, True)
    )
    added = moved - plain
    np.testing.assert_allclose(added, np.broadcast_to(added[:, :1], added.shape), atol=1e-4)
    assert np.ptp(added[:, 0].mean(axis=1)) > 1.0


def test_a_slice_that_cannot_be_heard_is_a_problem_and_no_neighbour(
    voices: Corpus, tmp_path: Path
) -> None:
    corpus, origins = cut(voices.subset(ids=[u.id for u in voices][:8]), tmp_path)
    whole, _ = read_slices(corpus, origins, workers=1)
    broken = next(o for o in origins if o.position == 1)
    corpus.by_id[broken.slice].path.write_bytes(b"RIFF")
    rest, problems = read_slices(corpus, origins, workers=1)
    assert len(problems) == 1
    assert len(rest.truth) == len(whole.truth) - 1
    assert rest.truth.queries.size == whole.truth.queries.size - 2
    assert rest.fingerprint != whole.fingerprint
    with pytest.raises(InputError, match="the table knows 0 of its"):
        read_slices(corpus, origins[:0], workers=1)


def test_too_few_speakers_is_an_error(voices: Corpus, tmp_path: Path) -> None:
    speakers = sorted(voices.speakers)[:3]
    corpus, origins = cut(voices.subset(speakers=speakers), tmp_path)
    heard, _ = read_slices(corpus, origins, workers=1)
    with pytest.raises(InputError, match=r"3 speaker\(s\) have an utterance of several slices"):
        split_slices(heard, "here")


def test_missing_torch_is_a_sentence(
    slices: Cut, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingExtraError, match=r"needs the package torch.*pseudovoice\[train\]"):
        train_successor(*slices, tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "choice", [{"width": 4}, {"epochs": 0}, {"rate": 0.0}, {"network": "none"}, {"batch": 1}]
)
def test_impossible_recipes_are_refused(choice: dict[str, float]) -> None:
    with pytest.raises(UsageError, match=next(iter(choice))):
        SuccessorRecipe(**choice)  # type: ignore[arg-type]


def test_it_learns_what_follows_what(needs_torch: None, slices: Cut, tmp_path: Path) -> None:
    del needs_torch
    outcome = train_successor(*slices, tmp_path, **{**SMALL, "epochs": 25, "augment": False})
    assert outcome.history[-1].accuracy > 0.85
    assert outcome.after.loss < 0.8 * outcome.before.loss
    assert outcome.after.value > 0.65
    # The exported network, on people it has never heard.
    corpus, _ = slices
    _, held_out = both(slices)
    heard = [edges(load(corpus.by_id[name], sample_rate=16_000)) for name in held_out.truth.names]
    scores = load_successor(outcome.model).scores(heard, workers=1)
    found = measure(rank_by_scores(scores, held_out.truth), replicates=0)
    assert float(found.average.value) < 0.3


def test_the_papers_network_hears_all_of_both_slices(
    needs_torch: None, slices: Cut, tmp_path: Path
) -> None:
    del needs_torch
    outcome = train_successor(*slices, tmp_path / "p", **{**PAPERS, "epochs": 12})
    assert outcome.after.loss < outcome.before.loss
    pairs = sum(outcome.every_pair.pairs)
    assert pairs > outcome.after.pairs
    assert outcome.every_pair.pairs[0] < 0.2 * pairs, "next to no pair is successive"
    corpus, _ = slices
    heard = [edges(load(u, sample_rate=16_000)) for u in list(corpus)[:5]]
    network = load_successor(outcome.model)
    assert network.cue == "x-vector network"
    whole = network.scores(heard, workers=1)
    # What is far from the cut counts, as it does not for ours.
    halves = [piece.within(20) for piece in heard]
    assert not np.allclose(network.scores(halves, workers=1), whole, atol=1e-3)
    ours = train_successor(*slices, tmp_path / "o", **{**SMALL, "epochs": 1})
    assert ours.parameters < outcome.parameters
    again = train_successor(*slices, tmp_path / "p", **{**PAPERS, "epochs": 12})
    assert again.every_pair == outcome.every_pair


def test_batches_of_whole_slices_are_of_one_length_each(slices: Cut) -> None:
    heard, _ = read_slices(*slices, around=None, workers=1)
    # These are all of one length; let them have several.
    heard = replace(
        heard,
        before=tuple(piece[-(20 + k % 9) :] for k, piece in enumerate(heard.before)),
        after=tuple(piece[: 20 + k % 9] for k, piece in enumerate(heard.after)),
    )
    pairs = PairSet(heard, SuccessorRecipe(network="xvector", batch=8, augment=False))
    batches = list(pairs.batches(1))
    assert sum(len(batch.labels) for batch in batches) == 2 * heard.truth.queries.size
    lengths = [batch.features.shape[1] for batch in batches]
    # What is left out is little: the mean pair has 50 frames of the two, and two across the cut.
    assert len(set(lengths)) > 1
    assert np.mean(lengths) > 42


def test_exported_scores_are_those_of_torch(
    needs_torch: None, slices: Cut, undisturbed: Path
) -> None:
    del needs_torch
    from pseudovoice.training.successor_graph import successor_graph
    from pseudovoice.training.successor_network import build

    arrays, _ = read_archive(undisturbed / "checkpoint.npz")
    learner = build(SuccessorRecipe(**{k: v for k, v in SMALL.items() if k != "threads"}))
    learner.restore(arrays)
    state = {n.removeprefix("network/"): a for n, a in arrays.items() if n.startswith("network/")}
    (undisturbed / "last.onnx").write_bytes(successor_graph(state))
    corpus, _ = slices
    names = [u.id for u in corpus][:6]
    heard = [edges(load(corpus.by_id[name], sample_rate=16_000)) for name in names]
    scores = load_successor(undisturbed / "last.onnx").scores(heard, workers=1)
    heard = [piece.within(AROUND) for piece in heard]
    for w, first in enumerate(heard):
        features = np.stack(
            [
                np.concatenate([first.before, across(first.ending, v.beginning), v.after])
                for v in heard
            ]
        )
        np.testing.assert_allclose(learner.scores(features), scores[w], atol=2e-4)


@pytest.mark.parametrize("moment", ["first", "last"])
def test_an_interrupted_run_resumes_to_the_same(
    slices: Cut, undisturbed: Path, tmp_path: Path, moment: str
) -> None:
    def interrupt(what: str, done: int, total: int) -> None:
        if what == "training" and done == (total // 3 + 1 if moment == "first" else total):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train_successor(*slices, tmp_path, progress=interrupt, **SMALL)
    train_successor(*slices, tmp_path, **SMALL)
    (found, notes), (arrays, said) = (
        read_archive(folder / "checkpoint.npz") for folder in (tmp_path, undisturbed)
    )
    assert found.keys() == arrays.keys()
    for key, array in arrays.items():
        np.testing.assert_array_equal(found[key], array, err_msg=key)
    for some in (notes, said):
        some["standing"].pop("seconds")
    assert notes == said
    assert (tmp_path / "model.onnx").read_bytes() == (undisturbed / "model.onnx").read_bytes()


def test_another_recipe_or_corpus_does_not_go_on_from_it(slices: Cut, undisturbed: Path) -> None:
    with pytest.raises(UsageError, match="a training with another epochs, seed"):
        train_successor(*slices, undisturbed, **{**SMALL, "epochs": 5}, seed=9)
    corpus, origins = slices
    gone = origins[-1].slice
    some = corpus.subset(ids=[u.id for u in corpus if u.id != gone])
    with pytest.raises(UsageError, match="a training with another slices"):
        train_successor(some, [o for o in origins if o.slice != gone], undisturbed, **SMALL)


def test_command_trains_and_says_how_well(needs_torch: None, slices: Cut, tmp_path: Path) -> None:
    del needs_torch
    corpus, _ = slices
    table = corpus.root.parent / "undo.csv"
    words = ["train", str(corpus.root), "--model", "successor", "-o", str(tmp_path / "m")]
    small = ["--width", "16", "--epochs", "1", "--threads", "1"]
    result = CliRunner().invoke(app, [*words, "--table", str(table), *small])
    assert result.exit_code == 0, result.output
    told = " ".join(result.stdout.split())
    assert "successive pairs) of 8 speakers" in told
    assert "of 2 held-out speakers, half of them successive" in told
    assert "whoever always says no is right in" in told
    assert f"--successor-model {tmp_path / 'm' / 'model.onnx'}" in told.replace("- ", "-")
    again = CliRunner().invoke(app, [*words, "--table", str(table), *small, "--json"])
    facts = json.loads(again.stdout)
    assert facts["epochs"] == 1
    assert facts["after"]["pairs"] > 20
    for wrong, sentence in (
        ([], "go together"),
        (["--table", str(table), "--init", "ecapa"], "leave out --init"),
    ):
        refused = CliRunner().invoke(app, [*words, *small, *wrong])
        assert refused.exit_code == 2
        assert sentence in " ".join(refused.output.split())
