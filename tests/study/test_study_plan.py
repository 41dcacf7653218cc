"""A plan is checked field by field, and what is wrong with it is said in sentences."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from pseudovoice.errors import InputError
from pseudovoice.study import (
    Plan,
    SafeguardPlan,
    SetPlan,
    SlicesPlan,
    UtilityPlan,
    read_plan,
    shipped_plans,
)
from pseudovoice.study.plan import AsrTrainingPlan
from pseudovoice.study.plan_file import PlanError, plan_from
from pseudovoice.study.plan_text import plan_yaml
from pseudovoice.study.shipped import find_plan

SMALL: dict[str, Any] = {
    "title": "A study",
    "sets": {"dev": "corpus"},
    "safeguards": ["mcadams", {"name": "B2r", "safeguard": "mcadams-random:low=0.5"}],
}


def faults(content: Any, **paths: str) -> list[str]:
    with pytest.raises(PlanError) as caught:
        plan_from(content, "plan.yaml", Path("/here"), paths)
    return list(caught.value.faults)


def test_a_small_plan_has_the_defaults() -> None:
    plan = plan_from(SMALL, "plan.yaml", Path("/here"))
    assert plan == Plan(
        title="A study",
        sets=(SetPlan("dev", (Path("/here/corpus"),)),),
        safeguards=(
            SafeguardPlan("mcadams", "mcadams"),
            SafeguardPlan("B2r", "mcadams-random:low=0.5"),
        ),
    )


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"tittle": "x"}, "tittle: there is no such field; did you mean title?"),
        ({"title": None}, "title: is missing"),
        ({"sets": {}}, "sets: is empty; write a name and the path of a corpus a line"),
        (
            {"sets": {"dev": {"corpus": "c", "layuot": "kaldi"}}},
            "sets.dev.layuot: there is no such",
        ),
        ({"sets": {"dev": {"layout": "kaldi"}}}, "sets.dev.corpus: is missing"),
        ({"sets": {"dev": {"corpus": "c", "layout": "kaldy"}}}, "did you mean kaldi?"),
        ({"sets": {"dev": {"corpus": "c", "enrols": "e"}}}, "sets.dev.trials: is missing"),
        (
            {"sets": {"dev": {"corpus": "c", "all_pairs": True}}},
            "all_pairs: goes with listed trials",
        ),
        ({"asr_training": {"corpus": "c", "durations": [1, 1]}}, "durations: one is there twice"),
        ({"asr_training": {"corpus": "c", "durations": [-1]}}, "asr_training.durations[0]: -1"),
        ({"asr_training": {"corpus": "c", "recipe": "heads"}}, "did you mean head?"),
        ({"asr_training": {"durations": [1]}}, "asr_training.corpus: is missing"),
        (
            {"safeguards": ["slice:duration=1"], "asr_training": {"corpus": "c"}},
            "asr_training: there is no safeguard to protect it with",
        ),
        ({"sets": {"dev": 7}}, "sets.dev: 7 is not a mapping"),
        ({"safeguards": ["mcadam"]}, "There is no safeguard 'mcadam'"),
        ({"safeguards": ["mcadams", "mcadams"]}, "safeguards[1].name: mcadams is there already"),
        ({"safeguards": []}, "safeguards: is empty; write a list of safeguards such as mcadams"),
        ({"attackers": ["lasy"]}, "attackers[0]: there is no 'lasy'; did you mean lazy?"),
        ({"attackers": ["semi"]}, "attacker_training: is missing"),
        ({"attacker_training": "t"}, "attacker_training: nobody trains on it"),
        (
            {"sessions": 2},
            "sessions: nobody gathers them; add gathering or known-sessions to attackers",
        ),
        ({"attackers": ["known-sessions"]}, "sessions: is 1; the attacker known-sessions knows"),
        ({"slices": {"successors": ["m.onnx"]}}, "slices.successors: there are no slices to put"),
        ({"attackers": ["ensemble"]}, "attackers: there is nobody whose scores the ensemble could"),
        ({"encoders": ["ge3e"]}, "encoders[0]: 'ge3e' is not an encoder; did you mean ge2e?"),
        ({"comparison": {"backend": "plda"}}, "comparison.training: is missing"),
        ({"utility": {"measures": ["word"]}}, "did you mean words?"),
        ({"utility": {"utterances": 0}}, "utility.utterances: 0 is not a whole number"),
        ({"replicates": "many"}, "replicates: 'many' is not a whole number of at least 0"),
        ({"comparison": []}, "comparison: [] is not a mapping; it has backend, training, as_norm"),
        ({"utility": {"utterances": []}}, "utterances: is empty; write a whole number of at"),
        ({"attackers": []}, "attackers: is empty; choose from adaptive, "),
        ({"sets": ["dev"]}, "sets: ['dev'] is not a mapping; write a name and the path"),
        ({"encoders": [7]}, "encoders[0]: 7 is not an encoder; choose from resnet34-lm"),
        ({"replicates": True}, "replicates: True is not a whole number"),
        ({"genders": "yes"}, "genders: 'yes' is not true or false"),
        ({"include_originals": True, "clips": False}, "include_originals: there are no clips"),
        ({"sets": {"dev": "${libri}/dev"}}, "paths.libri: is not filled in"),
    ],
)
def test_a_wrong_field_is_a_sentence(change: dict[str, Any], said: str) -> None:
    found = faults({**SMALL, **change})
    assert any(said in sentence for sentence in found), found
    assert all(s.startswith("plan.yaml: ") and s.endswith(".") for s in found)


def test_all_faults_are_said_at_once() -> None:
    found = faults({**SMALL, "seed": -1, "titel": "x", "attackers": ["lasy"]})
    assert len(found) == 3


def test_a_path_that_nobody_asked_for_is_a_fault() -> None:
    assert "no path 'libri' to fill in" in faults(SMALL, libri="/data")[0]


def test_paths_are_filled_in_and_count_from_the_plan(tmp_path: Path) -> None:
    content = {**SMALL, "paths": {"libri": None}, "sets": {"a": "${libri}/dev", "b": "c"}}
    file = tmp_path / "plan.yaml"
    file.write_text(yaml.safe_dump(content), encoding="utf-8")
    plan = read_plan(file, paths={"libri": "/data"})
    assert [one.corpus for one in plan.sets] == [(Path("/data/dev"),), (tmp_path / "c",)]


def test_a_field_written_twice_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "plan.yaml"
    file.write_text("title: a\nseed: 1\nseed: 2\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"plan.yaml:3: .*'seed' is written twice"):
        read_plan(file)


def test_yaml_makes_no_objects(tmp_path: Path) -> None:
    file = tmp_path / "plan.yaml"
    file.write_text("title: !!python/object/apply:os.getcwd []\n", encoding="utf-8")
    with pytest.raises(InputError, match="not the YAML of a plan"):
        read_plan(file)


def test_yaml_that_grows_without_end_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "plan.yaml"
    levels = "".join(
        f"a{k}: &a{k} {{<<: [{', '.join([f'*a{k - 1}'] * 9)}]}}\n" for k in range(1, 6)
    )
    file.write_text(f"a0: &a0 {{x: 1, y: 2}}\n{levels}", encoding="utf-8")
    with pytest.raises(InputError, match=r"plan.yaml:4: .*more than 1000 fields"):
        read_plan(file)
    file.write_text(f"a: &a 1\nb: [{', '.join(['*a'] * 1001)}]\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"plan.yaml:2: .*too many references"):
        read_plan(file)


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)
FIELDS = st.sampled_from(
    [*SMALL, "paths", "utility", "comparison", "attackers", "encoders", "seed"]
)


@given(st.dictionaries(FIELDS, JUNK))
def test_whatever_a_file_holds_ends_in_a_plan_or_in_sentences(junk: dict[str, Any]) -> None:
    said: tuple[str, ...] = ("plan.yaml: fine",)
    try:
        plan_from({**SMALL, **junk}, "plan.yaml", Path("/here"))
    except PlanError as error:
        said = error.faults
    assert said
    assert all(sentence.startswith("plan.yaml: ") for sentence in said)


def test_a_plan_survives_its_text(tmp_path: Path) -> None:
    plan = Plan(
        title="Ünïcode: {awkward}",
        sets=(
            SetPlan("dev", (tmp_path / "a", tmp_path / "b"), "kaldi", "*_mic2"),
            SetPlan(
                "2020",
                (tmp_path / "c",),
                enrols=tmp_path / "e",
                trials=(tmp_path / "t", tmp_path / "u"),
                all_pairs=True,
            ),
        ),
        safeguards=(SafeguardPlan("B2", "mcadams:alpha=0.8"), SafeguardPlan("persona", "persona")),
        attackers=("ignorant", "semi"),
        attacker_training=tmp_path / "training",
        asr_training=AsrTrainingPlan(tmp_path / "training", (0.5, 1.0), "scratch", 16, 2, 12.0),
        slices=SlicesPlan(check_words=True),
        utility=UtilityPlan(("words",), None),
        genders=False,
        seed=3,
        note="- a note",
    )
    file = tmp_path / "plan.yaml"
    file.write_text(plan_yaml(plan), encoding="utf-8")
    again = read_plan(file)
    assert again == plan
    assert again.sha256 == plan.sha256


def test_the_place_of_the_key_is_no_part_of_a_plan(tmp_path: Path) -> None:
    from dataclasses import replace

    plan = plan_from(SMALL, "plan.yaml", tmp_path)
    other = replace(plan, key_file=tmp_path / "very-secret-place.key")
    assert other.sha256 == plan.sha256
    assert "very-secret" not in repr(other) + str(other.to_dict())
    assert "key_file" not in plan_yaml(plan)
    assert "very-secret-place.key" in plan_yaml(other), "the plan alone repeats the study"


NEEDS = {
    "librispeech": ["librispeech"],
    "maouche2022": ["librispeech", "text", "voiceprivacy"],
    "noe2020": ["librispeech", "voiceprivacy"],
    "noe2022": ["librispeech", "voiceprivacy"],
    "vctk": ["vctk"],
    "voiceprivacy2020": ["voiceprivacy"],
}


@pytest.mark.parametrize("name", NEEDS)
def test_plans_that_come_along_lack_nothing_but_paths(name: str) -> None:
    assert set(shipped_plans()) == set(NEEDS)
    with pytest.raises(PlanError) as caught:
        read_plan(find_plan(name))
    said = caught.value.faults
    assert len(said) == len(NEEDS[name])
    for need in NEEDS[name]:
        assert any(f"`paths={{'{need}': 'FOLDER'}}`" in sentence for sentence in said)
    plan = read_plan(find_plan(name), paths=dict.fromkeys(NEEDS[name], "/data"))
    assert plan.safeguards[0].chain.startswith(("mcadams", "xvector"))


def test_the_case_study_has_the_sets_and_systems_of_table_2() -> None:
    plan = read_plan(find_plan("noe2022"), paths={"voiceprivacy": "/vp", "librispeech": "/ls"})
    assert [one.name for one in plan.sets] == [
        "libri_test_trials_f",
        "libri_test_trials_m",
        "vctk_test_trials_f",
        "vctk_test_trials_m",
        "vctk_test_trials_f_c",
        "vctk_test_trials_m_c",
    ]
    assert [one.name for one in plan.safeguards] == ["xvector", "B2", "B2r"]
    assert all(one.enrols and one.trials and one.all_pairs for one in plan.sets)


def test_a_name_that_is_no_plan_is_a_sentence() -> None:
    with pytest.raises(InputError, match="those that come along are librispeech"):
        find_plan("nonsense")


MERGES = "m0: &m0 {a: 1}\n" + "".join(
    f"m{k}: &m{k} {{<<: [*m{k - 1}, *m{k - 1}]}}\n" for k in range(1, 40)
)
LISTS = "l0: &l0 [a, b]\n" + "".join(f"l{k}: &l{k} [*l{k - 1}, *l{k - 1}]\n" for k in range(1, 40))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("title: !!bool maybe", "this is not the YAML of a plan"),
        ("title: !!int ''", "this is not the YAML of a plan"),
        ("title: !!timestamp soon", "this is not the YAML of a plan"),
        ("title: !!map [a]", "expected a mapping node"),
        ("? [a, b]\n: 1", "found unhashable key"),
        (MERGES, "a mapping of more than 1000 fields"),
        (f"{LISTS}similarity: *l39", "similarity: there is no"),
        (f"similarity: 0x{'f' * 5000}", "there is no a huge number"),
        (f"title: 0x{'f' * 5000}", "title: a huge number is not a title"),
        (f"? 0x{'f' * 5000}\n: 1", "'0xffff.*': there is no such field"),
        ("sets: {dev: ~nobody-of-that-name/x}", "sets.dev.corpus: begins in the home of nobody"),
    ],
)
def test_yaml_that_fuzzing_found_is_said_in_sentences(
    tmp_path: Path, text: str, sentence: str
) -> None:
    (tmp_path / "plan.yaml").write_text(text)
    with pytest.raises(InputError, match=sentence):
        read_plan(tmp_path / "plan.yaml")
