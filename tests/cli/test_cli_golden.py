"""Every golden number of METRICS.md, from the JSON that the command line prints."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import oracles
import pytest
from cliruns import QUICK, Ran, Trials, artificial, options, run, scores_of, write_set

Values = Mapping[tuple[str, str], Any]


def agrees(value: float, printed: str) -> bool:
    """Equal to the printed digits, of which at most six count."""
    number = Decimal(printed)
    last, sixth = int(number.as_tuple().exponent), number.adjusted() - 5
    return abs(Decimal(value) - number) <= Decimal("0.5").scaleb(max(last, sixth))


def test_agrees_can_say_no() -> None:
    assert agrees(0.58391025, "0.583910")
    assert not agrees(0.583912, "0.583910")
    assert agrees(26.7933414, "26.793341")
    assert not agrees(26.7936, "26.793341")
    assert agrees(7.164960, "7.16496049")
    assert not agrees(8.1812e-5, "8.1811e-5")


@pytest.fixture(scope="module")
def golden(shared: Path) -> Values:
    folder = shared / "golden" / "libri_test_trials_f"
    files = {name: folder / f"{name}.scores" for name in ("oo", "op", "pp")}
    files |= {name: folder / name for name in ("trials", "utt2spk")}
    ran = run("assess", "scores", *options(files), *QUICK, "--json")
    assert ran.code == 0
    found = ran.json["rows"]
    assert {(r["n_mated"], r["n_nonmated"]) for r in found} == {(548, 11196)}
    return ran.values()


@pytest.mark.parametrize(
    ("condition", "metric", "printed"),
    [
        ("oo", "d_ece", "0.583910"),
        ("oo", "l_w", "3.978669"),
        ("oo", "tag", "C"),
        ("oo", "cllr_min", "0.183501"),
        ("oo", "cllr", "26.793341"),
        ("oo", "eer", "0.07165447"),
        ("oo", "eer_kaldi", "0.07664"),
        ("oo", "d_sys", "0.897723"),
        ("oo", "min_dcf", "0.1326"),
        ("oo", "min_dcf_001", "0.1515"),
        ("op", "d_ece", "0.004643"),
        ("op", "l_w", "0.297173"),
        ("op", "tag", "A"),
        ("op", "cllr_min", "0.993146"),
        ("op", "eer", "0.46017"),
        ("op", "d_sys", "0.087170"),
        ("pp", "d_ece", "0.116676"),
        ("pp", "l_w", "2.009253"),
        ("pp", "tag", "C"),
        ("pp", "cllr_min", "0.829818"),
        ("pp", "eer", "0.30943"),
        ("pp", "d_sys", "0.302190"),
    ],
)
def test_numbers_of_metrics_md(golden: Values, condition: str, metric: str, printed: str) -> None:
    value = golden[condition, metric]
    assert value == printed if metric == "tag" else agrees(value, printed), value


COLUMNS = {
    "ref_D_ECE": ("d_ece", 1),
    "ref_lw_log10": ("l_w", 1),
    "ref_Cllr_min": ("cllr_min", 1),
    "ref_Cllr_act": ("cllr", 1),
    "ref_ROCCH_EER_nolaplace": ("eer", 100),
    "ref_linkability": ("d_sys", 1),
    "pub_EER_kaldi": ("eer_kaldi", 100),
    "pub_minDCF01": ("min_dcf", 1),
    "pub_minDCF001": ("min_dcf_001", 1),
}


@pytest.mark.parametrize("column", COLUMNS)
def test_numbers_of_metrics_csv(golden: Values, shared: Path, column: str) -> None:
    metric, factor = COLUMNS[column]
    table = shared / "golden" / "libri_test_trials_f" / "metrics.csv"
    with table.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["cond"] for row in rows] == ["oo", "op", "pp"]
    for row in rows:
        value = golden[row["cond"], metric] * factor
        assert agrees(value, row[column]), (row["cond"], value)


@pytest.fixture(scope="module", params=["arithmetic", "geometric"])
def similarities(request: pytest.FixtureRequest, shared: Path) -> tuple[str, dict[str, Values]]:
    folder = shared / "golden" / "libri_test_trials_f"
    base = ("assess", "embeddings", folder / "xvectors.npz", "--utt2spk", folder / "utt2spk")
    found = {}
    for pairing in ("all", "upper"):
        how = ("--similarity", request.param, "--pairing", pairing)
        ran = run(*base, *how, *QUICK, "--json")
        assert ran.code == 0
        found[pairing] = ran.values()
    return request.param, found


def test_similarities_of_metrics_md(similarities: tuple[str, dict[str, Values]]) -> None:
    kind, found = similarities
    printed = {
        "arithmetic": ("0.986511", "8.1811e-5", "0.999917", "-8.700243"),
        "geometric": ("0.943847", "8.4005e-5", "0.999911", "-9.020072"),
    }[kind]
    places = (("oo", "d_diag"), ("op", "d_diag"), ("op", "deid"), ("pp", "g_vd"))
    for place, number in zip(places, printed, strict=True):
        value = found["all"][place]
        assert agrees(value, number), (place, value)


def test_similarities_of_the_reference_code(
    similarities: tuple[str, dict[str, Values]], shared: Path
) -> None:
    """It adds a ramp of 1e-6 to the LLRs: 2e-6 absolute, 2e-5 dB."""
    kind, found = similarities
    file = shared / "golden" / "libri_test_trials_f" / "similarity_cosine.json"
    reference = json.loads(file.read_text())
    year = "2020" if kind == "arithmetic" else "2022"
    for pairing, name in (("all", f"f_full_{year}"), ("upper", f"f_tri_{year}")):
        for key, place, tolerance in (
            ("Doo", ("oo", "d_diag"), 2e-6),
            ("Dop", ("op", "d_diag"), 2e-6),
            ("Dpp", ("pp", "d_diag"), 2e-6),
            ("DeID", ("op", "deid"), 2e-6),
            ("GVD", ("pp", "g_vd"), 2e-5),
        ):
            assert found[pairing][place] == pytest.approx(reference[name][key], abs=tolerance)


class TestVectors:
    def test_bob(self, shared: Path) -> None:
        folder = shared / "golden" / "vectors"
        files = {
            "mated": folder / "bob_nonsep_positives.txt",
            "nonmated": folder / "bob_nonsep_negatives.txt",
        }
        found = run("assess", "scores", *options(files), "--json").values()
        for metric, printed in (
            ("eer", "0.1163636"),
            ("cllr", "3.618335"),
            ("cllr_min", "0.403062"),
        ):
            assert agrees(found["oo", metric], printed), metric

    def test_separable(self, shared: Path) -> None:
        folder = shared / "golden" / "vectors"
        files = {
            "mated": folder / "bob_linsep_positives.txt",
            "nonmated": folder / "bob_linsep_negatives.txt",
        }
        ran = run("assess", "scores", *options(files), "--condition", "op", "--json")
        found = ran.values()
        assert found["op", "eer"] == 0
        assert agrees(found["op", "d_ece"], "0.721348")

    def test_scores_1(self, shared: Path) -> None:
        ran = run("assess", "scores", "--op", shared / "golden" / "vectors" / "scores_1", "--json")
        assert ran.code == 0
        for metric, printed in (
            ("d_sys", "0.5063636"),
            ("cllr", "1.26016586"),
            ("cllr_min", "0.06332590"),
            ("eer", "0.0166667"),
        ):
            assert agrees(ran.values()["op", metric], printed), metric


# The same format, other files: nothing may hang on the golden ones.

T = artificial(7, 5)
GAPS = {"oo": 2.5, "op": 0.3, "pp": 1.1, "pq": 0.8}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("artificial")
    found = {name: T.write_scores(folder / name, artificial_scores(name)) for name in GAPS}
    return found | {
        "trials": T.write_key(folder / "trials"),
        "utt2spk": T.write_utt2spk(folder / "utt2spk"),
    }


def artificial_scores(name: str) -> list[float]:
    return scores_of(T, GAPS[name], list(GAPS).index(name), 0.7)


@pytest.fixture(scope="module")
def ran(files: dict[str, Path]) -> Ran:
    return run("assess", "scores", *options(files), *QUICK, "--json")


@pytest.mark.parametrize("condition", GAPS)
def test_scalars(ran: Ran, condition: str) -> None:
    score = np.array(artificial_scores(condition))
    a, b = score[T.mated], score[~T.mated]
    wanted = {
        "eer": oracles.rocch_eer(a, b),
        "eer_kaldi": oracles.kaldi_eer(a, b),
        "min_dcf": oracles.min_dcf(a, b, 0.01),
        "min_dcf_001": oracles.min_dcf(a, b, 0.001),
        "cllr": oracles.cllr(a, b),
        "cllr_min": oracles.cllr(*oracles.oracle_llr(a, b)),
        "d_ece": oracles.d_ece(a, b),
        "l_w": oracles.l_w(a, b),
        "d_sys": oracles.d_sys(a, b),
    }
    wanted["cllr_cal"] = wanted["cllr"] - wanted["cllr_min"]
    found = ran.values()
    assert {m: found[condition, m] for m in wanted} == pytest.approx(wanted, rel=5e-6)


def test_ratios(ran: Ran) -> None:
    found = ran.values()
    names = sorted(set(T.enrol))
    pairs = [(e, u.partition("-")[0]) for e, u in zip(T.enrol, T.trial, strict=True)]
    diagonal = {}
    for condition in GAPS:
        score = np.array(artificial_scores(condition))
        llr = np.empty(score.size)
        llr[T.mated], llr[~T.mated] = oracles.oracle_llr(
            score[T.mated], score[~T.mated], laplace=True
        )
        diagonal[condition] = oracles.d_diag(names, pairs, llr, "geometric")
        assert found[condition, "d_diag"] == pytest.approx(diagonal[condition], rel=5e-6)
    oo, op, pp = ({m: found[c, m] for m in ("d_ece", "cllr_min")} for c in ("oo", "op", "pp"))
    wanted = {
        ("op", "deid"): 1 - diagonal["op"] / diagonal["oo"],
        ("pp", "g_vd"): 10 * np.log10(diagonal["pp"] / diagonal["oo"]),
        ("op", "deid_d_ece"): 1 - op["d_ece"] / oo["d_ece"],
        ("op", "deid_cllr_min"): (op["cllr_min"] - oo["cllr_min"]) / (1 - oo["cllr_min"]),
        ("pp", "g_d_ece"): 10 * np.log10(pp["d_ece"] / oo["d_ece"]),
        ("pp", "g_cllr_min"): 10 * np.log10((1 - pp["cllr_min"]) / (1 - oo["cllr_min"])),
    }
    assert {place: found[place] for place in wanted} == pytest.approx(wanted, rel=5e-6)


def test_pq_feeds_no_ratio(ran: Ran) -> None:
    metrics = {m for c, m in ran.values() if c == "pq"}
    assert "d_ece" in metrics
    assert not metrics & {"deid", "g_vd", "deid_d_ece", "g_d_ece"}


def test_what_a_missing_condition_takes_with_it_is_named(files: dict[str, Path]) -> None:
    ran = run("assess", "scores", *options(files, "op", "trials", "utt2spk"), *QUICK, "--json")
    assert ran.code == 0
    assert {c for c, _ in ran.values()} == {"op"}
    said = " ".join(ran.json["warnings"])
    for metric in ("deid", "g_vd", "deid_d_ece", "deid_cllr_min", "g_d_ece", "g_cllr_min"):
        assert f"{metric} is absent" in said


def test_second_runs_give_c_ece(tmp_path: Path) -> None:
    files = write_set(tmp_path)
    ran = run("assess", "scores", *options(files), *QUICK, "--json")
    assert {(c, m) for c, m in ran.values() if m.startswith("c_ece")} == {
        (c, f"c_ece_{kind}") for c in ("op", "pp") for kind in ("linear", "isotonic")
    }


@pytest.mark.parametrize("score", ["0", "1", "-2.5", "1e99"])
def test_equal_scores_say_nothing(score: str, tmp_path: Path) -> None:
    t: Trials = artificial()
    files = {
        "op": t.write_scores(tmp_path / "s", [score] * t.mated.size),  # type: ignore[list-item]
        "trials": t.write_key(tmp_path / "t"),
    }
    found = run("assess", "scores", *options(files), "--json").values()
    assert found["op", "d_ece"] == pytest.approx(0, abs=1e-12)
    assert found["op", "tag"] == "0"
    assert found["op", "eer"] == pytest.approx(0.5)
    assert found["op", "cllr_min"] == pytest.approx(1)
    assert found["op", "d_sys"] == 0
