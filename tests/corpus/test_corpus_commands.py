"""Commands in manifests: refused by default, and never near a shell."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from pseudovoice.corpus import AudioError, audio_hash, load, pipeline, read_corpus
from pseudovoice.corpus.faults import ItemFault
from pseudovoice.errors import InputError


@pytest.fixture
def data(tmp_path: Path, record: Callable) -> Callable[..., Path]:
    """A Kaldi folder with one good file and the given entries of wav.scp."""
    record(tmp_path / "good.wav")

    def make(*entries: str) -> Path:
        lines = ["good good.wav", *(f"c{i} {entry}" for i, entry in enumerate(entries))]
        (tmp_path / "wav.scp").write_text("".join(f"{line}\n" for line in lines))
        names = [line.split()[0] for line in lines]
        (tmp_path / "utt2spk").write_text("".join(f"{name} anna\n" for name in names))
        return tmp_path

    return make


def test_stages_are_split_at_unquoted_pipes_only() -> None:
    assert pipeline.stages("a 'x|y' \"p|q\" \\| | b c") == [["a", "x|y", "p|q", "|"], ["b", "c"]]


@pytest.mark.parametrize(
    "command",
    [
        "a; b",
        "a && b",
        "a > x",
        "a < x",
        "a `b`",
        "a $(b)",
        "a $HOME",
        'a "$HOME"',
        'a "`b`"',
        "a&",
    ],
)
def test_what_needs_a_shell_is_refused(command: str) -> None:
    with pytest.raises(ItemFault) as caught:
        pipeline.stages(command)
    assert "which needs a shell" in caught.value.what
    assert "never go through a shell" in caught.value.remedy


@pytest.mark.parametrize("command", ["a | | b", "a 'b", "", "| a"])
def test_incomplete_commands_are_refused(command: str) -> None:
    with pytest.raises(ItemFault) as caught:
        pipeline.stages(command)
    assert "is incomplete" in caught.value.what


def test_quoted_shell_characters_are_plain_arguments() -> None:
    assert pipeline.stages("echo '$HOME; >x' \\$y") == [["echo", "$HOME; >x", "$y"]]


def test_command_is_refused_unless_allowed(data: Callable, tmp_path: Path) -> None:
    root = data(f"touch {tmp_path}/evil |")
    corpus = read_corpus(root)
    assert list(corpus.by_id) == ["good"]
    assert "wav.scp:2: the audio is the output of the command" in str(corpus.problems[0])
    assert "pass `allow_commands=True`" in str(corpus.problems[0])
    assert not (tmp_path / "evil").exists()


def test_command_needing_a_shell_is_a_problem_even_when_allowed(data: Callable) -> None:
    corpus = read_corpus(data("cat good.wav > x |"), allow_commands=True)
    assert "uses '>', which needs a shell" in str(corpus.problems[0])


def test_allowed_pipeline_gives_audio_and_a_hash(data: Callable, tmp_path: Path) -> None:
    wav = tmp_path / "good.wav"
    root = data(f"cat {wav} | cat |", f"cat {wav} |")
    corpus = read_corpus(root, allow_commands=True)
    assert not corpus.problems
    good = load(corpus.by_id["good"], sample_rate=16000)
    assert (load(corpus.by_id["c0"], sample_rate=16000) == good).all()
    # The audio decides, not the wording of the command.
    assert audio_hash(corpus.by_id["c0"]) == audio_hash(corpus.by_id["c1"])
    assert len(corpus.fingerprint()) == 64


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        ("no-such-program x |", r"the program 'no-such-program' cannot be started \(No such file"),
        ("cat /no/such.wav |", r"'cat' of the command ended with code 1: '.*No such file"),
        ("cat /no/such.wav | cat |", r"'cat' of the command ended with code 1"),
        ("cat /dev/null |", r"not audio .*, although a command should have printed a WAV file"),
        (f"cat /dev/zero | {sys.executable} -c 'pass' |", r"not audio"),
    ],
)
def test_failing_command_is_a_sentence(data: Callable, command: str, sentence: str) -> None:
    corpus = read_corpus(data(command), allow_commands=True)
    with pytest.raises(AudioError, match=sentence) as caught:
        load(corpus.by_id["c0"], sample_rate=16000)
    assert "wav.scp (command of c0): " in str(caught.value)


def test_endless_command_is_stopped(data: Callable, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipeline, "TIMEOUT", 0.2)
    corpus = read_corpus(data("sleep 60 | cat |"), allow_commands=True)
    with pytest.raises(AudioError, match=r"took longer than 0\.2 s; run it by hand"):
        load(corpus.by_id["c0"], sample_rate=16000)


def test_only_refused_commands_is_nothing_usable(data: Callable) -> None:
    root = data("cat x |")
    (root / "wav.scp").write_text("c0 cat x |\n")
    with pytest.raises(
        InputError, match=r"no usable utterance; the first of 2 problems: .*`allow_commands=True`"
    ):
        read_corpus(root)
