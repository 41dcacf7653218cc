"""From two corpora of speech to the assessment, for several encoders and attackers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any

from pseudovoice.assessment.assess import Assessment, assess_scores
from pseudovoice.assessment.assessed_once import Conditions
from pseudovoice.assessment.estimate import Row
from pseudovoice.assessment.notes import NotGiven
from pseudovoice.attacks.attacker import Attacker
from pseudovoice.attacks.curves import Fewer
from pseudovoice.attacks.ensemble import EVERY_ENCODER, Fusing, Part
from pseudovoice.attacks.had import Had
from pseudovoice.attacks.heard import Heard, Scores, TrialSettings
from pseudovoice.attacks.inference import NOTHING, inference
from pseudovoice.attacks.listen import Listener, listen
from pseudovoice.attacks.material import Material, Scoring, described
from pseudovoice.attacks.mixup import mixed_up
from pseudovoice.attacks.registry import BASE, attacks
from pseudovoice.attacks.result import AttackResult, find_result, result_of, strongest
from pseudovoice.attacks.told import Draws, Told
from pseudovoice.backends.compare import MOST_EXACT
from pseudovoice.choices import REPLICATES
from pseudovoice.corpus import Channel, Corpus, pair
from pseudovoice.embeddings.store import EmbeddingStore
from pseudovoice.encoders.encoder import Encoder
from pseudovoice.errors import InputError, Problem
from pseudovoice.progress import Progress
from pseudovoice.result import Result


@dataclass(frozen=True, repr=False)
class AudioAssessment(Result):
    """Every attack with its numbers, and the one table of them all."""

    whole: Assessment
    results: tuple[AttackResult, ...]
    problems: tuple[Problem, ...]
    told: tuple[Told, ...] = ()
    """What was told of people: traits and rooms, by whoever infers."""

    @property
    def attacks(self) -> list[AttackResult]:
        """The results whose attack and control could both be assessed."""
        return [one for one in self.results if one.complete]

    def result(self, attacker: str, encoder: str, group: str = "all") -> AttackResult:
        """What one attacker achieved through one encoder; KeyError if it did not take part."""
        found = find_result(self.results, attacker, encoder, group)
        if found is None:
            raise KeyError(f"{attacker}, {encoder}, {group}")
        return found

    def to_dict(self) -> dict[str, Any]:
        return {
            **self.whole.to_dict(),
            "attacks": [attack.to_dict() for attack in self.attacks],
            "told": [one.to_dict() for one in self.told],
            "problems": [str(problem) for problem in self.problems],
        }


CURVE = ("eer", "d_ece", "l_w")
"""What is told of an attacker who had less."""


@dataclass(frozen=True)
class Statistics:
    """How numbers are drawn from scores; the same for every attacker of an assessment."""

    similarity: str = "geometric"
    replicates: int = REPLICATES
    permutations: int = REPLICATES
    seed: int = 0


def assess_audio(
    material: Material,
    encoders: Sequence[Encoder],
    *,
    attackers: Sequence[str] | None = None,
    scoring: Scoring = Scoring(),  # noqa: B008 - frozen
    store: EmbeddingStore | None = None,
    keep_counts: Path | None = None,
    channel: Channel = "mean",
    workers: int | None = None,
    by_gender: bool = True,
    similarity: str = "geometric",
    replicates: int = REPLICATES,
    permutations: int = REPLICATES,
    seed: int = 0,
    known: Conditions | None = None,
    progress: Progress | None = None,
) -> AudioAssessment:
    """Assess protected speech against its originals.

    Every encoder is an attacker's ear of its own. ``attackers`` are names of
    `pseudovoice.attacks`; the ignorant one always attacks, and without names everybody does whose
    speech is at hand, save who has the key and who has to be asked for. Bad files are listed and
    left out on both sides. Assessments of one corpus share its unprotected speech: with ``known``,
    it is assessed once.
    """
    pairing = pair(material.original, material.protected)
    problems = dict.fromkeys(  # in order, each once
        (*material.original.problems, *material.protected.problems, *pairing.problems)
    )
    # Listed trials are one set, whoever made the list; they are not cut up again.
    groups = _groups(material.original, pairing.ids, by_gender and scoring.lists is None)
    say = progress or (lambda *_: None)
    statistics = Statistics(similarity, replicates, permutations, seed)
    trials = TrialSettings(scoring.lists, scoring.all_pairs, similarity, keep_counts)
    assessor = _Assessor(attackers, scoring, statistics, known or Conditions(), say)
    results: list[AttackResult] = []
    draws = Draws(replicates, permutations, seed)
    asking = inference(attackers, material.original, pairing.ids, draws)
    told: list[Told] = []
    notes: list[str] = []
    listeners = [*((encoder, "") for encoder in encoders), *_swapped(material.ears)]
    ears: list[tuple[Heard, str]] = []
    for encoder, ear in listeners:
        hear = Listener(encoder, store, channel, workers, say, problems)
        speech = material.for_the_ear if ear else material
        heard = listen(speech, pairing.ids, scoring, trials, hear)
        notes += [f"{encoder.name}: {note}" for note in mixed_up(heard.original, heard.protected)]
        for group, members in groups.items():
            inside = heard.within(members)
            if len(set(inside.original.speakers)) < 2:
                notes.append(f"{encoder.name}: group {group} has fewer than two speakers left.")
                continue
            results += assessor(inside, group, ear)
        if asking is not None and not ear:
            told += asking.through(heard)
        problems.update(dict.fromkeys(heard.problems))
        if assessor.fusing is not None:
            ears.append((heard, ear))
    if assessor.fusing is not None:
        for group, members in groups.items():
            fused, why = assessor.together(assessor.fusing, ears, group, members)
            results += fused
            notes += why
    if asking is not None:
        told += asking.through_own_ears(
            lambda ear: listen(
                material.for_probes,
                pairing.ids,
                Scoring(),
                trials,
                Listener(ear, store, channel, workers, say, problems),
            ),
            taken=[encoder.name for encoder in encoders],
        )
        notes += [] if told else [NOTHING]
    if not results:
        raise InputError("No group of at least two speakers is left to assess.")
    corpora, unread = described(material, scoring)
    problems.update(dict.fromkeys(unread))
    provenance = {
        "corpora": corpora,
        "encoders": [
            {"name": e.name, "sha256": e.sha256, "licence": e.licence} for e, _ in listeners
        ],
        "comparison": str(scoring),
    }
    whole = _merged(results, told, notes, provenance)
    return AudioAssessment(whole, tuple(results), tuple(problems), tuple(told))


def _swapped(ears: Mapping[str, Encoder]) -> list[tuple[Encoder, str]]:
    return [(encoder, name) for name, encoder in ears.items()]


def _groups(corpus: Corpus, ids: Iterable[str], by_gender: bool) -> dict[str, set[str]]:
    """Utterances of everybody, and of each gender that has at least two speakers."""
    wanted = set(ids)
    groups = {"all": wanted}
    if by_gender:
        for gender in sorted({g for g in corpus.genders.values() if g}):
            people = {s for s, g in corpus.genders.items() if g == gender}
            members = {u.id for u in corpus if u.speaker in people} & wanted
            if len({corpus.by_id[name].speaker for name in members}) >= 2:
                groups[gender] = members
    # One gender only: its group is everybody.
    return groups if len(groups) > 2 else {"all": wanted}


@dataclass(frozen=True)
class _Assessor:
    """Lets every attacker that is wanted try what an encoder heard."""

    wanted: Sequence[str] | None
    scoring: Scoring
    statistics: Statistics
    known: Conditions
    say: Progress

    def __call__(self, heard: Heard, group: str, ear: str) -> list[AttackResult]:
        """``ear`` names the encoder if it is an attacker's own, whom it serves alone."""
        return [self._assessed(part, group) for part in self._parts(heard, ear)]

    @property
    def fusing(self) -> Fusing | None:
        """Whoever fuses what the others find, if that is wanted."""
        every = attacks().values()
        return next((a for a in every if isinstance(a, Fusing) and self._wants(a.attacker)), None)

    def together(
        self, attack: Fusing, ears: Sequence[tuple[Heard, str]], group: str, members: set[str]
    ) -> tuple[list[AttackResult], list[str]]:
        """What the attackers make of it together, through all ears, and what is to be said."""
        everywhere = members.intersection(*(heard.everywhere for heard, _ in ears))
        if self.scoring.lists is None and len(everywhere) ** 2 > MOST_EXACT:
            return [], [f"{group}: no ensemble: so many trials are counted, not kept."]
        parts = [
            part
            for heard, ear in ears
            for part in self._parts(heard.within(everywhere), ear)
            if part.who.competes
        ]
        made = attack.fused(parts, self.statistics.seed)
        notes = [f"{group}: {note}" for note in made.notes]
        if made.scores is None:
            return [], notes
        whole = Part(attack.attacker, EVERY_ENCODER, made.scores)
        return [self._assessed(whole, group)], notes

    def _parts(self, heard: Heard, ear: str) -> Iterator[Part]:
        for attack in attacks().values():
            who = attack.attacker
            if who.ear == ear and self._wants(who):
                found = attack.scores(heard)
                if found is not None:
                    yield Part(who, heard.encoder, found)

    def _assessed(self, part: Part, group: str) -> AttackResult:
        who, scored = part.who, part.found
        self.say(f"assessing {group} with {part.encoder} ({who.name})", 0, 0)
        assessment = assess_scores(
            scored.conditions,
            f0=scored.other_run or None,
            attackers=_titles(who, part.encoder),
            similarity=self.statistics.similarity,
            replicates=self.statistics.replicates,
            permutations=self.statistics.permutations,
            seed=self.statistics.seed,
            known=self.known,
        )
        # A normalised score is no likelihood ratio, whatever it was, nor what is made of several.
        llrs = self.scoring.gives_llrs and not (who.tries or who.pairs or who.fuses or who.gathers)
        along = tuple(self._along(who, part.encoder, scored.along))
        made = result_of(who, part.encoder, group, assessment, llrs=llrs)
        return replace(made, along=along, budget=scored.budget)

    def _along(self, who: Attacker, encoder: str, scores: Mapping[Had, Scores]) -> Iterator[Fewer]:
        for less, fewer in scores.items():
            made = assess_scores(
                {who.condition: fewer},
                attackers={who.condition: f"{who.title} ({less}), {encoder}"},
                similarity=self.statistics.similarity,
                replicates=self.statistics.replicates,
                permutations=0,
                seed=self.statistics.seed,
            )
            yield Fewer(less, tuple(row for row in made.rows if row.metric in CURVE))

    def _wants(self, who: Attacker) -> bool:
        if self.wanted is None:
            return who.competes and not who.by_name
        return who == BASE or who.name in self.wanted


