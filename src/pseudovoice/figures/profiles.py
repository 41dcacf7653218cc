"""ECE profiles, also called ZEBRA plots (noe2022 Fig. 7, 8 and 10).

An oracle profile shows what ideally calibrated scores would leave the attacker to guess, over
all priors; the black curve is perfect privacy, where the scores tell nothing. An actual profile
shows an attacker who took the scores as they are, or calibrated on another run of the safeguard,
and may fare worse than that.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from numpy.typing import ArrayLike

from pseudovoice.assessment.carried_over import ActualRun, CarriedOver
from pseudovoice.assessment.estimate import Row
from pseudovoice.assessment.evaluate import evaluate
from pseudovoice.assessment.profile import PRIORS, oracle_curve
from pseudovoice.assessment.zebra import ece
from pseudovoice.calibration.ladder import Floats
from pseudovoice.figures.style import (
    BLACK,
    CONDITION_LINES,
    SERIES_LINES,
    Line,
    plain_legend,
    shown,
)
from pseudovoice.figures.tidy import Columns, columns, stack
from pseudovoice.figures.wording import attacker_of, measured, named, number

NUMBERS = ("d_ece", "l_w", "tag", "cllr_min")
"""Metrics of a condition that stand beside its oracle profile."""


AS_IS = "as they are"


@dataclass(frozen=True)
class Profile:
    """One curve: ECE over `PRIORS`, its value at π = ½ and the numbers of its legend entry.

    ``kind`` is ``oracle`` (numbers: D_ECE, l_w, tag; ``at_half`` is Cllr_min), ``actual``
    (numbers: C_ECE, Cllr; ``at_half`` is Cllr) or `AS_IS` (numbers: D_ECE, Cllr, both of scores
    read as LLRs). ``rows`` of the result table, where there are
    any, give the caption its intervals.
    """

    label: str
    kind: str
    ece: Floats
    at_half: float
    numbers: str
    line: Line | None = None
    rows: tuple[Row, ...] = ()


def oracle_profile(
    label: str,
    mated: ArrayLike,
    nonmated: ArrayLike,
    *,
    line: Line | None = None,
) -> Profile:
    """The profile of oracle-calibrated scores of one system."""
    known = evaluate(mated, nonmated)
    numbers = _triple(known.d_ece, known.l_w, known.tag)
    return Profile(label, "oracle", oracle_curve(mated, nonmated), known.cllr_min, numbers, line)


def known_profile(
    label: str, curve: ArrayLike, rows: Sequence[Row], *, line: Line | None = None
) -> Profile:
    """The oracle profile of a condition whose curve is known; ``rows`` are its `NUMBERS`."""
    known = {row.metric: row.value for row in rows}
    numbers = _triple(float(known["d_ece"]), float(known["l_w"]), str(known["tag"]))
    at_half = float(known["cllr_min"])
    return Profile(label, "oracle", np.asarray(curve), at_half, numbers, line, tuple(rows))


def actual_profiles(
    rows: Mapping[str, Sequence[Row]],
    oracle: Mapping[str, Floats],
    raw: Mapping[str, ActualRun],
) -> list[Profile]:
    """What an oracle leaves to guess of each condition, and its scores as they are (Fig. 7).

    ``rows`` are the `NUMBERS` of each. Scores are read as LLRs, whatever they are.
    """
    out = []
    for name, mine in rows.items():
        look = CONDITION_LINES[name]
        out.append(known_profile(name.upper(), oracle[name], mine, line=look))
        bare = _actual(f"{name.upper()}, {AS_IS}", raw[name], replace(look, dash=":"))
        out.append(replace(bare, kind=AS_IS))
    return out


def distortion_profiles(carried: CarriedOver, rows: Sequence[Row] = ()) -> list[Profile]:
    """Both runs of a safeguard as an oracle sees them, and f1 with maps learnt on f0 (Fig. 8)."""
    looks = iter((CONDITION_LINES["op"], CONDITION_LINES["oo"], *SERIES_LINES[3:]))
    out = []
    for name, run in (("f0", carried.f0), ("f1", carried.f1)):
        numbers = _triple(run.d_ece, run.l_w, run.tag)
        out.append(Profile(name, "oracle", run.curve, run.cllr_min, numbers, next(looks)))
    for name, mapped in carried.maps.items():
        mine = tuple(row for row in rows if row.metric == name)
        label = f"f1, {name.removeprefix('c_ece_')} map"
        out.append(_actual(label, mapped, next(looks), mine))
    return out


def _actual(label: str, run: ActualRun, line: Line, rows: tuple[Row, ...] = ()) -> Profile:
    numbers = f"[{number(run.disclosed, 3)}; {number(run.cllr, 3)}]"
    return Profile(label, "actual", run.curve, run.cllr, numbers, line, rows)


def draw_profiles(ax: Axes, profiles: Sequence[Profile]) -> None:
    """All curves over the prior, the perfect-privacy curve in black, dots at π = ½."""
    handles = [ax.plot(PRIORS, _prior(), color=BLACK, lw=2.0, zorder=2)[0]]
    labels = ["perfect privacy (0, 0, 0)"]
    for k, profile in enumerate(profiles):
        look = profile.line or SERIES_LINES[k % len(SERIES_LINES)]
        ax.plot(PRIORS, profile.ece, color=look.colour, ls=look.dash, zorder=3)
        ax.plot(0.0, profile.at_half, color=look.colour, marker=look.marker, ms=4, zorder=4)
        handles.append(Line2D([], [], color=look.colour, ls=look.dash, marker=look.marker, ms=4))
        labels.append(f"{shown(profile.label, 28)} {profile.numbers}")
    # Curves of badly calibrated scores leave the picture; the prior must not shrink for them.
    highest = max([1.0, *(float(p.ece.max()) for p in profiles)])
    ax.set(xlim=(-8.0, 8.0), xticks=[-8, -4, 0, 4, 8], ylim=(0.0, min(1.04 * highest, 1.5)))
    ax.set_xlabel("prior log-odds, logit π")
    ax.set_ylabel("empirical cross-entropy [bit]")
    title = r"($D_\mathrm{ECE}$, $l_w$, tag)"
    if any(p.kind == "actual" for p in profiles):
        title += r" or [$C_\mathrm{ECE}$; $C_\mathrm{llr}$]"
    if any(p.kind == AS_IS for p in profiles):
        title += r" or [$D_\mathrm{ECE}$; $C_\mathrm{llr}$]"
    plain_legend(
        ax,
        handles,
        labels,
        title=title,
        loc="upper center",
        bbox_to_anchor=(0.5, -0.18),
        handlelength=3.2,
        alignment="left",
    )


def profile_data(profiles: Sequence[Profile]) -> Columns:
    """One row per curve and prior; the perfect-privacy curve comes first."""
    curves = [("perfect privacy", "prior", _prior())]
    curves += [(p.label, p.kind, p.ece) for p in profiles]
    return stack(
        columns(
            curve=[label] * PRIORS.size,
            kind=[kind] * PRIORS.size,
            prior_log_odds=PRIORS,
            ece=values,
        )
        for label, kind, values in curves
    )


def profile_caption(profiles: Sequence[Profile]) -> str:
    """The numbers of every curve, with intervals where they are known."""
    parts = []
    for profile in profiles:
        numbers = ", ".join(measured(row) for row in profile.rows)
        attacker = attacker_of(profile.rows, profile.rows[0].condition) if numbers else ""
        if not numbers and profile.kind == "oracle":
            half = f"Cllr_min {number(profile.at_half, 3)} bit"
            numbers = f"(D_ECE, l_w, tag) = {profile.numbers}, {half}"
        elif profile.kind != "oracle":
            what = "C_ECE" if profile.kind == "actual" else "D_ECE"
            pair = f"[{what}; Cllr] = {profile.numbers}"
            numbers = f"{numbers}, {pair}" if numbers else pair
        head = f"{named(profile.label)}{f', {attacker}' if attacker else ''}"
        parts.append(f"{head}: {numbers}.")
    return (
        "ECE profiles: what is left to guess, over the prior; black is perfect privacy and the "
        "area between it and a curve is D_ECE. Markers at logit π = 0 are "
        f"{'Cllr_min' if all(p.kind == 'oracle' for p in profiles) else 'Cllr_min or Cllr'}. "
        f"{' '.join(parts)}"
    )


def _triple(disclosed: float, worst: float, tag: str) -> str:
    return f"({number(disclosed, 3)}, {number(worst, 3)}, {tag})"


def _prior() -> Floats:
    return ece(PRIORS, np.zeros(1), np.zeros(1))
