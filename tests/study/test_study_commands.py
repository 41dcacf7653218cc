"""Commands that a corpus names: no plan allows them, no check runs them, the keyboard may."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import soundfile
import yaml
from click.testing import CliRunner, Result
from studies import fresh_cache

from pseudovoice.cli.main import app
from pseudovoice.study import read_plan
from pseudovoice.study.plan_text import plan_yaml


@pytest.fixture
def piped(tmp_path: Path) -> Path:
    """A Kaldi set of six utterances, two of them commands that leave a file behind."""
    data = tmp_path / "data"
    data.mkdir()
    draw = np.random.default_rng(3)
    scp, utt2spk = [], []
    for speaker in ("anna", "ben"):
        for take in ("1", "2", "3"):
            name = f"{speaker}-{take}"
            soundfile.write(data / f"{name}.wav", draw.normal(0, 0.1, 16000), 16000)
            source = f"{data}/{name}.wav"
            piped = f"cat {source} | tee {tmp_path}/ran-{name} |"
            scp.append(f"{name} {piped if take == '3' else source}\n")
            utt2spk.append(f"{name} {speaker}\n")
    (data / "wav.scp").write_text("".join(scp))
    (data / "utt2spk").write_text("".join(utt2spk))
    return data


def ran(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.glob("ran-*"))


def plan_of(data: Path, **more: object) -> Path:
    file = data.parent / "plan.yaml"
    small = {
        "title": "Pipes",
        "sets": {"pipes": str(data)},
        "safeguards": ["mcadams"],
        "encoders": ["ge2e"],
        "attackers": ["ignorant"],
        "utility": False,
        "genders": False,
        "replicates": 0,
        "permutations": 0,
        "figures": False,
        "clips": False,
    }
    file.write_text(yaml.safe_dump(small | more), encoding="utf-8")
    return file


def invoke(*words: object) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words])


def test_check_runs_nothing_and_says_what_it_cannot_know(piped: Path, tmp_path: Path) -> None:
    done = invoke("check", plan_of(piped), "-o", tmp_path / "out")
    assert done.exit_code == 0, done.output
    assert ran(tmp_path) == []
    assert "6 utterances of 2 speakers" in done.output
    assert "pipes: 2 of 6 utterances are the output of commands, which are not run" in done.output
    assert "A run needs --allow-commands" in done.output
    assert "not counting speech of unknown length" in done.output
    told = json.loads(invoke("check", plan_of(piped), "-o", tmp_path / "out", "--json").output)
    assert told["utterances_of_unknown_length"] == 2
    assert ran(tmp_path) == []


@pytest.mark.parametrize("verb", ["check", "run"])
@pytest.mark.parametrize("said", [True, "yes", 1])
def test_a_plan_that_allows_commands_is_told_of_the_option(
    piped: Path, tmp_path: Path, verb: str, said: object
) -> None:
    done = invoke(verb, plan_of(piped, allow_commands=said), "-o", tmp_path / "out")
    assert done.exit_code == 2
    assert "allow_commands: a plan cannot allow commands; remove the line" in done.output
    assert "pass --allow-commands each time" in done.output
    assert ran(tmp_path) == []
    assert not (tmp_path / "out").exists()


def test_an_older_plan_that_allows_none_is_as_good_as_before(piped: Path) -> None:
    kept = read_plan(plan_of(piped, allow_commands=False))
    assert kept == read_plan(plan_of(piped))
    assert "allow_commands" not in plan_yaml(kept)
    assert "allow_commands" not in kept.to_dict()


def test_a_run_starts_commands_only_with_the_option(
    piped: Path, tmp_path: Path, weights: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PSEUDOVOICE_CACHE", str(fresh_cache(weights, tmp_path / "cache")))
    done = invoke("run", plan_of(piped), "-o", tmp_path / "out", "--workers", 1)
    assert "pass --allow-commands if you trust whoever wrote it" in done.output
    assert ran(tmp_path) == []
    done = invoke(
        "run", plan_of(piped), "-o", tmp_path / "out2", "--workers", 1, "--allow-commands"
    )
    assert done.exit_code == 0, done.output
    assert ran(tmp_path) == ["ran-anna-3", "ran-ben-3"]
    # The plan that is kept with the report says nothing of it.
    assert "allow_commands" not in (tmp_path / "out2" / "plan.yaml").read_text(encoding="utf-8")
