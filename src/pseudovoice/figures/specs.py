"""All figures of an assessment, ready to be drawn: picture, tidy data and caption of each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from pseudovoice.assessment.assess import Assessment
from pseudovoice.assessment.carried_over import CarriedOver, actual_run, carried_over
from pseudovoice.assessment.estimate import Estimate, Row
from pseudovoice.assessment.profile import oracle_curve
from pseudovoice.assessment.reliability import Reliability, reliability
from pseudovoice.assessment.similarity import SimilarityMatrix
from pseudovoice.assessment.zoo import Zoo
from pseudovoice.calibration.ladder import Floats
from pseudovoice.figures import (
    calibration_plot,
    diarisation,
    heatmap,
    histograms,
    map,
    profiles,
    speakers,
    zoo,
)
from pseudovoice.figures.labels import settle
from pseudovoice.figures.panels import grid, legend, panels
from pseudovoice.figures.style import COLUMN, CONDITION_LINES, Line
from pseudovoice.figures.tidy import Columns
from pseudovoice.figures.wording import find
from pseudovoice.scores.binned import BinnedScores
from pseudovoice.scores.scoreset import ScoreSet


@dataclass(frozen=True)
class FigureSpec:
    """One figure: ``draw`` fills a new matplotlib Figure of ``size`` inches."""

    name: str
    title: str
    size: tuple[float, float]
    draw: Callable[[Figure], None]
    data: Columns
    caption: str


def figure_specs(
    assessment: Assessment,
    *,
    f0: Mapping[str, ScoreSet | BinnedScores] | None = None,
    system: str = "this system",
    prior: float | None = 0.5,
) -> list[FigureSpec]:
    """Every figure that the assessment allows; what it lacks is left out.

    ``f0`` are the scores of the other run of the safeguard, as `assess_scores` took them: with
    them the profiles of calibration distortion are drawn. ``system`` names the assessed
    safeguard on the map. ``prior`` is that of the calibration plot, None for that of the trials.
    """
    made = [
        similarity_figure(assessment.matrices, assessment.rows),
        _map(assessment, system),
        _profiles(assessment),
        _actual(assessment),
        *(_distortion(assessment, name, scores) for name, scores in (f0 or {}).items()),
        _speakers(assessment),
        zoo_figure(assessment.zoos, assessment.rows),
        _histograms(assessment),
        calibration_figure(
            {n: reliability(*scores, prior=prior) for n, scores in _scores(assessment).items()},
            assessment.rows,
        ),
    ]
    return [spec for spec in made if spec is not None]


def similarity_figure(
    found: Mapping[str, SimilarityMatrix], rows: Sequence[Row]
) -> FigureSpec | None:
    """The similarity matrices in four quadrants; None where there is none."""
    matrices = {k: m for k, m in found.items() if k in ("oo", "op", "pp")}
    if not matrices:
        return None
    return FigureSpec(
        "similarity",
        "Voice similarity",
        (COLUMN, 3.05),
        lambda figure: heatmap.draw_heatmap(figure.subplots(), matrices),
        heatmap.heatmap_data(matrices),
        heatmap.heatmap_caption(matrices, rows),
    )


def _map(a: Assessment, system: str) -> FigureSpec | None:
    deid, gain = find(a.rows, "op", "deid"), find(a.rows, "pp", "g_vd")
    if deid is None or gain is None:
        return None
    return map_figure([map.System(system, deid, gain)])


def map_figure(systems: Sequence[map.System]) -> FigureSpec:
    """Any number of systems on the map."""
    return FigureSpec(
        "map",
        "De-identification and voice distinctiveness",
        (COLUMN, 3.15 + 0.07 * len(systems)),
        lambda figure: map.draw_map(figure.subplots(), systems),
        map.map_data(systems),
        map.map_caption(systems),
    )


def diarisation_figure(systems: Sequence[diarisation.Distinct], original: Estimate) -> FigureSpec:
    """Who spoke when against G_VD; ``original`` is the error on unprotected speech."""
    return FigureSpec(
        "diarisation",
        "Who spoke when, and voice distinctiveness",
        (COLUMN, 3.0 + 0.07 * len(systems)),
        lambda figure: diarisation.draw_diarisation(figure.subplots(), systems, original),
        diarisation.diarisation_data(systems, original),
        diarisation.diarisation_caption(systems, original),
    )


def _profiles(a: Assessment) -> FigureSpec:
    curves = [
        profile_of(name.upper(), a, name, line=CONDITION_LINES[name]) for name in a.conditions
    ]
    return profile_figure("profiles", "ECE profiles", curves)


def _actual(a: Assessment) -> FigureSpec:
    attack = next((name for name in ("pq", "op") if name in a.conditions), None)
    wanted = [name for name in ("oo", attack) if name in a.conditions] or list(a.conditions)
    scores = {name: a.conditions[name].scores for name in wanted}
    return actual_figure(
        profiles.actual_profiles(
            {name: numbers_of(a.rows, name) for name in wanted},
            {n: oracle_curve(s.mated_scores, s.nonmated_scores) for n, s in scores.items()},
            {name: actual_run(one) for name, one in scores.items()},
        )
    )


def actual_figure(curves: Sequence[profiles.Profile]) -> FigureSpec:
    """Scores as they are beside what an oracle makes of them (noe2022 Fig. 7)."""
    return profile_figure("actual", "ECE profiles of scores as they are", curves)


def _distortion(a: Assessment, name: str, f0: ScoreSet | BinnedScores) -> FigureSpec | None:
    if name not in a.conditions:
        return None
    carried = carried_over(f0, a.conditions[name].scores)
    return None if carried is None else distortion_figure(name, carried, a.rows)


def distortion_figure(name: str, carried: CarriedOver, rows: Sequence[Row]) -> FigureSpec:
    """What calibration on another run is worth in one condition (noe2022 Fig. 8)."""
    mine = [row for row in rows if row.condition == name]
    title = f"Calibration distortion, {name.upper()}"
    curves = profiles.distortion_profiles(carried, mine)
    return profile_figure(f"distortion_{name}", title, curves)


def profile_of(
    label: str, a: Assessment, condition: str, *, line: Line | None = None
) -> profiles.Profile:
    """The oracle profile of one condition of an assessment, with its rows for the caption."""
    scores = a.conditions[condition].scores
    curve = oracle_curve(scores.mated_scores, scores.nonmated_scores)
    return profiles.known_profile(label, curve, numbers_of(a.rows, condition), line=line)


def numbers_of(rows: Sequence[Row], condition: str) -> list[Row]:
    """The rows that stand beside the oracle profile of a condition."""
    found = (find(rows, condition, metric) for metric in profiles.NUMBERS)
    return [row for row in found if row is not None]


def profile_figure(name: str, title: str, curves: Sequence[profiles.Profile]) -> FigureSpec:
    """Any set of profiles as a figure, as high as its legend needs."""
    return FigureSpec(
        name,
        title,
        (COLUMN, 2.65 + 0.14 * len(curves)),
        lambda figure: profiles.draw_profiles(figure.subplots(), curves),
        profiles.profile_data(curves),
        profiles.profile_caption(curves),
    )


def _speakers(a: Assessment) -> FigureSpec | None:
    by_condition = {
        name: rows
        for name in a.conditions
        if (rows := [r for r in a.speakers if r.condition == name])
    }
    if not by_condition:
        return None
    most = max(len(rows) for rows in by_condition.values())
    lines = float(speakers.heights(most)[-1]) + 2.6
    size, shape = grid(len(by_condition), lines * speakers.LINE_INCHES + 0.65)

    def draw(figure: Figure) -> None:
        def panel(ax: Axes, name: str) -> None:
            speakers.draw_speakers(ax, by_condition[name])

        panels(figure, shape, list(by_condition), panel)
        # The tags of one panel must not be read as part of the next panel's names.
        figure.set_layout_engine("constrained", wspace=0.08)
        legend(figure, *speakers.legend_entries())

    return FigureSpec(
        "speakers",
        "Disclosure per speaker",
        (size[0], size[1] + (0.3 if len(by_condition) > 1 else 0.55)),
        draw,
        speakers.speakers_data(a.speakers),
        speakers.speakers_caption(a.speakers, a.rows),
    )


def zoo_figure(found: Mapping[str, Zoo], rows: Sequence[Row]) -> FigureSpec | None:
    """The zoo plots of all conditions beside each other; None where nobody has a name."""
    zoos = {name: z for name, z in found.items() if len(z.speakers) > 1}
    if not zoos:
        return None
    size, shape = grid(len(zoos), 2.35)

    def draw(figure: Figure) -> None:
        panels(figure, shape, list(zoos), lambda ax, k: zoo.draw_zoo(ax, zoos[k], names=False))
        legend(figure, *zoo.legend_entries())
        settle(figure)
        figure.set_layout_engine("none")  # names stay clear of points only where they were placed
        for ax, name in zip(figure.axes, zoos, strict=True):
            zoo.name_speakers(ax, zoos[name])

    return FigureSpec(
        "zoo",
        "Zoo plot",
        (size[0], size[1] + 0.25),
        draw,
        zoo.zoo_data(zoos),
        zoo.zoo_caption(zoos, rows),
    )


def _histograms(a: Assessment) -> FigureSpec:
    scores = _scores(a)
    size, shape = grid(len(scores), 1.7)

    def draw(figure: Figure) -> None:
        def panel(ax: Axes, name: str) -> None:
            histograms.draw_histogram(ax, *scores[name], legend=False)

        panels(figure, shape, list(scores), panel)
        legend(figure, histograms.legend_handles(), list(histograms.CLASSES))

    return FigureSpec(
        "histograms",
        "Score histograms",
        (size[0], size[1] + 0.25),
        draw,
        histograms.histogram_data(scores),
        histograms.histogram_caption(scores, a.rows),
    )


def calibration_figure(found: Mapping[str, Reliability], rows: Sequence[Row]) -> FigureSpec:
    """Whether posteriors come true, a panel for each condition (noe2022 Fig. 4)."""
    size, shape = grid(len(found), 2.4)
    if shape == (2, 2):
        size = (5.2, size[1])  # the panels are square: more width would only part them

    def draw(figure: Figure) -> None:
        def panel(ax: Axes, name: str) -> None:
            calibration_plot.draw_calibration(ax, found[name], legend=False)

        panels(figure, shape, list(found), panel)
        legend(figure, calibration_plot.legend_handles(), list(calibration_plot.STAGES))

    return FigureSpec(
        "calibration",
        "Empirical calibration",
        (size[0], size[1] + 0.25),
        draw,
        calibration_plot.calibration_data(found),
        calibration_plot.calibration_caption(found, rows),
    )


def _scores(a: Assessment) -> dict[str, tuple[Floats, Floats]]:
    return {
        name: (part.scores.mated_scores, part.scores.nonmated_scores)
        for name, part in a.conditions.items()
    }
