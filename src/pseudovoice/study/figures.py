"""The figures of a study as files: all safeguards side by side, and each one by itself.

Everything is drawn from what the assessments keep, without their scores, and once: a folder of
figures is a stage of its own. The same study gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pseudovoice.assessment.estimate import Estimate, Row
from pseudovoice.assessment.zoo import Zoo
from pseudovoice.attacks.registry import BASE
from pseudovoice.attacks.result import AttackResult, find_result
from pseudovoice.models.cache import sha256_of
from pseudovoice.report.filename import harmless_name
from pseudovoice.study.findings import SafeguardFindings
from pseudovoice.study.stage import StageStore, stage_name

if TYPE_CHECKING:  # plotting is slow to import, and a study may do without
    from pseudovoice.figures import Compared, FigureSpec

FORMATS = ("svg", "pdf")


@dataclass(frozen=True)
class DrawnFigures:
    """The files of one folder of figures, and the sha256 of each."""

    files: dict[str, str]


def write_figures(
    found: Sequence[SafeguardFindings],
    folder: Path,
    stages: StageStore,
    say: Callable[[str, int, int], None],
    *,
    empirical_prior: bool = False,
) -> list[Path]:
    """Draw every set through every recogniser, everybody and each gender; gives back the files.

    A folder has the map and the ECE profiles of all safeguards (noe2020 Fig. 3, noe2022 Fig. 10),
    the diarisation error against G_VD where both were measured,
    and a folder for each safeguard with its matrices and zoo plots (noe2022 Fig. 9 and 6), its
    scores as they are, whether their posteriors come true, what calibration learnt on another run
    is worth (Fig. 7, 4 and 8), and what attackers gain with more. ``empirical_prior`` draws Fig. 4
    at the prior of the trials.
    """
    sheets = [
        sheet
        for view, place in _places(_views(found), folder)
        for sheet in _sheets(view, place, empirical_prior)
    ]
    written: list[Path] = []
    for done, sheet in enumerate(sheets):
        say("drawing figures", done, len(sheets))
        written += _drawn(sheet, folder, stages)
    say("drawing figures", len(sheets), len(sheets))
    return written


def _drawn(sheet: _Sheet, folder: Path, stages: StageStore) -> list[Path]:
    """The files of one folder, drawn now unless they are there as they were drawn."""
    name = stage_name("figures", {"place": str(sheet.place.relative_to(folder)), **sheet.inputs})
    kept = stages.get(name, DrawnFigures)
    if kept is None or not all(_is(sheet.place / f, sha256) for f, sha256 in kept.files.items()):
        from pseudovoice.figures import write_figures

        files = write_figures(sheet.specs(), sheet.place, FORMATS)
        kept = stages.put(
            name, DrawnFigures, DrawnFigures({path.name: sha256_of(path) for path in files})
        )
    return [sheet.place / file for file in kept.files]


def _is(path: Path, sha256: str) -> bool:
    return path.is_file() and sha256_of(path) == sha256


@dataclass(frozen=True)
class _View:
    """The safeguards of one set, of one group of speakers and through one recogniser."""

    set: str
    group: str
    encoder: str
    found: tuple[SafeguardFindings, ...]

    def rows(self, one: SafeguardFindings, attacker: str) -> Sequence[Row]:
        found = self.result(one, attacker)
        return () if found is None else found.rows

    def result(self, one: SafeguardFindings, attacker: str) -> AttackResult | None:
        return find_result(one.assessed.results, attacker, self.encoder, self.group)

    @property
    def attackers(self) -> list[str]:
        """Who attacked any of the safeguards here."""
        here = (self.encoder, self.group)
        return list(
            dict.fromkeys(
                part.attacker
                for one in self.found
                for part in one.assessed.results
                if (part.encoder, part.group) == here
            )
        )


def _views(found: Sequence[SafeguardFindings]) -> list[_View]:
    views: dict[tuple[str, str, str], list[SafeguardFindings]] = {}
    for one in found:
        for group, encoder in dict.fromkeys((p.group, p.encoder) for p in one.assessed.results):
            views.setdefault((one.set, group, encoder), []).append(one)
    return [_View(*name, tuple(mine)) for name, mine in views.items()]


def _places(views: Sequence[_View], folder: Path) -> Iterator[tuple[_View, Path]]:
    """A folder for each; numbers keep apart what different names may have in common."""
    sets = list(dict.fromkeys(view.set for view in views))
    for k, name in enumerate(sets, 1):
        above = folder / f"{k:02d}-{harmless_name(name)}" if len(sets) > 1 else folder
        mine = [view for view in views if view.set == name]
        for j, view in enumerate(mine, 1):
            called = f"{j:02d}-{harmless_name(view.group)}-{harmless_name(view.encoder)}"
            yield view, above / called


@dataclass(frozen=True)
class _Sheet:
    """A folder of figures: what it depends on, and the figures once they are needed."""

    place: Path
    inputs: dict[str, Any]
    specs: Callable[[], list[FigureSpec]]


def _sheets(view: _View, place: Path, empirical_prior: bool) -> Iterator[_Sheet]:
    """All safeguards of a view together, then each alone."""
    of = [view.set, view.group, view.encoder]
    stages = [list(one.stages) for one in view.found]
    yield _Sheet(place, {"of": of, "stages": stages}, lambda: _together(view))
    for k, one in enumerate(view.found, 1):
        yield _Sheet(
            place / f"{k:02d}-{harmless_name(one.name)}",
            {"of": of, "stages": list(one.stages), "empirical_prior": empirical_prior},
            partial(_alone, view, one, empirical_prior),
        )


def _together(view: _View) -> list[FigureSpec]:
    """The map, and the profiles of OP, PP and of every informed attacker's PQ."""
    from pseudovoice.figures import comparison_figures

    made: list[FigureSpec] = []
    for attacker in view.attackers:
        specs = comparison_figures([_compared(view, one, attacker) for one in view.found])
        made += (_of_attacker(spec, attacker) for spec in specs)
    spoken = _diarisation(view)
    return made if spoken is None else [*made, spoken]


