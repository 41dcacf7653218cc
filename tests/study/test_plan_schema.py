"""The JSON Schema of plans says what `read_plan` says."""

from __future__ import annotations

import gc
import json
import re
from contextlib import suppress
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner
from jsonschema import Draft202012Validator
from msgspec.structs import fields

from pseudovoice.cli.main import app
from pseudovoice.errors import InputError
from pseudovoice.study import Plan, read_plan, shipped_plans
from pseudovoice.study.plan_file import PlanError, plan_from
from pseudovoice.study.plan_text import plan_yaml
from pseudovoice.study.shipped import find_plan
from pseudovoice.study.written import WrittenPlan, plan_schema

DOCS = Path(__file__).parents[2] / "docs"
SMALL: dict[str, Any] = {"title": "A study", "sets": {"dev": "corpus"}, "safeguards": ["mcadams"]}


@pytest.fixture(scope="module")
def schema() -> Draft202012Validator:
    made = json.loads(CliRunner().invoke(app, ["check", "--schema"]).stdout)
    assert made == json.loads(json.dumps(plan_schema()))
    Draft202012Validator.check_schema(made)
    return Draft202012Validator(made)


def examples() -> dict[str, str]:
    """The plans that come along and those of the documentation."""
    found = {name: find_plan(name).read_text(encoding="utf-8") for name in shipped_plans()}
    for page in sorted(DOCS.rglob("*.md")):
        blocks = re.findall(r"^```yaml\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S)
        plans = [block for block in blocks if "safeguards:" in block]
        found |= {f"{page.name} {k}": block for k, block in enumerate(plans)}
    assert len(found) >= 6
    return found


@pytest.mark.parametrize("name", examples())
def test_example_plans_fit_it(schema: Draft202012Validator, name: str) -> None:
    schema.validate(yaml.safe_load(examples()[name]))


def test_plans_that_come_along_tell_editors_of_it() -> None:
    for name in shipped_plans():
        said = CliRunner().invoke(app, ["run", name, "--copy"]).stdout
        assert "\n# yaml-language-server: $schema=plan.schema.json\n" in said


def test_what_the_program_writes_fits_it(schema: Draft202012Validator, tmp_path: Path) -> None:
    plan: Plan = plan_from({**SMALL, "utility": {"utterances": "all"}}, "plan.yaml", tmp_path)
    schema.validate(yaml.safe_load(plan_yaml(plan)))


@pytest.mark.parametrize(
    "change",
    [
        {"tittle": "x"},
        {"title": None},
        {"title": [1]},
        {"sets": {}},
        {"sets": {"dev": 7}},
        {"sets": {"dev": []}},
        {"sets": {"dev": " "}},
        {"sets": {"dev": {"corpus": "c", "layuot": "kaldi"}}},
        {"sets": {"dev": {"layout": "kaldi"}}},
        {"sets": {"dev": {"corpus": "c", "layout": "kaldy"}}},
        {"safeguards": []},
        {"safeguards": [{"name": "B2"}]},
        {"attackers": ["lasy"]},
        {"attackers": ["lazy", "lazy"]},
        {"encoders": ["ge3e"]},
        {"encoders": ["fusion:ge2e+ge3e"]},
        {"encoders": ["ge2e+ecapa"]},
        {"comparison": {"backend": "plds"}},
        {"comparison": {"as_norm": 1}},
        {"utility": {"measures": ["word"]}},
        {"utility": {"utterances": 0}},
        {"utility": {"utterances": "some"}},
        {"utility": {"recogniser": "nobody"}},
        {"slices": {"samples": 0}},
        {"slices": {"utterances": 1}},
        {"replicates": "many"},
        {"replicates": True},
        {"seed": -1},
        {"seed": 1.5},
        {"genders": "yes"},
        {"similarity": "harmonic"},
        {"paths": ["a"]},
        {"allow_commands": True},
    ],
)
def test_both_refuse_what_is_wrong(schema: Draft202012Validator, change: dict[str, Any]) -> None:
    content = {**deepcopy(SMALL), **change}
    assert not schema.is_valid(content)
    with pytest.raises(PlanError):
        plan_from(content, "plan.yaml", Path("/here"))


@pytest.mark.parametrize(
    "change",
    [
        {"title": 2020},
        {"safeguards": "mcadams"},
        {"sets": {"2020": ["a", "b"]}},
        {"attackers": "lazy"},
        {"attackers": None, "encoders": None, "utility": None, "comparison": None, "slices": None},
        {"encoders": ["onnx:a+b.onnx", "hf:org/name", "fusion:ge2e+onnx:x.onnx"]},
        {"utility": True},
        {"utility": False},
        {"key_session": 2024, "note": 1.5},
        {"comparison": {"training": None}, "slices": {"language_model": None}},
    ],
)
def test_both_take_what_is_right(schema: Draft202012Validator, change: dict[str, Any]) -> None:
    content = {**deepcopy(SMALL), **change}
    schema.validate(content)
    plan_from(content, "plan.yaml", Path("/here"))


def test_every_field_is_described() -> None:
    for name, record in plan_schema()["$defs"].items():
        assert record["additionalProperties"] is False
        for field, about in record["properties"].items():
            assert about.get("description"), f"{name}.{field}"


def test_defaults_are_those_of_a_plan() -> None:
    written = WrittenPlan("A study", {"dev": "corpus"}, ("mcadams",))
    plan = plan_from(SMALL, "plan.yaml", Path("/here"))
    for one in fields(WrittenPlan):
        if one.name not in ("sets", "safeguards", "comparison", "utility", "slices", "paths"):
            assert getattr(written, one.name) == getattr(plan, one.name), one.name
    assert plan == plan_from(
        {**SMALL, "comparison": {}, "utility": {}, "slices": {}}, "plan.yaml", Path("/here")
    )


def test_plans_are_read_without_end() -> None:
    """Types that msgspec makes of ours for one value are freed: texts with a pattern broke it."""
    for _ in range(20):
        for change in ({}, {"sets": {"dev": 7}}, {"encoders": [7]}, {"attackers": [7]}):
            with suppress(PlanError):
                plan_from({**SMALL, **change}, "plan.yaml", Path("/here"))
            gc.collect()


def test_names_are_texts_and_a_set_is_no_list(tmp_path: Path) -> None:
    file = tmp_path / "plan.yaml"
    file.write_text("title: a\nsets: {2020: c, yes: d, 2020-01-01: e}\nsafeguards: [mcadams]\n")
    assert [one.name for one in read_plan(file).sets] == ["2020", "yes", "2020-01-01"]
    file.write_text("paths: &p {2020: c}\ntitle: a\nsets: {<<: *p}\nsafeguards: [mcadams]\n")
    assert [one.name for one in read_plan(file).sets] == ["2020"]
    file.write_text("title: a\nsets: {dev: c}\nsafeguards: !!set {mcadams, persona}\n")
    with pytest.raises(InputError, match="not the YAML of a plan"):
        read_plan(file)
