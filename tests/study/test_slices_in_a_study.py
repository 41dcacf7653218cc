"""Chains that end in slices, in a study on real speech: what is found, written, and kept apart."""

from __future__ import annotations

import csv
import io
import json
import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from studies import AWKWARD, FORMULA, fresh_cache

from pseudovoice.corpus import read_corpus
from pseudovoice.encoders.registry import load_encoder
from pseudovoice.errors import InputError
from pseudovoice.keys import read_key
from pseudovoice.page import page_html
from pseudovoice.protection.protect import protect_corpus
from pseudovoice.reassembly import attack_text, succession
from pseudovoice.reidentification import SlicedSpeech, attack_identity
from pseudovoice.safeguards import parse_chain
from pseudovoice.safeguards.mcadams import RandomMcAdams
from pseudovoice.slicing import Origin, read_table
from pseudovoice.study import (
    Outcome,
    Plan,
    SafeguardPlan,
    SetPlan,
    SlicesPlan,
    dry_run,
    read_plan,
    run_plan,
)
from pseudovoice.study.language_model import learn_language
from pseudovoice.study.plan_file import PlanError, plan_from
from pseudovoice.training.successor_graph import successor_graph
from tests.reassembly.slow_successor import random_state

TAKES, SENTENCES = 4, 2000
CUT = "<b>cut</b> & {{data}}"
"""What the chain of slices is called."""


@dataclass(frozen=True)
class Cut:
    """A study of slices that has been run."""

    plan: Plan
    out: Path
    cache: Path
    broken: Path
    untold: str
    outcome: Outcome

    @property
    def table(self) -> Path:
        (found,) = (self.out / "work" / "undo").iterdir()
        return found

    @property
    def slices(self) -> Path:
        return self.out / "speech" / self.table.stem


@contextmanager
def cached(place: Path) -> Iterator[None]:
    before = os.environ.get("PSEUDOVOICE_CACHE")
    os.environ["PSEUDOVOICE_CACHE"] = str(place)
    try:
        yield
    finally:
        if before is None:
            del os.environ["PSEUDOVOICE_CACHE"]
        else:
            os.environ["PSEUDOVOICE_CACHE"] = before


