"""The data of the pictures: places on the map, similarity matrices, zoo plots, ECE profiles.

The text below each picture is the caption of the same figure on paper.
"""

from __future__ import annotations

import numpy as np
from scipy.cluster.hierarchy import leaves_list, linkage
from scipy.spatial.distance import squareform

from pseudovoice.assessment.estimate import Estimate, Row
from pseudovoice.assessment.profile import PRIORS, blind_curve
from pseudovoice.assessment.similarity import SimilarityMatrix
from pseudovoice.attacks.assess import AudioAssessment
from pseudovoice.attacks.registry import BASE
from pseudovoice.figures.wording import find
from pseudovoice.page.study import Curve, MapPoint, Matrices, Matrix, Profiles, ZooPlot


def map_points(assessed: AudioAssessment) -> tuple[MapPoint, ...]:
    """DeID and G_VD, where both could be had."""
    points = []
    for one in assessed.results:
        deid, gain = find(one.rows, "op", "deid"), find(one.rows, "pp", "g_vd")
        if one.who == BASE and deid is not None and gain is not None:
            weak = not (one.complete and one.conclusive)
            points.append(MapPoint(one.group, one.encoder, _estimate(deid), _estimate(gain), weak))
    return tuple(points)


def matrices(assessed: AudioAssessment) -> tuple[Matrices, ...]:
    """M_OO, M_OP and M_PP of every recogniser and group over the speakers they share."""
    from pseudovoice.figures.heatmap import heatmap_caption  # plotting is slow to import

    made = []
    for one in assessed.results:
        there = one.matrices
        if one.who != BASE or not there:
            continue
        first = next(iter(there.values()))
        shared = [s for s in first.speakers if all(s in m.speakers for m in there.values())]
        if len(shared) < 2:
            continue
        values = {name: _restricted(m, shared) for name, m in there.items()}
        made.append(
            Matrices(
                one.group,
                one.encoder,
                tuple(shared),
                values.get("oo"),
                values.get("op"),
                values.get("pp"),
                clustered(values.get("pp", next(iter(values.values())))),
                first.similarity,
                heatmap_caption(there, one.rows),
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
    for one in assessed.results:
        for name, zoo in one.zoos.items():
            # Informed attackers bring their own control; it is no picture of its own.
            if len(zoo.speakers) < 2 or (name == "oo" and one.who != BASE):
                continue
            made.append(
                ZooPlot(
                    one.group,
                    one.encoder,
                    name,
                    one.attacker if name in ("op", "pq") else "",
                    zoo.speakers,
                    tuple(zoo.mated.tolist()),
                    tuple(zoo.nonmated.tolist()),
                    zoo.animal,
                    zoo.mated_quartiles,
                    zoo.nonmated_quartiles,
                    zoo_caption({name: zoo}, one.rows),
                )
            )
    return tuple(made)


def profiles(assessed: AudioAssessment) -> tuple[Profiles, ...]:
    """The curves of all conditions and attackers, by recogniser and group."""
    from pseudovoice.figures.profiles import Profile, known_profile, profile_caption
    from pseudovoice.figures.specs import numbers_of  # plotting is slow to import

    curves: dict[tuple[str, str], list[Curve]] = {}
    captions: dict[tuple[str, str], list[Profile]] = {}
    for one in assessed.results:
        place = (one.encoder, one.group)
        for name, condition in one.conditions.items():
            if name == "oo" and one.who != BASE:
                continue
            who = one.attacker if name in ("op", "pq") else ""
            mine = curves.setdefault(place, [])
            mine.append(Curve(name, who, "oracle", tuple(condition.oracle.tolist())))
            if condition.actual is not None:
                mine.append(Curve(name, who, "actual", tuple(condition.actual.tolist())))
            captions.setdefault(place, []).append(
                known_profile(name.upper(), condition.oracle, numbers_of(one.rows, name))
            )
    return tuple(
        Profiles(
            group,
            encoder,
            tuple(PRIORS.tolist()),
            tuple(blind_curve().tolist()),
            tuple(found),
            profile_caption(captions[(encoder, group)]),
        )
        for (encoder, group), found in curves.items()
    )


def _restricted(matrix: SimilarityMatrix, speakers: list[str]) -> Matrix:
    place = {name: k for k, name in enumerate(matrix.speakers)}
    at = [place[name] for name in speakers]
    return matrix.values[np.ix_(at, at)]


def _estimate(row: Row) -> Estimate:
    return Estimate(row.value, row.low, row.high, row.null, row.null_95, row.chance)
