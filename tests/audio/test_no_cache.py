"""With --no-cache nothing of anybody's voice outlives the run."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pseudovoice.cli.main import app
from pseudovoice.keys import new_key, write_key


@pytest.fixture
def listed(original: Path, tmp_path: Path) -> Path:
    """The corpus as a table: what is made of it does not look like it."""
    rows = [f"{f.stem},{f},{f.parent.name}" for f in sorted(original.rglob("*.wav"))]
    (tmp_path / "list.csv").write_text("\n".join(["utt,path,speaker", *rows]))
    return tmp_path / "list.csv"


def assess(tiny_model: Path, corpus: Path, protected: Path, key: Path, *more: str) -> Result:
    attack = ["--attacker-safeguard", "mcadams-random", "--attacker-key-file", str(key)]
    words = [str(corpus), str(protected), "--encoder", f"onnx:{tiny_model}", "--json", *attack]
    quick = ["--replicates", "20", "--permutations", "20"]
    return CliRunner().invoke(app, ["assess", "audio", *words, *quick, *more])


def test_no_cache_leaves_nothing(
    tiny_model: Path,
    listed: Path,
    other_voices: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    write_key(new_key(), tmp_path / "theirs.key")
    cache, scratch = tmp_path / "cache", tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setenv("PSEUDOVOICE_CACHE", str(cache))
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    nothing = assess(tiny_model, listed, other_voices, tmp_path / "theirs.key", "--no-cache")
    assert nothing.exit_code == 0, nothing.output
    assert not cache.exists()
    assert not list(scratch.iterdir())
    kept = assess(tiny_model, listed, other_voices, tmp_path / "theirs.key")
    assert {place.name for place in cache.iterdir()} >= {"attacker", "embeddings.sqlite"}
    assert nothing.stdout == kept.stdout


def test_the_attackers_speech_keeps_the_speakers_of_a_table(
    tiny_model: Path, listed: Path, other_voices: Path, tmp_path: Path
) -> None:
    write_key(new_key(), tmp_path / "theirs.key")
    ran = assess(tiny_model, listed, other_voices, tmp_path / "theirs.key", "--no-cache")
    corpora = json.loads(ran.stdout)["provenance"]["corpora"]
    assert corpora["attacker_protected"]["speakers"] == corpora["original"]["speakers"] == 6
    (row,) = [
        row for row in json.loads(ran.stdout)["rows"]
        if (row["condition"], row["metric"]) == ("pq", "eer")
        and not row["attacker"].startswith("worst")
    ]  # fmt: skip
    assert row["n_mated"] == 6 * 4 * 3