@pytest.fixture(scope="module")
def cut(shared: Path, weights: Path, key_file: Path, tmp_path_factory: Any) -> Cut:
    """Six people, four recordings each: one of them broken, and one that nobody wrote down."""
    source, texts = shared / "speech" / "dev", shared / "text" / "gutenberg_sentences.txt"
    if not (source / "metadata.tsv").is_file() or not texts.is_file():
        pytest.skip(f"there is no speech in {source} or no text in {texts}")
    folder: Path = tmp_path_factory.mktemp("cut")
    with (source / "metadata.tsv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    by_speaker: dict[str, list[dict[str, str]]] = {}
    for row in rows:
        if 2.5 <= float(row["duration_s"]) <= 5.0:
            by_speaker.setdefault(row["speaker"], []).append(row)
    people = [mine[:TAKES] for mine in by_speaker.values() if len(mine) >= TAKES][:6]
    called = [AWKWARD, FORMULA, *(mine[0]["speaker"] for mine in people[2:])]
    lines = ["utt\tspeaker\tgender\ttranscript"]
    for name, mine in zip(called, people, strict=True):
        (folder / "six" / name).mkdir(parents=True)
        for row in mine:
            shutil.copy(source / row["path"], folder / "six" / name)
            said = "" if row is people[3][0] else row["transcript"]
            lines.append(f"{row['utt_id']}\t{name}\t{row['gender'].lower()}\t{said}")
    (folder / "six" / "metadata.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    broken = folder / "six" / called[2] / Path(people[2][0]["path"]).name
    broken.write_bytes(broken.read_bytes()[:40])
    model = folder / "sentences.txt"
    model.write_text("\n".join(texts.read_text(encoding="utf-8").splitlines()[:SENTENCES]))
    networks = []
    for kind in ("cut", "xvector"):  # as good as chance, since they never learnt
        networks.append(folder / f"{kind}.onnx")
        networks[-1].write_bytes(successor_graph(random_state(8, kind=kind)))
    plan = Plan(
        title="Slices of six people",
        sets=(SetPlan("six", (folder / "six",)),),
        safeguards=(
            SafeguardPlan("B2", "mcadams"),
            SafeguardPlan(CUT, "mcadams+slice:duration=1.0"),
        ),
        encoders=("ge2e",),
        utility=None,
        genders=False,
        figures=False,
        clips=False,
        replicates=20,
        permutations=20,
        key_file=key_file,
        slices=SlicesPlan((model,), successors=tuple(networks)),
    )
    cache = fresh_cache(weights, folder / "cache")
    with cached(cache):
        outcome = run_plan(plan, folder / "out", workers=1)
    return Cut(plan, folder / "out", cache, broken, people[3][0]["utt_id"], outcome)


def rows(out: Path, name: str) -> list[dict[str, str]]:
    text = (out / "tables" / f"maouche2022_{name}.csv").read_text(encoding="utf-8")
    return list(csv.DictReader(io.StringIO(text)))


def outputs(out: Path) -> dict[str, bytes]:
    """Tables and page."""
    files = [*sorted((out / "tables").iterdir()), out / "report.html", out / "provenance.json"]
    return {file.name: file.read_bytes() for file in files}


def origins(cut: Cut) -> tuple[Origin, ...]:
    return read_table(cut.table)


def test_every_attacker_and_enrolment_stands_beside_speech_that_was_not_cut(cut: Cut) -> None:
    found = [(r["system"], r["Attacker"], r["Enrolment"]) for r in rows(cut.out, "fig3")]
    assert found == [
        *(
            (CUT, attacker, kind)
            for kind in ("sliced", "whole")
            for attacker in ("ignorant", "lazy")
        ),
        *(("B2", attacker, "whole") for attacker in ("ignorant", "lazy")),
    ]
    for row in rows(cut.out, "fig3"):
        assert float(row["EER (%), low"]) <= float(row["EER (%)"]) <= float(row["EER (%), high"])
        told = int(row["Mated trials"]) >= 20
        assert (
            bool(row["Linkability D_sys"]) == bool(row["Linkability D_sys, chance level"]) == told
        )
    assert {r["Speech"] for r in rows(cut.out, "fig3")} == {"sliced, δ = 1 s", "whole"}


def test_the_numbers_are_those_of_the_attacks_themselves(cut: Cut) -> None:
    (corpus,) = cut.plan.sets[0].corpus
    slices = read_corpus(cut.slices)
    known = SlicedSpeech(slices, origins(cut), read_corpus(corpus))
    with cached(cut.cache):
        attacks, _ = attack_identity(
            known, [load_encoder("ge2e")], enrolments=("sliced",), replicates=0, workers=1
        )
    row = rows(cut.out, "fig3")[0]
    assert float(row["EER (%)"]) == 100 * float(attacks[0].linked.eer.value)
    assert float(row["Linkability D_sys, clear speech"]) == attacks[0].control.d_sys.value
    learnt = learn_language(cut.plan.slices.language_model, origins(cut))
    texts = [slices.by_id[origin.slice].transcript or "" for origin in origins(cut)]
    ranked = attack_text(texts, succession(origins(cut)), learnt.model, replicates=0)
    for line in rows(cut.out, "table2"):
        assert float(line["Average normalized rank (%)"]) == pytest.approx(
            100 * float(ranked[line["Attack"]].average.value)
        )
        assert int(line["Number of slices"]) == len(slices)


def test_slices_are_put_together_by_ear(cut: Cut) -> None:
    """B2 cut in the middle of silences: the waveform goes on (docs/results/reassembly.md)."""
    found = {row["Attack"]: row for row in rows(cut.out, "table3")}
    wave = found["waveform"]
    assert float(wave["Precision at top-1 (%), low"]) > 50
    assert float(wave["Whole utterances (%)"]) > float(found["energy"]["Whole utterances (%)"])
    assert found["silence"]["Precision at top-1 (%), as chance"] == "True"
    assert "sound and text, mean rank" in found
    ours, papers = found["network"], found["x-vector network"]
    assert ours["Average normalized rank (%)"] != papers["Average normalized rank (%)"]
    assert "successors:" in (cut.out / "plan.yaml").read_text(encoding="utf-8")


def test_networks_that_are_none_are_said_before_anything_is_protected(
    cut: Cut, tmp_path: Path
) -> None:
    (tmp_path / "m.onnx").write_text("hello")
    for name, said in (("m.onnx", "cannot be opened as an ONNX model"), ("n.onnx", "no such")):
        wrong = replace(cut.plan, slices=SlicesPlan(successors=(tmp_path / name,)))
        with cached(cut.cache), pytest.raises(InputError, match=said):
            run_plan(wrong, tmp_path / "out", workers=1)
    assert not (tmp_path / "out").exists()


def test_what_undoes_the_slicing_is_the_owners_alone_and_nowhere_else(cut: Cut) -> None:
    assert stat.S_IMODE(cut.table.stat().st_mode) == 0o600
    assert stat.S_IMODE(cut.table.parent.stat().st_mode) == 0o700
    names = {origin.slice.encode() for origin in origins(cut)}
    people = {AWKWARD.encode(), *(origin.utterance.encode() for origin in origins(cut))}
    assert names
    for path in cut.out.rglob("*"):
        if not path.is_file() or path == cut.table:
            continue
        content = path.read_bytes()
        named = path.stem.encode() in names or any(name in content for name in names)
        if not named:
            continue
        assert path.is_relative_to(cut.slices), path
        told = content + str(path.relative_to(cut.slices)).encode()
        assert not any(name in told for name in people), path
    assert sorted(p.name for p in (cut.out / "speech").iterdir() if p.name.startswith(".")) == []


def test_one_bad_recording_is_listed_and_stops_nothing(cut: Cut) -> None:
    said = [str(problem) for problem in cut.outcome.problems]
    assert any(str(cut.broken) in text for text in said)
    assert any(cut.untold in text and "transcript" in text for text in said)
    kept = {origin.utterance for origin in origins(cut)}
    assert cut.untold not in kept
    assert len(kept) >= 6 * TAKES - 4


def test_the_page_says_it_in_words_first(cut: Cut) -> None:
    study = cut.outcome.study
    assert [one.name for one in study.safeguards] == ["B2"]
    (one,) = study.slices
    assert one.name == CUT
    assert one.headline == f"{one.whose} {one.together}"
    assert one.whose.startswith("The strongest attacker tested knows the safeguard")
    assert "where guessing gives 50 %; B2, not cut:" in one.whose
    assert one.together.startswith("Somebody who has nothing but the slices")
    assert one.not_tried == ()
    assert [table.name[-6:] for table in study.slice_tables] == ["table2", "table3", "2_fig3"]
    assert any("train-asr" in text for text in study.not_tested)
    assert any("Maouche" in text for text in study.references)
    told = {row.property: row.found for row in study.annex}
    assert f"{CUT}: {one.together}" in told["Irreversibility"]
    assert "anonym" not in " ".join((one.headline, one.cut, *(a.verdict for a in one.attacks)))
    page = cut.outcome.page.read_text(encoding="utf-8")
    assert page_html(study) == page
    assert 'id="slices"' in page
    for name in (AWKWARD, CUT):
        assert name not in page
    assert cut.outcome.headlines[1].startswith(f"{CUT}: The strongest attacker tested")


def test_awkward_names_are_harmless_in_latex_and_csv(cut: Cut) -> None:
    tex = (cut.out / "tables" / "maouche2022_table3.tex").read_text(encoding="utf-8")
    assert r"\textless{}b\textgreater{}cut\textless{}/b\textgreater{} \& \{\{data\}\}" in tex
    assert tex.count(r"\begin{tabular}") == tex.count(r"\end{tabular}") == 1
    wide = {line.count(" & ") for line in tex.splitlines() if line.endswith(r"\\")}
    assert len(wide) == 1, "every line has as many cells"


def test_a_study_stopped_anywhere_ends_with_the_same_bytes(
    cut: Cut, weights: Path, tmp_path: Path
) -> None:
    stops = ["slice ", "listening"]

    def stopper(what: str, done: int, _: int) -> None:
        if stops and what.startswith(stops[0]) and done != 1:
            raise KeyboardInterrupt(stops.pop(0))

    with cached(fresh_cache(weights, tmp_path / "cache")):
        while stops:
            left = len(stops)
            with pytest.raises(KeyboardInterrupt):
                run_plan(cut.plan, tmp_path / "out", workers=1, progress=stopper)
            assert len(stops) < left
            assert not (tmp_path / "out" / "tables").exists()
        run_plan(cut.plan, tmp_path / "out", workers=1)
    assert outputs(tmp_path / "out") == outputs(cut.out)
    assert [p.name for p in (tmp_path / "out" / "speech").iterdir() if p.name[0] == "."] == []


def test_a_finished_study_is_read_not_made(cut: Cut, monkeypatch: pytest.MonkeyPatch) -> None:
    before = outputs(cut.out)
    monkeypatch.setattr("pseudovoice.study.tools.load_encoder", lambda _: pytest.fail("loaded"))
    monkeypatch.setattr("pseudovoice.slicing.slice_corpus", lambda *_: pytest.fail("sliced"))
    outcome = run_plan(cut.plan, cut.out, workers=1)
    assert outputs(cut.out) == before
    assert outcome.problems == cut.outcome.problems


def test_check_lists_the_stages(cut: Cut, tmp_path: Path) -> None:
    done = dry_run(cut.plan, cut.out)
    assert [step.done for step in done.steps] == [True] * 5
    assert [step.what.split(" ")[0] for step in done.steps[2:]] == ["slice", "find", "put"]
    other = dry_run(replace(cut.plan, slices=SlicesPlan()), cut.out)
    assert [step.done for step in other.steps] == [True] * 4 + [False]
    assert "no language model is named" in other.steps[-1].what
    nothing = dry_run(replace(cut.plan, key_file=None), tmp_path / "elsewhere")
    assert not any(step.done for step in nothing.steps)
    assert all(step.seconds > 0 for step in nothing.steps)
    assert not list(tmp_path.iterdir()), "check must not write anything"


def test_slices_alone_make_a_page_too(cut: Cut, tmp_path: Path) -> None:
    out = tmp_path / "out"
    shutil.copytree(cut.out, out)
    shutil.rmtree(out / "tables")
    alone = replace(cut.plan, safeguards=cut.plan.safeguards[1:])
    with cached(cut.cache):
        outcome = run_plan(alone, out, workers=1)
    study = outcome.study
    assert not study.safeguards
    names = {p.stem.removeprefix("maouche2022_") for p in (out / "tables").iterdir()}
    assert names == {"table2", "table3", "fig3"}
    assert len(outcome.headlines) == 1
    assert "not cut" not in outcome.headlines[0]
    assert all(a.cut for a in study.slices[0].attacks)
    assert json.loads((out / "provenance.json").read_text())["models"]["ge2e"]["sha256"]
    assert rows(out, "fig3") == rows(cut.out, "fig3")[:4]


def test_the_plan_in_the_output_is_the_plan(cut: Cut) -> None:
    again = read_plan(cut.out / "plan.yaml")
    assert replace(again, key_file=cut.plan.key_file) == cut.plan
    plain = replace(cut.plan, safeguards=cut.plan.safeguards[:1], slices=SlicesPlan())
    assert "slices" not in plain.to_dict(), "a plan without slices keeps its hash"


def test_a_text_that_is_missing_is_noticed_before_any_speech_is_protected(
    cut: Cut, tmp_path: Path
) -> None:
    lost = replace(cut.plan, slices=SlicesPlan((tmp_path / "nowhere.txt",)))
    with pytest.raises(InputError, match=r"nowhere\.txt: there is no such text"):
        run_plan(lost, tmp_path / "out")
    assert not (tmp_path / "out").exists()


SMALL: dict[str, Any] = {
    "title": "A study",
    "sets": {"dev": "corpus"},
    "safeguards": ["mcadams+slice:duration=1.5"],
}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"slices": {"language_modell": "t"}}, "did you mean language_model?"),
        ({"slices": {"language_model": [7]}}, "slices.language_model[0]: 7 is not a path"),
        ({"slices": {"samples": 0}}, "slices.samples: 0 is not a whole number of at least 1"),
        ({"slices": {"utterances": 1}}, "slices.utterances: 1 is not a whole number of at least 2"),
        ({"slices": 3}, "slices: 3 is not a mapping"),
        (
            {"safeguards": ["mcadams"], "slices": {"language_model": "t"}},
            "slices.language_model: there are no slices to read",
        ),
        (
            {"safeguards": ["mcadams"], "slices": {"check_words": True}},
            "slices.check_words: there are no slices to cut between words",
        ),
        ({"slices": {"check_words": 1}}, "slices.check_words: 1 is not true or false"),
        ({"slices": {"language_model": ["a.arpa.gz", "t"]}}, "an ARPA file is a whole model"),
        ({"safeguards": ["slice+mcadams"]}, "safeguards[0].safeguard: "),
        ({"safeguards": ["slice:duration=0"]}, "safeguards[0].safeguard: "),
    ],
)
def test_a_wrong_field_is_a_sentence(change: dict[str, Any], said: str) -> None:
    with pytest.raises(PlanError) as error:
        plan_from({**SMALL, **change}, "plan.yaml", Path("/here"))
    assert any(said in fault for fault in error.value.faults), error.value.faults


