"""The metrics by their stable names: unit, range, and what larger values mean.

``evidence`` is +1 where larger values mean that speakers can be told apart better, −1 where
smaller values do. Whether that is good depends on the condition: evidence in OP or PQ is
disclosure, evidence in PP is distinctiveness, and OO is the yardstick.
"""

from __future__ import annotations

from dataclasses import dataclass

from pseudovoice.assessment.quantiles import quantiles
from pseudovoice.assessment.zebra import D_ECE_MAX
from pseudovoice.calibration.ladder import Floats


@dataclass(frozen=True)
class Metric:
    """One scalar: its name in every table, unit, range, and how its interval is made."""

    name: str
    unit: str
    low: float
    high: float
    evidence: int
    method: str
    judged: bool = True
    """Whether passing the null level means evidence; the scale of raw scores alone does not."""
    of_voices: bool = True
    """Whether it says how well voices are told apart, which is wanted among pseudo-voices."""


_INF = float("inf")

METRICS: dict[str, Metric] = {
    m.name: m
    for m in (
        Metric("eer", "fraction", 0.0, 0.5, -1, "ROC convex hull"),
        Metric("eer_kaldi", "fraction", 0.0, 1.0, -1, "Kaldi compute-eer"),
        Metric("min_dcf", "1", 0.0, 1.0, -1, "P_target 0.01, unit costs, normalised"),
        Metric("min_dcf_001", "1", 0.0, 1.0, -1, "P_target 0.001, unit costs, normalised"),
        Metric("cllr", "bit", 0.0, _INF, -1, "scores as natural-log LLRs", judged=False),
        Metric("cllr_min", "bit", 0.0, 1.0, -1, "oracle PAV"),
        Metric("cllr_cal", "bit", 0.0, _INF, -1, "Cllr − Cllr_min", judged=False),
        Metric("d_ece", "bit", 0.0, D_ECE_MAX, 1, "oracle PAV"),
        Metric("d_ece_person", "bit", -_INF, D_ECE_MAX, 1, "oracle PAV, largest of all speakers"),
        Metric("l_w", "decade", 0.0, _INF, 1, "oracle PAV, Laplace"),
        Metric("tag", "tag", -_INF, _INF, 1, "oracle PAV, Laplace"),
        Metric(
            "c_ece_linear", "bit", -_INF, D_ECE_MAX, 1, "linear map learnt on f0, applied to f1"
        ),
        Metric(
            "c_ece_isotonic", "bit", -_INF, D_ECE_MAX, 1, "isotonic map learnt on f0, applied to f1"
        ),
        Metric("d_sys", "1", 0.0, 1.0, 1, "histogram"),
        Metric("d_diag", "1", 0.0, 1.0, 1, ""),
        Metric("d_diag_log", "bit", 0.0, _INF, 1, ""),
        Metric("deid", "fraction", -_INF, 1.0, -1, ""),
        Metric("g_vd", "dB", -_INF, _INF, 1, ""),
        Metric("deid_log", "fraction", -_INF, 1.0, -1, ""),
        Metric("g_vd_log", "dB", -_INF, _INF, 1, ""),
        Metric("deid_d_ece", "fraction", -_INF, 1.0, -1, "1 − D_ECE(OP) / D_ECE(OO)"),
        Metric(
            "deid_cllr_min",
            "fraction",
            -_INF,
            1.0,
            -1,
            "(Cllr_min(OP) − Cllr_min(OO)) / (1 − Cllr_min(OO))",
        ),
        Metric("g_d_ece", "dB", -_INF, _INF, 1, "10·log10(D_ECE(PP) / D_ECE(OO))"),
        Metric(
            "g_cllr_min", "dB", -_INF, _INF, 1, "10·log10((1 − Cllr_min(PP)) / (1 − Cllr_min(OO)))"
        ),
        Metric("auc", "1", 0.0, 1.0, 1, "area under the ROC curve", of_voices=False),
    )
}


def metric_named(name: str) -> Metric:
    """One of ours, or of another package's."""
    if name in METRICS:
        return METRICS[name]
    from pseudovoice.assessment.own_metrics import score_metrics  # which builds on these

    return score_metrics()[name].metric


def direction(metric: str, condition: str) -> str:
    """Which way is good here: ``lower``, ``higher``, or ``reference`` for the yardstick OO."""
    if condition == "oo":
        return "reference"
    info = metric_named(metric)
    wanted = 1 if condition == "pp" and info.of_voices else -1
    return "higher" if info.evidence == wanted else "lower"


def chance_bound(metric: str, null: Floats) -> float:
    """The value that 95 % of permutations do not pass, on the side of evidence."""
    return quantiles(null, 0.95 if metric_named(metric).evidence > 0 else 0.05)[0]
