"""The pages of a study: one per set, and one above them where there are several."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from pseudovoice.atomic import write_atomic
from pseudovoice.errors import Problem
from pseudovoice.page import Clip, Study, write_page
from pseudovoice.page.clips import make_clips
from pseudovoice.page.gather import compose
from pseudovoice.report.filename import harmless_name
from pseudovoice.report.maouche import slice_tables
from pseudovoice.report.papers import paper_tables
from pseudovoice.study.findings import SafeguardFindings, SliceFindings, entries, worth_entries
from pseudovoice.study.hours import hours_of
from pseudovoice.study.keys import StudyKeys
from pseudovoice.study.overview import overview_html
from pseudovoice.study.plan import Plan
from pseudovoice.study.slice_report import (
    slice_entries,
    slice_facts,
    slice_results,
    slice_warnings,
)
from pseudovoice.study.speech import SetSpeech

PAGE = "report.html"


@dataclass(frozen=True)
class Pages:
    """What was written; ``first`` is what a person opens. ``problems``: what the pages lack."""

    studies: tuple[Study, ...]
    per_set: tuple[Path, ...]
    first: Path
    problems: tuple[Problem, ...]

    @property
    def files(self) -> list[Path]:
        return list(dict.fromkeys((*self.per_set, self.first)))


def write_pages(
    plan: Plan,
    sets: Sequence[SetSpeech],
    found: Sequence[SafeguardFindings],
    keys: StudyKeys,
    out: Path,
    sliced: Sequence[SliceFindings] = (),
) -> Pages:
    """One page for each set of which anything was found."""
    told = {f.set for f in found} | {f.set for f in sliced}
    shown = [one for one in sets if one.name in told]
    several = len(shown) > 1
    tables = paper_tables(entries(list(found))) if found else ()
    by_slices = slice_tables(slice_entries(sliced), worth_entries(found))
    studies, files = [], []
    unread: list[Problem] = []
    for k, one in enumerate(shown, 1):
        mine = [f for f in found if f.set == one.name]
        cut = [f for f in sliced if f.set == one.name]
        study = compose(
            f"{plan.title}: {one.name}" if several else plan.title,
            one.corpus,
            [f.reported for f in mine],
            clips=_clips(plan, one, mine, unread.append),
            hours=hours_of(one.corpus, unread.append),
            note=plan.note,
            provenance=_facts(plan, keys),
            tables=tables,
            slices=[slice_results(f) for f in cut],
            slice_tables=by_slices,
            warnings=[*one.notes, *(text for f in cut for text in slice_warnings(f))],
            also_facts=[fact for f in cut for fact in slice_facts(f, plan.seed, plan.replicates)],
        )
        path = out / (f"report-{k:02d}-{harmless_name(one.name)}.html" if several else PAGE)
        write_page(path, study)
        studies.append(study)
        files.append(path)
    if several:
        write_atomic(out / PAGE, overview_html(plan.title, studies, files, tables, by_slices))
    return Pages(tuple(studies), tuple(files), out / PAGE, tuple(unread))


def _clips(
    plan: Plan, one: SetSpeech, mine: Sequence[SafeguardFindings], unread: Callable[[Problem], None]
) -> list[Clip]:
    """The worst protected first: space is limited, and they matter most."""
    if not plan.clips or not mine:  # slices have no speaker to listen to
        return []
    rows = [row for f in mine for row in f.reported.results.speakers if row.group == "all"]
    rows.sort(key=lambda row: (-float(row.d_ece.value), row.speaker))
    speakers = list(dict.fromkeys([*(row.speaker for row in rows), *one.corpus.speakers]))
    clips = [
        clip
        for f in mine
        if f.protected is not None
        for clip in make_clips(f.protected, f.name, speakers=speakers, unread=unread)
    ]
    if plan.include_originals:
        clips += make_clips(one.corpus, None, speakers=speakers, unread=unread)
    return clips


def _facts(plan: Plan, keys: StudyKeys) -> dict[str, str]:
    facts = {"plan": f"sha256 {plan.sha256}"}
    if keys.attacker is not None:
        facts["key of the attacker and of the second run"] = (
            f"identifier {keys.attacker.identifier}"
        )
    return facts