def test_a_plan_of_slices_is_read() -> None:
    said = {"language_model": "text.txt", "utterances": 50, "check_words": True}
    plan = plan_from({**SMALL, "slices": said}, "plan.yaml", Path("/here"))
    assert plan.slices == SlicesPlan((Path("/here/text.txt"),), utterances=50, check_words=True)
    assert [one.name for one in plan.sliced] == ["mcadams+slice:duration=1.5"]


@pytest.mark.parametrize("beside", [(), (SafeguardPlan("B2r", "mcadams-random"),)])
def test_chains_that_differ_in_their_slices_alone_are_protected_once(
    beside: tuple[SafeguardPlan, ...], cut: Cut, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Slices and tables are those of the chains by themselves, byte for byte."""
    heard: list[str] = []
    real = RandomMcAdams.in_pieces

    def counted(self: RandomMcAdams, channel: Any, sample_rate: int, voice: Any) -> Any:
        if voice.key_session == cut.plan.key_session:  # not the attacker's own, for C_ECE
            heard.append(voice.name)
        return real(self, channel, sample_rate, voice)

    monkeypatch.setattr(RandomMcAdams, "in_pieces", counted)
    ways = [f"mcadams-random+slice:method=fixed,duration={d}" for d in ("1.0", "1.5")]
    ways.append("mcadams-random+slice:method=shorten,duration=1.0")
    chains = tuple(SafeguardPlan(way, way) for way in ways)
    plan = replace(
        cut.plan, safeguards=(*beside, *chains), attackers=("ignorant",), slices=SlicesPlan()
    )
    with cached(cut.cache):
        run_plan(plan, tmp_path / "out", workers=1)
    (folder,) = plan.sets[0].corpus
    corpus = read_corpus(folder)
    assert len(heard) == len(corpus) - 1  # of one nothing can be decoded
    assert plan.key_file is not None
    made = {}
    for table in (tmp_path / "out" / "work" / "undo").iterdir():
        made[table.read_bytes()] = tmp_path / "out" / "speech" / table.stem
    for number, way in enumerate(ways):
        alone, undo = tmp_path / f"{number}", tmp_path / f"{number}.csv"
        key = read_key(plan.key_file)
        protect_corpus(corpus, alone, parse_chain(way), key=key, undo_table=undo, workers=1)
        together = made.pop(undo.read_bytes())
        assert contents(together) == contents(alone)
    assert not made


def contents(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}
