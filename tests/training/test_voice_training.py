"""Whole trainings of small voices: they learn, resume to the same bits, and speak without torch."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

pytest.importorskip("torch", reason="torch is not installed; `make test-train` installs it")

import onnxruntime
import torch

from pseudovoice.cli.main import app
from pseudovoice.corpus import Corpus, load
from pseudovoice.errors import InputError, UsageError
from pseudovoice.safeguards import Voice, XVector
from pseudovoice.safeguards.xvector.frames import SPOKEN
from pseudovoice.safeguards.xvector.neural_voice import read_voice
from pseudovoice.training.epochs import CHECKPOINT_FILE
from pseudovoice.training.learner import tensors
from pseudovoice.training.voice_copies import COPIES
from pseudovoice.training.voice_features import taken_apart
from pseudovoice.training.voice_graph import state_of, voice_graph
from pseudovoice.training.voice_listener import Listener, listened
from pseudovoice.training.voice_network import build_voice
from pseudovoice.training.voice_recipe import VoiceRecipe
from pseudovoice.training.voice_train import train_voice

SMALL = VoiceRecipe(
    width=16, fine=16, narrow=6, voice=16, epochs=3, steps=8, batch=4, seconds=1.0, half=False
)


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory, write_voices: Callable[..., Corpus]) -> Corpus:
    return write_voices(tmp_path_factory.mktemp("people") / "corpus", speakers=10, utterances=2)


@pytest.mark.parametrize("levels", [3, 5])
def test_the_graph_speaks_as_the_network_does(levels: int) -> None:
    recipe = replace(SMALL, levels=levels)
    learner = build_voice(
        recipe, 20, 7, np.full(SPOKEN, 0.5, np.float32), np.full(SPOKEN, 2.0, np.float32), 3
    )
    net = learner.net.eval()
    with torch.no_grad():
        for parameter in net.parameters():
            parameter.copy_(parameter.half().float())  # as they are kept
    session = onnxruntime.InferenceSession(voice_graph(tensors(net), levels))
    rng = np.random.default_rng(0)
    inputs = {
        "content": rng.standard_normal((2, 30, 20)).astype(np.float32),
        "prosody": rng.standard_normal((2, 90, 2)).astype(np.float32),
        "target": rng.standard_normal((2, 7)).astype(np.float32),
    }
    with torch.no_grad():
        spoken = net(*(torch.from_numpy(x) for x in inputs.values())).numpy()
    np.testing.assert_allclose(session.run(None, inputs)[0], 0.5 + 2 * spoken, atol=1e-4)


def test_a_graph_gives_its_tensors_back() -> None:
    mean, deviation = np.full(SPOKEN, 0.5, np.float32), np.full(SPOKEN, 2.0, np.float32)
    net = build_voice(SMALL, 20, 7, mean, deviation, 3).net
    kept, found = tensors(net), state_of(voice_graph(tensors(net), SMALL.levels))
    assert found.keys() == kept.keys()
    for name, values in kept.items():
        np.testing.assert_array_equal(found[name], values.astype(np.float16).astype(np.float32))


def test_listener_and_voice_learn_each_from_their_own_loss() -> None:
    rng = torch.Generator().manual_seed(0)

    def some(*shape: int) -> torch.Tensor:
        return torch.randn(*shape, generator=rng)

    listener = Listener(20)
    made, converted = some(4, 90, SPOKEN).requires_grad_(), some(2, 90, SPOKEN).requires_grad_()
    natural, content, inside = some(4, 90, SPOKEN), some(4, 30, 20), torch.ones(4, 30)
    lesson, price = listened(listener, natural, made, converted, content, inside)
    price.backward()
    assert all(parameter.grad is None for parameter in listener.parameters())
    assert made.grad is not None
    assert converted.grad is not None
    assert made.grad.abs().sum() > 0
    assert converted.grad.abs().sum() > 0
    made.grad = None
    lesson.backward()
    assert made.grad is None
    assert all(parameter.grad is not None for parameter in listener.parameters())


def test_a_voice_that_says_the_same_is_not_misheard() -> None:
    listener, natural = Listener(20), torch.randn(4, 90, SPOKEN)
    content, inside = torch.zeros(4, 30, 20), torch.ones(4, 30)
    prices = []
    for far in (0.0, 0.1, 1.0):
        made = natural + far * torch.randn(4, 90, SPOKEN)
        with torch.no_grad():
            prices.append(float(listened(listener, natural, made, made[:1], content, inside)[1]))
    assert prices == sorted(prices)
    assert prices[0] < 0.1 * prices[2]


def test_a_voice_is_learnt_and_speaks(people: Corpus, tmp_path: Path) -> None:
    outcome = train_voice([people], tmp_path / "voice", SMALL, threads=1)
    assert outcome.after.distance < outcome.before.distance
    assert outcome.speakers == 10
    assert outcome.utterances + outcome.held_out_utterances == 20
    assert not outcome.problems
    card = (tmp_path / "voice" / "CARD.md").read_text()
    assert "20 utterances of 10 people" in card
    safeguard = XVector(
        target="random", level="utterance",
        voice=str(tmp_path / "voice"), pool=str(tmp_path / "voice" / "pool.npz"),
    )  # fmt: skip
    samples = load(people.utterances[0], sample_rate=16_000)
    from pseudovoice.keys import Key

    with pytest.raises(InputError, match="0 people of sex"):  # nobody's sex is known here
        safeguard(samples, 16_000, Voice(Key(bytes(32)), "s", "ann"))


def test_a_run_that_was_stopped_ends_with_the_same_network(people: Corpus, tmp_path: Path) -> None:
    whole = train_voice([people], tmp_path / "whole", SMALL, threads=1)

    class Stop(Exception):
        pass

    def stopping(what: str, done: int, total: int) -> None:
        if what == "training" and done > 0.5 * total:
            raise Stop

    with pytest.raises(Stop):
        train_voice([people], tmp_path / "parts", SMALL, threads=1, progress=stopping)
    assert (tmp_path / "parts" / CHECKPOINT_FILE).is_file()
    resumed = train_voice([people], tmp_path / "parts", SMALL, threads=1)
    assert resumed.history == whole.history
    for name in ("voice.onnx", "voice.npz", "pool.npz"):
        one, other = ((tmp_path / folder / name).read_bytes() for folder in ("whole", "parts"))
        assert one == other


def test_a_training_goes_on_from_a_voice(people: Corpus, tmp_path: Path) -> None:
    first = train_voice([people], tmp_path / "first", SMALL, threads=1)
    more = replace(SMALL, epochs=1, rate=1e-4, narrow=12)
    second = train_voice([people], tmp_path / "second", more, start=tmp_path / "first", threads=1)
    # Half precision, in which a voice is kept, is all that is lost.
    assert second.before.distance == pytest.approx(first.after.distance, abs=2e-3)
    one, other = (read_voice(tmp_path / name).about for name in ("first", "second"))
    np.testing.assert_array_equal(one.space.axes, other.space.axes)
    np.testing.assert_array_equal(one.content_mean, other.content_mean)
    assert other.told["start"] == one.told["sha256"]
    assert other.told["recipe"]["narrow"] == SMALL.narrow


def test_there_must_be_a_voice_to_go_on_from(people: Corpus, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="give a folder that"):
        train_voice([people], tmp_path / "out", SMALL, start=tmp_path / "nothing", threads=1)


def test_another_recipe_does_not_go_on_from_a_checkpoint(people: Corpus, tmp_path: Path) -> None:
    train_voice([people], tmp_path, replace(SMALL, epochs=1), threads=1)
    with pytest.raises(UsageError, match="another recipe"):
        train_voice([people], tmp_path, replace(SMALL, epochs=1, narrow=8), threads=1)


def test_speech_is_taken_apart_once_and_content_is_of_changed_copies(people: Corpus) -> None:
    from pseudovoice.asr.ctc.front_end import load_front_end

    heard: list[int] = []
    front_end = load_front_end("moonshine-base")
    counting = replace(front_end, frames=lambda x: (heard.append(x.size), front_end.frames(x))[1])
    taken, problems = taken_apart([people], counting, 1, lambda *_: None)
    assert not problems
    again, _ = taken_apart([people], counting, 1, lambda *_: None)
    assert again == taken
    assert len(heard) in (0, COPIES * len(people))  # other tests may have been first
    parts = taken[0].parts()
    assert all(len(copy) == taken[0].steps for copy in parts.content)
    assert len(parts.told) == len(parts.spoken) == 3 * taken[0].steps
    assert not np.allclose(parts.content[0], parts.content[1])


def test_too_few_people_are_said(tmp_path: Path, write_voices: Callable[..., Corpus]) -> None:
    few = write_voices(tmp_path / "few", speakers=3, utterances=1)
    with pytest.raises(InputError, match="3 speaker"):
        train_voice([few], tmp_path / "out", SMALL, threads=1)


def test_the_command_trains_and_says_how_to_use_it(people: Corpus, tmp_path: Path) -> None:
    arguments = [
        "train", "voice", str(people.root), "-o", str(tmp_path / "out"), "--epochs", "1",
        "--steps", "2", "--batch", "2", "--width", "16", "--narrow", "4", "--threads", "1",
    ]  # fmt: skip
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    assert "--safeguard xvector:voice=" in result.output.replace("\n", "")
    told = CliRunner().invoke(app, [*arguments, "--json"])
    assert json.loads(told.stdout)["epochs"] == 1


def test_a_pool_is_built_of_corpora(people: Corpus, tmp_path: Path) -> None:
    from pseudovoice.safeguards.xvector.pool import read_pool

    out = tmp_path / "pool.npz"
    result = CliRunner().invoke(app, ["pool", "build", str(people.root), "-o", str(out)])
    assert result.exit_code == 0, result.output
    assert "10 people" in result.output
    pool = read_pool(out)
    assert pool.embeddings.shape == (10, 256)
    assert (pool.pitch > 50).all()


@pytest.mark.parametrize(
    ("change", "what"),
    [({"levels": 4}, "levels"), ({"narrow": 1}, "narrow"), ({"rate": 0.0}, "rate"),
     ({"blur": -1.0}, "blur")],
)  # fmt: skip
def test_a_recipe_that_cannot_be_is_said(change: dict[str, float], what: str) -> None:
    with pytest.raises(UsageError, match=what):
        replace(SMALL, **change)


def test_the_critic_learns_and_the_voice_pays() -> None:
    from pseudovoice.training.voice_critic import Critic, criticised

    torch.manual_seed(0)
    critic = Critic(narrow=4, people=3)
    passed = torch.randn(5, 20, 4, requires_grad=True)
    people = torch.tensor([0, 1, 2, 0, 1])
    inside = torch.ones(5, 20)
    lesson, opinion, _ = criticised(critic, passed, inside, people)
    (of_lesson,) = torch.autograd.grad(lesson, [passed], allow_unused=True, retain_graph=True)
    assert of_lesson is None  # the voice learns nothing from the critic's mistakes
    assert not any(
        gradient is not None
        for gradient in torch.autograd.grad(
            opinion, list(critic.parameters()), allow_unused=True, retain_graph=True
        )
    )
    (of_opinion,) = torch.autograd.grad(opinion, [passed])
    assert of_opinion.abs().max() > 0
    # One who has no opinion costs nothing, whoever speaks.
    for parameter in critic.exit.parameters():
        torch.nn.init.zeros_(parameter)
    _, opinion, _ = criticised(critic, passed, inside, people)
    assert float(opinion.detach()) == pytest.approx(0.0, abs=1e-6)
