"""Safeguards and encoders of other packages that do not work: one sentence each, never more."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import soundfile
from click.testing import CliRunner, Result

from pseudovoice.cli.main import app

Run = Callable[..., Result]

SAFEGUARD = """
from dataclasses import dataclass
from typing import Any, ClassVar

@dataclass(frozen=True)
class {cls}:
    amount: float = 1.0
    name: ClassVar[str] = "{name}"
    reference: ClassVar[str] = "nobody"
    deterministic: ClassVar[bool] = True
    level: ClassVar[str] = "speaker"
    def to_dict(self) -> dict[str, Any]:
        return {{"safeguard": self.name}}
    def __post_init__(self) -> None:
        if self.amount < 0:
            raise ValueError("less than nothing")
    def __call__(self, samples, sample_rate, voice):
        {body}
"""
BODIES = {
    "raising": "raise RuntimeError('out of ideas\\nline two')",
    "sometimes": (
        "return samples * 0.5 if len(samples) % 2 == 0 else [][0]"  # an odd length fails
    ),
    "shorter": "return samples[:-7]",
    "nothing": "return None",
    "flat": "import numpy as np; return np.stack([samples, samples])",
    "words": "import numpy as np; return np.array(['a'] * len(samples))",
}
ENCODERS = """
import numpy as np

class Ear:
    name = "wrong-ear"
    sha256 = "0" * 64
    licence = "none"
    sample_rate = 16_000
    dimension = 8
    shortest_seconds = 0.1
    training = "none"
    def __init__(self, length): self.length = length
    def embed(self, batch):
        if self.length is None:
            raise RuntimeError("no ear today")
        return [np.arange(1.0, self.length + 1) for _ in batch]

def wrong(*, threads): return Ear(5)
def raising(*, threads): return Ear(None)
def unmade(*, threads): raise OSError("no weights")
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Packages as pip would leave them."""
    place = tmp_path_factory.mktemp("site")
    names = [(f"Sg{k}", name, body) for k, (name, body) in enumerate(BODIES.items())]
    made = [SAFEGUARD.format(cls=cls, name=name, body=body) for cls, name, body in names]
    (place / "odd_safeguards.py").write_text("\n".join(made))
    (place / "odd_encoders.py").write_text(ENCODERS)
    (place / "plain_class.py").write_text("class Plain:\n    name = 'plain'\n")
    lines = ["[pseudovoice.safeguards]", "plain = plain_class:Plain"]
    lines += [f"{name} = odd_safeguards:{cls}" for cls, name, _ in names]
    lines += ["[pseudovoice.encoders]"]
    lines += [f"ear-{name} = odd_encoders:{name}" for name in ("wrong", "raising", "unmade")]
    about(place, "odd", lines)
    return place


def about(place: Path, name: str, lines: list[str]) -> None:
    folder = place / f"{name}-1.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (folder / "entry_points.txt").write_text("\n".join(lines) + "\n")


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("odd") / "c"
    for k, name in enumerate(("anna", "ben")):
        (root / name).mkdir(parents=True)
        for n in range(2):
            sound = 0.1 * np.random.default_rng(2 * k + n).normal(size=16_000 + n)
            soundfile.write(root / name / f"{name}{n}.wav", sound, 16_000)
    return root


@pytest.fixture
def run(site: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.syspath_prepend(str(site))

    def invoke(*words: str | Path) -> Result:
        done = CliRunner().invoke(app, [str(word) for word in words])
        assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
        assert "Traceback" not in done.output
        return done

    return invoke


@pytest.mark.parametrize(
    ("safeguard", "sentence"),
    [
        ("raising", "raising fails on it (RuntimeError: out of ideas)"),
        ("shorter", "shorter makes 15,993 samples of 16,000"),
        ("nothing", "nothing gives something else than samples of one channel"),
        ("flat", "flat gives something else than samples of one channel"),
        ("words", "words gives something else than samples of one channel"),
        ("mcadams+raising", "raising fails on it"),
        ("plain", "The safeguard 'plain' is no dataclass"),
        ("raising:amount=-1", "cannot be made so (ValueError: less than nothing)"),
    ],
)
def test_a_safeguard_that_does_not_work_is_named(
    safeguard: str, sentence: str, run: Run, corpus: Path, tmp_path: Path
) -> None:
    done = run("protect", corpus, tmp_path / "out", "--safeguard", safeguard)
    assert done.exit_code == 2
    assert sentence in done.stderr
    assert done.stderr.count("\n") == 1


def test_one_that_fails_now_and_then_costs_those_recordings(
    run: Run, corpus: Path, tmp_path: Path
) -> None:
    done = run("protect", corpus, tmp_path / "out", "--safeguard", "sometimes")
    assert done.exit_code == 1
    assert done.stdout.startswith("2 utterances of 2 speakers protected")
    assert done.stderr.count("sometimes fails on it (IndexError: list index out of range)") == 2
    assert {path.name for path in (tmp_path / "out").rglob("*.wav")} == {"anna0.wav", "ben0.wav"}


@pytest.mark.parametrize(
    ("encoder", "sentence"),
    [
        ("ear-wrong", "gives an array of the shape (5,) instead of 8 numbers"),
        ("ear-raising", "wrong-ear cannot take it (no ear today)"),
        ("ear-unmade", "The encoder 'ear-unmade' of odd_encoders:unmade cannot be loaded"),
    ],
)
def test_an_encoder_that_does_not_work_is_named(
    encoder: str, sentence: str, run: Run, corpus: Path
) -> None:
    done = run("assess", "audio", corpus, corpus, "--encoder", encoder, "--no-cache")
    assert done.exit_code == 2
    assert sentence in done.stderr


def test_one_that_cannot_be_imported_is_a_sentence_and_costs_nobody_else(
    corpus: Path, tmp_path: Path
) -> None:
    (tmp_path / "half_done.py").write_text("import a_package_that_nobody_has\n")
    about(tmp_path, "half-done", ["[pseudovoice.safeguards]", "half = half_done:Half"])
    places = [str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])]

    def called(*words: str | Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "pseudovoice", *map(str, words)],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(places)},
            capture_output=True,
            text=True,
            check=False,
        )

    done = called("protect", corpus, tmp_path / "out", "--safeguard", "half")
    assert done.returncode == 2
    assert (
        "The safeguard 'half' of half_done:Half cannot be loaded (ModuleNotFoundError: No module "
        "named 'a_package_that_nobody_has'); ask whoever made the package, or remove it."
    ) in done.stderr
    assert "Traceback" not in done.stderr
    assert "registry.py" not in done.stderr
    assert not (tmp_path / "out").exists()
    others = called("protect", corpus, tmp_path / "other", "--safeguard", "mcadams")
    assert others.returncode == 0
    assert others.stderr.startswith("pseudovoice: The safeguard 'half' of half_done:Half cannot")
