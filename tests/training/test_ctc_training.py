"""Whole trainings of small networks on a language of tones: they learn it, resume, and export."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import soundfile
from click.testing import CliRunner

pytest.importorskip("torch", reason="torch is not installed; `make test-train` installs it")

import torch

from pseudovoice.asr.ctc import load_ctc
from pseudovoice.asr.ctc.front_end import load_front_end
from pseudovoice.asr.ctc.units import UNITS
from pseudovoice.asr.registry import load_recogniser
from pseudovoice.cli.train_asr import command
from pseudovoice.corpus import Corpus, Utterance, load, write_audiofolder
from pseudovoice.errors import InputError, UsageError
from pseudovoice.text.kneser_ney import train
from pseudovoice.text.normalise import normalise
from pseudovoice.training.archive import read_archive
from pseudovoice.training.ctc_features import cached_frames
from pseudovoice.training.ctc_graph import ctc_graph
from pseudovoice.training.ctc_network import CtcTdnn, build_ctc
from pseudovoice.training.ctc_outcome import CtcOutcome
from pseudovoice.training.ctc_recipe import CtcRecipe
from pseudovoice.training.ctc_train import train_recogniser
from pseudovoice.training.learner import tensors
from pseudovoice.utility.words import total, word_errors

RATE = 16_000
WORDS = ("ab", "bad", "cab", "dab", "ad", "dad")
TONES = {"a": 400.0, "b": 900.0, "c": 1700.0, "d": 3000.0}
SPEAKERS, UTTERANCES = 6, 12
SMALL = CtcRecipe("scratch", width=32, epochs=8, batch=6.0, dropout=0.0, rate=8e-3)
QUICK = replace(SMALL, epochs=3)


def spell(text: str, rng: np.random.Generator) -> np.ndarray:
    """A tone of a tenth of a second for each letter, silence between words, a little noise."""
    pieces = [np.zeros(800)]
    for letter in text:
        n = int(RATE * rng.uniform(0.09, 0.13))
        tone = np.sin(2 * np.pi * TONES.get(letter, 0.0) * np.arange(n) / RATE)
        pieces += [0.3 * np.hanning(n) * tone, np.zeros(320)]
    sound = np.concatenate([*pieces, np.zeros(800)])
    return sound + 1e-3 * rng.normal(size=sound.size)


@pytest.fixture(scope="module")
def tones(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """Six speakers with twelve sentences each, in a folder with its listing."""
    root = tmp_path_factory.mktemp("tones")
    spoken = []
    for speaker in range(SPEAKERS):
        for k in range(UTTERANCES):
            rng = np.random.default_rng([speaker, k])
            text = " ".join(rng.choice(WORDS, size=rng.integers(1, 4)))
            name = f"s{speaker}-{k}"
            soundfile.write(root / f"{name}.wav", spell(text, rng), RATE)
            spoken.append(
                Utterance(name, f"s{speaker}", root / f"{name}.wav", transcript=text.upper())
            )
    corpus = Corpus("tones", root, tuple(spoken), layout="audiofolder")
    write_audiofolder(corpus, root)
    return corpus


@pytest.fixture(scope="module")
def own_cache(cache: Path) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PSEUDOVOICE_CACHE", str(cache))
        yield


@pytest.fixture(scope="module")
def trained(
    tones: Corpus, own_cache: None, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, CtcOutcome]:
    del own_cache
    out = tmp_path_factory.mktemp("trained")
    language = train([(u.transcript or "").lower().split() for u in tones])
    return out, train_recogniser(tones, out, SMALL, language=language, threads=1)


def test_it_learns_to_write(trained: tuple[Path, CtcOutcome], tones: Corpus) -> None:
    out, outcome = trained
    assert outcome.cer < 0.15
    assert outcome.history[0].loss > 2 * outcome.history[-1].loss
    assert outcome.cer == min(epoch.cer for epoch in outcome.history)
    assert outcome.utterances + outcome.held_out_utterances == SPEAKERS * UTTERANCES
    # Held out are whole speakers: a twentieth of all is less than one of them.
    assert (outcome.speakers, outcome.held_out_utterances) == (SPEAKERS - 1, UTTERANCES)
    recogniser = load_recogniser(f"ctc:{out}")
    errors = total(
        word_errors((u.transcript or "").lower(), recogniser.transcribe(load(u, sample_rate=RATE)))
        for u in tones
    )
    assert errors.wer < 0.1
    assert "6 words" in recogniser.decoding
    assert set(recogniser.sha256s) == {"network", "language"}


def test_the_graph_computes_what_torch_does(own_cache: None, tones: Corpus, tmp_path: Path) -> None:
    del own_cache
    spoken, problems = cached_frames(tones, load_front_end("fbank"), normalise, workers=1)
    assert not problems
    features = [np.asarray(one.features(), np.float32) for one in spoken[:3]]
    rng = np.random.default_rng(0)
    for recipe, size in (("scratch", 80), ("head", 416)):
        mean, deviation = rng.normal(size=size), rng.uniform(0.5, 2.0, size)
        choices = CtcRecipe(recipe, width=24)
        made = build_ctc(choices, mean.astype(np.float32), deviation.astype(np.float32))
        made.tdnn.eval()
        some = features if size == 80 else [rng.normal(size=(n, 416)) for n in (40, 7, 1)]
        batch = np.zeros((len(some), max(map(len, some)), size), np.float32)
        for row, one in enumerate(some):
            batch[row, : len(one)] = one
        frames = torch.tensor([len(one) for one in some])
        with torch.no_grad():
            wanted = made.tdnn(torch.from_numpy(batch), frames).numpy()
        lengths = made.tdnn.shortened(frames).tolist()
        (tmp_path / "m.onnx").write_bytes(ctc_graph(tensors(made.tdnn), choices.shape))
        network = session(tmp_path / "m.onnx")
        for row, one in enumerate(some):
            # Alone, not batched: what is written does not depend on company.
            found = network(np.asarray(one, np.float32)[None])[0]
            assert found.shape == (lengths[row], len(UNITS))
            np.testing.assert_allclose(found, wanted[row, : lengths[row]], atol=2e-4)


def session(path: Path):  # type: ignore[no-untyped-def]
    from pseudovoice.models.session import as_function, open_session

    return as_function(open_session(path))


def test_it_resumes_to_the_same(own_cache: None, tones: Corpus, tmp_path: Path) -> None:
    del own_cache
    whole = train_recogniser(tones, tmp_path / "a", QUICK, threads=1)

    def interrupt(what: str, done: int, total: int) -> None:
        if what == "training" and done > 0.5 * total:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train_recogniser(tones, tmp_path / "b", QUICK, threads=1, progress=interrupt)
    assert read_archive(tmp_path / "b" / "checkpoint.npz")[1]["standing"]["epoch"] == 1
    assert load_ctc(tmp_path / "b").decoder.language is None
    again = train_recogniser(tones, tmp_path / "b", QUICK, threads=1)
    assert again.history == whole.history
    for name in ("model.onnx", "model.json"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()
    with pytest.raises(UsageError, match="a training with another seed: give another"):
        train_recogniser(tones, tmp_path / "b", replace(QUICK, seed=3), threads=1)
    other = train_recogniser(
        tones, tmp_path / "b", replace(QUICK, epochs=1, seed=3), threads=1, resume=False
    )
    assert other.history[0].loss != whole.history[0].loss


def test_what_cannot_be_learnt_from_is_said(own_cache: None, tones: Corpus, tmp_path: Path) -> None:
    del own_cache
    mute = replace(tones, utterances=tuple(replace(u, transcript=None) for u in tones))
    with pytest.raises(InputError, match="no utterance has a transcript"):
        train_recogniser(mute, tmp_path / "m", QUICK)
    with pytest.raises(InputError, match="has 3 usable transcribed utterance"):
        train_recogniser(tones.subset(ids=["s0-0", "s0-1", "s1-0"]), tmp_path / "m", QUICK)
    first, second, third, *rest = tones.utterances
    broken = tmp_path / "broken.wav"
    broken.write_bytes(b"RIFF")
    odd = replace(
        tones,
        utterances=(
            replace(first, transcript="far too many words for so short a sound " * 9),
            replace(second, transcript="…"),
            replace(third, path=broken),
            replace(rest[0], transcript=" "),
            *rest[1:],
        ),
    )
    outcome = train_recogniser(odd, tmp_path / "m", replace(QUICK, epochs=1), threads=1)
    said = "\n".join(map(str, outcome.problems))
    assert len(outcome.problems) == 4
    for part in ("more letters than frames", "no letter of a to z", "broken.wav", "1 utterances"):
        assert part in said
    assert outcome.utterances + outcome.held_out_utterances == len(tones) - 4


def test_the_command_says_what_it_did(own_cache: None, tones: Corpus, tmp_path: Path) -> None:
    del own_cache
    text = tmp_path / "text.txt"
    text.write_text("DAD AB CAB\nBAD DAD\n" + "AB AD\n" * 3, encoding="utf-8")
    arguments = [str(tones.root), "-o", str(tmp_path / "m"), "--recipe", "scratch"]
    arguments += ["--width", "8", "--epochs", "1", "--threads", "1", "--lm-text", str(text)]
    result = CliRunner().invoke(command, arguments, catch_exceptions=False)
    assert result.exit_code == 0
    assert "(audiofolder): 72 utterances" in result.stderr
    assert f"ctc:{tmp_path / 'm'}" in " ".join(result.stdout.split()).replace("ctc: ", "ctc:")
    facts = json.loads((tmp_path / "m" / "training.json").read_text())
    assert facts["identity"]["width"] == 8
    assert load_ctc(tmp_path / "m").decoder.language is not None
    with pytest.raises(UsageError, match="either --lm-text or --arpa"):
        CliRunner().invoke(command, [*arguments, "--arpa", "x"], catch_exceptions=False)


def test_frames_behind_the_end_do_not_count() -> None:
    recipe = CtcRecipe("scratch", width=16, dropout=0.0)
    tdnn = CtcTdnn(recipe, np.zeros(80, np.float32), np.ones(80, np.float32)).eval()
    features = torch.randn(1, 50, 80, generator=torch.Generator().manual_seed(0))
    longer = torch.cat([features, 100.0 + torch.zeros(1, 30, 80)], dim=1)
    frames = torch.tensor([50])
    with torch.no_grad():
        torch.testing.assert_close(tdnn(features, frames), tdnn(longer, frames)[:, :17])
