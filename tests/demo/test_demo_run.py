"""The demo itself, on a few people: the plan, the five lines, and what is counted in English."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from pseudovoice.assessment.estimate import Estimate
from pseudovoice.cli.main import app
from pseudovoice.corpus import Corpus
from pseudovoice.demo import DemoSpeech, Equipment, demo_plan, five_lines, run_demo
from pseudovoice.demo.corpus import Said, kept_corpus
from pseudovoice.encoders import load_encoder
from pseudovoice.errors import InputError
from pseudovoice.models import FetchError
from pseudovoice.page.study import UtilityResult
from pseudovoice.study import Outcome, read_plan
from pseudovoice.utility.assess import assess_utility

PLAIN = Equipment(
    ("mcadams", "persona:candidates=1", "xvector"), ("prosody",), ("No words are counted.",)
)


@pytest.fixture(scope="module")
def few(speech: Corpus, tmp_path_factory: pytest.TempPathFactory) -> DemoSpeech:
    """Three people with three utterances each, as a corpus of its own."""
    from pseudovoice.corpus import load

    people = ("belgium-f1-f2", "italy-f2-f4", "wales-s1")
    said = [
        Said(u.id, u.speaker, u.session or "", load(u, sample_rate=16_000))
        for name in people
        for u in speech.speakers[name][:3]
    ]
    place = tmp_path_factory.mktemp("few") / "corpus"
    return DemoSpeech(kept_corpus(place, lambda: said), synthetic=False)


@pytest.fixture(scope="module")
def outcome(few: DemoSpeech, tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    try:
        load_encoder()
    except FetchError as error:
        pytest.skip(str(error))
    return run_demo(few, PLAIN, tmp_path_factory.mktemp("run") / "report", workers=1)


def test_the_report_is_there_and_says_whose_speech_it_is(outcome: Outcome) -> None:
    page = outcome.page.read_text(encoding="utf-8")
    assert "lart-research-assistant==0.5.0" in page
    assert "AGPL-3.0-or-later" in page
    assert [one.name for one in outcome.study.safeguards] == [
        "mcadams",
        "persona",
        "xvector",
    ]
    assert {a.attacker for one in outcome.study.safeguards for a in one.attacks} == {
        "ignorant",
        "lazy",
        "adaptive",
        "gathering",
    }
    assert outcome.problems == ()


def test_the_plan_can_be_run_again(outcome: Outcome, few: DemoSpeech) -> None:
    again = read_plan(outcome.page.parent / "plan.yaml")
    made = demo_plan(few, PLAIN)
    assert again.safeguards == made.safeguards
    assert again.utility == made.utility
    assert again.note == made.note


def test_five_lines_of_too_few_people_conclude_nothing(outcome: Outcome) -> None:
    lines = five_lines(outcome.study)
    assert len(lines) == 5
    starts = [line.partition(":")[0] for line in lines]
    assert starts[:4] == ["no protection", "mcadams", "persona", "xvector"]
    assert all("to conclude" in line for line in lines[1:4])
    assert "G_VD" in lines[4]  # no words were counted


def test_five_lines_say_who_attacks_what_is_left_and_what_it_costs(outcome: Outcome) -> None:
    """The same results, read as if the attacks could conclude something and words were counted."""
    wer = UtilityResult("wer", "all", "fraction", "lower", "how", None, Estimate(0.125, 0.1, 0.15))
    bits_learnt = (0.1, 0.2, 0.15, 0.12)  # ignorant, lazy, adaptive, gathering
    told = replace(
        outcome.study,
        safeguards=tuple(
            replace(
                one,
                utility=(*one.utility, wer),
                attacks=tuple(
                    replace(
                        attack,
                        too_weak=False,
                        verdict=f"{attack.attacker} learns something",
                        metrics=attack.metrics | {"d_ece": Estimate(bits, bits / 2, bits * 2)},
                    )
                    for attack, bits in zip(one.attacks, bits_learnt, strict=True)
                ),
            )
            for one in outcome.study.safeguards
        ),
    )
    lines = five_lines(told)
    # mcadams has no secret, and the attacker who learns more is the one to be named.
    assert "knows the safeguard" in lines[1]
    assert "lazy learns something (0.20 [0.10, 0.40] bit of " in lines[1]
    assert lines[4].endswith(
        "mcadams 12.5 [10.0, 15.0] %, persona 12.5 [10.0, 15.0] %, xvector 12.5 [10.0, 15.0] %."
    )
    assert not any("anonym" in line.lower() for line in lines)


class Parrot:
    """A recogniser that hears the same three words in everything, and counts how often."""

    name, sample_rate, licence, decoding = "parrot", 16_000, "CC0-1.0", "none"

    def __init__(self) -> None:
        self.heard = 0

    @property
    def sha256s(self) -> dict[str, str]:
        return {"parrot": "0"}

    def transcribe(self, samples: np.ndarray) -> str:  # type: ignore[type-arg]
        assert samples.size
        self.heard += 1
        return "pieces of eight"


def test_words_are_counted_in_english_recordings_only(few: DemoSpeech) -> None:
    parrot = Parrot()
    found = assess_utility(
        few.corpus,
        few.corpus,
        recogniser=parrot,
        measures=["words", "prosody"],
        reference="original-english",
        workers=1,
    )
    english = [u for u in few.corpus if u.session == "english"]
    assert 0 < len(english) < len(few.corpus)
    # Both sides are the same recordings here, and none is heard twice.
    assert parrot.heard == len(english)
    row = found.value("wer")
    assert row.value == 0.0
    assert row.n_utterances == len(english)
    assert "its own transcript of the original" in row.method
    assert "recordings in English only" in row.method
    assert found.value("f0_correlation", "pair").n_utterances == len(few.corpus)
    assert found.problems == ()  # what was not asked for is not missing


def test_words_of_no_english_recording_are_a_sentence(few: DemoSpeech) -> None:
    foreign = few.corpus.subset(speakers=["italy-f2-f4"])
    with pytest.raises(InputError, match="session english"):
        assess_utility(
            foreign,
            foreign,
            recogniser=Parrot(),
            measures=["words"],
            reference="original-english",
        )


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["demo", *arguments])


def test_command_without_a_registry_is_a_sentence(
    offline: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    del offline
    monkeypatch.setattr("pseudovoice.demo.espeak.find_spec", lambda _: None)
    ran = run("-o", str(tmp_path / "report"))
    assert ran.exit_code == 2
    assert "The demo has no speech to work on." in ran.stderr
    assert "Traceback" not in ran.output
    assert not (tmp_path / "report").exists()


def test_command_prints_the_lines_and_the_place(
    outcome: Outcome, few: DemoSpeech, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command around a finished run: everything is there already, so it is quick."""
    monkeypatch.setattr("pseudovoice.demo.demo_speech", lambda _: few)
    monkeypatch.setattr("pseudovoice.demo.equip", lambda _: PLAIN)
    report = outcome.page.parent
    ran = run("-o", str(report))
    assert ran.exit_code == 0, ran.output
    assert ran.stdout.count("\n- ") == 5
    assert ran.stdout.rstrip().endswith(str(outcome.page))
    assert "No words are counted." in ran.stderr
    found = json.loads(run("-o", str(report), "--json").stdout)
    assert found["lines"] == five_lines(outcome.study)
    assert found["synthetic"] is False
