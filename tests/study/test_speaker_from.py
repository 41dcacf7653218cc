"""A folder of files and one word on who speaks in them: numbers as of the same files in folders."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from studies import fresh_cache, tables

from pseudovoice.cli.main import app
from pseudovoice.corpus import read_corpus
from pseudovoice.errors import UsageError
from pseudovoice.keys import Key
from pseudovoice.library.assess import assess, assess_utility
from pseudovoice.library.compare import compare
from pseudovoice.library.protect import protect
from pseudovoice.library.release import pack_release
from pseudovoice.library.who import pseudonyms_of
from pseudovoice.release.pack import ReleaseRefusedError
from pseudovoice.study import SafeguardPlan, SetPlan, read_plan, run_plan
from pseudovoice.study.forecast import dry_run
from pseudovoice.study.plan_file import PlanError, plan_from
from pseudovoice.study.plan_text import plan_yaml

PEOPLE = ("Müller", "Weiß", "Anna")


@pytest.fixture(autouse=True)
def own_cache(weights: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PSEUDOVOICE_CACHE", str(fresh_cache(weights, tmp_path / "cache")))


@pytest.fixture(scope="module")
def both(speech: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Three people's files in one folder, and the same in a folder for each person."""
    place = tmp_path_factory.mktemp("flat")
    flat, folders = place / "flat", place / "folders"
    flat.mkdir()
    mine = list(read_corpus(speech).speakers.values())[2:5]
    for name, group in zip(PEOPLE, mine, strict=True):
        (folders / name).mkdir(parents=True)
        for k, utterance in enumerate(group):
            for target in (flat, folders / name):
                shutil.copy(utterance.path, target / f"{name}_{k}.flac")
    return flat, folders


def run(*arguments: object) -> Any:
    return CliRunner().invoke(app, [str(one) for one in arguments])


def numbers(assessed: Any) -> list[tuple[object, ...]]:
    return [
        (row.condition, row.group, row.metric, row.value, row.low, row.high)
        for row in assessed.rows
    ]


SMALL = ("--encoder", "ge2e", "--no-utility", "--no-figures", "--no-clips", "--no-gender")
FEW = ("--replicates", "20", "--permutations", "20", "--workers", "1")


def test_compare(both: tuple[Path, Path], tmp_path: Path) -> None:
    flat, folders = both
    for name, corpus, more in (("a", flat, ("--speaker-from", "name")), ("b", folders, ())):
        arguments = ("--safeguard", "mcadams", "--name", "interviews", *SMALL, *FEW, *more)
        ran = run("compare", corpus, *arguments, "-o", tmp_path / name, "--json")
        assert ran.exit_code == 0, ran.output
    assert tables(tmp_path / "a") == tables(tmp_path / "b")
    # The plan that it leaves repeats it, and foretells nothing more to be done.
    plan = read_plan(tmp_path / "a" / "plan.yaml")
    assert plan.sets[0].speaker_from == "name"
    assert all(step.done for step in dry_run(plan, tmp_path / "a").steps)
    # A system made elsewhere lies as flat as its originals.
    elsewhere = replace(plan, safeguards=(SafeguardPlan("theirs", "", (flat,)),))
    done = run_plan(elsewhere, tmp_path / "c", workers=1)
    assert [one.safeguard.name for one in done.found] == ["theirs"]
    assert not done.problems


def test_assess_audio(both: tuple[Path, Path], tmp_path: Path) -> None:
    flat, folders = both
    protect(flat, tmp_path / "out", "mcadams", speaker_from="name", workers=1)
    protect(folders, tmp_path / "in", "mcadams", workers=1)
    few: dict[str, Any] = {"encoders": "ge2e", "replicates": 20, "permutations": 20, "workers": 1}
    told = numbers(assess(folders, tmp_path / "in", **few).whole)
    assert told
    # What `protect` wrote has a listing, what another system wrote has none.
    assert numbers(assess(flat, tmp_path / "out", speaker_from="name", **few).whole) == told
    (tmp_path / "out" / "metadata.csv").unlink()
    (tmp_path / "out" / "pseudovoice.json").unlink(missing_ok=True)
    assert numbers(assess(flat, tmp_path / "out", speaker_from="name", **few).whole) == told
    more = ("--speaker-from", "name", "--encoder", "ge2e", *FEW, "--json")
    ran = run("assess", "audio", flat, tmp_path / "out", *more)
    assert ran.exit_code == 0, ran.output
    assert "(flat): 9 utterances of 3 speakers" in ran.stderr


