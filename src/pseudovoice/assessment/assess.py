"""From the scores of OO, OP, PP and PQ to the tidy table of every metric with its uncertainty."""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy

from pseudovoice.assessment import distortion, normalised
from pseudovoice.assessment.assessed_once import Conditions
from pseudovoice.assessment.condition import FEWEST_DRAWN, Condition, Resampling
from pseudovoice.assessment.conditions import ATTACKERS, CONDITIONS
from pseudovoice.assessment.estimate import Estimate, Row, estimate, tag_estimate
from pseudovoice.assessment.metrics import METRICS, direction, metric_named
from pseudovoice.assessment.notes import NotGiven
from pseudovoice.assessment.replicates import draw_names, draw_speakers
from pseudovoice.assessment.similarity import SimilarityMatrix, check_similarity
from pseudovoice.assessment.speakers import SpeakerRow, most_disclosed, speaker_rows
from pseudovoice.assessment.zoo import Zoo
from pseudovoice.calibration.ladder import Floats
from pseudovoice.choices import REPLICATES
from pseudovoice.errors import InputError
from pseudovoice.result import Result
from pseudovoice.scores.binned import BinnedScores
from pseudovoice.scores.scoreset import ListedScores, ScoreSet, bare

if TYPE_CHECKING:
    Run = ScoreSet | BinnedScores
else:
    Run = Any  # a union of records could not be read back from a file, and this one never is

SCALARS = (
    "eer",
    "eer_kaldi",
    "min_dcf",
    "min_dcf_001",
    "cllr",
    "cllr_min",
    "cllr_cal",
    "d_ece",
    "l_w",
    "tag",
    "d_sys",
    "d_diag",
    "d_diag_log",
)


@dataclass(frozen=True, repr=False)
class Assessment(Result):
    """The result: one row per condition and metric, one per condition and speaker."""

    rows: tuple[Row, ...]
    speakers: tuple[SpeakerRow, ...]
    warnings: tuple[str, ...]
    provenance: dict[str, Any]
    conditions: dict[str, Condition] = field(
        repr=False, default_factory=dict, metadata={"kept": False}
    )
    f0: dict[str, Run] = field(repr=False, default_factory=dict, metadata={"kept": False})

    def value(self, condition: str, metric: str) -> float | str:
        """The value of one row."""
        return self.row(condition, metric).value

    def row(self, condition: str, metric: str) -> Row:
        for row in self.rows:
            if (row.condition, row.metric) == (condition, metric):
                return row
        raise KeyError(f"{metric} in condition {condition}")

    @property
    def matrices(self) -> dict[str, SimilarityMatrix]:
        return {name: c.matrix for name, c in self.conditions.items() if c.matrix is not None}

    @property
    def zoos(self) -> dict[str, Zoo]:
        return {name: c.zoo for name, c in self.conditions.items() if c.scores.named}

    def to_dict(self) -> dict[str, Any]:
        """Rows, warnings and provenance as JSON can hold them."""
        return {
            "rows": [row.to_dict() for row in self.rows],
            "warnings": list(self.warnings),
            "provenance": self.provenance,
            "speakers": [row.to_dict() for row in self.speakers],
        }


