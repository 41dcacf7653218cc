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
from pseudovoice.study.graph import GraphBuilder, SafeguardStages, SliceStages
from pseudovoice.study.keys import StudyKeys
from pseudovoice.study.plan import AsrTrainingPlan
from pseudovoice.study.plan_file import plan_from
from pseudovoice.study.protecting import Protection
from pseudovoice.study.speech import read_set
from pseudovoice.study.tools import Tools
from pseudovoice.study.training_worth import WorthWork

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


def test_recognisers_learn_from_slices_of_words_that_were_heard(
    two: Corpus, key_file: Path, tmp_path: Path
) -> None:
    """Whole utterances are learnt from as they are; a second run knows why one is not cut."""
    work = WorthWork(
        "dev",
        "B2",
        "mcadams",
        two,
        two,
        {"original": "these two", "asr_training": "these two"},
        AsrTrainingPlan(two.root, (1.0,)),
        10,
        0,
        tmp_path,
        read_key(key_file),
    )
    heard = replace(work, check_words=True)
    assert heard.inputs() != work.inputs()
    assert heard.seconds(1)[0] > work.seconds(1)[0]
    unheard = replace(heard, wanted=replace(work.wanted, durations=()))
    assert unheard.inputs() == replace(unheard, check_words=False).inputs()
    for checked, one in ((False, work), (True, heard), (True, heard)):
        learnt = list(one.learnt_from(Tools(workers=1), tmp_path, two))
        assert [(training, delta) for training, delta, _, _ in learnt] == [
            ("clear", None),
            ("clear", 1.0),
            ("protected", None),
            ("protected", 1.0),
        ]
        for _, delta, speech, _ in learnt:
            words = " ".join(u.transcript or "" for u in speech)
            assert words
            assert ("TELEPHONE" in words) is not (checked and delta is not None)
        problems = {str(problem) for *_, said in learnt for problem in said}
        assert len(problems) == checked
        assert all("('TELEPHONE') sounds like 'staircase'" in problem for problem in problems)


def test_a_plan_that_cuts_for_training_alone_may_listen() -> None:
    said = {
        "title": "Table 1",
        "sets": {"dev": "corpus"},
        "safeguards": ["mcadams"],
        "asr_training": {"corpus": "other"},
        "slices": {"check_words": True},
    }
    plan = plan_from(said, "plan.yaml", Path("/here"))
    assert plan.to_dict()["slices"]["check_words"] is True


@pytest.mark.parametrize("checked", [True, False])
def test_the_plan_says_whether_anybody_listens_before_training(
    checked: bool, two: Corpus, key_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pseudovoice.study.graph.need_torch", lambda _: None)  # nobody trains
    plan = Plan(
        title="Two",
        sets=(SetPlan("dev", (two.root,), only="84-*"),),
        safeguards=(SafeguardPlan("B2", "mcadams"),),
        key_file=key_file,
        asr_training=AsrTrainingPlan(two.root),
        slices=SlicesPlan(check_words=checked),
    )
    keys = StudyKeys(read_key(key_file), key_file)
    graph = GraphBuilder(
        plan, tmp_path / "out", keys, lambda _: "content", None, None, asr_training=two
    )
    branch = graph.branch(read_set(plan.sets[0]), plan.safeguards[0])
    assert isinstance(branch, SafeguardStages)
    assert branch.worth is not None
    assert branch.worth.work.check_words is checked
