"""The figures of a result, each in one pair of axes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import singledispatch
from typing import Any

from matplotlib.axes import Axes

from pseudovoice.assessment.assess import Assessment
from pseudovoice.assessment.estimate import Row
from pseudovoice.assessment.profile import oracle_curve
from pseudovoice.assessment.reliability import reliability
from pseudovoice.assessment.similarity import SimilarityMatrix
from pseudovoice.assessment.speakers import SpeakerRow
from pseudovoice.assessment.zoo import Zoo
from pseudovoice.attacks.assess import AudioAssessment
from pseudovoice.attacks.registry import BASE
from pseudovoice.attacks.result import AttackResult
from pseudovoice.calibration.ladder import Floats
from pseudovoice.errors import UsageError
from pseudovoice.figures.calibration_plot import draw_calibration
from pseudovoice.figures.comparison import Compared, profiles_of
from pseudovoice.figures.heatmap import draw_heatmap
from pseudovoice.figures.histograms import draw_histogram
from pseudovoice.figures.map import System, draw_map
from pseudovoice.figures.profiles import draw_profiles, known_profile
from pseudovoice.figures.speakers import draw_speakers
from pseudovoice.figures.specs import numbers_of
from pseudovoice.figures.style import CONDITION_LINES, house_style
from pseudovoice.figures.wording import find
from pseudovoice.figures.zoo import draw_zoo
from pseudovoice.study import Outcome
from pseudovoice.study.findings import SafeguardFindings

SIZE = (4.6, 3.9)
"""Of a new figure, in inches."""


@dataclass(frozen=True)
class View:
    """What one system looks like to one attacker: all that figures are drawn from.

    ``condition`` is the attack. ``scores`` are empty where they were not kept.
    """

    name: str
    condition: str
    rows: Sequence[Row]
    speakers: Sequence[SpeakerRow]
    matrices: Mapping[str, SimilarityMatrix]
    zoos: Mapping[str, Zoo]
    curves: Mapping[str, Floats]
    scores: Mapping[str, tuple[Floats, Floats]] = field(default_factory=dict)


def figure(result: object, name: str, ax: Axes | None, **which: str) -> Axes:
    """Draw the figure ``name`` of a result; see `pseudovoice.result.Result.figure`."""
    if name not in DRAWN:
        raise UsageError(f"There is no figure {name!r}; choose from {', '.join(DRAWN)}.")
    condition = which.pop("condition", None)
    shown = views(result, which)
    if which:
        raise UsageError(
            f"{sorted(which)[0]!r} does not choose anything in a {type(result).__name__}; leave "
            "it out."
        )
    # A figure of ours looks like ours; in the caller's own, the caller's style counts.
    with house_style() if ax is None else nullcontext():
        if ax is None:
            from matplotlib import pyplot  # shows itself in a notebook

            ax = pyplot.subplots(figsize=SIZE, layout="constrained")[1]
        DRAWN[name](ax, shown, condition or shown[0].condition)
    return ax


@singledispatch
def views(result: object, which: dict[str, str]) -> list[View]:
    """What is drawn of a result; takes out of ``which`` what it understands."""
    del which
    raise UsageError(f"A {type(result).__name__} has no figures.")


@views.register
def _(result: Assessment, which: dict[str, str]) -> list[View]:
    del which
    if not result.conditions:
        raise UsageError(
            "This assessment has no scores at hand, and its figures are drawn from them; take "
            "those of the attack: assessed.figure(…)."
        )
    attack = next((name for name in ("pq", "op") if name in result.conditions), "oo")
    return [_scored("this system", attack, result)]


@views.register
def _(result: AudioAssessment, which: dict[str, str]) -> list[View]:
    return [_attack_view("this system", _chosen(result, which))]


@views.register
def _(result: Outcome, which: dict[str, str]) -> list[View]:
    found = [one for one in result.found if one.set == _set(result, which.pop("set", None))]
    name = which.pop("safeguard", None)
    if name is not None:
        found = [_named(found, name)]
    if not found:
        raise UsageError("Chains that end in slices have no figures; see their tables.")
    picked = [_chosen(one.assessed, dict(which)) for one in found]
    for option in ("attacker", "encoder", "group"):
        which.pop(option, None)
    return [_attack_view(one.name, attack) for one, attack in zip(found, picked, strict=True)]


def _set(result: Outcome, name: str | None) -> str:
    sets = list(dict.fromkeys(one.set for one in result.found))
    if name is not None and name not in sets:
        raise UsageError(f"There is no set {name!r} in this result; it has {', '.join(sets)}.")
    return name or (sets[0] if sets else "")


def _named(found: Sequence[SafeguardFindings], name: str) -> SafeguardFindings:
    for one in found:
        if one.name == name:
            return one
    known = ", ".join(one.name for one in found)
    raise UsageError(f"There is no safeguard {name!r} in this result; it has {known}.")


def _chosen(assessed: AudioAssessment, which: dict[str, str]) -> AttackResult:
    """The attack that is meant; the first, if nothing says otherwise."""
    group, wanted = which.pop("group", "all"), BASE.name
    attacker, encoder = which.pop("attacker", wanted), which.pop("encoder", None)
    for one in assessed.results:
        if (one.attacker, one.group) == (attacker, group) and encoder in (None, one.encoder):
            return one
    known = "; ".join(f"{one.attacker}, {one.encoder}, {one.group}" for one in assessed.results)
    asked = ", ".join(part for part in (attacker, encoder, group) if part)
    raise UsageError(f"There is no attack {asked} in this result; it has {known}.")


def _scored(name: str, attack: str, a: Assessment) -> View:
    scores = {
        n: (part.scores.mated_scores, part.scores.nonmated_scores)
        for n, part in a.conditions.items()
    }
    curves = {n: oracle_curve(*both) for n, both in scores.items()}
    return View(name, attack, a.rows, a.speakers, a.matrices, a.zoos, curves, scores)


def _attack_view(name: str, one: AttackResult) -> View:
    scores = {}
    if one.assessment is not None:
        scores = {
            n: (part.scores.mated_scores, part.scores.nonmated_scores)
            for n, part in one.assessment.conditions.items()
        }
    curves = {n: c.oracle for n, c in one.conditions.items()}
    return View(name, one.condition, one.rows, one.speakers, one.matrices, one.zoos, curves, scores)


def _zoo(ax: Axes, shown: Sequence[View], condition: str) -> None:
    draw_zoo(ax, _of(_alone(shown), "zoos", condition))


def _similarity(ax: Axes, shown: Sequence[View], _condition: str) -> None:
    matrices = _alone(shown).matrices
    if not matrices:
        raise UsageError(
            "There is no similarity matrix: it takes a trial of every pair of speakers; see the "
            "warnings of the result."
        )
    draw_heatmap(ax, {name: m for name, m in matrices.items() if name in ("oo", "op", "pp")})


def _map(ax: Axes, shown: Sequence[View], _condition: str) -> None:
    systems = []
    for view in shown:
        deid, gain = find(view.rows, "op", "deid"), find(view.rows, "pp", "g_vd")
        if deid is not None and gain is not None:
            systems.append(System(view.name, deid, gain))
    if not systems:
        raise UsageError(
            "There is nothing to put on the map: it takes OO, OP and PP of the ignorant attacker."
        )
    draw_map(ax, systems)


def _profiles(ax: Axes, shown: Sequence[View], condition: str) -> None:
    """All conditions of one system, or one condition of several."""
    if len(shown) == 1:
        (view,) = shown
        draw_profiles(
            ax,
            [
                known_profile(
                    name.upper(), curve, numbers_of(view.rows, name), line=CONDITION_LINES[name]
                )
                for name, curve in view.curves.items()
            ],
        )
        return
    there = [Compared(v.name, v.rows, v.curves) for v in shown if condition in v.curves]
    if not there:
        raise _absent(condition, [name for v in shown for name in v.curves])
    draw_profiles(ax, profiles_of(there, condition))


def _speakers(ax: Axes, shown: Sequence[View], condition: str) -> None:
    view = _alone(shown)
    rows = [row for row in view.speakers if row.condition == condition]
    if not rows:
        raise _absent(condition, [row.condition for row in view.speakers])
    draw_speakers(ax, rows)


def _histograms(ax: Axes, shown: Sequence[View], condition: str) -> None:
    draw_histogram(ax, *_of(_alone(shown), "scores", condition))


def _calibration(ax: Axes, shown: Sequence[View], condition: str) -> None:
    draw_calibration(ax, reliability(*_of(_alone(shown), "scores", condition)))


DRAWN: dict[str, Callable[[Axes, Sequence[View], str], None]] = {
    "map": _map,
    "profiles": _profiles,
    "similarity": _similarity,
    "zoo": _zoo,
    "speakers": _speakers,
    "histograms": _histograms,
    "calibration": _calibration,
}
"""Figures by the names of their files (`pseudovoice.figures.specs`)."""


def _alone(shown: Sequence[View]) -> View:
    """The one system that a figure can show."""
    if len(shown) > 1:
        known = ", ".join(view.name for view in shown)
        raise UsageError(f"This figure shows one safeguard; say which: safeguard= one of {known}.")
    return shown[0]


def _of(view: View, what: str, condition: str) -> Any:
    known: Mapping[str, Any] = getattr(view, what)
    if not known and what == "scores":
        raise UsageError(
            "The scores were not kept with this result; draw this figure from pv.assess before it "
            "is saved."
        )
    if condition not in known:
        raise _absent(condition, list(known))
    return known[condition]


def _absent(condition: str, known: Sequence[str]) -> UsageError:
    there = ", ".join(dict.fromkeys(known)) or "none"
    return UsageError(f"There is no condition {condition!r} to draw here; there are: {there}.")