def assess_scores(
    conditions: Mapping[str, ScoreSet | BinnedScores],
    *,
    f0: Mapping[str, ScoreSet | BinnedScores] | None = None,
    attackers: Mapping[str, str] | None = None,
    similarity: str = "geometric",
    replicates: int = REPLICATES,
    permutations: int = REPLICATES,
    seed: int = 0,
    notes: Sequence[str] = (),
    provenance: Mapping[str, Any] | None = None,
    known: Conditions | None = None,
) -> Assessment:
    """Assess a safeguard from speaker-verification scores.

    Parameters
    ----------
    conditions : score sets by condition: ``oo``, ``op``, ``pp``, ``pq``; any may be missing,
        then what needs it is absent and a warning names it
    f0 : scores of another run of the safeguard, by condition (``op``, ``pp``), on which
        calibration maps are learnt for C_ECE
    attackers : who makes the comparison, by condition; noe2022's ignorant attacker for ``op``
    similarity : ``geometric`` (noe2022 Eq. 6) or ``arithmetic`` (noe2020 Eq. 2)
    replicates, permutations : speaker-bootstrap replicates and speaker permutations; 0 for none
    seed : of both; the same seed gives the same table
    notes, provenance : what the caller knows of the scores, to stand in the result
    known : unprotected speech that was assessed before, and is not assessed again
    """
    if not conditions:
        raise InputError("There are no scores to assess; give at least one condition.")
    if unknown := set(conditions) - set(CONDITIONS):
        raise InputError(
            f"There is no condition {sorted(unknown)[0]!r}; choose from {', '.join(CONDITIONS)}."
        )
    check_similarity(similarity)
    for name, number in (
        ("replicates", replicates),
        ("permutations", permutations),
        ("seed", seed),
    ):
        if number < 0:
            raise InputError(f"{name} is {number}; it cannot be below 0.")
    if stray := set(f0 or {}) - (set(conditions) & {"op", "pp", "pq"}):
        raise InputError(
            f"A run f0 is given for {sorted(stray)[0]!r}, but no run f1 of that condition (op, pp "
            "or pq) to apply its map to."
        )
    paired = {
        name: scores.pairs
        for name, scores in conditions.items()
        if isinstance(scores, ListedScores) and scores.pairs is not None
    }
    for name, scores in (*conditions.items(), *paired.items()):
        if isinstance(scores, BinnedScores) and scores.similarity != similarity:
            raise InputError(
                f"The scores of {name} were counted for {scores.similarity} similarity; assess "
                "them so, or count them again."
            )
    everything = _share_speakers({**conditions, **{f"{k}/f0": v for k, v in (f0 or {}).items()}})
    speakers = next((s.speakers for s in everything.values() if s.named), ())
    resampling = _draw(seed, replicates, permutations, len(speakers))
    make = (known or Conditions()).condition
    # Other people may be on lists than in pairs of what is tried: each are drawn among themselves.
    pairs = _share_speakers(paired)
    among = next((s.speakers for s in pairs.values()), ())
    redrawn = _draw(seed, replicates, permutations, len(among))
    beside = {name: make(name, scores, similarity, redrawn) for name, scores in pairs.items()}
    parts = {
        name: make(name, everything[name], similarity, resampling, beside.get(name))
        for name in CONDITIONS
        if name in conditions
    }
    who = {**ATTACKERS, **(attackers or {})}
    rows: list[Row] = []
    said: list[str] = list(notes)
    if replicates and 0 < len(speakers) < FEWEST_DRAWN:
        said.append(
            f"Intervals are absent: {len(speakers)} speaker(s) are too few. They draw speakers "
            f"again, which needs {FEWEST_DRAWN} of them at least."
        )
    for part in parts.values():
        rows += _rows_of_condition(part, who[part.name])
        said += part.warnings()
        other_run = (f0 or {}).get(part.name) and everything[f"{part.name}/f0"]
        extra, why = _distortion_rows(part, other_run, resampling, who[part.name])
        rows += extra
        said += why
        extra, why = _own_rows(part, who[part.name])
        rows += extra
        said += why
    extra, why = _ratio_rows(parts, who)
    return Assessment(
        rows=tuple(rows + extra),
        speakers=tuple(row for part in parts.values() for row in speaker_rows(part)),
        warnings=tuple(said + why),
        provenance=_provenance(seed, replicates, permutations, parts, provenance),
        conditions=parts,
        f0=dict(f0 or {}),
    )


def _present(scores: ScoreSet | BinnedScores) -> set[str]:
    """Speakers who stand in a trial."""
    if isinstance(scores, BinnedScores):
        return set(scores.speakers)
    return {scores.speakers[k] for k in np.union1d(scores.enrol, scores.trial)}


def _share_speakers(
    sets: Mapping[str, ScoreSet | BinnedScores],
) -> dict[str, ScoreSet | BinnedScores]:
    """Give all conditions one list of speakers: a replicate means the same people in each."""
    # People without a trial are nobody's speech: resampling them would only thin out the others.
    names = sorted(set().union(*(_present(s) for s in sets.values())))
    code = {name: k for k, name in enumerate(names)}
    shared: dict[str, ScoreSet | BinnedScores] = {}
    for key, scores in sets.items():
        if isinstance(scores, BinnedScores):
            if list(scores.speakers) != names:
                raise InputError(
                    f"Counted scores of {key} cover other speakers than the other conditions; "
                    "count all conditions over the same, sorted list of speakers."
                )
            shared[key] = scores
            continue
        if not scores.named:
            shared[key] = bare(scores)
            continue
        recode = np.array([code.get(name, -1) for name in scores.speakers], np.int32)
        enrol, trial = recode[scores.enrol], recode[scores.trial]
        if scores.pairing == "upper":  # one cell per unordered pair of speakers
            enrol, trial = np.minimum(enrol, trial), np.maximum(enrol, trial)
        shared[key] = replace(bare(scores), enrol=enrol, trial=trial, speakers=tuple(names))
    return shared


