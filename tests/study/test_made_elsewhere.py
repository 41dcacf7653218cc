"""Systems made elsewhere beside ours: real speech that was protected before the study."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from studies import Ready, fresh_cache

from pseudovoice.cli.compare import made_elsewhere
from pseudovoice.cli.main import app
from pseudovoice.corpus import read_corpus
from pseudovoice.errors import InputError, UsageError
from pseudovoice.keys import Key
from pseudovoice.library.compare import compare
from pseudovoice.protection.protect import protect_corpus
from pseudovoice.safeguards import parse_chain
from pseudovoice.study import Outcome, Plan, SafeguardPlan, read_plan, run_plan
from pseudovoice.study.forecast import dry_run
from pseudovoice.study.plan_file import PlanError, plan_from
from pseudovoice.study.plan_text import plan_yaml


@pytest.fixture(scope="module")
def runs(speech: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Two runs of a system under different keys; each lacks an utterance."""
    folder = tmp_path_factory.mktemp("theirs")
    made = []
    for k, key in enumerate((Key(bytes(32)), Key(bytes(range(32))))):
        place = folder / f"run{k}"
        protect_corpus(read_corpus(speech), place, parse_chain("mcadams-random"), key=key)
        sorted(place.rglob("*.flac"))[k].unlink()
        made.append(place)
    return made[0], made[1]


@pytest.fixture(scope="module")
def study(plan: Plan, runs: tuple[Path, Path]) -> Plan:
    first, second = runs
    return replace(
        plan,
        safeguards=(
            SafeguardPlan("theirs", "", (first,), (second,)),
            SafeguardPlan("alone", "", (first,)),
        ),
        utility=None,
        key_file=None,
        genders=False,
    )


@pytest.fixture(scope="module")
def outcome(study: Plan, weights: Path, tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    folder = tmp_path_factory.mktemp("elsewhere")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PSEUDOVOICE_CACHE", str(fresh_cache(weights, folder / "cache")))
        return run_plan(study, folder / "out", workers=1)


def test_a_second_run_gives_c_ece_and_an_informed_attacker(outcome: Outcome) -> None:
    theirs, alone = outcome.result("theirs"), outcome.result("alone")
    assert {one.attacker for one in theirs.assessed.results} == {"ignorant", "lazy"}
    assert {one.attacker for one in alone.assessed.results} == {"ignorant"}
    metrics = {row.metric for row in theirs.assessed.whole.rows}
    assert {"c_ece_linear", "deid", "g_vd"} <= metrics
    assert "c_ece_linear" not in {row.metric for row in alone.assessed.whole.rows}
    assert theirs.key is None
    assert outcome.new_key is None


def test_what_is_missing_is_a_sentence(outcome: Outcome, runs: tuple[Path, Path]) -> None:
    for run in runs:
        said = [str(problem) for problem in outcome.problems if problem.where == str(run)]
        assert any("1 utterance of the original corpus is missing here" in text for text in said)


def test_the_page_says_that_it_was_made_elsewhere(outcome: Outcome) -> None:
    one = outcome.study.safeguards[0]
    assert one.elsewhere
    assert one.parameters == {"made": "elsewhere"}
    renewable = next(row for row in outcome.study.annex if row.property == "Renewability")
    assert "theirs: unknown; it was made elsewhere." in renewable.found
    assert not (outcome.page.parent / "speech").exists(), "nothing was protected here"


def test_the_plan_repeats_it(outcome: Outcome, study: Plan) -> None:
    again = read_plan(outcome.page.parent / "plan.yaml")
    assert again == study
    assert all(step.done for step in dry_run(again, outcome.page.parent).steps)


def test_other_utterances_are_refused_with_both_names(
    study: Plan, speech: Path, tmp_path: Path
) -> None:
    source = sorted(speech.rglob("*.flac"))
    for name in ("a", "b"):
        (tmp_path / "other" / name).mkdir(parents=True)
        shutil.copy(source[0], tmp_path / "other" / name / f"{name}.flac")
    wrong = replace(study, safeguards=(SafeguardPlan("x", "", (tmp_path / "other",)),))
    with pytest.raises(InputError, match="have no utterance id in common"):
        run_plan(wrong, tmp_path / "out", workers=1)


@pytest.mark.parametrize(
    ("entry", "says"),
    [
        ({"name": "x"}, r"safeguards\[0\].safeguard: is missing"),
        ({"protected": "a"}, r"safeguards\[0\].name: is missing"),
        ({"name": "x", "safeguard": "mcadams", "protected": "a"}, "names both"),
        ({"safeguard": "mcadams", "another_run": "a"}, "is run again by itself"),
    ],
)
def test_faults_in_a_plan(entry: dict[str, str], says: str) -> None:
    content = {"title": "t", "sets": {"s": "c"}, "safeguards": [entry]}
    with pytest.raises(PlanError, match=says):
        plan_from(content, "plan.yaml", Path("/here"))


def test_a_plan_may_name_several_folders(tmp_path: Path) -> None:
    entry = {"name": "x", "protected": ["a", "b"], "another_run": "c"}
    plan = plan_from(
        {"title": "t", "sets": {"s": "c"}, "safeguards": ["mcadams", entry]}, "p", tmp_path
    )
    one = plan.safeguards[1]
    assert one.speech == (tmp_path / "a", tmp_path / "b")
    assert one.another == (tmp_path / "c",)
    ours = replace(plan, safeguards=plan.safeguards[:1])
    assert "speech" not in json.dumps(ours.to_dict()), "plans of our own keep their hash"
    file = tmp_path / "plan.yaml"
    file.write_text(plan_yaml(plan), encoding="utf-8")
    assert read_plan(file) == plan


def test_what_the_option_says(tmp_path: Path) -> None:
    (tmp_path / "a,b").mkdir()
    assert made_elsewhere((f"x={tmp_path}/a,b",)) == {"x": [tmp_path / "a,b"]}
    assert made_elsewhere(("x=a,b",)) == {"x": [Path("a"), Path("b")]}
    for wrong in (("x",), ("=a",), ("x=",), ("x=a", "x=b")):
        with pytest.raises(UsageError, match="--protected"):
            made_elsewhere(wrong)
    with pytest.raises(UsageError, match="3 folders are given"):
        compare(tmp_path, protected={"x": ["a", "b", "c"]}, out=tmp_path / "out")


def test_requirements_have_an_exit_code_and_json_the_numbers(
    ready: Ready, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = str(ready.out / "plan.yaml")

    def run(*words: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as end:
            app(["run", plan, "-o", str(ready.out), "--workers", "1", *words])
        out, err = capsys.readouterr()
        return int(end.value.code or 0), out, err

    code, said, _ = run("--require", "d_ece<0.01", "--require", "eer>0")
    assert code == 3, "what is not met weighs more than the broken file"
    assert "required d_ece<0.01: NOT met; at most " in said
    assert "the upper end of" in said
    code, said, told = run("--require", "d_ece<0.73", "--json")
    assert code == 1
    found = json.loads(said)
    (judged,) = found["requirements"]
    highest = max(row["d_ece_high"] for row in found["attacks"] if row["group"] == "all")
    assert judged["met"]
    assert judged["counts"] == highest
    assert "required d_ece<0.73: met" in told
    assert {row["metric"] for row in found["utility"]} >= {"f0_correlation"}
    assert len(found["rows"]) > 100
    code, _, told = run("--require", "d_ec<1")
    assert code == 2
    assert "did you mean d_ece?" in told
