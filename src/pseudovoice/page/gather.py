"""From assessments of speech, one per safeguard, to the study that a page shows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from pseudovoice.assessment.estimate import Estimate, Row
from pseudovoice.attacks.assess import AudioAssessment
from pseudovoice.attacks.attributes import ATTRIBUTES
from pseudovoice.attacks.saturation import said_of_budget
from pseudovoice.corpus import Corpus
from pseudovoice.figures.published import PUBLISHED
from pseudovoice.glossary import SECTIONS
from pseudovoice.page.annex import annex_rows
from pseudovoice.page.headline import headline
from pseudovoice.page.limits import LIMITS, REFERENCES, comparisons, not_tested, not_tried
from pseudovoice.page.people import speaker_results, with_better
from pseudovoice.page.pictures import map_points, matrices, profiles, zoo_plots
from pseudovoice.page.sessions import session_results
from pseudovoice.page.slices import COMPARISONS, NOT_TRIED, REFERENCE, SlicedResults, annex_lines
from pseudovoice.page.study import (
    AnnexRow,
    Clip,
    CorpusFacts,
    Fact,
    GlossarySection,
    Less,
    Person,
    SafeguardResults,
    SessionResult,
    ShownAttack,
    Study,
    TraitTold,
    UtilityResult,
)
from pseudovoice.report.maouche import SliceTable
from pseudovoice.report.papers import PaperTable, paper_entries, paper_tables

SHOWN = (
    "d_ece",
    "d_ece_person",
    "l_w",
    "tag",
    "eer",
    "cllr_min",
    "d_sys",
    "c_ece_linear",
    "c_ece_isotonic",
    "deid",
    "deid_d_ece",
)
"""Metrics of an attack that the page knows how to show."""


class UtilityLine(Protocol):
    """A row of a utility table: ``condition`` is original, protected, pair or change."""

    @property
    def condition(self) -> str: ...
    @property
    def group(self) -> str: ...
    @property
    def metric(self) -> str: ...
    @property
    def value(self) -> float: ...
    @property
    def low(self) -> float | None: ...
    @property
    def high(self) -> float | None: ...
    @property
    def unit(self) -> str: ...
    @property
    def direction(self) -> str: ...
    @property
    def method(self) -> str: ...


@dataclass(frozen=True)
class Findings:
    """One safeguard of a study: what it is, and what was found.

    ``key`` is the identifier of the key. ``sessions`` may come from a test of its own; where it is
    empty, the lazy-informed attack, which compares two keys, is read as one. ``notes`` are what
    else a reader should keep in mind, ``caution`` what the safeguard says of itself. Of one that
    was made ``elsewhere`` nobody here knows whether it has a secret.
    """

    name: str
    assessed: AudioAssessment
    parameters: Mapping[str, object] = field(default_factory=dict)
    deterministic: bool = False
    key: str | None = None
    utility: Sequence[UtilityLine] = ()
    sessions: Sequence[SessionResult] = ()
    notes: Sequence[str] = ()
    caution: str = ""
    elsewhere: bool = False


@dataclass(frozen=True)
class Reported:
    """What a page says of one safeguard; unlike `Findings` it can be kept as a file."""

    results: SafeguardResults
    comparisons: str
    warnings: tuple[str, ...]
    facts: tuple[Fact, ...]


def gather(
    title: str,
    corpus: Corpus | CorpusFacts,
    tested: Sequence[Findings],
    *,
    clips: Iterable[Clip] = (),
    hours: float | None = None,
    note: str = "",
    also_not_tested: Sequence[str] = (),
    provenance: Mapping[str, str] | None = None,
) -> Study:
    """Everything that one page shows.

    Parameters
    ----------
    title : heading of the page
    corpus : the original speech; only names, genders and numbers are taken from it. Where there are
        only scores: how many people they are of
    tested : the safeguards in the order of the page, all assessed on that speech
    clips : what can be listened to; see `pseudovoice.page.clips.make_clips`
    hours, note : how much speech there is, and what else a reader should know of it
    also_not_tested : sentences added to what the results themselves show to be missing
    provenance : lines added to what the assessments record
    """
    entries = [
        entry
        for one in tested
        for entry in paper_entries(corpus.name, one.name, one.assessed.results)
    ]
    return compose(
        title,
        corpus,
        [report_on(one) for one in tested],
        clips=clips,
        hours=hours,
        note=note,
        also_not_tested=also_not_tested,
        provenance=provenance,
        tables=paper_tables(entries),
    )


def report_on(one: Findings) -> Reported:
    """Everything of one safeguard that a page shows, and that can be kept."""
    return Reported(
        _results(one), comparisons(one.assessed), tuple(_warnings(one)), tuple(_facts(one))
    )


def compose(
    title: str,
    corpus: Corpus | CorpusFacts,
    reported: Sequence[Reported],
    *,
    clips: Iterable[Clip] = (),
    hours: float | None = None,
    note: str = "",
    also_not_tested: Sequence[str] = (),
    provenance: Mapping[str, str] | None = None,
    tables: Iterable[PaperTable] = (),
    slices: Sequence[SlicedResults] = (),
    slice_tables: Iterable[SliceTable] = (),
    warnings: Sequence[str] = (),
    also_facts: Sequence[Fact] = (),
) -> Study:
    """A page of what was reported on each safeguard; see `gather` for the rest.

    ``tables`` are those of noe2022 (`pseudovoice.report.papers`), perhaps of more sets than this;
    ``slices`` and ``slice_tables`` are of chains that end in slices, ``warnings`` and
    ``also_facts`` what they add.
    """
    shown = with_better([one.results for one in reported])
    attacks = [attack for one in shown for attack in one.attacks]
    facts = [fact for one in reported for fact in one.facts]
    facts += [*also_facts, *(Fact(name, value) for name, value in (provenance or {}).items())]
    attackers = {attack.attacker for attack in attacks}
    attackers |= {attack.attacker for one in slices for attack in one.attacks}
    if any(one.told for one in shown):
        attackers.add(ATTRIBUTES.attacker.name)
    return Study(
        title=title,
        corpus=corpus
        if isinstance(corpus, CorpusFacts)
        else CorpusFacts(corpus.name, len(corpus.speakers), len(corpus), hours, note),
        comparisons=_compared(reported, slices),
        people=()
        if isinstance(corpus, CorpusFacts)
        else tuple(
            Person(name, corpus.genders[name], len(utterances))
            for name, utterances in corpus.speakers.items()
        ),
        safeguards=tuple(shown),
        clips=tuple(clips),
        published=PUBLISHED,
        tables=tuple(tables),
        annex=tuple(_with_slices(row, annex_lines(slices)) for row in annex_rows(shown)),
        limits=LIMITS,
        not_tested=(
            *not_tested(
                attackers,
                utility=any(one.utility for one in shown),
                sessions=any(session.metrics for one in shown for session in one.sessions),
            ),
            *(NOT_TRIED if slices else ()),
            *also_not_tested,
        ),
        references=(*REFERENCES, *((REFERENCE,) if slices else ())),
        warnings=tuple(
            dict.fromkeys([*(text for one in reported for text in one.warnings), *warnings])
        ),
        provenance=tuple(dict.fromkeys(facts)),
        glossary=tuple(GlossarySection(name, terms) for name, terms in SECTIONS.items()),
        slices=tuple(slices),
        slice_tables=tuple(slice_tables),
    )


def _compared(reported: Sequence[Reported], slices: Sequence[SlicedResults]) -> str:
    if reported:
        return reported[0].comparisons
    return COMPARISONS if slices else "Nothing was compared."


def _with_slices(row: AnnexRow, lines: Mapping[str, tuple[str, ...]]) -> AnnexRow:
    return replace(row, found=row.found + lines.get(row.property, ()))


def _results(one: Findings) -> SafeguardResults:
    attacks = attack_results(one.assessed)
    sessions = tuple(one.sessions) or session_results(attacks, deterministic=one.deterministic)
    return SafeguardResults(
        name=one.name,
        # What was left to the package has no value to show.
        parameters={name: str(value) for name, value in one.parameters.items() if value != ""},
        deterministic=one.deterministic,
        key=one.key,
        headline=headline(attacks),
        attacks=attacks,
        not_tried=not_tried({attack.attacker for attack in attacks}),
        caution=one.caution,
        places=map_points(one.assessed),
        matrices=matrices(one.assessed),
        zoos=zoo_plots(one.assessed),
        profiles=profiles(one.assessed),
        speakers=speaker_results(one.assessed),
        utility=tuple(utility_results(one.utility)),
        sessions=sessions,
        told=traits_told(one.assessed),
        elsewhere=one.elsewhere,
    )


def attack_results(assessed: AudioAssessment) -> tuple[ShownAttack, ...]:
    """Every attack with the metrics of its condition and of its control."""
    made = []
    for attack in assessed.attacks:
        known = attack.conditions[attack.condition]
        made.append(
            ShownAttack(
                attacker=attack.attacker,
                knows=attack.who.knows,
                encoder=attack.encoder,
                group=attack.group,
                condition=attack.condition,
                metrics=_metrics(attack.rows, attack.condition),
                control=_metrics(attack.rows, "oo"),
                ceiling=known.ceiling,
                n_mated=known.n_mated,
                n_nonmated=known.n_nonmated,
                too_weak=not attack.conclusive,
                verdict=attack.verdict,
                competes=attack.who.competes,
                budget=str(attack.budget),
                # Whoever gathers has a curve along two things, which has no one end.
                more="" if attack.who.gathers else said_of_budget(attack),
                # More of one side alone is in the figure, and would be a long line here.
                along=tuple(
                    Less(str(fewer.had), _estimate(row))
                    for fewer in attack.along
                    for row in fewer.rows
                    if row.metric == "d_ece" and fewer.had.enrolled == fewer.had.tried
                ),
            )
        )
    return tuple(made)


def traits_told(assessed: AudioAssessment) -> tuple[TraitTold, ...]:
    """What was told of people, with the conditions in the order in which they were tried."""
    return tuple(
        TraitTold(
            one.trait,
            one.encoder,
            one.verdict,
            _estimate(one.control),
            {row.condition: _estimate(row) for row in one.rows if row.condition != "oo"},
        )
        for one in assessed.told
    )


def _metrics(rows: Iterable[Row], condition: str) -> dict[str, Estimate]:
    return {
        row.metric: _estimate(row)
        for row in rows
        if row.condition == condition and row.metric in SHOWN
    }


def _estimate(row: Row) -> Estimate:
    return Estimate(row.value, row.low, row.high, row.null, row.null_95, row.chance)


def utility_results(rows: Sequence[UtilityLine]) -> list[UtilityResult]:
    """Figures of use with original and protected side by side."""
    before = {(r.group, r.metric): r for r in rows if r.condition == "original"}
    made = []
    for row in rows:
        if row.condition not in ("protected", "pair"):
            continue
        origin = before.get((row.group, row.metric)) if row.condition == "protected" else None
        made.append(
            UtilityResult(
                row.metric,
                row.group,
                row.unit,
                row.direction,
                row.method,
                None if origin is None else Estimate(origin.value, origin.low, origin.high),
                Estimate(row.value, row.low, row.high),
            )
        )
    return made


def _warnings(one: Findings) -> list[str]:
    """What an assessment warns of, and how much was left out; file names stay at home."""
    said = [f"{one.name}: {text}" for text in one.assessed.whole.warnings]
    if n := len(one.assessed.problems):
        said.append(
            f"{one.name}: {n} recording{'' if n == 1 else 's'} could not be used and "
            f"{'was' if n == 1 else 'were'} left out on both sides."
        )
    return [*said, *(f"{one.name}: {note}" for note in one.notes)]


def _facts(one: Findings) -> list[Fact]:
    """Versions, settings, hashes and fingerprints."""
    known: dict[str, Any] = one.assessed.whole.provenance
    facts = [
        Fact(name, str(known.get(name, "unknown")))
        for name in ("pseudovoice", "python", "numpy", "scipy", "seed", "replicates")
    ]
    facts += [Fact(name, str(known[name])) for name in ("interval", "null") if name in known]
    facts.append(Fact("comparison of voices", str(known.get("comparison", "unknown"))))
    facts += [
        Fact(f"recogniser {encoder['name']}", f"{encoder['licence']}, sha256 {encoder['sha256']}")
        for encoder in known.get("encoders", ())
    ]
    for name, corpus in known.get("corpora", {}).items():
        owner = "" if name == "original" else f" ({one.name})"
        facts.append(
            Fact(f"{name.replace('_', ' ')} speech{owner}", f"sha256 {corpus['fingerprint']}")
        )
    key = f"identifier {one.key}" if one.key else "unknown" if one.elsewhere else "none"
    facts.append(Fact(f"key of {one.name}", key))
    return facts