def _draw(seed: int, replicates: int, permutations: int, speakers: int) -> Resampling | None:
    if speakers < 2:
        return None
    # Two streams: more replicates must not change the permutations.
    drawn = replicates if speakers >= FEWEST_DRAWN else 0
    return Resampling(
        draw_speakers(np.random.default_rng([seed, 0]), drawn, speakers),
        draw_names(np.random.default_rng([seed, 1]), permutations, speakers),
    )


OF_MATRICES = ("d_diag", "d_diag_log", "deid", "g_vd", "deid_log", "g_vd_log")
"""Metrics of the voice similarity matrices, which may rest on other trials than the rest."""


def _row(
    condition: str, attacker: str, metric: str, e: Estimate, part: Condition, method: str
) -> Row:
    counted = (part.under_similarity if metric in OF_MATRICES else part).evaluation
    return Row(
        condition,
        attacker,
        metric,
        e.value,
        e.low,
        e.high,
        e.null,
        e.null_95,
        e.chance,
        counted.n_mated,
        counted.n_nonmated,
        metric_named(metric).unit,
        direction(metric, condition),
        method,
    )


def method_of(metric: str, part: Condition) -> str:
    """How a scalar was computed, as its row says it."""
    if metric in OF_MATRICES:
        scores = part.under_similarity.scores
        return f"{scores.method}, {part.similarity} similarity, {scores.pairing} pairs"
    if metric == "d_sys":
        return f"histogram, omega 1, {min(part.evaluation.n_mated // 10, 100)} bins"
    if metric in ("l_w", "tag"):
        return f"{METRICS[metric].method}; ceiling {part.evaluation.l_w_ceiling:.6g}"
    return METRICS[metric].method


def _rows_of_condition(part: Condition, attacker: str) -> list[Row]:
    rows = []
    worst = None
    for metric in SCALARS:
        if metric == "tag":
            assert worst is not None
            result = tag_estimate(worst)
        else:
            value = part.scalar(metric)
            if value is None:
                continue
            boot, null, observed = part.replicates_of(metric)
            result = estimate(metric, value, boot, null, observed=observed)
            worst = result if metric == "l_w" else worst
        rows.append(_row(part.name, attacker, metric, result, part, method_of(metric, part)))
    # Among pseudo-voices to be told apart is no harm, and the least distinct person is another.
    person = None if part.name == "pp" else most_disclosed(part)
    if person is not None:
        method = METRICS["d_ece_person"].method
        rows.append(_row(part.name, attacker, "d_ece_person", person, part, method))
    return rows


def _distortion_rows(
    part: Condition,
    f0: ScoreSet | BinnedScores | None,
    resampling: Resampling | None,
    attacker: str,
) -> tuple[list[Row], list[str]]:
    """C_ECE of a condition (noe2022 Eq. 15–16), where there is a second run to learn on."""
    if part.name not in ("op", "pp", "pq"):
        return [], []
    if f0 is None:
        return [], [
            NotGiven(
                f"{part.name}: c_ece_linear and c_ece_isotonic are absent: no scores of another "
                f"run (--{part.name}-f0) were given."
            )
        ]
    if distortion.is_same_run(f0, part.scores):
        return [], [
            f"{part.name}: c_ece_linear and c_ece_isotonic are undefined: both runs gave the "
            "same scores, the safeguard is deterministic."
        ]
    rows, both = [], None
    if resampling is not None and part.scores.named and f0.named:
        both = distortion.replicated(f0, part, resampling)
    for name in distortion.LEARNERS:
        learnt = distortion.learn(name, f0)
        value = distortion.c_ece(learnt, part.scores)
        boot = null = None
        if both is not None:
            null = both.permuted(learnt)
            boot = both.resampled(name) + (value - both.observed(name))
        rows.append(
            _row(
                part.name,
                attacker,
                name,
                estimate(name, value, boot, null),
                part,
                METRICS[name].method,
            )
        )
    return rows, []


