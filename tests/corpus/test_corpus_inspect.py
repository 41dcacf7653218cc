"""Examining a corpus, and the command that prints it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from pseudovoice.cli.inspect import command
from pseudovoice.corpus import examine, read_corpus
from pseudovoice.errors import InputError


@pytest.fixture
def mixed(tree: Path, voice: Callable, record: Callable) -> Path:
    """Different rates and channels, a session, a silent and an unreadable file."""
    record(tree / "anna" / "monday" / "a2.wav", voice(1.0, 8000, 2), 8000)
    record(tree / "ben" / "b2.wav", np.zeros(8000, np.float32))
    (tree / "ben" / "b3.wav").write_bytes(b"no audio at all")
    (tree / "metadata.csv").write_text("speaker,gender\nanna,f\n")
    return tree


def test_inspection_counts(mixed: Path) -> None:
    found = examine(read_corpus(mixed))
    assert (found.layout, found.utterances, found.speakers, found.sessions) == ("folder", 5, 2, 1)
    assert found.genders == {"f": 1, "unknown": 1}
    assert found.sample_rates == {8000: 1, 16000: 3}
    assert found.channels == {1: 3, 2: 1}
    assert found.hours == pytest.approx(2.5 / 3600)
    assert found.problem_kinds == {"silent": 1, "unreadable": 1}
    assert len(found.problems) == 2


def test_number_of_workers_changes_nothing(tree: Path, voice: Callable, record: Callable) -> None:
    for number in range(40):
        record(tree / "anna" / f"x{number:02d}.wav", voice(0.2 if number % 7 else 0.01))
    corpus = read_corpus(tree)
    steps: list[int] = []
    alone = examine(corpus)
    assert examine(corpus, workers=2, on_progress=steps.append) == alone
    assert sum(steps) == 42
    assert alone.problem_kinds == {"short": 6}


def test_command_prints_a_table_and_lists_problems(mixed: Path) -> None:
    result = CliRunner().invoke(command, [str(mixed)])
    assert result.exit_code == 1
    assert "corpus (folder)" in result.stdout
    assert "3 × 16000" in result.stdout
    assert "is silent" not in result.stdout
    assert [line.split(": ")[0][-6:] for line in result.stderr.splitlines()] == ["b2.wav", "b3.wav"]


def test_command_prints_json_and_succeeds_without_problems(tree: Path) -> None:
    result = CliRunner().invoke(command, [str(tree), "--json", "--layout", "folder"])
    assert result.exit_code == 0
    assert result.stderr == ""
    found = json.loads(result.stdout)
    assert (found["utterances"], found["problems"]) == (2, [])


def test_brackets_in_names_are_no_markup(tree: Path) -> None:
    result = CliRunner().invoke(command, [str(tree.rename(tree.parent / "[red]dev"))])
    assert "[red]dev (folder)" in result.stdout


def test_command_leaves_input_errors_to_main(tmp_path: Path) -> None:
    result = CliRunner().invoke(command, [str(tmp_path / "gone")])
    assert isinstance(result.exception, InputError)
    assert "does not exist" in str(result.exception)


def test_command_runs_commands_only_when_allowed(tree: Path) -> None:
    data = tree.parent / "data"
    data.mkdir()
    (data / "wav.scp").write_text(f"a1 cat {tree}/anna/a1.wav |\nb1 {tree}/ben/b1.flac\n")
    (data / "utt2spk").write_text("a1 anna\nb1 ben\n")
    assert CliRunner().invoke(command, [str(data)]).exit_code == 1
    assert CliRunner().invoke(command, [str(data), "--allow-commands"]).exit_code == 0
