"""What is learnt from: batches, what is held out, and choices; no torch needed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from pseudovoice.asr.ctc.units import spelt
from pseudovoice.corpus import Corpus
from pseudovoice.errors import MissingExtraError, UsageError
from pseudovoice.training.ctc_data import CtcData, packed, split_spoken, writable
from pseudovoice.training.ctc_features import Spoken
from pseudovoice.training.ctc_recipe import CtcRecipe
from pseudovoice.training.ctc_train import train_recogniser


@pytest.fixture
def spoken(tmp_path: Path) -> list[Spoken]:
    rng = np.random.default_rng(0)
    made = []
    for k in range(40):
        frames = rng.normal(3.0, 2.0, (int(rng.integers(20, 60)), 5))
        path = tmp_path / f"{k}.npy"
        np.save(path, frames.astype(np.float16))
        made.append(Spoken(f"u{k}", f"s{k // 4}", spelt("a word"), len(frames), f"k{k}", path))
    return made


def test_speakers_are_held_out_whole(spoken: list[Spoken]) -> None:
    split = split_spoken(spoken, "c")
    assert len(split.training) + len(split.held_out) == 40
    assert len(split.held_out) == 4
    assert not {s.speaker for s in split.training} & {s.speaker for s in split.held_out}
    assert split == split_spoken(spoken[::-1], "c")
    alone = [Spoken(s.id, "one", s.units, s.frames, s.key, s.path) for s in spoken]
    assert len(split_spoken(alone, "c").held_out) == 2


def test_an_epoch_has_every_utterance_once(spoken: list[Spoken]) -> None:
    data = CtcData(spoken, CtcRecipe(batch=4.0), frames_per_second=50.0)
    plan = data.plan(1)
    assert sorted(s.id for group in plan for s in group) == sorted(s.id for s in spoken)
    assert all(len(group) * max(s.frames for s in group) <= 200 for group in plan)
    assert [[s.id for s in g] for g in plan] == [[s.id for s in g] for g in data.plan(1)]
    assert [[s.id for s in g] for g in plan] != [[s.id for s in g] for g in data.plan(2)]
    assert [len(group) for group in packed(spoken[:3], 1)] == [1, 1, 1]


def test_masks_hide_stretches_behind_the_mean(spoken: list[Spoken]) -> None:
    data = CtcData(spoken, CtcRecipe(batch=1.0, masks=2), frames_per_second=50.0)
    np.testing.assert_allclose(data.mean, 3.0, atol=0.3)
    np.testing.assert_allclose(data.deviation, 2.0, atol=0.3)
    hidden = total = 0
    for batch, group in zip(data.batches(1), data.plan(1), strict=True):
        for row, one in enumerate(group):
            part = batch.features[row, : one.frames]
            changed = (part != np.asarray(one.features(), np.float32)).any(axis=1)
            np.testing.assert_array_equal(
                part[changed], np.broadcast_to(data.mean, part[changed].shape)
            )
            assert not batch.features[row, one.frames :].any()
            hidden, total = hidden + changed.sum(), total + one.frames
    assert 0.02 < hidden / total < 0.2


def test_too_many_letters_for_the_frames(spoken: list[Spoken]) -> None:
    long = Spoken("x", "s", spelt("aa" * 10), 39, "k", spoken[0].path)
    enough, short = writable([*spoken, long], 1)
    assert (len(enough), short) == (41, [])
    assert writable([long], 2)[1] == [long]


@pytest.mark.parametrize(
    "wrong",
    [
        {"recipe": "whisper"},
        {"epochs": 0},
        {"width": 2},
        {"rate": -1.0},
        {"batch": 0.0},
        {"dropout": 1.0},
    ],
)
def test_wrong_choices_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(UsageError, match=f"{next(iter(wrong))}"):
        CtcRecipe(**wrong)  # type: ignore[arg-type]


def test_importing_does_not_import_torch() -> None:
    modules = "pseudovoice.training.ctc_train, pseudovoice.cli.train_asr, pseudovoice.asr.ctc"
    code = f"import sys, {modules}; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_missing_torch_is_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingExtraError, match=r"needs the package torch.*pseudovoice\[train\]"):
        train_recogniser(Corpus("c", tmp_path, ()), tmp_path / "out")
    assert not (tmp_path / "out").exists()
