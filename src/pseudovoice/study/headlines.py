"""The few lines that a person reads first."""

from __future__ import annotations

from collections.abc import Sequence

from pseudovoice.assessment.estimate import Estimate
from pseudovoice.figures.wording import number
from pseudovoice.page.headline import hidden_least
from pseudovoice.page.slices import disclosed
from pseudovoice.study.findings import SafeguardFindings, SliceFindings
from pseudovoice.study.slice_report import slice_results

MOST = 5


def headlines(
    found: Sequence[SafeguardFindings], sliced: Sequence[SliceFindings] = ()
) -> list[str]:
    """What the strongest attacker learns under each safeguard, what words cost, what is hidden.

    At most five. Where there are more verdicts, those that leave an attacker most stand; the last
    two lines put all safeguards side by side, on the first set. What no encoder is strong enough to
    conclude is not claimed.
    """
    several = len({one.set for one in found} | {one.set for one in sliced}) > 1
    mine = [one for one in found if one.set == found[0].set]
    on = f" on {found[0].set}" if several and found else ""
    beside = [line for line in (_words(mine, on), _hidden(mine, on)) if line is not None]
    said = [
        (_left(one), f"{one.name}{f' on {one.set}' if several else ''}: {_verdict(one)}")
        for one in found
    ]
    for cut in sliced:
        results = slice_results(cut)
        where = f" on {cut.set}" if several else ""
        said.append((disclosed(results), f"{results.name}{where}: {results.headline}"))
    if len(said) + len(beside) > MOST:
        said.sort(key=lambda pair: -pair[0])
    return [*(text for _, text in said[: MOST - len(beside)]), *beside]


def _verdict(one: SafeguardFindings) -> str:
    return one.reported.results.headline


def _left(one: SafeguardFindings) -> float:
    attacks = [
        a
        for a in one.reported.results.attacks
        if a.group == "all" and a.competes and not a.too_weak
    ]
    return max((float(a.metrics["d_ece"].value) for a in attacks), default=0.0)


def _words(found: Sequence[SafeguardFindings], on: str) -> str | None:
    """Word errors of unprotected speech, and under each safeguard."""
    rows = {
        one.name: row
        for one in found
        for row in one.reported.results.utility
        if row.metric == "wer" and row.group == "all"
    }
    if not rows:
        return None
    cells = [f"{_measured(row.protected, 100, 1)} under {name}" for name, row in rows.items()]
    origin = next((row.original for row in rows.values() if row.original is not None), None)
    if origin is not None:
        cells.insert(0, f"{_measured(origin, 100, 1)} unprotected")
    by = next(iter(rows.values())).method.partition("; interval")[0]
    return f"Word errors{on} in %: {', '.join(cells)} (by {by})."


def _hidden(found: Sequence[SafeguardFindings], on: str) -> str | None:
    """De-identification and distinctiveness, as the strongest encoder hears each safeguard."""
    heard = {one.name: hidden_least(one.reported.results.places) for one in found}
    points = {name: point for name, point in heard.items() if point is not None}
    if not points:
        return None
    through = {name: f"{name} through {point.encoder}" for name, point in points.items()}
    deid = ", ".join(
        f"{_measured(p.deid, 100, 0)} under {through[name]}" for name, p in points.items()
    )
    gain = ", ".join(
        f"{_measured(p.g_vd, 1, 1)} under {through[name]}" for name, p in points.items()
    )
    return (
        f"Hidden from the ignorant attacker{on} in % (DeID): {deid}; voices kept apart in dB "
        f"(G_VD): {gain}."
    )


def _measured(e: Estimate, factor: float, digits: int) -> str:
    """A value and its interval."""
    value, *bounds = (
        None if x is None else number(factor * float(x), digits) for x in (e.value, e.low, e.high)
    )
    return f"{value} [{', '.join(map(str, bounds))}]" if None not in bounds else str(value)
