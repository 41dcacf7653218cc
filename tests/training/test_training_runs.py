"""Whole trainings of a small network: it learns, resumes exactly, and can be a start."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="torch is not installed; `make test-train` installs it")

from pseudovoice.assessment.evaluate import evaluate
from pseudovoice.corpus import Corpus
from pseudovoice.embeddings.embed import embed_corpus
from pseudovoice.encoders import load_encoder
from pseudovoice.errors import InputError, UsageError
from pseudovoice.training import TrainingOutcome, train_encoder
from pseudovoice.training.archive import read_archive, under
from pseudovoice.training.export import export_onnx
from pseudovoice.training.features import cached_features
from pseudovoice.training.split import split_speakers

SMALL = {"width": 32, "epochs": 4, "crops": 4, "batch": 8, "threads": 1}
STEPS = 3
"""Batches of an epoch: six speakers, four pieces each, eight a batch."""

SCRIPT = """
import sys
from pathlib import Path
from pseudovoice.corpus import read_corpus
from pseudovoice.training import train_encoder

def say(what, done, total):
    print(what, done, flush=True)

train_encoder(read_corpus(sys.argv[1]), sys.argv[2], progress=say, **eval(sys.argv[3]))
"""


@pytest.fixture(scope="module")
def undisturbed(
    voices: Corpus, cache: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, TrainingOutcome]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PSEUDOVOICE_CACHE", str(cache))
        out = tmp_path_factory.mktemp("undisturbed")
        return out, train_encoder(voices, out, **SMALL)


def assert_same(out: Path, wanted: Path) -> None:
    """The same weights, moments and epochs, to the last bit; only the clock may differ."""
    for name in ("checkpoint.npz", "encoder.npz"):
        (found, notes), (arrays, said) = read_archive(out / name), read_archive(wanted / name)
        assert found.keys() == arrays.keys()
        for key, array in arrays.items():
            np.testing.assert_array_equal(found[key], array, err_msg=key)
        for some in (notes, said):
            some.get("standing", {}).pop("seconds", None)
        assert notes == said
    for name in ("model.onnx", "model.json"):
        assert (out / name).read_bytes() == (wanted / name).read_bytes()


def _trained(corpus: Corpus) -> set[str]:
    return set(split_speakers(cached_features(corpus)[0], "").training)


@pytest.mark.parametrize(("model", "width", "epochs"), [("xvector", 32, 8), ("ecapa", 16, 12)])
def test_it_learns_voices(
    voices: Corpus, tmp_path: Path, model: str, width: int, epochs: int
) -> None:
    choices = {**SMALL, "width": width, "epochs": epochs, "augment": False, "crops": 16}
    outcome = train_encoder(voices, tmp_path, model=model, **choices)
    first, last = outcome.history[0], outcome.history[-1]
    assert last.accuracy > 0.9
    assert last.accuracy > first.accuracy
    assert outcome.after.value <= outcome.before.value
    assert outcome.after.value == min([outcome.before.value, *(e.eer for e in outcome.history)])
    assert (outcome.speakers, outcome.held_out_speakers) == (6, 4)
    # The last epoch, for the one kept is the best on others, of whom six voices teach little.
    arrays, _ = read_archive(tmp_path / "checkpoint.npz")
    export_onnx(model, under(arrays, "encoder/"), tmp_path / "last.onnx")
    known = voices.subset(speakers=_trained(voices))
    embedded = embed_corpus(known, load_encoder(f"onnx:{tmp_path / 'last.onnx'}"))
    assert embedded.vectors.shape == (24, outcome.dimension)
    unit = embedded.vectors / np.linalg.norm(embedded.vectors, axis=1, keepdims=True)
    same = np.equal.outer(embedded.speakers, embedded.speakers)
    other = ~np.eye(24, dtype=bool)
    cosine = unit @ unit.T
    assert evaluate(cosine[same & other], cosine[~same]).eer < 0.05


def test_training_twice_gives_the_same(
    voices: Corpus, undisturbed: tuple[Path, TrainingOutcome], tmp_path: Path
) -> None:
    train_encoder(voices, tmp_path, **SMALL)
    assert_same(tmp_path, undisturbed[0])


def test_another_seed_gives_another_network(
    voices: Corpus, undisturbed: tuple[Path, TrainingOutcome], tmp_path: Path
) -> None:
    other = train_encoder(voices, tmp_path, **{**SMALL, "epochs": 1}, seed=1)
    assert other.history[0].loss != undisturbed[1].history[0].loss


def test_a_killed_run_resumes_to_the_same(
    voices: Corpus, undisturbed: tuple[Path, TrainingOutcome], tmp_path: Path
) -> None:
    """SIGKILL in the middle of epoch 3, from outside."""
    arguments = [str(voices.root), str(tmp_path), repr(SMALL)]
    with subprocess.Popen(
        [sys.executable, "-c", SCRIPT, *arguments], stdout=subprocess.PIPE, text=True
    ) as run:
        assert run.stdout is not None
        for line in run.stdout:
            if line.startswith(f"training {2 * STEPS + 2}"):
                run.send_signal(signal.SIGKILL)
                break
    assert run.returncode == -signal.SIGKILL
    _, notes = read_archive(tmp_path / "checkpoint.npz")
    assert notes["standing"]["epoch"] == 2
    seen: list[tuple[str, int, int]] = []
    outcome = train_encoder(voices, tmp_path, progress=lambda *said: seen.append(said), **SMALL)
    steps = [done for what, done, total in seen if (what, total) == ("training", 4 * STEPS)]
    assert steps == list(range(2 * STEPS + 1, 4 * STEPS + 1))
    assert outcome.history == undisturbed[1].history
    assert_same(tmp_path, undisturbed[0])


@pytest.mark.parametrize("moment", [STEPS, 4 * STEPS])
def test_an_interrupted_run_resumes_to_the_same(
    voices: Corpus, undisturbed: tuple[Path, TrainingOutcome], tmp_path: Path, moment: int
) -> None:
    def interrupt(what: str, done: int, total: int) -> None:
        del total
        if (what, done) == ("training", moment):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train_encoder(voices, tmp_path, progress=interrupt, **SMALL)
    train_encoder(voices, tmp_path, **SMALL)
    assert_same(tmp_path, undisturbed[0])


def test_a_finished_run_is_not_repeated(
    voices: Corpus, undisturbed: tuple[Path, TrainingOutcome]
) -> None:
    out, outcome = undisturbed
    began = time.perf_counter()
    seen: list[str] = []
    again = train_encoder(voices, out, progress=lambda what, *_: seen.append(what), **SMALL)
    assert set(seen) == {"features"}
    assert again == outcome
    assert time.perf_counter() - began < 10


def test_another_recipe_does_not_go_on_from_it(
    voices: Corpus, undisturbed: tuple[Path, TrainingOutcome]
) -> None:
    out, _ = undisturbed
    with pytest.raises(UsageError, match="a training with another epochs, seed: give another"):
        train_encoder(voices, out, **{**SMALL, "epochs": 5}, seed=9)
    some = voices.subset(ids=[u.id for u in voices][:-1])
    with pytest.raises(UsageError, match="a training with another corpus"):
        train_encoder(some, out, **SMALL)


def test_a_restart_forgets_the_checkpoint(voices: Corpus, tmp_path: Path) -> None:
    choices = {**SMALL, "epochs": 1}
    train_encoder(voices, tmp_path, **choices)
    outcome = train_encoder(voices, tmp_path, **choices, seed=5, resume=False)
    assert outcome.epochs == 1
    assert read_archive(tmp_path / "checkpoint.npz")[1]["identity"]["seed"] == 5


def test_a_damaged_checkpoint_is_a_sentence(voices: Corpus, tmp_path: Path) -> None:
    choices = {**SMALL, "epochs": 1}
    train_encoder(voices, tmp_path, **choices)
    path = tmp_path / "checkpoint.npz"
    path.write_bytes(path.read_bytes()[:1000])
    with pytest.raises(InputError, match=r"checkpoint\.npz cannot be read as a state of training"):
        train_encoder(voices, tmp_path, **choices)


def test_fine_tuning_starts_from_a_former_training(
    voices: Corpus, undisturbed: tuple[Path, TrainingOutcome], tmp_path: Path
) -> None:
    out, former = undisturbed
    choices = {name: value for name, value in SMALL.items() if name != "width"}
    outcome = train_encoder(voices, tmp_path, init=out, **{**choices, "epochs": 1})
    # The network, its width and what it knew come along; the same people are held out.
    assert outcome.before == former.after
    assert outcome.parameters == former.parameters
    assert outcome.after.value <= outcome.before.value
    with pytest.raises(UsageError, match="network with model xvector, not ecapa"):
        train_encoder(voices, tmp_path, init=out, model="ecapa")
    with pytest.raises(UsageError, match="network with width 32, not 64"):
        train_encoder(voices, tmp_path, init=out, width=64)
    with pytest.raises(UsageError, match="is where training starts from"):
        train_encoder(voices, out, init=out)
    with pytest.raises(InputError, match=r"encoder\.npz does not exist"):
        train_encoder(voices, tmp_path / "b", init=tmp_path / "nothing")
