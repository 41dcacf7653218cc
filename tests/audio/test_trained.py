"""Whoever trains an ear is heard through it alone; without what it takes, it says so at once."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from artificial_voices import write_corpus

import pseudovoice as pv
from pseudovoice.attacks.assess import AudioAssessment, assess_audio
from pseudovoice.attacks.material import Material
from pseudovoice.attacks.registry import attacker, attackers
from pseudovoice.corpus import Corpus, read_corpus
from pseudovoice.encoders.onnx_file import load_onnx
from pseudovoice.errors import MissingExtraError, UsageError
from pseudovoice.study import Plan, SafeguardPlan, SetPlan, run_plan
from pseudovoice.training.ear import EARS

EAR, PAPERS = EARS["ecapa"].name, EARS["xvector"].name


@pytest.fixture(scope="module")
def training(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """Other people."""
    return read_corpus(write_corpus(tmp_path_factory.mktemp("others") / "t", offset=100))


@pytest.fixture(scope="module")
def assessed(
    tiny_model: Path, original: Path, other_voices: Path, training: Corpus
) -> AudioAssessment:
    people, protected = read_corpus(original), read_corpus(other_voices)
    ears = {kind: load_onnx(tiny_model, name=how.name) for kind, how in EARS.items()}
    material = Material(people, protected, people, training, ears=ears)
    everybody = ["ignorant", "lazy", "semi", "semi-encoder", "trained"]
    encoders = [load_onnx(tiny_model, name="tiny")]
    return assess_audio(
        material, encoders, attackers=everybody, by_gender=False, replicates=20, permutations=20
    )


def test_it_alone_hears_through_its_ear(assessed: AudioAssessment) -> None:
    heard = {(one.attacker, one.encoder) for one in assessed.results}
    assert heard == {
        ("ignorant", "tiny"),
        ("lazy", "tiny"),
        ("semi", "tiny"),
        ("semi-encoder", PAPERS),
        ("trained", EAR),
    }
    rows = {(row.condition, row.attacker) for row in assessed.whole.rows}
    assert ("pq", f"trained (encoder and back-end retrained), {EAR}") in rows
    assert ("oo", f"none (unprotected), {EAR} retrained") in rows
    assert ("pq", "semi-informed (back-end retrained), tiny") in rows
    assert ("pq", f"semi-informed encoder (encoder and back-end retrained), {PAPERS}") in rows
    assert EAR in [one["name"] for one in assessed.whole.provenance["encoders"]]


def test_encoder_and_back_end_are_its_own(assessed: AudioAssessment) -> None:
    """Here the ear is the very encoder that the others have, so what differs is the back-end."""
    trained, semi, lazy = (
        assessed.result(name, encoder)
        for name, encoder in (("trained", EAR), ("semi", "tiny"), ("lazy", "tiny"))
    )
    for condition in ("oo", "pq"):
        assert trained.value(condition, "d_ece") == semi.value(condition, "d_ece")
    assert trained.value("oo", "d_ece") != lazy.value("oo", "d_ece")


def test_who_learnt_pseudo_voices_hears_for_itself_how_distinct_they_are(
    assessed: AudioAssessment,
) -> None:
    for name, encoder in (("semi", "tiny"), ("semi-encoder", PAPERS), ("trained", EAR)):
        found = assessed.result(name, encoder)
        assert found.row("pp", "g_vd") is not None
        assert set(found.matrices) == {"oo", "pp"}
    with pytest.raises(KeyError):
        assessed.result("lazy", "tiny").value("pp", "g_vd")
    plain, learnt = (assessed.result(who, "tiny") for who in ("ignorant", "semi"))
    assert plain.value("pp", "d_ece") != learnt.value("pp", "d_ece")
    rows = {(row.condition, row.attacker) for row in assessed.whole.rows if row.metric == "g_vd"}
    assert {("pp", "none (same key), tiny"), ("pp", "none (same key), tiny retrained")} <= rows


def test_it_attacks_by_name_only(
    tiny_model: Path, original: Path, other_voices: Path, training: Corpus
) -> None:
    found = pv.assess(
        original,
        other_voices,
        encoders=f"onnx:{tiny_model}",
        attacker_protected=other_voices,
        attacker_training=training,
        by_gender=False,
        replicates=0,
        permutations=0,
        cache=False,
    )
    assert {one.attacker for one in found.results} == {"ignorant", "lazy", "semi"}
    assert attacker("trained").ear
    assert {name: who.retrains for name, who in attackers().items() if who.trains} == {
        "semi": "back-end",
        "semi-encoder": "encoder and back-end",
        "trained": "encoder and back-end",
    }


def test_it_needs_speech_of_other_people(original: Path, other_voices: Path) -> None:
    with pytest.raises(UsageError, match=r"other people's speech .* `attacker_training`"):
        pv.assess(original, other_voices, attackers="trained", attacker_protected=other_voices)


def test_without_torch_it_says_what_to_install(
    original: Path,
    other_voices: Path,
    training: Corpus,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.setenv("PSEUDOVOICE_CACHE", str(tmp_path / "cache"))
    said = r"The attacker trained needs the package torch.*pseudovoice\[train\]"
    with pytest.raises(MissingExtraError, match=said):
        pv.assess(
            original,
            other_voices,
            attackers="trained",
            attacker_protected=other_voices,
            attacker_training=training,
        )
    plan = Plan(
        "t",
        (SetPlan("o", (original,)),),
        (SafeguardPlan("mcadams-random", "mcadams-random"),),
        ("ignorant", "trained"),
        attacker_training=training.root,
        utility=None,
    )
    with pytest.raises(MissingExtraError, match=said):
        run_plan(plan, tmp_path / "study")
    assert not list((tmp_path / "study").rglob("*.wav")), "nothing is protected in vain"


def test_torch_stays_out_of_everything_else() -> None:
    rooms = "pseudovoice.library.assess, pseudovoice.study.run, pseudovoice.training.ear"
    code = f"import sys, {rooms}; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
