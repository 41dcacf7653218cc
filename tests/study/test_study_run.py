"""A study on real speech: what it finds, writes, keeps, and keeps to itself."""

from __future__ import annotations

import csv
import io
import json
import os
import shutil
import stat
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from studies import AWKWARD, FORMULA, Ready, fresh_cache, tables

from pseudovoice.assessment.distortion import c_ece, learn
from pseudovoice.attacks.assess import assess_audio
from pseudovoice.attacks.material import Material
from pseudovoice.backends.compare import compare_all
from pseudovoice.cli.main import app
from pseudovoice.corpus import read_corpus
from pseudovoice.embeddings.embed import embed_corpus
from pseudovoice.embeddings.store import EmbeddingStore
from pseudovoice.encoders.registry import load_encoder
from pseudovoice.errors import InputError, UsageError
from pseudovoice.keys import read_key
from pseudovoice.page import page_html
from pseudovoice.study import Plan, SetPlan, dry_run, run_plan
from pseudovoice.study.keys import study_keys


def rows(out: Path, name: str) -> list[dict[str, str]]:
    text = (out / "tables" / name).read_text(encoding="utf-8")
    return list(csv.DictReader(io.StringIO(text)))


def test_every_set_gender_and_safeguard_has_its_line(ready: Ready) -> None:
    found = [(row["set"], row["system"]) for row in rows(ready.out, "table2.csv")]
    expected = [(s, g) for s in ("six", "six_f", "six_m") for g in ("B2", "B2r")]
    assert found == expected
    long = {
        (r["group"], r["safeguard"], r["metric"]): r["value"]
        for r in rows(ready.out, "results.csv")
        if (r["condition"], r["attacker"]) == ("op", "ignorant, ge2e")
    }
    for row in rows(ready.out, "table2.csv"):
        group = row["set"].removeprefix("six").removeprefix("_") or "all"
        for metric in ("deid", "d_ece", "l_w", "tag"):
            assert row[metric] == long[(group, row["system"], metric)]


def test_only_a_random_safeguard_has_a_calibration_distortion(ready: Ready) -> None:
    for row in rows(ready.out, "table2.csv"):
        assert bool(row["c_ece_linear"]) == (row["system"] == "B2r")
    tex = (ready.out / "tables" / "table2.tex").read_text(encoding="utf-8")
    cells = [line.split("&") for line in tex.splitlines() if "B2" in line]
    assert [(" / " in c[4]) for c in cells] == [False, True] * 3


