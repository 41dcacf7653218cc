"""A study of slices listens, where its plan says so, whether words are those that are said."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from pseudovoice.alignment.heard import listening
from pseudovoice.corpus import Corpus, read_corpus
from pseudovoice.keys import read_key
from pseudovoice.models import FetchError
from pseudovoice.safeguards import parse_chain
from pseudovoice.study import Plan, SafeguardPlan, SetPlan, SlicesPlan
from pseudovoice.study.cutting import SliceWork
from pseudovoice.study.graph import GraphBuilder, SliceStages
from pseudovoice.study.keys import StudyKeys
from pseudovoice.study.protecting import Protection
from pseudovoice.study.speech import read_set
from pseudovoice.study.tools import Tools

WRONG = "84-121123-0001"


@pytest.fixture(scope="module")
def two(shared: Path) -> Corpus:
    """Two utterances, and STAIRCASE in one of them is written TELEPHONE."""
    source = shared / "speech" / "dev"
    if not (source / "metadata.tsv").is_file():
        pytest.skip(f"there is no speech in {source}")
    try:
        listening()
    except FetchError as error:
        pytest.skip(f"the weights of moonshine-base are not to be had: {error}")
    dev = read_corpus(source)
    mine = (u for u in dev if u.speaker == "84" and u.id != WRONG)
    other = next(u for u in mine if len(u.transcript or "") < 60)
    one = dev.by_id[WRONG]
    assert one.transcript is not None
    wrong = replace(one, transcript=one.transcript.replace("STAIRCASE", "TELEPHONE"))
    return replace(dev, utterances=(other, wrong), problems=())


def test_a_study_leaves_out_whose_words_are_surely_others(
    two: Corpus, key_file: Path, tmp_path: Path
) -> None:
    """Without the option the wrong transcript is cut like the right one."""
    chain, key = parse_chain("slice:duration=1.0"), read_key(key_file)
    run = Protection(two, "these two", chain, key, "default", "cut", tmp_path / "speech")
    heard = replace(run, check_words=True)
    assert heard.place != run.place, "what is cut otherwise is another stage, in another folder"
    texts, problems = {}, {}
    for one in (run, heard):
        work = SliceWork(one, tmp_path / one.place.name)
        made, kept = work.make(Tools(workers=1), (None,), None)
        texts[one.check_words] = " ".join(u.transcript or "" for u in made.corpus)
        problems[one.check_words] = [str(problem) for problem in kept.problems]
    assert "TELEPHONE" in texts[False]
    assert problems[False] == []
    assert "TELEPHONE" not in texts[True]
    assert texts[True]
    (problem,) = problems[True]
    assert WRONG in problem
    assert "word 8 of the transcript ('TELEPHONE') sounds like 'staircase'" in problem
    forecast = [SliceWork(one, tmp_path).seconds(1)[0] for one in (run, heard)]
    assert forecast[1] > 5 * forecast[0], "listening is foretold"


@pytest.mark.parametrize("checked", [True, False])
def test_the_plan_says_whether_anybody_listens(
    checked: bool, two: Corpus, key_file: Path, tmp_path: Path
) -> None:
    plan = Plan(
        title="Two",
        sets=(SetPlan("dev", (two.root,), only="84-*"),),
        safeguards=(SafeguardPlan("cut", "mcadams+slice:duration=1.0"),),
        key_file=key_file,
        slices=SlicesPlan(check_words=checked),
    )
    keys = StudyKeys(read_key(key_file), key_file)
    graph = GraphBuilder(plan, tmp_path / "out", keys, lambda _: "content", None, None)
    branch = graph.branch(read_set(plan.sets[0]), plan.safeguards[0])
    assert isinstance(branch, SliceStages)
    assert isinstance(branch.cut.work, SliceWork)
    assert branch.cut.work.protection.check_words is checked
    (before,) = branch.cut.needs
    assert "checked" not in (before.work.inputs() or {}), "speech before it is cut is shared"
