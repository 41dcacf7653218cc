"""Names made to do harm, of speakers, of the set and of safeguards, through a whole study."""

from __future__ import annotations

import csv
import io
import json
import os
import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from studies import AWKWARD, FORMULA, Ready, fresh_cache

from pseudovoice import figures
from pseudovoice.corpus import read_corpus
from pseudovoice.models.cache import sha256_of
from pseudovoice.study import Plan, SafeguardPlan, SetPlan, run_plan

TRAVELLER = "../../etc"
TYPESET = r"\input{/etc/passwd}$x^2$%&_#"
HARMLESS = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


@pytest.fixture(scope="module")
def hostile(
    plan: Plan, speech: Path, weights: Path, tmp_path_factory: pytest.TempPathFactory
) -> Ready:
    """Five people, three of them with awkward names; the set and the safeguards have them too."""
    folder = tmp_path_factory.mktemp("hostile") / "deep" / "down"
    folder.mkdir(parents=True)
    people = read_corpus(speech).speakers
    called = dict(zip(people, (TRAVELLER, AWKWARD, FORMULA, "one", "two"), strict=False))
    table = io.StringIO()
    lines = csv.writer(table)
    lines.writerow(["utt", "path", "speaker"])
    for old, new in called.items():
        lines.writerows([(u.id, u.path, new) for u in people[old]])
    (folder / "speech").mkdir()
    (folder / "speech" / "corpus.csv").write_text(table.getvalue(), encoding="utf-8")
    awkward = replace(
        plan,
        title=f"{AWKWARD} {TYPESET}",
        sets=(SetPlan(TYPESET, (folder / "speech" / "corpus.csv",), layout="table"),),
        safeguards=(
            SafeguardPlan(TRAVELLER, "mcadams:alpha=0.8"),
            SafeguardPlan(AWKWARD, "mcadams-random"),
        ),
        utility=None,
        genders=False,
        figures=True,
        empirical_prior=True,
        include_originals=True,
        note=AWKWARD,
    )
    cache = fresh_cache(weights, folder / "cache")
    before = os.environ.get("PSEUDOVOICE_CACHE")
    os.environ["PSEUDOVOICE_CACHE"] = str(cache)
    try:
        outcome = run_plan(awkward, folder / "out", workers=1)
    finally:
        if before is None:
            del os.environ["PSEUDOVOICE_CACHE"]
        else:
            os.environ["PSEUDOVOICE_CACHE"] = before
    return Ready(awkward, folder / "out", cache, folder, outcome)


def written(out: Path) -> list[Path]:
    return sorted(path for path in out.rglob("*") if path.is_file())


def test_nothing_lies_outside_the_output_and_no_name_is_awkward(hostile: Ready) -> None:
    root = hostile.out.parents[2]
    outside = {
        path.relative_to(root)
        for path in root.rglob("*")
        if path.is_file() and not path.is_relative_to(hostile.out)
    }
    cache = hostile.cache.relative_to(root)
    assert {p for p in outside if not p.is_relative_to(cache)} == {
        Path("deep/down/speech/corpus.csv")
    }
    for path in written(hostile.out):
        assert path.resolve().is_relative_to(hostile.out.resolve())
        inside = path.relative_to(hostile.out).parts
        if inside[0] not in ("speech", "work"):  # there a folder is called as the speaker is
            assert all(HARMLESS.fullmatch(part) for part in inside), path


def test_a_speaker_who_would_travel_is_left_out_with_a_sentence(hostile: Ready) -> None:
    """Whoever is named like a path is refused where the corpus is read, and told how to mend it."""
    said = {(one.what, one.remedy) for one in hostile.outcome.problems}
    assert said == {(f"the speaker '{TRAVELLER}' contains a path separator", "rename it")}
    with (hostile.out / "tables" / "speakers.csv").open(encoding="utf-8", newline="") as file:
        assert {row["speaker"] for row in csv.DictReader(file)} == {
            AWKWARD, f"'{FORMULA}", "one", "two",
        }  # fmt: skip


def test_the_page_holds_no_tag_of_theirs(hostile: Ready) -> None:
    page = hostile.outcome.page.read_text(encoding="utf-8")
    assert "<img" not in page
    assert "onerror=alert(1)>" not in page
    assert "img src=x onerror" in page  # as text it is there


def test_latex_shows_names_and_obeys_none(hostile: Ready) -> None:
    for number in (2, 3, 4):
        text = (hostile.out / "tables" / f"table{number}.tex").read_text(encoding="utf-8")
        assert r"\input" not in text
        assert r"\textbackslash" in text
        assert "/etc/passwd" in text


def test_no_cell_of_a_csv_file_is_a_formula(hostile: Ready) -> None:
    seen = set()
    for path in written(hostile.out):
        # What lists protected speech is read by programs, and must give names back as they are.
        if path.suffix != ".csv" or path.name == "corpus.csv":
            continue
        for row in csv.reader(io.StringIO(path.read_text(encoding="utf-8"))):
            for cell in row:
                seen.add(cell)
                if cell[:1] in ("=", "+", "@", "\t", "\r"):
                    pytest.fail(f"{path}: {cell!r}")
    assert {TRAVELLER, AWKWARD, f"'{FORMULA}"} <= seen