def test_c_ece_is_that_of_calibrating_on_the_other_run(
    ready: Ready, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Eq. 15–16 by hand: OP scores of both runs from the speech on disk."""
    monkeypatch.setenv("PSEUDOVOICE_CACHE", str(ready.cache))
    encoder = load_encoder("ge2e")
    (ours,) = (ready.out / "speech").glob(f"six-B2r-{12 * '?'}")
    (other,) = (ready.out / "work").glob(f"six-B2r--another-key-{12 * '?'}")
    sides = {}
    for name, place in (("o", ready.plan.sets[0].corpus[0]), ("p", ours), ("q", other)):
        sides[name] = embed_corpus(read_corpus(place), encoder, workers=1)
    f1, f0 = (compare_all(sides["o"], sides[name]) for name in "pq")
    expected = c_ece(learn("c_ece_linear", f0), f1)
    (row,) = [r for r in rows(ready.out, "table2.csv") if (r["set"], r["system"]) == ("six", "B2r")]
    assert float(row["c_ece_linear"]) == pytest.approx(expected, rel=1e-6)
    assert not np.array_equal(sides["p"].vectors, sides["q"].vectors)


def test_c_ece_needs_no_informed_attacker(ready: Ready) -> None:
    """The other run is the lazy attacker's speech or speech of its own: C_ECE is the same."""
    before = read_corpus(ready.plan.sets[0].corpus[0])
    (ours,) = (ready.out / "speech").glob(f"six-B2r-{12 * '?'}")
    (other,) = (ready.out / "work").glob(f"six-B2r--another-key-{12 * '?'}")
    protected, another = read_corpus(ours), read_corpus(other)
    store = EmbeddingStore(ready.cache / "embeddings.sqlite")
    found = {}
    try:
        for theirs in (None, another):
            material = Material(before, protected, theirs, another_run=another)
            assessed = assess_audio(
                material,
                [load_encoder("ge2e")],
                store=store,
                by_gender=False,
                workers=1,
                replicates=20,
                permutations=20,
            )
            found[theirs is None] = assessed
    finally:
        store.close()
    rows = [
        [r for r in one.result("ignorant", "ge2e").rows if r.metric.startswith("c_ece")]
        for one in (found[True], found[False])
    ]
    assert rows[0] == rows[1]
    assert len(rows[0]) == 2
    assert all(row.low is not None and row.condition == "op" for row in rows[0])
    assert "another_run" in found[True].whole.provenance["corpora"]
    assert "another_run" not in found[False].whole.provenance["corpora"]


def test_one_broken_file_is_listed_and_stops_nothing(ready: Ready) -> None:
    assert any(str(ready.broken) in problem.where for problem in ready.outcome.problems)
    everybody = {row["speaker"] for row in rows(ready.out, "speakers.csv")}
    assert len(everybody) == 6


def test_no_secret_path_or_time_is_in_a_table_or_page(ready: Ready) -> None:
    assert ready.plan.key_file is not None
    key = read_key(ready.plan.key_file)
    secrets = {key.secret, key.secret.hex().encode()}
    secrets.add(ready.plan.key_file.read_bytes().strip())
    derived = study_keys(ready.plan, ready.out).attacker
    assert derived is not None
    secrets |= {derived.secret, derived.secret.hex().encode()}
    for path in ready.out.rglob("*"):
        assert key.secret.hex() not in path.name
        if path.is_file():
            content = path.read_bytes()
            assert not any(secret in content for secret in secrets), path
            if "work" not in path.parts and path.suffix in (".tex", ".csv", ".html"):
                assert str(ready.out.parent).encode() not in content, path
    provenance = json.loads((ready.out / "provenance.json").read_text(encoding="utf-8"))
    assert provenance["keys"]["ours"] == key.identifier
    assert provenance["keys"]["attacker"] == derived.identifier != key.identifier
    assert provenance["models"]["ge2e"]["sha256"] == load_encoder("ge2e").sha256
    assert provenance["plan"]["sha256"] == ready.plan.sha256
    assert str(ready.out.parent) not in json.dumps(provenance)


def test_awkward_names_are_harmless_in_every_table(ready: Ready) -> None:
    speakers = (ready.out / "tables" / "speakers.csv").read_text(encoding="utf-8")
    assert AWKWARD in speakers
    assert f"'{FORMULA}" in speakers
    assert f",{FORMULA}," not in speakers
    assert AWKWARD not in (ready.out / "report.html").read_text(encoding="utf-8")


def test_the_outcome_says_what_matters(ready: Ready) -> None:
    outcome = ready.outcome
    assert outcome.page == ready.out / "report.html"
    assert 2 <= len(outcome.headlines) <= 5
    assert outcome.headlines[0].startswith("B2: The strongest attacker tested ")
    assert outcome.headlines[1].startswith("B2r: The strongest attacker tested ")
    study = outcome.study
    assert [one.name for one in study.safeguards] == ["B2", "B2r"]
    assert {a.attacker for one in study.safeguards for a in one.attacks} == {"ignorant", "lazy"}
    assert [table.number for table in study.tables] == [2, 3, 4]
    assert all(one.utility for one in study.safeguards)
    assert {clip.safeguard for clip in study.clips} == {"B2", "B2r"}
    assert page_html(study).encode() == outcome.page.read_bytes()


def test_a_finished_study_is_read_not_made(ready: Ready, monkeypatch: pytest.MonkeyPatch) -> None:
    """No recogniser is loaded for it, and every table and page has the same bytes."""
    before = {p: p.read_bytes() for p in ready.out.rglob("*") if p.is_file()}
    monkeypatch.setattr("pseudovoice.study.tools.load_encoder", lambda _: pytest.fail("loaded"))
    monkeypatch.setattr(
        "pseudovoice.study.measuring.assess_utility", lambda *_: pytest.fail("measured")
    )
    run_plan(ready.plan, ready.out, workers=1)
    assert {p: p.read_bytes() for p in ready.out.rglob("*") if p.is_file()} == before


def test_another_wording_redraws_the_page_and_computes_nothing(
    ready: Ready, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is kept are numbers; words are made of them each time."""
    out = Path(shutil.copytree(ready.out, tmp_path / ready.out.name))
    for name in ("tools.load_encoder", "measuring.assess_utility", "assessing.assess_audio"):
        monkeypatch.setattr(f"pseudovoice.study.{name}", lambda *_, **__: pytest.fail("made anew"))
    monkeypatch.setattr("pseudovoice.page.headline.finding", lambda _: "it says so in other words")
    monkeypatch.setattr("pseudovoice.attacks.result.verdict", lambda *_, **__: "another verdict")
    again = run_plan(ready.plan, out, workers=1)
    page = again.page.read_text(encoding="utf-8")
    assert "it says so in other words" in page
    assert "another verdict" in page
    assert tables(out) == tables(ready.out)
    stages = [sorted(p.name for p in (o / "work" / "stages").iterdir()) for o in (out, ready.out)]
    assert stages[0] == stages[1]


def test_the_plan_in_the_output_is_the_plan(ready: Ready) -> None:
    from pseudovoice.study import read_plan

    again = read_plan(ready.out / "plan.yaml")
    assert again == ready.plan, "with its key"


def test_check_says_what_is_done_and_what_is_not(ready: Ready, tmp_path: Path) -> None:
    done = dry_run(ready.plan, ready.out)
    assert [step.done for step in done.steps] == [True] * 7
    assert done.seconds == 0
    more = dry_run(replace(ready.plan, seed=1), ready.out)
    assert [step.what.split()[0] for step in more.steps if not step.done] == [
        "attack", "measure", "attack", "measure",
    ]  # fmt: skip
    nothing = dry_run(replace(ready.plan, key_file=None), tmp_path / "elsewhere")
    assert not any(step.done for step in nothing.steps)
    assert nothing.seconds > 0
    assert not list(tmp_path.iterdir()), "check must not write anything"


def test_two_corpora_can_be_one_set_and_a_pattern_takes_a_part(ready: Ready) -> None:
    from pseudovoice.study.speech import read_set

    root = ready.plan.sets[0].corpus[0]
    whole = read_set(SetPlan("x", (root, root)))
    assert len(whole.corpus) == len(read_corpus(root))
    first = next(iter(whole.corpus)).id
    part = read_set(SetPlan("x", (root,), only=first)).corpus
    assert [u.id for u in part] == [first]
    with pytest.raises(InputError, match="no utterance matches 'nobody'"):
        read_set(SetPlan("x", (root,), only="nobody"))


@pytest.fixture
def lists(ready: Ready, tmp_path: Path) -> Path:
    """VoicePrivacy's layout: a Kaldi folder with enrolls and trials_f, one speaker a traveller."""
    corpus = read_corpus(ready.plan.sets[0].corpus[0])
    people = {s: [u for u in us if u.path != ready.broken] for s, us in corpus.speakers.items()}
    names = {s: f"spk{k}" for k, s in enumerate(people)}
    folder = tmp_path / "libri_test"
    folder.mkdir()
    flat = [(names[s], u) for s, us in people.items() for u in us]
    (folder / "wav.scp").write_text(
        "".join(f"{u.id} {_plain(u.path, tmp_path)}\n" for _, u in flat)
    )
    traveller = next(us[-1] for s, us in people.items() if corpus.genders[s] == "m")
    (folder / "utt2spk").write_text(
        "".join(f"{u.id} {'../../etc' if u is traveller else s}\n" for s, u in flat)
    )
    (folder / "enrolls").write_text("".join(f"{us[0].id}\n" for us in people.values()))
    women = [s for s in people if corpus.genders[s] == "f"]
    trials = [
        f"{names[a]} {u.id} {'target' if a == b else 'nontarget'}\n"
        for a in women
        for b in women
        for u in people[b][1:]
    ]
    (folder / "trials_f").write_text("".join(trials))
    return folder


def _plain(path: Path, folder: Path) -> Path:
    """A copy whose name Kaldi's lines can hold."""
    copy = folder / "audio" / path.name
    copy.parent.mkdir(exist_ok=True)
    shutil.copy(path, copy)
    return copy


def test_voiceprivacy_lists_are_read_as_published(
    ready: Ready, lists: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PSEUDOVOICE_CACHE", str(fresh_cache(ready.cache, tmp_path / "cache")))
    listed = SetPlan("libri_f", (lists,), enrols=lists / "enrolls", trials=(lists / "trials_f",))
    trial_part = SetPlan("libri_trials_f", (lists,), trials=(lists / "trials_f",))
    plan = replace(
        ready.plan,
        sets=(listed, trial_part),
        safeguards=ready.plan.safeguards[1:],
        utility=None,
        clips=False,
        replicates=0,
        permutations=0,
    )
    outcome = run_plan(plan, tmp_path / "out", workers=1)
    n = len((lists / "trials_f").read_text().splitlines())
    found = {
        (r["set"], r["condition"]): (int(r["n_mated"]), int(r["n_nonmated"]))
        for r in rows(tmp_path / "out", "results.csv")
        if r["metric"] == "d_ece" and "worst" not in r["attacker"]
    }
    assert sum(found[("libri_f", "op")]) == n
    k = len({line.split()[1] for line in (lists / "trials_f").read_text().splitlines()})
    assert sum(found[("libri_trials_f", "op")]) == k * (k - 1)
    assert len(outcome.pages) == 2
    overview = outcome.page.read_text(encoding="utf-8")
    assert all(page.name in overview for page in outcome.pages)
    assert "Table 2." in overview
    assert any("'../../etc' contains a path separator" in str(p) for p in outcome.problems)
    assert not (tmp_path / "etc").exists()


def test_the_key_may_not_lie_with_the_speech(ready: Ready) -> None:
    inside = replace(ready.plan, key_file=ready.out / "study.key")
    with pytest.raises(UsageError, match="must not lie in the folder"):
        run_plan(inside, ready.out)


def test_speech_is_not_written_into_its_own_corpus(ready: Ready) -> None:
    root = ready.plan.sets[0].corpus[0]
    with pytest.raises(UsageError, match="cannot lie inside the corpus"):
        run_plan(ready.plan, root / "out")
    assert not (root / "out").exists()


def test_a_safeguard_that_fails_costs_itself_only(
    ready: Ready, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PSEUDOVOICE_CACHE", str(ready.cache))
    out = tmp_path / "out"
    shutil.copytree(ready.out, out)
    (next((out / "speech").glob(f"six-B2-{12 * '?'}")) / "protection.json").write_text("{}")
    outcome = run_plan(ready.plan, out, workers=1)
    assert [one.name for one in outcome.study.safeguards] == ["B2r"]
    assert any(problem.where == "B2 on six" for problem in outcome.problems)


def test_the_verbs(ready: Ready, capsys: pytest.CaptureFixture[str]) -> None:
    def run(*words: str) -> tuple[int, str]:
        with pytest.raises(SystemExit) as end:
            app(list(words))
        return int(end.value.code or 0), capsys.readouterr().out

    key = str(ready.plan.key_file)
    again = ["-o", str(ready.out), "--key-file", key, "--workers", "1"]
    code, said = run("check", str(ready.out / "plan.yaml"), *again)
    assert code == 0
    assert "7 of 7 steps are done" in said
    code, said = run("run", str(ready.out / "plan.yaml"), *again)
    assert code == 1, "a file was broken"
    assert said.startswith(f"The report is in {ready.out / 'report.html'}")
    assert said.count("\n- ") == len(ready.outcome.headlines)
    before = tables(ready.out)
    (corpus,) = ready.plan.sets[0].corpus
    words = ["compare", str(corpus), "--safeguard", "mcadams", "--no-utility", "--encoder", "ge2e"]
    words += ["--no-gender", "--attacker", "ignorant", "--replicates", "0", "--permutations", "0"]
    code, said = run(*words, "--json", *again)
    assert code == 1
    found = json.loads(said)
    assert found["headlines"][0].startswith("mcadams: ")
    assert (Path(found["figures"]) / "01-all-ge2e" / "map.svg").is_file()
    assert tables(ready.out) != before
    run_plan(ready.plan, ready.out)
    assert tables(ready.out) == before
    code, said = run("run", "--list")
    assert code == 0
    assert "noe2022" in said


def test_a_plan_made_in_python_is_checked_too(ready: Ready, tmp_path: Path) -> None:
    wrong: Plan = replace(ready.plan, attackers=("semi",))
    with pytest.raises(InputError, match="attacker_training: is missing"):
        run_plan(wrong, tmp_path / "out")
    twice = replace(ready.plan, sets=ready.plan.sets * 2)
    with pytest.raises(InputError, match=r"sets\[1\].name: six is there already"):
        run_plan(twice, tmp_path / "out")


def test_a_recogniser_that_is_missing_is_noticed_before_any_speech_is_protected(
    ready: Ready, tmp_path: Path
) -> None:
    lost = replace(ready.plan, encoders=("onnx:nowhere.onnx",))
    with pytest.raises(InputError, match=r"nowhere\.onnx"):
        run_plan(lost, tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.skipif(os.name != "posix", reason="permissions are POSIX")
def test_what_only_the_run_needs_is_its_owners_alone(ready: Ready) -> None:
    """Speech under another key, and what was heard; the report is for others too."""
    assert stat.S_IMODE((ready.out / "work").stat().st_mode) == 0o700
    assert stat.S_IMODE((ready.out / "report.html").stat().st_mode) & 0o044
    counts = ready.cache / "counts"
    assert stat.S_IMODE(counts.stat().st_mode) == 0o700
    kept = [*counts.iterdir(), *ready.cache.glob("*.sqlite*")]
    assert len(kept) > 1
    assert {stat.S_IMODE(path.stat().st_mode) for path in kept} == {0o600}


def test_who_tries_voices_on_has_runs_of_its_own(
    ready: Ready, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PSEUDOVOICE_CACHE", str(ready.cache))
    plan = replace(
        ready.plan,
        safeguards=ready.plan.safeguards[:2],
        attackers=("ignorant", "adaptive"),
        tries=2,
        utility=None,
        figures=False,
        genders=False,
    )
    out = tmp_path / "tried"
    foreseen = [step.what for step in dry_run(plan, out).steps]
    assert "protect six with B2r, attacker, try 2" in foreseen
    # What draws nothing has one voice, and nobody tries it twice.
    assert [step for step in foreseen if "B2, attacker" in step] == [
        "protect six with B2, attacker, try 1",
        "undo six under B2, attacker, try 1",
    ]
    run_plan(plan, out, workers=1)
    found = {
        (row["safeguard"], row["attacker"]): row
        for row in rows(out, "results.csv")
        if (row["condition"], row["metric"]) == ("pq", "d_ece")
    }
    assert {"adaptive, ge2e", "adaptive (1 try), ge2e"} <= {
        who for one, who in found if one == "B2r"
    }
    assert found["B2r", "adaptive, ge2e"]["null"]
    assert "tries: 2" in (out / "plan.yaml").read_text(encoding="utf-8")
    assert "tries" not in (ready.out / "plan.yaml").read_text(encoding="utf-8")
    assert "adaptive" in next(out.glob("*.html")).read_text(encoding="utf-8")


def test_who_gathers_has_every_release_and_all_are_fused(
    ready: Ready, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PSEUDOVOICE_CACHE", str(ready.cache))
    plan = replace(
        ready.plan,
        safeguards=ready.plan.safeguards[:2],
        attackers=("ignorant", "lazy", "gathering", "known-sessions", "ensemble"),
        tries=1,
        sessions=2,
        utility=None,
        figures=True,
        genders=False,
    )
    out = tmp_path / "gathered"
    foreseen = [step.what for step in dry_run(plan, out).steps]
    # What draws nothing would be released twice alike.
    assert [step for step in foreseen if "release 2" in step] == [
        "protect six with B2r, default, release 2"
    ]
    run_plan(plan, out, workers=1)
    found = {
        (row["safeguard"], row["attacker"])
        for row in rows(out, "results.csv")
        if (row["condition"], row["metric"]) == ("pq", "d_ece")
    }
    assert {
        ("B2", "gathering, ge2e"),
        ("B2r", "gathering, ge2e"),
        ("B2r", "gathering (1 utterance), ge2e"),
        ("B2r", "known sessions, ge2e"),
        ("B2r", "all together, all encoders"),
    } <= found
    (gains,) = out.glob("figures/**/gain_gathering.csv")
    told = gains.read_text(encoding="utf-8").splitlines()
    assert told[0].startswith("over,beside,n,metric,value,low,high")
    assert "02-B2r" in gains.parent.name
    assert {line.split(",")[0] for line in told[1:]} >= {"sessions looked in"}
    assert "sessions: 2" in (out / "plan.yaml").read_text(encoding="utf-8")
    assert "sessions" not in (ready.out / "plan.yaml").read_text(encoding="utf-8")
    page = next(out.glob("*.html")).read_text(encoding="utf-8")
    assert "gathering" in page
    assert "all encoders" in page
