"""The papers' plans end to end, on a miniature of the corpora they are written for.

The miniature lies as the VoicePrivacy 2020 baseline and LibriSpeech do: Kaldi folders with lists of
enrolment and of trials for women and men, paths that count from the folder above, and a tree of
other people's speech with its transcripts. What is changed of a plan is changed as its users are
told to: `run NAME --copy`, saved and edited; a smaller encoder, safeguards of signal processing,
and fewer slices.
"""

from __future__ import annotations

import csv
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import CliRunner
from studies import fresh_cache

from pseudovoice.cli.main import app

ENROLLED, TRIED = 1, 2
SMALL = "\nreplicates: 0\npermutations: 0\nfigures: false\nclips: false\n"
XVECTOR = {
    "xvector:target=farthest,gender=same": "mcadams:alpha=0.7",
    "xvector:target=dense": "mcadams",
}


def listing(folder: Path) -> list[dict[str, str]]:
    with (folder / "metadata.tsv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def people(folder: Path, each: int, gender: str, takes: int) -> dict[str, list[dict[str, str]]]:
    """The first people of a gender with so many recordings of two to five seconds."""
    found: dict[str, list[dict[str, str]]] = {}
    for row in listing(folder):
        if row["gender"] == gender and 2.2 <= float(row["duration_s"]) <= 4.0 and row["transcript"]:
            found.setdefault(row["speaker"], []).append(row)
    return dict([(s, rows[:takes]) for s, rows in found.items() if len(rows) >= takes][:each])


@dataclass(frozen=True)
class Miniature:
    """Where the corpora lie: ``home`` is the folder above ``data``."""

    home: Path
    cache: Path
    out: Path

    @property
    def paths(self) -> dict[str, Path]:
        return {
            "voiceprivacy": self.home / "data",
            "librispeech": self.home / "LibriSpeech",
            "text": self.home / "lm.txt",
        }

    def run(self, name: str, changes: dict[str, str]) -> Path:
        """The shipped plan, copied, changed and run from above ``data``; gives its output."""
        copied = CliRunner().invoke(app, ["run", name, "--copy"])
        text = copied.stdout
        for before, after in {"resnet34-lm]": "ge2e]", **XVECTOR, **changes}.items():
            assert before in text or before in XVECTOR, before
            text = text.replace(before, after)
        plan, out = self.home / f"{name}.yaml", self.out / name
        plan.write_text(text + SMALL, encoding="utf-8")
        words = ["run", str(plan), "-o", str(out), "--workers", "2"]
        for key in re.findall(r"^  (\w+):$", text.split("paths:")[1].split("\nsets:")[0], re.M):
            words += ["--path", f"{key}={self.paths[key]}"]
        done = CliRunner().invoke(app, words)
        assert done.exit_code == 0, done.output
        return out


@pytest.fixture(scope="module")
def made(shared: Path, weights: Path, tmp_path_factory: pytest.TempPathFactory) -> Miniature:
    speech = shared / "speech"
    if not (speech / "dev" / "metadata.tsv").is_file():
        pytest.skip(f"there is no speech: {speech / 'dev'} is missing")
    home = tmp_path_factory.mktemp("papers")
    (home / "audio").mkdir()
    by_gender = {g: people(speech / "dev", 3, g.upper(), ENROLLED + TRIED) for g in "fm"}
    for folder in ("libri_dev", "libri_test", "vctk_dev", "vctk_test"):
        _kaldi(home, folder, by_gender, speech / "dev")
    _librispeech(home / "LibriSpeech", speech / "train")
    spoken = [row["transcript"] for row in listing(speech / "train") if row["transcript"]]
    (home / "lm.txt").write_text("\n".join(spoken[:300]) + "\n", encoding="utf-8")
    return Miniature(home, fresh_cache(weights, home / "cache"), home / "out")


def _kaldi(
    home: Path, name: str, by_gender: dict[str, dict[str, list[dict[str, str]]]], source: Path
) -> None:
    """One folder of ``data``, as stage 0 of the baseline leaves it."""
    folder = home / "data" / name
    folder.mkdir(parents=True)
    mic = "_mic2" if name.startswith("vctk") else ""
    files: dict[str, list[str]] = {}
    for gender, speakers in by_gender.items():
        for speaker, rows in speakers.items():
            files.setdefault("spk2gender", []).append(f"{speaker} {gender}")
            for k, row in enumerate(rows):
                utt = row["utt_id"] + mic
                audio = home / "audio" / f"{utt}.flac"
                if not audio.exists():
                    shutil.copy(source / row["path"], audio)
                files.setdefault("wav.scp", []).append(f"{utt} audio/{utt}.flac")
                files.setdefault("utt2spk", []).append(f"{utt} {speaker}")
                files.setdefault("text", []).append(f"{utt} {row['transcript']}")
                if k < ENROLLED:
                    files.setdefault(f"enrolls{mic}", []).append(utt)
        for common in ("", "_common") if mic else ("",):
            files[f"trials_{gender}{common}{mic}"] = [
                f"{a} {row['utt_id']}{mic} {'target' if a == b else 'nontarget'}"
                for a in speakers
                for b, rows in speakers.items()
                for row in rows[ENROLLED:]
            ]
    for file, lines in files.items():
        (folder / file).write_text("\n".join(sorted(lines)) + "\n", encoding="utf-8")


def _librispeech(root: Path, source: Path) -> None:
    """Other people's speech, as openslr.org publishes it."""
    told = ["; ID | SEX | SUBSET | MINUTES | NAME"]
    for gender in "FM":
        for speaker, rows in people(source, 5, gender, 3).items():
            told.append(f"{speaker} | {gender} | train-clean-360 | 1 | somebody")
            chapter = root / "train-clean-360" / speaker / "1"
            chapter.mkdir(parents=True)
            lines = []
            for k, row in enumerate(rows):
                utt = f"{speaker}-1-{k:04d}"
                shutil.copy(source / row["path"], chapter / f"{utt}.flac")
                lines.append(f"{utt} {row['transcript'].upper()}")
            (chapter / f"{speaker}-1.trans.txt").write_text("\n".join(lines) + "\n")
    (root / "SPEAKERS.TXT").write_text("\n".join(told) + "\n")


@pytest.fixture(autouse=True)
def _here(made: Miniature, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(made.home)
    monkeypatch.setenv("PSEUDOVOICE_CACHE", str(made.cache))


def rows(out: Path, table: str) -> list[dict[str, str]]:
    with (out / "tables" / table).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_noe2022_has_tables_2_to_4_from_lists_and_all_pairs(made: Miniature) -> None:
    out = made.run("noe2022", {})
    sets = [f"{c}_test_trials_{g}" for c in ("libri", "vctk") for g in "fm"]
    sets += [f"vctk_test_trials_{g}_c" for g in "fm"]
    systems = ["xvector", "B2", "B2r"]
    for table in ("table2.csv", "table3.csv", "table4.csv"):
        found = {(row["set"], row["system"]) for row in rows(out, table)}
        assert found == {(one, system) for one in sets for system in systems}
    tried = 3 * TRIED
    for row in rows(out, "results.csv"):
        if row["set"] != "libri_test_trials_f" or row["attacker"].startswith("worst"):
            continue
        n = int(row["n_mated"]) + int(row["n_nonmated"])
        if row["metric"] in ("d_diag", "deid", "g_vd", "deid_log", "g_vd_log", "d_diag_log"):
            assert n == tried * (tried - 1), "every segment that is tried with every other"
            assert row["method"].startswith("exhaustive, geometric")
        else:
            assert n == 3 * tried, "three models against what is tried"
    drawn = {row["system"]: row["c_ece_linear"] for row in rows(out, "table2.csv")}
    assert drawn["B2r"] != ""
    assert drawn["B2"] == "", "a safeguard that draws nothing has no C_ECE"


def test_noe2020_has_six_development_sets_and_the_arithmetic_mean(made: Miniature) -> None:
    out = made.run("noe2020", {})
    found = rows(out, "table2.csv")
    assert [row["set"] for row in found if row["system"] == "B2"] == [
        "libri_dev_trials_f",
        "libri_dev_trials_m",
        "vctk_dev_trials_f",
        "vctk_dev_trials_m",
        "vctk_dev_trials_f_common",
        "vctk_dev_trials_m_common",
    ]
    assert all(row["deid"] and row["g_vd"] for row in found)
    printed = rows(out, "noe2020_table2.csv")  # a line for each set, the systems side by side
    assert [row["set"] for row in printed] == list(dict.fromkeys(row["set"] for row in found))
    for row in found:
        (line,) = [one for one in printed if one["set"] == row["set"]]
        for metric in ("deid", "g_vd"):
            assert line[f"{metric} {row['system']}"] == row[metric]
    set_in_latex = (out / "tables" / "noe2020_table2.tex").read_text(encoding="utf-8")
    assert r"\multicolumn{2}{c}{B2}" in set_in_latex
    assert set_in_latex.count("_dev\\_trials") == 6
    methods = {row["method"] for row in rows(out, "results.csv") if row["metric"] == "deid"}
    assert methods == {"exhaustive, arithmetic similarity, all pairs"}
    sizes = {
        row["set"]: int(row["n_mated"]) + int(row["n_nonmated"])
        for row in rows(out, "results.csv")
        if row["metric"] == "d_diag"
    }
    assert sizes["libri_dev_trials_f"] == 6 * 5
    assert sizes["vctk_dev_trials_f_common"] == 6 * 5


FEWER = {
    "  - mcadams+slice:duration=1.5\n": "",
    "  - mcadams+slice:duration=3.0\n": "",
    "  - mcadams+slice:duration=4.0\n": "",
    **{
        f"  - mcadams+slice:method=shorten,duration={d}\n": ""
        for d in ("0.5", "1.5", "2.0", "3.0", "5.0", "7.0", "10.0")
    },
    "  samples: 5\n  utterances: 100": "  samples: 1\n  utterances: 8",
}


def without_training(name: str) -> dict[str, str]:
    """What takes the training of recognisers out of the plan."""
    text = CliRunner().invoke(app, ["run", name, "--copy"]).stdout
    part = "asr_training:" + text.split("\nasr_training:")[1].split("utility:")[0]
    return {part: ""}


def test_maouche2022_has_tables_2_and_3_and_fig_3_by_the_lists(made: Miniature) -> None:
    out = made.run("maouche2022", {**FEWER, **without_training("maouche2022")})
    cut = rows(out, "maouche2022_table2.csv")
    assert {row["δ (s)"] for row in cut if row["Attack"] == "text, Eq. 2"} == {"1"}
    assert rows(out, "maouche2022_table3.csv")
    linked = rows(out, "maouche2022_fig3.csv")
    assert {row["Attacker"] for row in linked} == {"ignorant", "semi"}
    assert {row["Speech"] for row in linked} == {
        "sliced, δ = 1 s",
        "first 1 s",
        "whole",
    }
    whole = next(row for row in linked if row["Speech"] == "whole")
    # Everybody is tried with each of three utterances: within a gender, as the lists say.
    assert int(whole["Mated trials"]) == 6 * TRIED
    results = rows(out, "results.csv")
    (listed,) = {
        int(row["n_mated"]) + int(row["n_nonmated"])
        for row in results
        if (row["condition"], row["metric"]) == ("op", "d_ece")
        and not row["attacker"].startswith("worst")
    }
    assert listed == 2 * 3 * 3 * TRIED, "both lists count as one, and nobody crosses them"


def test_maouche2022_has_table_1_from_the_same_plan(made: Miniature) -> None:
    """All four cells at each duration, from networks far too small to tell anything."""
    pytest.importorskip("torch", reason="torch is not installed; `make test-train` installs it")
    small = {
        "durations: [0.5, 1.0, 1.5, 2.0, 3.0]": "durations: [1.0]",
        "width: 512": "width: 8",
        "epochs: 40": "epochs: 1",
        "batch: 300": "batch: 20",
    }
    only = {"  - mcadams+slice:method=shorten,duration=1.0\n": ""}
    out = made.run("maouche2022", {**FEWER, **small, **only})
    table = rows(out, "maouche2022_table1.csv")
    assert [(row["Training data"], row["Slicing"]) for row in table] == [
        (training, slicing)
        for training in ("clear", "protected")
        for slicing in ("none", "δ = 1 s")
    ]
    for row in table:
        for side in ("clear", "protected"):
            assert 0.0 < float(row[f"WER (%), test: {side}"]) <= 200.0
    assert "Table 1 of" in (out / "report.html").read_text(encoding="utf-8")
