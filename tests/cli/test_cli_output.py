"""What a run writes: the folder, its tables, their agreement, and what happens when it fails."""

from __future__ import annotations

import csv
import json
from dataclasses import fields
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from cliruns import QUICK, Ran, artificial, options, run, write_set

from pseudovoice import atomic
from pseudovoice.assessment.estimate import Row
from pseudovoice.assessment.speakers import SpeakerRow

FEW = ("--replicates", "40", "--permutations", "40", "--no-figures")
FILES = {
    *("assessment.json", "table.csv", "table.parquet", "speakers.csv"),
    *("table2.tex", "table3.tex", "table4.tex", "report.html"),
}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return write_set(tmp_path_factory.mktemp("set"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("out") / "a" / "new folder"


@pytest.fixture(scope="module")
def ran(files: dict[str, Path], folder: Path) -> Ran:
    return run("assess", "scores", *options(files), *FEW, "-o", folder, "--json")


def test_the_folder_is_made_and_complete(ran: Ran, folder: Path) -> None:
    assert ran.code == 0
    assert f"The report is in {folder / 'report.html'}; tables are in {folder}." in ran.err
    assert {p.name for p in folder.iterdir()} == FILES


def test_several_systems_stand_in_one_table(files: dict[str, Path], tmp_path: Path) -> None:
    both = [x for n in ("oo", "trials", "utt2spk") for x in (f"--{n}", files[n])]
    both += ["--op", f"A & co={files['op']}", "--op", f"B={files['op-f0']}"]
    done = run("assess", "scores", *both, *FEW, "-o", tmp_path / "o", "--no-figures")
    assert done.code == 0
    assert done.out.index("=== A & co ===") < done.out.index("=== B ===")
    assert done.out.count("The ignorant attacker (OP): ") == 2
    table = (tmp_path / "o" / "table2.tex").read_text()
    assert [line.split(" & ")[1] for line in table.splitlines()[5::2][:2]] == [r"A \& co", "B"]
    assert table.count(r"\midrule") == 1, "one set"
    alone = [x for x in both if not str(x).startswith("B=")][:-1]
    told = run("assess", "scores", *alone, *FEW, "--json").json
    beside = run("assess", "scores", *both, *FEW, "--json").json["systems"]
    assert beside["A & co"]["rows"] == told["rows"]
    assert set(beside["B"]["verdicts"]) == {"op"}
    page = (tmp_path / "o" / "report.html").read_text(encoding="utf-8")
    assert "a recogniser elsewhere" in page
    assert {p.name for p in (tmp_path / "o" / "02-B").iterdir()} == FILES - {
        *("table2.tex", "table3.tex", "table4.tex", "report.html")
    }
    twice = run("assess", "scores", *both, "--op", f"B={files['op']}")
    assert (twice.code, "--op is there twice for B" in twice.err) == (2, True)


def test_scores_may_be_required_of(files: dict[str, Path]) -> None:
    """By the worse of two systems and by the worse end of its interval; exit code 3 if unmet."""
    both = [x for n in ("oo", "trials", "utt2spk") for x in (f"--{n}", files[n])]
    both += ["--op", f"A={files['op']}", "--op", f"B={files['op-f0']}", *FEW]
    done = run("assess", "scores", *both, "--json", "--require", "d_ece<0.0001")
    assert done.code == 3
    (judged,) = done.json["requirements"]
    rows = [row for one in done.json["systems"].values() for row in one["rows"]]
    disclosed = [r["high"] for r in rows if (r["metric"], r["condition"]) == ("d_ece", "op")]
    assert len(disclosed) == 2
    assert judged["counts"] == max(disclosed)
    assert judged["whose"].partition(",")[0] == "AB"[disclosed.index(max(disclosed))]
    met = run("assess", "scores", *both, "--require", f"d_ece<{max(disclosed) + 0.01:.3f}")
    assert met.code == 0
    assert "the worst of 2)." in met.out
    unsure = run("assess", "scores", *both[2:], "--require", "d_ece<0.72")
    assert unsure.code == 3, "without OO nobody knows whether the attack can succeed at all"
    assert "no such number of A from an attack that can conclude" in unsure.out
    assert run("assess", "scores", *both, "--require", "wer<8").code == 2


def test_without_a_control_there_is_no_page(files: dict[str, Path], tmp_path: Path) -> None:
    some = options(files, "op", "trials", "utt2spk")
    done = run("assess", "scores", *some, *FEW, "-o", tmp_path / "o", "--no-figures")
    assert "No page is written" in done.err
    assert not (tmp_path / "o" / "report.html").exists()


def test_json_on_stdout_and_in_the_folder_are_the_same(ran: Ran, folder: Path) -> None:
    assert (folder / "assessment.json").read_text(encoding="utf-8") == ran.out
    assert {"rows", "warnings", "provenance"} <= ran.json.keys()


def test_rows_have_the_columns_of_the_tidy_table(ran: Ran) -> None:
    names = [f.name for f in fields(Row)]
    wanted = (
        "condition attacker metric value low high null n_mated n_nonmated unit direction method"
    )
    assert set(wanted.split()) <= set(names)
    assert all(list(row) == names for row in ran.json["rows"])
    places = [(row["condition"], row["metric"]) for row in ran.json["rows"]]
    assert len(places) == len(set(places))


def test_csv_holds_the_rows_of_json(ran: Ran, folder: Path) -> None:
    with (folder / "table.csv").open(newline="", encoding="utf-8") as file:
        table = list(csv.DictReader(file))
    assert len(table) == len(ran.json["rows"])
    for line, row in zip(table, ran.json["rows"], strict=True):
        for name, value in row.items():
            if value is None:
                assert line[name] == ""
            elif isinstance(value, float):
                assert float(line[name]) == value  # every digit
            else:
                assert line[name] == str(value)


def test_parquet_holds_the_rows_of_json(ran: Ran, folder: Path) -> None:
    table = pq.ParquetFile(folder / "table.parquet").read().to_pylist()
    assert len(table) == len(ran.json["rows"])
    for line, row in zip(table, ran.json["rows"], strict=True):
        tags = {name: line.pop(f"tag_{name}") for name in ("value", "low", "high")}
        if row["metric"] == "tag":
            assert all(line[name] is None for name in tags)
            line |= tags
        else:
            assert not any(tags.values())
        assert line == row


def test_speakers_csv_holds_the_speakers_of_json(ran: Ran, folder: Path) -> None:
    with (folder / "speakers.csv").open(newline="", encoding="utf-8") as file:
        table = list(csv.DictReader(file))
    assert list(table[0]) == [f.name for f in fields(SpeakerRow)]
    assert [(t["condition"], t["speaker"], float(t["d_ece"])) for t in table] == [
        (s["condition"], s["speaker"], s["d_ece"]) for s in ran.json["speakers"]
    ]
    for condition in ("oo", "op", "pp", "pq"):
        worst_first = [float(t["d_ece"]) for t in table if t["condition"] == condition]
        assert worst_first == sorted(worst_first, reverse=True)
        assert len(worst_first) == 6


def test_the_same_seed_gives_the_same_bytes(
    ran: Ran, folder: Path, files: dict[str, Path], tmp_path: Path
) -> None:
    again = run("assess", "scores", *options(files), *FEW, "-o", tmp_path / "o", "--json")
    assert again.out == ran.out
    for name in FILES:
        assert (tmp_path / "o" / name).read_bytes() == (folder / name).read_bytes(), name
    other = run("assess", "scores", *options(files), *FEW, "--seed", "1", "--json")
    assert other.values() == ran.values()
    assert other.out != ran.out


def test_provenance_says_what_was_read(ran: Ran, files: dict[str, Path]) -> None:
    inputs = ran.json["provenance"]["inputs"]
    assert {f["file"] for f in inputs.values()} == {p.name for p in files.values()}
    assert all(len(f["sha256"]) == 64 for f in inputs.values())
    assert str(files["oo"].parent) not in json.dumps(ran.json["provenance"])
    assert "left_out" not in ran.json["provenance"]


def test_what_was_left_out_stands_in_the_result(files: dict[str, Path], tmp_path: Path) -> None:
    """Standard error scrolls away; the archived result must not look complete."""
    spoilt = tmp_path / "oo"
    spoilt.write_text(files["oo"].read_text().replace("100 100-0000 ", "100 100-0000 nan #", 1))
    ran = run(
        *("assess", "scores", "--oo", spoilt, "--trials", files["trials"], *QUICK, "--json"),
    )
    assert ran.code == 1
    (said,) = [line[2:] for line in ran.err.splitlines() if line.startswith("- ")][:1]
    assert said in ran.json["provenance"]["left_out"]


def test_a_failed_write_keeps_the_old_file(
    files: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "o"
    arguments = ("assess", "scores", *options(files, "oo", "trials"), *QUICK, "--no-figures")
    assert run(*arguments, "-o", out).code == 0
    before = {p.name: p.read_bytes() for p in out.iterdir()}
    seen: list[str] = []
    move = Path.replace

    def full(self: Path, target: Path) -> Path:
        seen.append(target.name)
        if target.name == "table.parquet":
            raise OSError(28, "No space left on device", str(target))
        return move(self, target)

    monkeypatch.setattr(atomic.Path, "replace", full)
    ran = run(*arguments, "-o", out, "--seed", "5")
    assert ran.code == 2
    assert "table.parquet: cannot be written, because the disk is full (No space" in ran.err
    assert "table.parquet" in seen
    left = {p.name: p.read_bytes() for p in out.iterdir()}
    assert left.keys() == before.keys()  # no .part beside them
    assert left["table.parquet"] == before["table.parquet"]


def test_atomic_write(tmp_path: Path) -> None:
    path = tmp_path / "f"
    atomic.write_atomic(path, "é")
    assert path.read_bytes() == "é".encode()
    atomic.write_atomic(path, b"\0")
    assert path.read_bytes() == b"\0"
    assert [p.name for p in tmp_path.iterdir()] == ["f"]
    assert path.stat().st_mode & 0o600 == 0o600


@pytest.mark.parametrize(
    "evil",
    [
        ["<img_src=x_onerror=alert(1)>", "=cmd()", "\x1b[2J", ":dog:", "[red]x[/red]"],
        ["../../etc", "\\input{x}", "@SUM(A1)", "-1+1", "\u202eright-to-left"],
    ],
)
def test_names_that_could_do_harm_do_none(evil: list[str], tmp_path: Path) -> None:
    """Ids and file names go into JSON, CSV, LaTeX and the terminal; none may act there."""
    t = artificial(len(evil), 3)
    code = dict(zip(sorted(set(t.enrol)), evil, strict=True))
    renamed = type(t)(
        [code[e] for e in t.enrol], [f"{code[u.partition('-')[0]]}/{u}" for u in t.trial], t.mated
    )
    files = write_set(tmp_path, renamed)
    ran = run(
        *("assess", "scores", *options(files, "oo", "op", "trials"), *FEW),
        *("-o", tmp_path / "o", "--name", "[x] & \\\\ %_#$~^{}", "--system", "=1+1\x07"),
    )
    assert ran.code == 0
    assert not {"\x1b", "\u202e"} & set(ran.out + ran.err)
    for name in evil:  # printed as it is, or by its code
        assert f"{name} (" in ran.out or f"{repr(name)[1:-1]} (" in ran.out
    with (tmp_path / "o" / "speakers.csv").open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            assert not row["speaker"].startswith(("=", "+", "-", "@", "\t", "\r"))
    speakers = json.loads((tmp_path / "o" / "assessment.json").read_text())["speakers"]
    assert {s["speaker"] for s in speakers} == set(evil)  # JSON needs no disguise
    table = (tmp_path / "o" / "table2.tex").read_text()
    assert r"{[}x] \& \textbackslash{}\textbackslash{} \%\_\#\$" in table
    assert "\x07" not in table
    assert {p.name for p in (tmp_path / "o").iterdir()} == FILES
    assert not (tmp_path.parent / "etc").exists()
