"""From a plan to its report: protect, attack, assess, measure, write."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from pseudovoice.atomic import write_atomic
from pseudovoice.corpus import Corpus, read_corpus
from pseudovoice.corpus.flat import is_recording
from pseudovoice.engines import using
from pseudovoice.errors import InputError, Problem, PseudovoiceError, UsageError
from pseudovoice.fields import Faults
from pseudovoice.private import private_folder
from pseudovoice.progress import Progress
from pseudovoice.reassembly import load_successors
from pseudovoice.release.record import RECORD
from pseudovoice.release.state import SUFFIX
from pseudovoice.storage import check_reach, lies_in, sending_but
from pseudovoice.study.figures import write_figures
from pseudovoice.study.findings import SafeguardFindings, SliceFindings
from pseudovoice.study.given import MadeElsewhere, read_given
from pseudovoice.study.graph import (
    SPEECH,
    WORK,
    Branch,
    GraphBuilder,
    SafeguardStages,
    SliceStages,
)
from pseudovoice.study.headlines import headlines
from pseudovoice.study.keys import StudyKeys, study_keys
from pseudovoice.study.language_model import texts_sha256
from pseudovoice.study.outcome import Outcome
from pseudovoice.study.plan import Plan, brought
from pseudovoice.study.plan_file import PlanError, check_plan
from pseudovoice.study.plan_text import plan_yaml
from pseudovoice.study.provenance import provenance_json
from pseudovoice.study.report import write_pages
from pseudovoice.study.speech import SetSpeech, cut_set, read_set
from pseudovoice.study.stage import Stage, StageStore, Walk
from pseudovoice.study.tables import write_tables
from pseudovoice.study.tools import Tools
from pseudovoice.study.veil import Veil

TABLES, FIGURES = "tables", "figures"
"""Folders of what a study shows."""


OWNERS = f"{WORK}/*", f"{SPEECH}/*{SUFFIX}/*"
"""What of a study never leaves this machine: work of the attackers, journals of the speech."""


@sending_but(*OWNERS)
def run_plan(
    plan: Plan,
    out: Path,
    *,
    progress: Progress | None = None,
    workers: int | None = None,
    allow_commands: bool = False,
) -> Outcome:
    """Protect, attack, assess and report; everything is written into the folder ``out``.

    Corpora, lists and ``out`` may be addresses such as ``s3://bucket/folder``.
    ``allow_commands`` runs the programs that corpora name in place of files, without a shell.

    A run that was killed, or stopped by an exception out of ``progress``, goes on where it was
    when it is started again, and ends with the same tables. A safeguard or a recording that
    fails is left out and listed; only where nothing is left an error is raised.
    """
    faults = Faults("the plan")
    check_plan(plan, faults)
    if faults.found:
        raise PlanError(faults.found)
    with using(plan.engine, unless_chosen=True):
        return _run(plan, out.resolve(), progress, workers, allow_commands)


def _run(
    plan: Plan,
    out: Path,
    progress: Progress | None,
    workers: int | None,
    allow_commands: bool,
) -> Outcome:
    check_reach(out)
    tools = Tools(workers, progress or (lambda *_: None))
    # What was asked for is told by its own addresses; what is read lies here.
    study = _Study(brought(plan), out, tools, allow_commands)
    found, sliced, problems = study.run()
    veil = study.tools.veil
    tables = write_tables(found, out / TABLES, sliced)
    # With the key that was used, so that the plan alone repeats the study.
    write_atomic(
        out / "plan.yaml", plan_yaml(replace(plan, key_file=study.keys.file or plan.key_file))
    )
    pages = write_pages(plan, study.sets, found, study.keys, out, sliced)
    figures = []
    if plan.figures:
        figures = write_figures(
            found,
            out / FIGURES,
            study.store,
            study.tools.say,
            empirical_prior=plan.empirical_prior,
        )
    outputs = [*tables, *pages.files, *figures]
    write_atomic(
        out / "provenance.json",
        provenance_json(plan, study.keys, study.fingerprints, found, outputs, out, sliced),
    )
    ours = [one for one in found if not one.safeguard.elsewhere]
    _check_still_there([one.protected.root for one in ours if one.protected is not None])
    return Outcome(
        found=tuple(found),
        sliced=tuple(sliced),
        studies=pages.studies,
        pages=pages.per_set,
        page=pages.first,
        problems=tuple(dict.fromkeys(veil.show(one) for one in (*problems, *pages.problems))),
        headlines=tuple(headlines(found, sliced)),
        notes=_notes(study.sets, found),
        new_key=study.keys.file if study.keys.new else None,
    )


def _notes(sets: Sequence[SetSpeech], found: Sequence[SafeguardFindings]) -> tuple[str, ...]:
    """What holds for all numbers: how speech was cut, and in what words are in doubt."""
    used = [one.utility.provenance for one in found if one.utility is not None]
    words = (note for known in used for note in known.get("words_in_doubt", ()))
    return tuple(dict.fromkeys((*(note for one in sets for note in one.notes), *words)))


def _check_still_there(folders: Sequence[Path]) -> None:
    """Whoever reads of speech that was protected has to find it."""
    for folder in folders:
        if not (folder / RECORD).is_file():
            raise InputError(
                f"{folder}: was removed while the study was under way; see what did that, and "
                "start again: what has gone is made anew."
            )


@dataclass
class _Study:
    """A study under way."""

    plan: Plan
    out: Path
    tools: Tools
    allow_commands: bool
    _content: dict[int, str] = field(default_factory=dict)

    @cached_property
    def sets(self) -> list[SetSpeech]:
        sets = [read_set(one, allow_commands=self.allow_commands) for one in self.plan.sets]
        for one in sets:
            alone = all(map(is_recording, one.plan.corpus))
            if not alone and lies_in(self.out, one.source.root):
                raise UsageError(
                    f"{self.out}: protected speech cannot lie inside the corpus it comes from; "
                    "choose another folder with -o."
                )
        for k, one in enumerate(sets):
            self.tools.say(f"reading {one.name}", 0, 0)
            sets[k] = cut_set(one)
        if not self.plan.rename:
            return sets
        # Not before: a corpus that cannot be read needs no key.
        return [replace(one, names=self.keys.names(self.plan)) for one in sets]

    @cached_property
    def elsewhere(self) -> dict[str, MadeElsewhere]:
        """What systems of others made, by their name."""
        found = {
            one.name: read_given(
                one, allow_commands=self.allow_commands, speaker_from=self.plan.speaker_from
            )
            for one in self.plan.safeguards
            if one.elsewhere
        }
        for made in found.values():
            if lies_in(self.out, made.speech.root):
                raise UsageError(
                    f"{self.out}: results cannot lie inside protected speech that is assessed; "
                    "choose another folder with -o."
                )
        return found

    @cached_property
    def keys(self) -> StudyKeys:
        return study_keys(self.plan, self.out)

    @cached_property
    def store(self) -> StageStore:
        return StageStore(self.out / WORK / "stages")

    @cached_property
    def graph(self) -> GraphBuilder:
        return GraphBuilder(
            self.plan,
            self.out,
            self.keys,
            self.fingerprint,
            self._read(self.plan.attacker_training),
            self._read(self.plan.comparison.training),
            self.elsewhere,
            self._read(None if self.plan.asr_training is None else self.plan.asr_training.corpus),
        )

    def _read(self, path: Path | None) -> Corpus | None:
        if path is None:
            return None
        return read_corpus(path, allow_commands=self.allow_commands)

    def fingerprint(self, corpus: Corpus) -> str:
        """Of the content, taken once a run for each corpus of originals."""
        if id(corpus) not in self._content:
            self.tools.say(f"reading {corpus.name}", 0, 0)
            self._content[id(corpus)] = self.tools.fingerprint(corpus)
        return self._content[id(corpus)]

    @property
    def fingerprints(self) -> dict[str, str]:
        """Of the originals, by set."""
        return {one.name: self.fingerprint(one.corpus) for one in self.sets}

    def run(self) -> tuple[list[SafeguardFindings], list[SliceFindings], list[Problem]]:
        """Everything that can be found; what cannot is a problem, unless nothing is left."""
        sets, _, _ = (
            self.sets,
            self.elsewhere,
            self.keys,
        )  # what is wrong with them is said before anything is made
        texts_sha256(self.plan.slices.language_model)
        load_successors(self.plan.slices.successors)
        if not self.store.has("assess", "identity", "reassembly"):
            # Nobody wants to hear after an hour of protecting that one is missing.
            self.tools.encoders(self.plan.encoders)
        self.out.mkdir(parents=True, exist_ok=True)
        # Speech under another key, voices by name, what undoes slices: not for those who may read
        # the report.
        private_folder(self.out / WORK)
        self.tools.veil = self._veil()
        walk = Walk(self.store, self.tools)
        found: list[SafeguardFindings] = []
        sliced: list[SliceFindings] = []
        problems: list[Problem] = []
        first: PseudovoiceError | None = None
        for speech in sets:
            for safeguard in self.plan.safeguards:
                try:
                    branch: Branch = self.graph.branch(speech, safeguard)
                    if isinstance(branch, SliceStages):
                        sliced.append(self._slices(walk, branch))
                    else:
                        found.append(_safeguard(walk, branch))
                except PseudovoiceError as error:
                    first = first or error
                    problems.append(_missing(f"{safeguard.name} on {speech.name}", error))
        if not found and not sliced:
            assert first is not None
            raise first
        problems = [*self.tools.unread, *(p for cut in sliced for p in cut.problems), *problems]
        return found, sliced, [*(p for one in found for p in one.problems), *problems]

    def _veil(self) -> Veil:
        """Over everybody whose speech the study reads."""
        corpora = [one.source for one in self.sets]
        others = (self.graph.training, self.graph.backend_training, self.graph.asr_training)
        corpora += [corpus for corpus in others if corpus is not None]
        return Veil(self.keys.names(self.plan), tuple(corpora))

    def _slices(self, walk: Walk, branch: SliceStages) -> SliceFindings:
        """A chain of slices; an attack that fails costs itself only."""
        speech, safeguard = branch.speech, branch.safeguard
        cut = walk.result(branch.cut)
        problems = [*cut.run.problems]
        fingerprints = {"original": self.fingerprint(speech.corpus), "slices": cut.run.fingerprint}
        names = [walk.name(branch.cut)]

        def attack(stage: Stage, what: str) -> Any | None:
            where = f"{what} of {safeguard.name} on {speech.name}"
            return _optional(walk, stage, where, problems, names)

        identity = attack(branch.identity, "whose slices")
        for name, stage in branch.protections.items():
            if walk.done(stage):
                fingerprints[name] = walk.record(stage).fingerprint
                if name != "unsliced":
                    problems += walk.result(stage).problems
        if identity is not None:
            if "training" not in branch.protections and branch.trains and self.graph.training:
                fingerprints["training"] = self.fingerprint(self.graph.training)
            problems += identity.problems
        reassembly = attack(branch.reassembly, "putting slices together")
        if reassembly is not None:
            problems += reassembly.problems
        return SliceFindings(
            speech.name,
            safeguard,
            None if branch.reference is None else branch.reference.name,
            branch.key,
            cut.run,
            identity,
            reassembly,
            fingerprints,
            texts_sha256(self.plan.slices.language_model),
            tuple(dict.fromkeys(problems)),
            tuple(names),
        )


def _safeguard(walk: Walk, branch: SafeguardStages) -> SafeguardFindings:
    """All stages of one safeguard on one set; a recogniser that is missing costs only its own."""
    speech, safeguard = branch.speech, branch.safeguard
    protected = walk.result(branch.protect)
    assessed = walk.result(branch.assess)
    problems = [*protected.problems]
    for stage in branch.theirs:
        problems += walk.result(stage).problems
    problems += assessed.problems
    names = [walk.name(branch.assess)]
    under = f"{speech.name} under {safeguard.name}"
    utility = _optional(walk, branch.utility, f"use of {under}", problems, names)
    worth = _optional(walk, branch.worth, f"training on {under}", problems, names)
    for found in (utility, worth):
        problems += () if found is None else found.problems
    return SafeguardFindings(
        speech.name,
        safeguard,
        branch.key,
        assessed,
        utility,
        tuple(dict.fromkeys(problems)),
        tuple(names),
        worth,
        protected.corpus,
    )


def _optional(
    walk: Walk, stage: Stage | None, where: str, problems: list[Problem], names: list[str]
) -> Any | None:
    """What a stage found, noted with the rest; one that fails costs itself only."""
    if stage is None:
        return None
    try:
        found = walk.result(stage)
    except PseudovoiceError as error:
        problems.append(_missing(where, error))
        return None
    names.append(walk.name(stage))
    return found


def _missing(where: str, error: PseudovoiceError) -> Problem:
    return Problem(where, str(error).rstrip("."), "it is missing from the report")
