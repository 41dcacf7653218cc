"""The graph of a study: for every set and safeguard, the stages that lead to its numbers."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from pseudovoice.attacks.assess import Statistics
from pseudovoice.attacks.material import Scoring
from pseudovoice.attacks.registry import BASE, attacker
from pseudovoice.corpus import Corpus
from pseudovoice.models.cache import sha256_of
from pseudovoice.protection.by_turns import ByTurns
from pseudovoice.safeguards import parse_chain
from pseudovoice.study.assessing import AssessWork, Part
from pseudovoice.study.cutting import SliceWork
from pseudovoice.study.given import GivenProtection, MadeElsewhere, another_run, of_set
from pseudovoice.study.identifying import IdentityWork
from pseudovoice.study.keys import StudyKeys
from pseudovoice.study.language_model import texts_sha256
from pseudovoice.study.learning import EarWork
from pseudovoice.study.measuring import MeasureWork
from pseudovoice.study.on_released import OnReleased
from pseudovoice.study.plan import Plan, SafeguardPlan
from pseudovoice.study.protecting import Protection, Protections, before_slicing, unsliced
from pseudovoice.study.reassembling import ReassemblyWork
from pseudovoice.study.speech import SetSpeech
from pseudovoice.study.stage import Stage, Work
from pseudovoice.study.training_worth import WorthWork
from pseudovoice.training.ground import need_torch

SPEECH, WORK = "speech", "work"
"""Folders of the output: what would be released, and what the run needs for itself."""


@dataclass(frozen=True)
class SafeguardStages:
    """One safeguard on one set; ``theirs`` are runs of the attackers' own."""

    speech: SetSpeech
    safeguard: SafeguardPlan
    protect: Stage
    theirs: tuple[Stage, ...]
    assess: Stage
    utility: Stage | None
    worth: Stage | None = None

    @property
    def key(self) -> str | None:
        """The identifier of the key, None for a safeguard that draws nothing."""
        work = self.protect.work
        if not isinstance(work, Protection) or work.key is None:
            return None
        return work.key.identifier

    def stages(self) -> Iterator[Stage]:
        yield from self.assess.all()
        for stage in (self.utility, self.worth):
            if stage is not None:
                yield from stage.all()


@dataclass(frozen=True)
class SliceStages:
    """One chain that ends in slices on one set; ``reference`` is its form before it is cut.

    ``protections`` are the runs that the attackers make for themselves.
    """

    speech: SetSpeech
    safeguard: SafeguardPlan
    cut: Stage
    reference: SafeguardPlan | None
    protections: Mapping[str, Stage]
    identity: Stage
    reassembly: Stage

    @property
    def trains(self) -> bool:
        """Whether anybody who tries these slices trains."""
        work = self.identity.work
        assert isinstance(work, IdentityWork)
        return work.trains

    @property
    def key(self) -> str:
        work = self.cut.work
        assert isinstance(work, SliceWork)
        assert work.protection.key is not None
        return work.protection.key.identifier

    def stages(self) -> Iterator[Stage]:
        yield from self.identity.all()
        yield from self.reassembly.all()


Branch = SafeguardStages | SliceStages


