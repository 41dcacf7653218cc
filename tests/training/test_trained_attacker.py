"""From other people's speech to an attack through an ear of its own, on a handful of people."""

from __future__ import annotations

import shutil
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import pseudovoice as pv
from pseudovoice.attacks.assess import AudioAssessment
from pseudovoice.corpus import Corpus, Utterance, read_corpus, write_table
from pseudovoice.models import artefact, cached_path
from pseudovoice.study import Outcome, learning
from pseudovoice.training import ear
from pseudovoice.training.ear import EARS

EAR, PAPERS = EARS["ecapa"].name, EARS["xvector"].name

# Before any test has a cache of its own.
WEIGHTS = cached_path(artefact("ecapa"))

pytestmark = [
    pytest.mark.usefixtures("needs_torch"),
    pytest.mark.skipif(
        not WEIGHTS.is_file(), reason="no weights here: `pseudovoice models fetch ecapa`"
    ),
]


@pytest.fixture(scope="module")
def speech(shared: Path) -> tuple[Corpus, Corpus]:
    """Four people, and eight others: as few as an encoder is trained on."""
    voice = read_corpus(shared / "speech" / "voice")
    names = sorted(voice.speakers)
    short = {name: sorted(own, key=_size)[5:7] for name, own in voice.speakers.items()}
    few, others = (
        voice.subset(ids=[u.id for name in part for u in short[name]])
        for part in (names[:4], names[4:12])
    )
    return few, others


def _size(utterance: Utterance) -> int:
    return utterance.path.stat().st_size


@pytest.fixture
def _quick(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (cache / "models").mkdir(exist_ok=True)
    shutil.copy(WEIGHTS, cache / "models")
    quick = {
        kind: replace(how, recipe=replace(how.recipe, epochs=1, crops=1, batch=4))
        for kind, how in ear.EARS.items()
    }
    quick["xvector"] = replace(
        quick["xvector"], recipe=replace(quick["xvector"].recipe, width=16, epochs=2)
    )
    monkeypatch.setattr(ear, "EARS", quick)
    monkeypatch.setattr(learning, "EARS", quick)


@pytest.mark.usefixtures("_quick")
def test_an_ear_is_trained_once(
    speech: tuple[Corpus, Corpus],
    tmp_path: Path,
    cache: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    few, others = speech
    ours, theirs = (pv.new_key(tmp_path / name) for name in ("ours.key", "theirs.key"))
    chain = "mcadams-random"
    protected = pv.protect(few, tmp_path / "p", chain, key=ours).corpus
    training = pv.protect(others, tmp_path / "t", f"{chain}:level=utterance", key=theirs).corpus
    said: list[str] = []

    def assess() -> AudioAssessment:
        said.clear()
        return pv.assess(
            few,
            protected,
            encoders="ge2e",
            attackers=["semi", "semi-encoder", "trained"],
            attacker_safeguard=chain,
            attacker_key=theirs,
            attacker_training=training,
            by_gender=False,
            replicates=20,
            permutations=20,
            progress=lambda what, *_: said.append(what),
        )

    first = assess()
    assert "training" in said
    trained, semi = first.result("trained", EAR), first.result("semi", "ge2e")
    assert trained.condition == "pq"
    assert trained.value("oo", "eer") < 0.3
    # Not their EER: of so few people both may have none.
    assert trained.value("pq", "cllr") != semi.value("pq", "cllr")
    papers = first.result("semi-encoder", PAPERS)
    # From chance and a handful of people it learns next to nothing, which its control tells.
    assert papers.value("pq", "d_ece") != trained.value("pq", "d_ece")
    assert papers.row("pp", "g_vd") is not None
    place, _ = (cache / "attacker").glob("ear-*")
    assert {file.name for file in place.iterdir()} == {"model.onnx", "model.json", "training.json"}
    # What has learnt needs neither time nor torch.
    monkeypatch.setitem(sys.modules, "torch", None)
    again = assess()
    assert "training" not in said
    assert again.result("trained", EAR).rows == trained.rows
    assert again.result("semi-encoder", PAPERS).rows == papers.rows


@pytest.mark.usefixtures("_quick")
def test_a_study_trains_an_ear_and_keeps_it(speech: tuple[Corpus, Corpus], tmp_path: Path) -> None:
    few, others = speech
    for corpus, name in ((few, "few.csv"), (others, "others.csv")):
        write_table(corpus, tmp_path / name)
    said: list[str] = []

    def compare() -> Outcome:
        said.clear()
        return pv.compare(
            tmp_path / "few.csv",
            "mcadams-random",
            ["lazy", "semi-encoder"],
            "ge2e",
            out=tmp_path / "study",
            attacker_training=tmp_path / "others.csv",
            measures=(),
            by_gender=False,
            replicates=20,
            permutations=20,
            figures=False,
            clips=False,
            progress=lambda what, *_: said.append(what),
        )

    compare()
    assert "training" in said
    table = (tmp_path / "study" / "tables" / "results.csv").read_text(encoding="utf-8")
    assert f"semi-informed encoder (encoder and back-end retrained), {PAPERS}" in table
    compare()
    assert "training" not in said