def _own_rows(part: Condition, attacker: str) -> tuple[list[Row], list[str]]:
    """Metrics of other packages, and why one of them is missing."""
    rows, notes = [], []
    for own in part.own:
        name = own.metric.name
        if own.why:
            missing = " is absent" if own.value is None else ""
            notes.append(f"{part.name}: {name}{missing}: {own.why}.")
        if own.value is not None:
            result = estimate(name, own.value, own.replicates, own.null)
            rows.append(_row(part.name, attacker, name, result, part, own.metric.metric.method))
    return rows, notes


RATIOS = {
    "deid": ("op", "d_diag", normalised.deid_d_ece),
    "g_vd": ("pp", "d_diag", normalised.g_d_ece),
    "deid_log": ("op", "d_diag_log", normalised.deid_d_ece),
    "g_vd_log": ("pp", "d_diag_log", normalised.g_d_ece),
    "deid_d_ece": ("op", "d_ece", normalised.deid_d_ece),
    "deid_cllr_min": ("op", "cllr_min", normalised.deid_cllr_min),
    "g_d_ece": ("pp", "d_ece", normalised.g_d_ece),
    "g_cllr_min": ("pp", "cllr_min", normalised.g_cllr_min),
}
"""Ratio metrics: the condition above OO, the scalar compared, and the formula.

DeID and G_VD (Eq. 9–10) have the form of Eq. 17 and 19 with D_diag in place of D_ECE; in the log
domain, which noe2022 §8 proposes, with that of the logarithms."""


def _ratio_rows(
    parts: Mapping[str, Condition], who: Mapping[str, str]
) -> tuple[list[Row], list[str]]:
    rows: list[Row] = []
    notes: list[str] = []
    for metric, (above, scalar, formula) in RATIOS.items():
        missing = [name for name in ("oo", above) if name not in parts]
        if missing:
            needed = " and ".join(missing)
            notes.append(NotGiven(f"{metric} is absent: it needs the scores of {needed}."))
            continue
        part = parts[above]
        oo, over = parts["oo"].scalar(scalar), part.scalar(scalar)
        if oo is None or over is None:
            notes.append(f"{metric} is absent: {scalar} is.")
            continue
        control = parts["oo"].under_similarity if metric in OF_MATRICES else parts["oo"]
        if control.evaluation.l_w == 0.0:
            notes.append(
                f"{metric} is absent: the scores of OO hold no evidence, the recogniser cannot "
                "tell the original speakers apart at all; use a stronger recogniser."
            )
            continue
        value = float(formula(oo, over))
        if not np.isfinite(value):
            notes.append(
                f"{metric} is absent: {scalar}({above.upper()}) is {over:g}, the "
                "pseudo-voices cannot be told apart at all."
            )
            continue
        oo_boot, _, oo_seen = parts["oo"].replicates_of(scalar)
        boot, null, seen = part.replicates_of(scalar)
        ratios = None if boot is None or oo_boot is None else formula(oo_boot, boot)
        observed = (
            None
            if oo_seen is None and seen is None
            else float(formula(oo if oo_seen is None else oo_seen, over if seen is None else seen))
        )
        chance: Floats | None = None if null is None else formula(oo, null)
        rows.append(
            _row(
                above,
                who[above],
                metric,
                estimate(metric, value, ratios, chance, observed=observed),
                part,
                METRICS[metric].method or method_of(metric, part),
            )
        )
    return rows, notes


def _provenance(
    seed: int,
    replicates: int,
    permutations: int,
    parts: Mapping[str, Condition],
    more: Mapping[str, Any] | None,
) -> dict[str, Any]:
    from pseudovoice.version import __version__

    rounded = {p.name: p.levels for p in parts.values() if p.scores.named and p.levels is not None}
    return {
        "pseudovoice": __version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "seed": seed,
        "replicates": replicates,
        "permutations": permutations,
        "interval": "95 %, speaker bootstrap, basic (l_w and tag: percentile)",
        "null": "speaker permutation: mean, and the value 95 % do not pass",
        **({"rounded": {name: f"{n} levels" for name, n in rounded.items()}} if rounded else {}),
        **(more or {}),
    }