@dataclass
class GraphBuilder:
    """Builds the branches of a study; runs that several of them need are one stage.

    ``content`` gives the fingerprint of a corpus, or None where it cannot be told; ``training`` is
    other people's speech for attackers who train, ``backend_training`` that of a common back-end,
    ``elsewhere`` what systems of others made, by their name; ``asr_training`` is what recognisers
    are trained on.
    """

    plan: Plan
    out: Path
    keys: StudyKeys
    content: Callable[[Corpus], str | None]
    training: Corpus | None
    backend_training: Corpus | None
    elsewhere: Mapping[str, MadeElsewhere] = field(default_factory=dict)
    asr_training: Corpus | None = None
    _stages: dict[str, Stage] = field(default_factory=dict)
    _ears: dict[Path, Stage] = field(default_factory=dict)

    def branch(self, speech: SetSpeech, safeguard: SafeguardPlan) -> Branch:
        make = self._sliced if safeguard.slices else self._whole
        return make(speech, safeguard)

    @property
    def _runs(self) -> Protections:
        work = self.out / WORK
        names = self.keys.names(self.plan)
        return Protections(
            self.keys,
            self.plan.key_session,
            self.out / SPEECH,
            work,
            names=names,
            check_words=self.plan.slices.check_words,
        )

    def _runs_of(self, speech: SetSpeech) -> Protections:
        return replace(self._runs, cutting=speech.cutting)

    def _stage(self, work: Work, *needs: Stage | None) -> Stage:
        """One stage for the same work: speech that two branches need is protected once."""
        known = work.inputs()
        if known is None or needs:
            return Stage(work, needs)
        key = json.dumps([work.kind, work.title, known], sort_keys=True)
        return self._stages.setdefault(key, Stage(work))

    def _maybe(self, run: Protection | None) -> Stage | None:
        return None if run is None else self._stage(run)

    @property
    def _trains(self) -> bool:
        named = (attacker(name) for name in self.plan.attackers)
        return self.training is not None and any(who.trains for who in named)

    def _whole(self, speech: SetSpeech, safeguard: SafeguardPlan) -> SafeguardStages:
        plan, original = self.plan, speech.corpus
        content = self.content(original)
        if safeguard.elsewhere:
            protect, theirs = self._given(speech, self.elsewhere[safeguard.name])
        else:
            # Voices are given by name, so that they are those of a release with the same key.
            protect = self._stage(self._runs_of(speech).ours(speech.source, content, safeguard))
            theirs = [
                *self._theirs(speech, content, safeguard),
                *self._on_released(protect),
            ]
        corpora: dict[str, str | None] = {"original": content, "lists": speech.lists_sha256}
        if self.backend_training is not None:
            corpora["backend_training"] = self.content(self.backend_training)
        comparison = plan.comparison
        assess = AssessWork(
            speech.name,
            safeguard.name,
            original,
            Scoring(
                comparison.backend,
                self.backend_training,
                comparison.as_norm,
                speech.lists,
                speech.plan.all_pairs,
            ),
            plan.attackers,
            plan.encoders,
            plan.genders,
            Statistics(plan.similarity, plan.replicates, plan.permutations, plan.seed),
            corpora,
            parts=("protected", *(part for part, _ in theirs)),
            known_pairs=plan.known_pairs if plan.pairing and not safeguard.elsewhere else 0,
            repeatable=not safeguard.elsewhere,
            first=safeguard == plan.safeguards[0],
        )
        utility = None
        if plan.utility is not None:
            measure = MeasureWork(
                speech.name,
                safeguard.name,
                original,
                content,
                plan.utility,
                plan.genders,
                plan.replicates,
                plan.seed,
                first=safeguard == plan.safeguards[0],
            )
            utility = Stage(measure, (protect,))
        return SafeguardStages(
            speech,
            safeguard,
            protect,
            tuple(stage for _, stage in theirs),
            Stage(assess, (protect, *(stage for _, stage in theirs))),
            utility,
            self._worth(speech, safeguard, content, protect),
        )

    def _worth(
        self, speech: SetSpeech, safeguard: SafeguardPlan, content: str | None, protect: Stage
    ) -> Stage | None:
        """What the safeguard leaves of speech as training data; systems of others cannot be run."""
        wanted, training = self.plan.asr_training, self.asr_training
        if wanted is None or training is None or safeguard.elsewhere:
            return None
        need_torch("Training a recogniser")
        learnt = self.content(training)
        work = WorthWork(
            speech.name,
            safeguard.name,
            safeguard.chain,
            speech.corpus,
            training,
            {"original": content, "asr_training": learnt},
            wanted,
            self.plan.replicates,
            self.plan.seed,
            self.out / WORK,
            self.keys.ours,
            self.plan.key_session,
            self.plan.slices.check_words,
        )
        guarded = self._stage(self._runs.learnt_from(training, learnt, safeguard))
        return Stage(work, (protect, guarded))

    def _given(
        self, speech: SetSpeech, made: MadeElsewhere
    ) -> tuple[Stage, list[tuple[Part, Stage]]]:
        """What was made elsewhere, and another run as an attacker's own, if there is one.

        Nobody here can run such a system: whoever trains, tries or undoes has nothing to do.
        """
        part = speech.plan.part or len(self.plan.sets) > 1
        mine = of_set(made.speech, speech, part=part)
        protect = self._stage(GivenProtection(mine, self.content(mine)))
        if made.another is None:
            return protect, []
        again = of_set(made.another, speech, part=part)
        other = another_run(again, self.content(again), speech.corpus)
        return protect, [("another", self._stage(other))]

    def _theirs(
        self, speech: SetSpeech, content: str | None, safeguard: SafeguardPlan
    ) -> Iterator[tuple[Part, Stage]]:
        """What the attackers of the plan make for themselves, and what it is to the assessment."""
        plan, runs, original = self.plan, self._runs_of(speech), speech.source
        another = self._maybe(runs.another(original, content, safeguard))
        if another is not None:
            yield "another", another
        if self._trains:
            assert self.training is not None
            training = runs.training(self.training, self.content(self.training), safeguard)
            protected = self._stage(training)
            yield "training", protected
            yield from (("ear", stage) for stage in self._learnt(plan.ears, training, protected))
        if plan.trying:
            for run in runs.tried(original, content, safeguard, plan.tries):
                yield "try", self._stage(run)
        if plan.gathering:
            for run in runs.released_again(original, content, safeguard, plan.sessions):
                yield "release", self._stage(run)

    def _learnt(
        self, ears: Iterable[str], training: Protection, protected: Stage
    ) -> Iterator[Stage]:
        """Encoders that attackers train on what they protected; branches share them."""
        for name in ears:
            work = EarWork(name, training, self.out / WORK)
            work.check()
            yield self._ears.setdefault(work.place, Stage(work, (protected,)))

    def _on_released(self, protect: Stage) -> Iterator[tuple[Part, Stage]]:
        """What they make of the release itself."""
        plan = self.plan
        assert isinstance(protect.work, Protection)
        runs = OnReleased(self._runs, protect.work)
        if plan.trying:
            for run in runs.undone(plan.tries):
                yield "undone", self._stage(run, protect)
        if plan.pairing:
            yield "fitted", self._stage(runs.fitted(plan.known_pairs, plan.tries), protect)

    def _sliced(self, speech: SetSpeech, safeguard: SafeguardPlan) -> SliceStages:
        # Slices lie between words, which only transcripts of whole recordings tell.
        plan, original, runs = self.plan, speech.recordings, self._runs
        if speech.cutting is not None and speech.cutting.turns is not None:
            ByTurns(speech.cutting.turns).check(parse_chain(safeguard.chain))
        content = self.content(original)
        same = unsliced(safeguard, plan.safeguards)
        named = before_slicing(safeguard, plan.safeguards)
        links = bool(parse_chain(safeguard.chain).links)
        before = self._maybe(runs.uncut(original, content, named, released=same is not None))
        sliced = SliceWork(runs.ours(original, content, safeguard), self.out / WORK)
        cut = self._stage(sliced, before)
        uncut = None if same is None else before
        own = training = None
        ears: list[Stage] = []
        wanted = self._who_links(links)
        corpora: dict[str, str | None] = {"original": content}
        if speech.lists is not None:
            corpora["lists"] = speech.lists_sha256
        if any(attacker(name).protects for name in wanted):
            released = same is not None
            own = self._maybe(runs.whole(original, content, named, released=released))
        if self._trains and any(attacker(name).trains for name in wanted):
            assert self.training is not None
            corpora["training"] = self.content(self.training)
            if links:
                run = runs.training(self.training, corpora["training"], named)
                training = self._stage(run)
                ears = list(self._learnt(plan.ears, run, training))
        identity = IdentityWork(
            speech.name,
            safeguard.name,
            original,
            self.training,
            wanted,
            plan.encoders,
            plan.replicates,
            plan.seed,
            uncut is not None or not links,
            plan.slices.cut_training,
            corpora,
            speech.lists,
        )
        reassembly = ReassemblyWork(
            speech.name,
            safeguard.name,
            original,
            plan.encoders[0],
            plan.slices,
            texts_sha256(plan.slices.language_model),
            tuple(sha256_of(path) for path in plan.slices.successors),
            plan.replicates,
            plan.seed,
        )
        made = {"own": own, "training": training, "unsliced": uncut}
        return SliceStages(
            speech,
            safeguard,
            cut,
            same,
            {name: stage for name, stage in made.items() if stage is not None},
            Stage(identity, (cut, uncut, own, training, *ears)),
            Stage(reassembly, (cut,)),
        )

    def _who_links(self, links: bool) -> tuple[str, ...]:
        """Who tries slices: the first always; who only protects has nothing to do without links."""
        able = [
            name
            for name in self.plan.attackers
            if (who := attacker(name)).protects and not who.infers and (links or who.trains)
        ]
        return (BASE.name, *able)