def test_every_figure_is_there_for_each_safeguard(hostile: Ready) -> None:
    (folder,) = (hostile.out / "figures").iterdir()
    assert folder.name == "01-all-ge2e"
    alone = sorted(path.name for path in folder.iterdir() if path.is_dir())
    assert [name[:3] for name in alone] == ["01-", "02-"]
    kinds = ("svg", "pdf", "csv")
    together = ("map", "profiles_op", "profiles_pp", "profiles_pq_lazy")
    expected = {f"{name}.{kind}" for name in together for kind in kinds} | {"captions.md"}
    assert {path.name for path in folder.iterdir() if path.is_file()} == expected
    own = {"similarity", "zoo", "zoo_lazy", "actual", "actual_lazy"}
    own |= {"calibration", "calibration_lazy"}
    # Only who draws anything has another run, on which calibration is learnt (noe2022 Fig. 8).
    for name, names in zip(alone, (own, own | {"distortion_op"}), strict=True):
        expected = {f"{name}.{kind}" for name in names for kind in kinds} | {"captions.md"}
        assert {path.name for path in (folder / name).iterdir()} == expected


def test_the_calibration_plot_is_at_the_prior_of_the_trials(hostile: Ready) -> None:
    """As the plan asks; every trial of the condition is in a bin (noe2022 Fig. 4)."""
    (folder,) = (hostile.out / "figures").iterdir()
    with (hostile.out / "tables" / "results.csv").open(encoding="utf-8", newline="") as file:
        rows = [r for r in csv.DictReader(file) if r["metric"] == "d_ece"]
    with next(folder.glob("01-*/calibration.csv")).open(encoding="utf-8", newline="") as file:
        bins = [r for r in csv.DictReader(file) if r["scores"] == "oracle-calibrated"]
    for condition in ("oo", "op"):
        mine = [r for r in bins if r["condition"] == condition]
        counts = [sum(int(r[name]) for r in mine) for name in ("n_mated", "n_nonmated")]
        (row,) = {
            (int(r["n_mated"]), int(r["n_nonmated"]))
            for r in rows
            if (r["safeguard"], r["condition"]) == (TRAVELLER, condition)
        }
        assert tuple(counts) == row
        for r in mine:
            assert float(r["prior"]) == pytest.approx(counts[0] / sum(counts))
            assert float(r["mean_posterior"]) == pytest.approx(float(r["mated_fraction"]), abs=1e-6)


def test_figures_show_what_the_tables_hold(hostile: Ready) -> None:
    (folder,) = (hostile.out / "figures").iterdir()
    with (hostile.out / "tables" / "results.csv").open(encoding="utf-8", newline="") as file:
        rows = [r for r in csv.DictReader(file) if r["attacker"].startswith(("ignorant", "none"))]
    with (folder / "map.csv").open(encoding="utf-8", newline="") as file:
        placed = [r for r in csv.DictReader(file) if r["source"] == "this assessment"]
    assert [row["system"] for row in placed] == [TRAVELLER, AWKWARD]
    for row in placed:
        (deid,) = [r for r in rows if (r["safeguard"], r["metric"]) == (row["system"], "deid")]
        assert float(row["deid_percent"]) == pytest.approx(100 * float(deid["value"]))
    for condition in ("op", "pp"):
        with (folder / f"profiles_{condition}.csv").open(encoding="utf-8", newline="") as file:
            half = {
                r["curve"]: float(r["ece"])
                for r in csv.DictReader(file)
                if float(r["prior_log_odds"]) == 0.0
            }
        assert list(half) == ["perfect privacy", "unprotected", TRAVELLER, AWKWARD]
        for name in (TRAVELLER, AWKWARD):
            wanted = (name, condition, "cllr_min")
            (row,) = [r for r in rows if (r["safeguard"], r["condition"], r["metric"]) == wanted]
            assert half[name] == pytest.approx(float(row["value"]), abs=1e-6)


def test_figures_and_captions_take_names_as_text(hostile: Ready) -> None:
    pictures = [p for p in written(hostile.out) if p.is_relative_to(hostile.out / "figures")]
    for path in pictures:
        content = path.read_bytes()
        if path.suffix == ".svg":
            ElementTree.fromstring(content)
        if path.suffix in (".svg", ".md"):
            assert b"<img" not in content, path
        assert str(hostile.out.parent).encode() not in content, path


def test_provenance_lists_every_figure_by_its_hash(hostile: Ready) -> None:
    known = json.loads((hostile.out / "provenance.json").read_text(encoding="utf-8"))["outputs"]
    pictures = [p for p in written(hostile.out) if p.is_relative_to(hostile.out / "figures")]
    assert len(pictures) == 3 * (4 + 7 + 8) + 3
    for path in pictures:
        assert known[str(path.relative_to(hostile.out))] == sha256_of(path)


def test_figures_are_drawn_once_and_again_to_the_same_bytes(
    hostile: Ready, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A figure that is gone or damaged comes back as it was, those that are there are left."""
    monkeypatch.setenv("PSEUDOVOICE_CACHE", str(hostile.cache))
    monkeypatch.setattr("pseudovoice.study.tools.load_encoder", lambda _: pytest.fail("loaded"))
    before = {p: p.read_bytes() for p in written(hostile.out)}
    (folder,) = (hostile.out / "figures").iterdir()
    first, second = sorted(path for path in folder.iterdir() if path.is_dir())
    (folder / "profiles_op.svg").unlink()
    (first / "zoo.pdf").write_bytes(b"%PDF")
    drawn = []
    draw = figures.write_figures
    monkeypatch.setattr(
        figures, "write_figures", lambda *args: drawn.append(args[1]) or draw(*args)
    )
    run_plan(hostile.plan, hostile.out, workers=1)
    assert {p: p.read_bytes() for p in written(hostile.out)} == before
    assert drawn == [folder, first]
    assert second not in drawn
