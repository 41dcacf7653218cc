"""``pseudovoice train``, and that torch stays out of everything else."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from pseudovoice.cli.train import command
from pseudovoice.corpus import Corpus
from pseudovoice.errors import InputError, MissingExtraError
from pseudovoice.training import train_encoder

SMALL = ("--width", "16", "--epochs", "1", "--threads", "1")


def test_importing_the_room_does_not_import_torch() -> None:
    modules = "pseudovoice, pseudovoice.training, pseudovoice.cli.main, pseudovoice.cli.train"
    code = f"import sys, {modules}; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_missing_torch_is_a_sentence(
    voices: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingExtraError, match=r"needs the package torch.*pseudovoice\[train\]"):
        train_encoder(voices, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_it_says_what_it_did(needs_torch: None, voices: Corpus, tmp_path: Path) -> None:
    del needs_torch
    arguments = [str(voices.root), "-o", str(tmp_path / "m"), *SMALL]
    result = CliRunner().invoke(command, arguments, catch_exceptions=False)
    assert result.exit_code == 0
    assert "24 utterances of 6 speakers" in result.stdout
    assert "EER of 4 held-out speakers (24 mated and 96 non-mated trials" in result.stdout
    assert f"--encoder onnx:{tmp_path / 'm' / 'model.onnx'}" in result.stdout
    assert "40 utterances of 10 speakers" in result.stderr
    again = CliRunner().invoke(command, [*arguments, "--json"], catch_exceptions=False)
    facts = json.loads(again.stdout)
    assert (facts["epochs"], facts["kind"], len(facts["history"])) == (1, "xvector", 1)
    assert facts == {
        name: value
        for name, value in json.loads((tmp_path / "m" / "training.json").read_text()).items()
        if name != "identity"
    }


def test_bad_files_make_the_exit_code_one(
    needs_torch: None, tmp_path: Path, write_voices: Callable[..., Corpus]
) -> None:
    del needs_torch
    corpus = write_voices(tmp_path / "c", speakers=9, utterances=3)
    corpus.utterances[0].path.write_bytes(b"RIFF")
    arguments = [str(corpus.root), "-o", str(tmp_path / "m"), *SMALL]
    result = CliRunner().invoke(command, arguments, catch_exceptions=False)
    assert result.exit_code == 1
    assert corpus.utterances[0].path.name in result.stderr


def test_too_few_speakers_is_an_error(
    needs_torch: None, tmp_path: Path, write_voices: Callable[..., Corpus]
) -> None:
    del needs_torch
    corpus = write_voices(tmp_path / "c", speakers=3, utterances=2)
    with pytest.raises(InputError, match="training needs at least 8 speakers"):
        CliRunner().invoke(
            command, [str(corpus.root), "-o", str(tmp_path / "m")], catch_exceptions=False
        )