def _titles(who: Attacker, encoder: str) -> dict[str, str]:
    """What tables call whoever makes the comparison, by condition."""
    control = f"{encoder} retrained" if who.trains else encoder
    if who.gathers:
        control = f"{encoder}, gathered"
    return {
        "oo": f"none (unprotected), {control}",
        "op": f"{who.label}, {encoder}",
        "pp": f"none (same key), {control}",
        "pq": f"{who.label}, {encoder}",
    }


def _merged(
    results: Sequence[AttackResult],
    told: Sequence[Told],
    notes: Sequence[str],
    provenance: dict[str, Any],
) -> Assessment:
    """One table: every attacker's rows, the shared OO once, and the worst attacker of each."""
    rows: dict[tuple[str, ...], Row] = {}
    for one in results:
        for row in (*one.rows, *chain.from_iterable(fewer.rows for fewer in one.along)):
            key = (one.group, row.condition, row.attacker, row.metric)
            rows.setdefault(key, replace(row, group=one.group))
    worst = [
        replace(row, group=group, attacker=f"worst attacker ({row.attacker})")
        for (group, condition), one in strongest(results).items()
        for row in one.rows
        if row.condition == condition
    ]
    speakers = tuple(
        replace(row, group=one.group, attacker=f"{one.attacker}, {one.encoder}")
        for one in results
        for row in one.speakers
        if row.condition != "oo"
    )
    first = results[0].assessment
    assert first is not None
    return Assessment(
        (*rows.values(), *worst, *(row for one in told for row in one.rows)),
        speakers,
        tuple(dict.fromkeys((*notes, *_warnings(results)))),
        {**first.provenance, **provenance},
    )


def _warnings(results: Sequence[AttackResult]) -> list[str]:
    said = []
    for one in results:
        assert one.assessment is not None
        place = f"{one.attacker}, {one.encoder}, {one.group}"
        said += [f"{place}: {warning}" for warning in _worth_saying(one.assessment)]
    for one in results:
        if one.complete and not one.conclusive:
            eer = one.row("oo", "eer")
            assert eer is not None
            said.append(
                f"{one.attacker}, {one.encoder}, {one.group}: {one.verdict} "
                f"(EER {100 * float(eer.value):.1f} %)."
            )
    return said


def _worth_saying(part: Assessment) -> list[str]:
    """Warnings of a part, without what is plain from the set-up of an audio assessment."""
    return [warning for warning in part.warnings if not isinstance(warning, NotGiven)]