def _diarisation(view: _View) -> FigureSpec | None:
    """The error of a diariser against G_VD, of the safeguards of which both are known."""
    from pseudovoice.figures.diarisation import Distinct
    from pseudovoice.figures.specs import diarisation_figure

    systems: list[Distinct] = []
    original: Estimate | None = None
    for one in view.found:
        base = view.result(one, BASE.name)
        gain = None if base is None else base.row("pp", "g_vd")
        before, after = (_der(one, view.group, side) for side in ("original", "protected"))
        if gain is not None and before is not None and after is not None:
            systems.append(Distinct(one.name, gain, after))
            original = original or before
    return None if original is None else diarisation_figure(systems, original)


def _der(one: SafeguardFindings, group: str, side: str) -> Estimate | None:
    rows = () if one.utility is None else one.utility.rows
    for row in rows:
        if (row.metric, row.group, row.condition) == ("der", group, side):
            return Estimate(row.value, row.low, row.high)
    return None


def _alone(view: _View, one: SafeguardFindings, empirical_prior: bool) -> list[FigureSpec]:
    """Matrices, zoo plots, scores as they are and calibrated, on another run too, and gains."""
    from pseudovoice.figures import gain_figure
    from pseudovoice.figures.specs import similarity_figure, zoo_figure

    base = view.result(one, BASE.name)
    made = [similarity_figure({} if base is None else base.matrices, view.rows(one, BASE.name))]
    for attacker in view.attackers:
        mine = view.result(one, attacker)
        if mine is not None and mine.who.trains:  # as distinct as they are to who learnt them
            spec = similarity_figure(mine.matrices, mine.rows)
            made.append(None if spec is None else _of_attacker(spec, attacker))
        spec = zoo_figure(_zoos(view, one, attacker), view.rows(one, attacker))
        made.append(None if spec is None else _of_attacker(spec, attacker))
        made += (_of_attacker(spec, attacker) for spec in _profiles(mine, empirical_prior))
        if mine is not None:
            spec = gain_figure(f"{mine.who.title}, {mine.encoder}", mine.curves)
            made.append(None if spec is None else _of_attacker(spec, attacker))
    return [spec for spec in made if spec is not None]


def _profiles(found: AttackResult | None, empirical_prior: bool) -> Iterator[FigureSpec]:
    """Fig. 7, Fig. 4 and Fig. 8 of noe2022, of one attack."""
    from pseudovoice.figures.profiles import actual_profiles
    from pseudovoice.figures.specs import (
        actual_figure,
        calibration_figure,
        distortion_figure,
        numbers_of,
    )

    if found is None:
        return
    wanted = [name for name in ("oo", found.condition) if name in found.conditions]
    kept = {name: found.conditions[name] for name in wanted}
    yield actual_figure(
        actual_profiles(
            {name: numbers_of(found.rows, name) for name in wanted},
            {name: one.oracle for name, one in kept.items()},
            {name: one.raw for name, one in kept.items()},
        )
    )
    plotted = {
        name: at
        for name, one in kept.items()
        for at in one.reliability
        if at.empirical == empirical_prior
    }
    if plotted:
        yield calibration_figure(plotted, found.rows)
    for name, one in kept.items():
        if one.carried is not None:
            yield distortion_figure(name, one.carried, found.rows)


def _of_attacker(spec: FigureSpec, attacker: str) -> FigureSpec:
    """Figures of informed attackers say whose they are."""
    if attacker == BASE.name:
        return spec
    return replace(
        spec,
        name=f"{spec.name}_{harmless_name(attacker)}",
        title=f"{spec.title}, attacker {attacker}",
    )


def _compared(view: _View, one: SafeguardFindings, attacker: str) -> Compared:
    from pseudovoice.figures import Compared

    base, mine = view.result(one, BASE.name), view.result(one, attacker)
    curves = {} if base is None else {n: c.oracle for n, c in base.conditions.items() if n != "op"}
    curves |= {} if mine is None else {n: c.oracle for n, c in mine.conditions.items() if n != "oo"}
    rows = view.rows(one, attacker)
    drawn = {row.condition for row in rows}
    if _control(rows) != _control(view.rows(one, BASE.name)):
        drawn -= {"oo"}  # who trains hears unprotected speech otherwise
    return Compared(one.name, rows, {c: e for c, e in curves.items() if c in drawn})


def _control(rows: Sequence[Row]) -> list[Row]:
    return [row for row in rows if row.condition == "oo"]


def _zoos(view: _View, one: SafeguardFindings, attacker: str) -> dict[str, Zoo]:
    """OO, OP and PP for the ignorant attacker, the attack itself for each of the others."""
    found = view.result(one, attacker)
    if found is None:
        return {}
    wanted = found.conditions if found.who == BASE else (found.condition,)
    return {name: zoo for name, zoo in found.zoos.items() if name in wanted}
