import csv
import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
from artificial_voices import write_corpus
from click.testing import CliRunner, Result

from pseudovoice.assessment import condition
from pseudovoice.assessment.assessed_once import Conditions
from pseudovoice.attacks.assess import assess_audio
from pseudovoice.attacks.material import Material
from pseudovoice.cli.main import app
from pseudovoice.corpus import read_corpus
from pseudovoice.encoders.registry import load_encoder
from pseudovoice.keys import new_key, write_key


@pytest.fixture
def assess(tiny_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Run `assess audio` with the tiny encoder and a store of its own."""
    monkeypatch.setenv("PSEUDOVOICE_CACHE", str(tmp_path / "cache"))

    def run(*args: str | Path) -> Result:
        words = ["assess", "audio", *map(str, args), "--encoder", f"onnx:{tiny_model}"]
        return CliRunner().invoke(app, [*words, "--replicates", "40", "--permutations", "40"])

    return run


def rows(result: Result) -> dict[tuple[str, str, str], Any]:
    """Rows by group, condition and metric; the worst attacker's rows repeat another's."""
    return {
        (row["group"], row["condition"], row["metric"]): row
        for row in json.loads(result.stdout)["rows"]
        if not row["attacker"].startswith("worst")
    }


def test_a_copy_hides_nobody(assess: Any, original: Path, tmp_path: Path) -> None:
    shutil.copytree(original, tmp_path / "copy")
    result = assess(original, tmp_path / "copy", "--json")
    assert result.exit_code == 0, result.output
    row = rows(result)
    for metric in ("deid", "deid_d_ece", "deid_cllr_min"):
        deid = row["all", "op", metric]
        assert (deid["value"], deid["low"], deid["high"]) == (0.0, 0.0, 0.0)
    assert row["all", "pp", "g_vd"]["value"] == 0.0
    (attack,) = json.loads(result.stdout)["attacks"]
    assert attack["conclusive"]
    assert attack["verdict"].startswith("this attacker still learns 100 %")


def test_other_voices_hide_everybody(assess: Any, original: Path, other_voices: Path) -> None:
    result = assess(original, other_voices, "--json")
    row = rows(result)
    assert row["all", "op", "d_ece"]["chance"]
    assert row["all", "op", "deid"]["value"] > 0.7
    assert row["all", "pp", "eer"]["value"] < 0.3
    assert "anonym" not in result.stdout.lower()


def test_swapped_speakers_are_noticed(assess: Any, original: Path, tmp_path: Path) -> None:
    names = sorted(p.name for p in original.iterdir())
    for k, name in enumerate(names):
        (tmp_path / "p" / name).mkdir(parents=True)
        donor = names[k ^ 1]
        for file in sorted((original / donor).iterdir()):
            shutil.copy(file, tmp_path / "p" / name / file.name.replace(donor, name))
    result = assess(original, tmp_path / "p", "--json")
    warnings = " ".join(json.loads(result.stdout)["warnings"])
    assert "protected speaker(s) sound exactly like another original speaker" in warnings
    assert "spk00 for spk01" in warnings
    honest = assess(original, original, "--json")
    assert "sound exactly like" not in " ".join(json.loads(honest.stdout)["warnings"])


def test_informed_attackers_report_pq_and_never_pp(
    assess: Any, original: Path, other_voices: Path, tmp_path: Path
) -> None:
    shutil.copytree(other_voices, tmp_path / "q")
    result = assess(
        original, other_voices, "--attacker-protected", tmp_path / "q", "--oracle-key", "--json"
    )
    everything = json.loads(result.stdout)
    lazy = [r for r in everything["rows"] if r["attacker"].startswith("lazy-informed")]
    assert {r["condition"] for r in lazy} == {"pq"}
    by_attacker = {a["attacker"]: a for a in everything["attacks"]}
    assert set(by_attacker) == {"ignorant", "lazy", "oracle-key"}
    assert by_attacker["lazy"]["d_ece"] > 0.3  # the attacker guessed the key: it links everybody
    assert all(a["control_d_ece"] > a["floor_d_ece"] for a in by_attacker.values())
    worst = {r["attacker"] for r in everything["rows"] if r["attacker"].startswith("worst")}
    assert len(worst) == 2  # one in OP, one in PQ


def test_an_attack_that_fails_on_clear_speech_is_too_weak(assess: Any, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    for side in "op":
        for s in range(5):
            (tmp_path / side / f"s{s}").mkdir(parents=True)
            for t in range(4):
                noise = 0.1 * rng.normal(size=12_000)
                soundfile.write(tmp_path / side / f"s{s}" / f"s{s}_{t}.wav", noise, 16_000)
    result = assess(tmp_path / "o", tmp_path / "p")
    assert "attack too weak to conclude" in result.stdout


def test_genders_are_assessed_apart(assess: Any, original: Path, tmp_path: Path) -> None:
    table = ["utt,path,speaker,gender"]
    for k, file in enumerate(sorted(original.rglob("*.wav"))):
        gender = "f" if int(file.parent.name[3:]) < 3 else "m"
        table.append(f"u{k},{file},{file.parent.name},{gender}")
    (tmp_path / "c.csv").write_text("\n".join(table))
    result = assess(tmp_path / "c.csv", tmp_path / "c.csv", "--json")
    assert {key[0] for key in rows(result)} == {"all", "f", "m"}
    assert {
        key[0]
        for key in rows(assess(tmp_path / "c.csv", tmp_path / "c.csv", "--json", "--no-gender"))
    } == {"all"}


def test_bad_files_are_listed_and_the_exit_code_says_so(
    assess: Any, original: Path, other_voices: Path, tmp_path: Path
) -> None:
    shutil.copytree(other_voices, tmp_path / "p")
    (tmp_path / "p" / "spk00" / "spk00_0.wav").write_bytes(b"")
    (tmp_path / "p" / "spk01" / "spk01_0.wav").unlink()
    result = assess(original, tmp_path / "p", "--json")
    assert result.exit_code == 1
    assert "spk00_0.wav" in result.stderr
    assert "1 utterance of the original corpus is missing here (spk01_0)" in result.stderr
    n = rows(result)["all", "oo", "eer"]["n_mated"]
    assert n == 4 * 4 * 3 + 2 * 3 * 2  # both utterances are left out on both sides


def test_the_report_folder_is_the_same_each_time(
    assess: Any, original: Path, other_voices: Path, tmp_path: Path
) -> None:
    for name in ("a", "b"):
        assess(original, other_voices, "-o", tmp_path / name)
    files = sorted(p.relative_to(tmp_path / "a") for p in (tmp_path / "a").rglob("*.*"))
    assert {"assessment.json", "table.csv", "table2.tex"} <= {str(f) for f in files}
    assert any(f.suffix == ".svg" for f in files)
    for file in files:
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes(), file


def test_nothing_in_common_is_unusable_input(assess: Any, original: Path, tmp_path: Path) -> None:
    (tmp_path / "p" / "x").mkdir(parents=True)
    shutil.copy(next(original.rglob("*.wav")), tmp_path / "p" / "x" / "other.wav")
    result = assess(original, tmp_path / "p")
    assert result.exit_code == 2
    assert "no utterance id in common" in result.output


def test_a_semi_informed_attacker_trains_on_speech_it_protected(
    assess: Any, original: Path, other_voices: Path, tmp_path: Path
) -> None:
    training = write_corpus(tmp_path / "training", 8, 4, offset=700)
    result = assess(
        original, other_voices, "--attacker-protected", other_voices,
        "--attacker-training", training, "--json",
    )  # fmt: skip
    everything = json.loads(result.stdout)
    semi = [r for r in everything["rows"] if r["attacker"].startswith("semi-informed")]
    assert {r["condition"] for r in semi} == {"pq"}
    controls = {r["attacker"] for r in everything["rows"] if r["condition"] == "oo"}
    assert any("retrained" in name for name in controls)
    alone = assess(original, other_voices, "--attacker-training", training)
    assert alone.exit_code == 2
    assert "name them with --attacker-protected" in " ".join(alone.output.split())


def test_plda_and_as_norm_learn_from_a_named_corpus(
    assess: Any, original: Path, other_voices: Path, tmp_path: Path
) -> None:
    training = write_corpus(tmp_path / "training", 8, 4, offset=700)
    words = ("--backend", "plda", "--as-norm", "--json")
    result = assess(original, other_voices, *words, "--backend-training", training)
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["provenance"]["comparison"] == "plda, AS-norm"
    assert "name a corpus with --backend-training" in assess(original, other_voices, *words).output


@pytest.fixture
def lists(original: Path, tmp_path: Path) -> tuple[str | Path, ...]:
    """Two recordings of everybody are enrolled, the two others are tried."""
    names = sorted(p.name for p in original.iterdir())
    (tmp_path / "enrolls").write_text("".join(f"{n} {n}_0 {n}_1\n" for n in names))
    (tmp_path / "trials").write_text(
        "".join(
            f"{m} {t}_{k} {'target' if m == t else 'nontarget'}\n"
            for m in names
            for t in names
            for k in (2, 3)
        )
    )
    return ("--trials", tmp_path / "trials", "--enrolls", tmp_path / "enrolls")


def test_listed_trials_are_scored_by_enrolment(
    assess: Any, original: Path, other_voices: Path, lists: tuple[str | Path, ...]
) -> None:
    result = assess(original, other_voices, *lists, "--json")
    assert result.exit_code == 0, result.output
    row = rows(result)["all", "op", "d_diag"]
    assert row["method"].startswith("enrolment")
    assert (row["n_mated"], row["n_nonmated"]) == (12, 60)
    assert assess(original, other_voices, *lists[:2]).exit_code == 2


MATRICES = ("d_diag", "d_diag_log", "deid", "g_vd", "deid_log", "g_vd_log")


def test_lists_and_all_pairs_go_together_as_in_noe2022(
    assess: Any, original: Path, tmp_path: Path, lists: tuple[str | Path, ...]
) -> None:
    """Matrices are those of the trial part, all with all; everything else is that of the lists."""
    protected = write_corpus(tmp_path / "p", offset=3)
    listed = rows(assess(original, protected, *lists, "--json"))
    tried = []
    for corpus in (original, protected):
        tried.append(tmp_path / f"{corpus.name}-tried")
        for path in sorted(corpus.rglob("*.wav")):
            if path.stem.endswith(("_2", "_3")):
                (tried[-1] / path.parent.name).mkdir(parents=True, exist_ok=True)
                shutil.copy(path, tried[-1] / path.parent.name)
    pairs = rows(assess(*tried, "--cut", "never", "--json"))
    result = assess(original, protected, *lists, "--all-pairs", "--json")
    assert result.exit_code == 0, result.output
    both = rows(result)
    of_matrices = {key for key in both if key[2] in MATRICES}
    assert {key[1:] for key in of_matrices} >= {("op", "deid"), ("pp", "g_vd"), ("oo", "d_diag")}
    for key, row in both.items():
        expected = (pairs if key in of_matrices else listed)[key]
        assert row == expected, key
    assert both["all", "op", "d_ece"] != pairs["all", "op", "d_ece"]
    assert both["all", "op", "deid"] != listed["all", "op", "deid"]
    alone = assess(original, protected, "--all-pairs")
    assert alone.exit_code == 2
    assert "name them with --trials and --enrolls" in alone.output


def test_several_lists_of_trials_count_as_one(
    assess: Any, original: Path, tmp_path: Path, lists: tuple[str | Path, ...]
) -> None:
    protected = write_corpus(tmp_path / "p", offset=3)
    whole = Path(lists[lists.index("--trials") + 1])
    lines = whole.read_text(encoding="utf-8").splitlines(keepends=True)
    halves = []
    for k in (0, 1):
        halves += ["--trials", tmp_path / f"trials_{k}"]
        halves[-1].write_text("".join(lines[k::2]), encoding="utf-8")
    enrolls = ("--enrolls", lists[lists.index("--enrolls") + 1])
    once = rows(assess(original, protected, *lists, "--json"))
    assert rows(assess(original, protected, *enrolls, *halves, "--json")) == once


def test_the_attackers_speech_can_be_made_on_the_spot(
    assess: Any, original: Path, tmp_path: Path
) -> None:
    write_key(new_key(), tmp_path / "mine.key")
    write_key(new_key(), tmp_path / "theirs.key")
    made = ("protect", original, tmp_path / "p", "--safeguard", "mcadams-random")
    words = [*map(str, made), "--key-file", str(tmp_path / "mine.key")]
    assert CliRunner().invoke(app, words).exit_code == 0
    attack = ("--attacker-safeguard", "mcadams-random", "--attacker-key-file")
    result = assess(original, tmp_path / "p", *attack, tmp_path / "theirs.key", "--json")
    assert result.exit_code == 0, result.output
    found = rows(result)
    assert ("all", "pq", "eer") in found
    assert ("all", "op", "c_ece_isotonic") in found  # learnt on the attacker's own run
    assert assess(original, tmp_path / "p", *attack[:2]).exit_code == 2


def test_what_carries_over_from_another_run_is_told_and_drawn(
    assess: Any, original: Path, tmp_path: Path
) -> None:
    for run in ("f0", "f1"):
        write_key(new_key(), tmp_path / f"{run}.key")
        made = ("protect", original, tmp_path / run, "--safeguard", "mcadams-random")
        words = [*map(str, made), "--key-file", str(tmp_path / f"{run}.key")]
        assert CliRunner().invoke(app, words).exit_code == 0
    alone = assess(original, tmp_path / "f1", "--json")
    assert ("all", "op", "c_ece_linear") not in rows(alone)
    both = (original, tmp_path / "f1", "--another-run", tmp_path / "f0")
    result = assess(*both, "--json", "--empirical-prior", "-o", tmp_path / "out")
    found = rows(result)
    for metric in ("c_ece_linear", "c_ece_isotonic"):
        assert found["all", "op", metric]["low"] <= found["all", "op", metric]["value"]
    assert not [row for row in found if row[1] == "pq"]  # nobody attacks with that run
    (drawn,) = (tmp_path / "out" / "figures").rglob("distortion_op.csv")
    assert {"f0", "f1"} <= {line.split(",")[0] for line in drawn.read_text().splitlines()}
    (drawn,) = (tmp_path / "out" / "figures").rglob("actual.csv")
    assert "OP, as they are" in drawn.read_text(), "noe2022 Fig. 7"
    (drawn,) = (tmp_path / "out" / "figures").rglob("calibration.csv")
    with drawn.open(newline="") as file:
        priors = {float(row["prior"]) for row in csv.DictReader(file) if row["condition"] == "op"}
    row = found["all", "op", "d_ece"]
    assert priors == {row["n_mated"] / (row["n_mated"] + row["n_nonmated"])}, "noe2022 Fig. 4"


def test_what_the_scores_cannot_say_is_said(assess: Any, original: Path, tmp_path: Path) -> None:
    """Only what nobody gave goes without saying; one voice for all is a finding."""
    shutil.copytree(original, tmp_path / "one")
    first, *others = sorted((tmp_path / "one").rglob("*.wav"))
    for other in others:
        shutil.copyfile(first, other)
    one_voice = json.loads(assess(original, tmp_path / "one", "--json").stdout)["warnings"]
    assert any("g_d_ece is absent: d_ece(PP) is 0, the pseudo-voices" in said for said in one_voice)
    deaf = json.loads(assess(tmp_path / "one", original, "--json").stdout)["warnings"]
    assert any("the scores of OO hold no evidence, the recogniser" in said for said in deaf)
    for said in (*one_voice, *deaf):
        assert "it needs the scores of" not in said
        assert "no scores of another run" not in said


def test_unprotected_speech_is_assessed_once(
    original: Path, other_voices: Path, tiny_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three safeguards and two attackers: OO is one bootstrap of ten, not one of four each time."""
    drawn: list[int] = []
    real = condition.bootstrap

    def counting(of: Any, draws: Any) -> Any:
        drawn.append(len(draws))
        return real(of, draws)

    monkeypatch.setattr(condition, "bootstrap", counting)
    before, after = read_corpus(original), read_corpus(other_voices)
    encoder = load_encoder(f"onnx:{tiny_model}")

    def bootstraps(known: Conditions | None) -> tuple[int, list[Any]]:
        drawn.clear()
        rows = [
            assess_audio(
                Material(before, after, attacker_protected=after),
                [encoder],
                by_gender=False,
                replicates=20,
                permutations=0,
                known=known,
            ).whole.rows
            for _ in range(3)
        ]
        return len(drawn), rows

    alone, rows_alone = bootstraps(None)
    shared, rows_shared = bootstraps(Conditions())
    assert (alone, shared) == (12, 10)
    assert rows_alone == rows_shared
