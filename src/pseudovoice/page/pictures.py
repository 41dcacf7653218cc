"""The data of the pictures: places on the map, similarity matrices, zoo plots, ECE profiles.

The text below each picture is the caption of the same figure on paper.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.cluster.hierarchy import leaves_list, linkage
from scipy.spatial.distance import squareform

from pseudovoice.assessment.assess import Assessment
from pseudovoice.assessment.condition import Condition
from pseudovoice.assessment.estimate import Estimate, Row
from pseudovoice.assessment.similarity import SimilarityMatrix
from pseudovoice.assessment.zebra import ece
from pseudovoice.attacks.assess import AudioAssessment
from pseudovoice.calibration.ladder import Floats
from pseudovoice.figures.wording import find
from pseudovoice.page.study import Curve, MapPoint, Matrices, Matrix, Profiles, ZooPlot


def parts_of(assessed: AudioAssessment) -> Iterator[tuple[str, str, str, Assessment]]:
    """Attacker, encoder, group and assessment of each part."""
    for (name, group), part in assessed.parts.items():
        attacker, _, encoder = name.partition(", ")
        yield attacker, encoder, group, part


def map_points(assessed: AudioAssessment) -> tuple[MapPoint, ...]:
    """DeID and G_VD, where both could be had."""
    points = []
    for attacker, encoder, group, part in parts_of(assessed):
        deid, gain = find(part.rows, "op", "deid"), find(part.rows, "pp", "g_vd")
        if attacker == "ignorant" and deid is not None and gain is not None:
            points.append(MapPoint(group, encoder, _estimate(deid), _estimate(gain)))
    return tuple(points)


def matrices(assessed: AudioAssessment) -> tuple[Matrices, ...]:
    """M_OO, M_OP and M_PP of every recogniser and group over the speakers they share."""
    from pseudovoice.figures.heatmap import heatmap_caption  # plotting is slow to import

    made = []
    for attacker, encoder, group, part in parts_of(assessed):
        there = {name: m for name, m in part.matrices.items() if name in ("oo", "op", "pp")}
        if attacker != "ignorant" or not there:
            continue
        first = next(iter(there.values()))
        shared = [s for s in first.speakers if all(s in m.speakers for m in there.values())]
        if len(shared) < 2:
            continue
        values = {name: _restricted(m, shared) for name, m in there.items()}
        made.append(
            Matrices(
                group,
                encoder,
                tuple(shared),
                values.get("oo"),
                values.get("op"),
                values.get("pp"),
                clustered(values.get("pp", next(iter(values.values())))),
                first.similarity,
                heatmap_caption(there, part.rows),
            )
        )
    return tuple(made)


def clustered(values: Matrix) -> tuple[int, ...]:
    """Speakers in an order that puts those alike together: average linkage, best leaf order."""
    distance = 1.0 - (values + values.T) / 2.0
    np.fill_diagonal(distance, 0.0)
    tree = linkage(squareform(distance, checks=False), "average", optimal_ordering=True)
    return tuple(int(k) for k in leaves_list(tree))


def zoo_plots(assessed: AudioAssessment) -> tuple[ZooPlot, ...]:
    """OO, OP and PP once, and PQ of every informed attacker."""
    from pseudovoice.figures.zoo import zoo_caption  # plotting is slow to import

    made = []
    for attacker, encoder, group, part in parts_of(assessed):
        for name, zoo in part.zoos.items():
            # Informed attackers bring their own control; it is no picture of its own.
            if len(zoo.speakers) < 2 or (name == "oo" and attacker != "ignorant"):
                continue
            made.append(
                ZooPlot(
                    group,
                    encoder,
                    name,
                    attacker if name in ("op", "pq") else "",
                    zoo.speakers,
                    tuple(zoo.mated.tolist()),
                    tuple(zoo.nonmated.tolist()),
                    zoo.animal,
                    zoo.mated_quartiles,
                    zoo.nonmated_quartiles,
                    zoo_caption({name: zoo}, part.rows),
                )
            )
    return tuple(made)


def profiles(assessed: AudioAssessment) -> tuple[Profiles, ...]:
    """The curves of all conditions and attackers, by recogniser and group."""
    from pseudovoice.figures.plates import profile_of  # plotting is slow to import
    from pseudovoice.figures.profiles import PRIORS, profile_caption

    # Only scores that are log-likelihood-ratios can be taken as they are; cosines cannot.
    are_llrs = str(assessed.whole.provenance.get("comparison", "")).startswith("plda")
    curves: dict[tuple[str, str], list[Curve]] = {}
    captions: dict[tuple[str, str], list[object]] = {}
    for attacker, encoder, group, part in parts_of(assessed):
        for name, condition in part.conditions.items():
            if name == "oo" and attacker != "ignorant":
                continue
            who = attacker if name in ("op", "pq") else ""
            profile = profile_of(name.upper(), part, name)
            mine = curves.setdefault((encoder, group), [])
            mine.append(Curve(name, who, "oracle", tuple(profile.ece.tolist())))
            if are_llrs:
                taken = _as_they_are(condition, PRIORS)
                mine.append(Curve(name, who, "actual", tuple(taken.tolist())))
            captions.setdefault((encoder, group), []).append(profile)
    nothing = tuple(ece(PRIORS, np.zeros(1), np.zeros(1)).tolist())
    return tuple(
        Profiles(
            group,
            encoder,
            tuple(PRIORS.tolist()),
            nothing,
            tuple(found),
            profile_caption(captions[(encoder, group)]),  # type: ignore[arg-type]
        )
        for (encoder, group), found in curves.items()
    )


def _as_they_are(condition: Condition, grid: Floats) -> Floats:
    """ECE of the scores read as LLRs, to three decimals: a million are few different ones."""
    values = [
        np.unique(np.round(scores, 3), return_counts=True)
        for scores in (condition.scores.mated_scores, condition.scores.nonmated_scores)
    ]
    (a, n_a), (b, n_b) = values
    return ece(grid, a, b, n_a, n_b)


def _restricted(matrix: SimilarityMatrix, speakers: list[str]) -> Matrix:
    place = {name: k for k, name in enumerate(matrix.speakers)}
    at = [place[name] for name in speakers]
    return matrix.values[np.ix_(at, at)]


def _estimate(row: Row) -> Estimate:
    return Estimate(row.value, row.low, row.high, row.null, row.null_95, row.chance)