def test_assess_utility(both: tuple[Path, Path], tmp_path: Path) -> None:
    flat, folders = both
    protect(flat, tmp_path / "out", "mcadams", speaker_from="name", workers=1)
    protect(folders, tmp_path / "in", "mcadams", workers=1)
    how: dict[str, Any] = {"measures": ["prosody"], "replicates": 20, "workers": 1}
    ours = assess_utility(flat, tmp_path / "out", speaker_from="name", **how)
    assert numbers(ours) == numbers(assess_utility(folders, tmp_path / "in", **how))
    more = ("--speaker-from", "name", "--measure", "prosody", "--replicates", "20")
    assert run("assess", "utility", flat, tmp_path / "out", *more).exit_code == 0


def test_embed_and_inspect(both: tuple[Path, Path], tmp_path: Path) -> None:
    flat, folders = both
    read = ((flat, "name"), (folders, None), (flat, "file"), (flat, "Z"))
    for k, (corpus, said) in enumerate(read):
        more = () if said is None else ("--speaker-from", said)
        ran = run("embed", corpus, "-o", tmp_path / f"{k}.npz", "--encoder", "ge2e", *more)
        assert ran.exit_code == 0, ran.output
    one, two, three, four = (np.load(tmp_path / f"{k}.npz") for k in range(4))
    for part in ("utt", "spk", "vectors"):
        np.testing.assert_array_equal(one[part], two[part])
    assert len(set(three["spk"])) == 9
    assert set(four["spk"]) == {"Z"}
    told = json.loads(run("inspect", flat, "--json", "--speaker-from", "name").stdout)
    assert told["speakers"] == 3


def test_slice(both: tuple[Path, Path], tmp_path: Path) -> None:
    flat, _ = both
    table = tmp_path / "undo.csv"
    arguments = ("--method", "fixed", "--undo-table", table)
    ran = run("slice", flat, tmp_path / "cut", *arguments)
    assert ran.exit_code == 2
    assert "say who speaks with --speaker-from" in ran.stderr
    ran = run("slice", flat, tmp_path / "cut", *arguments, "--speaker-from", "name")
    assert ran.exit_code == 0, ran.output
    assert all(name in table.read_text(encoding="utf-8") for name in PEOPLE)


def test_who_is_who_and_what_may_go_out(both: tuple[Path, Path], tmp_path: Path) -> None:
    flat, _ = both
    key = Key(bytes(32))
    found, problems = pseudonyms_of("Müller", key=key, corpus=flat, speaker_from="name")
    assert not problems
    assert [one.kind for one in found].count("utterance") == 3
    protect(flat, tmp_path / "out", "mcadams", key=key, speaker_from="name", workers=1)
    with pytest.raises(ReleaseRefusedError) as refused:
        pack_release(
            tmp_path / "out", tmp_path / "out.zip", originals=flat, speaker_from="name", key=key
        )
    assert any("Müller" in str(problem) for problem in refused.value.problems)


def test_what_contradicts_itself_is_a_sentence(both: tuple[Path, Path], tmp_path: Path) -> None:
    flat, _ = both
    protect(flat, tmp_path / "out", "mcadams", speaker_from="name", workers=1)
    listed = tmp_path / "out"
    more = ("--safeguard", "mcadams", "--speaker-from", "name", "-o", tmp_path / "x")
    ran = run("compare", listed, *more)
    assert ran.exit_code == 2
    assert "its listing says who speaks; leave out --speaker-from" in ran.stderr
    turns = tmp_path / "a.rttm"
    turns.write_text("SPEAKER a 1 0 1 <NA> <NA> x <NA> <NA>\n")
    with pytest.raises(UsageError, match=r"Turns say who speaks; leave out `speaker_from`"):
        compare(flat, "mcadams", out=tmp_path / "x", turns=turns, speaker_from="file")
    with pytest.raises(UsageError, match=r"Turns say who speaks; leave out `speaker_from`"):
        assess(flat, flat, turns=turns, speaker_from="file")
    said = {"corpus": str(flat), "turns": str(turns), "speaker_from": "name"}
    plan = {"title": "t", "sets": {"s": said}, "safeguards": ["mcadams"]}
    with pytest.raises(PlanError, match=r"speaker_from.*goes with no turns"):
        plan_from(plan, "plan.yaml", tmp_path)


def test_a_plan_says_it(both: tuple[Path, Path], tmp_path: Path) -> None:
    flat, _ = both
    said = {"corpus": str(flat), "speaker_from": "Anna Berg"}
    written = {"title": "t", "sets": {"s": said}, "safeguards": ["mcadams"]}
    plan = plan_from(written, "plan.yaml", tmp_path)
    assert plan.sets == (SetPlan("s", (flat,), speaker_from="Anna Berg"),)
    (tmp_path / "plan.yaml").write_text(plan_yaml(plan), encoding="utf-8")
    assert read_plan(tmp_path / "plan.yaml").sets == plan.sets
    # One person alone cannot be told from others, which is said before anything is made.
    ran = run("check", tmp_path / "plan.yaml")
    assert ran.exit_code == 2
    assert "one person" in ran.stderr, ran.stderr
