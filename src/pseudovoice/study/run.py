"""From a plan to its report: protect, attack, assess, measure, write."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from pseudovoice.asr.recogniser import SpeechRecogniser
from pseudovoice.asr.registry import load_recogniser
from pseudovoice.atomic import write_atomic
from pseudovoice.attacks.assess import Recogniser
from pseudovoice.corpus import Corpus, read_corpus
from pseudovoice.encoders.encoder import Encoder
from pseudovoice.encoders.registry import load_encoder
from pseudovoice.errors import Problem, PseudovoiceError, UsageError
from pseudovoice.private import private_folder
from pseudovoice.protection.protect import Protected
from pseudovoice.safeguards import parse_chain
from pseudovoice.study.assessing import Assessed, Assessor, Speech
from pseudovoice.study.fields import Faults
from pseudovoice.study.figures import write_figures
from pseudovoice.study.found import Found
from pseudovoice.study.headlines import headlines
from pseudovoice.study.keys import StudyKeys, study_keys
from pseudovoice.study.language_model import texts_sha256
from pseudovoice.study.measuring import MeasuredUtility, measure
from pseudovoice.study.names import ProtectedRun, assess_inputs, utility_inputs
from pseudovoice.study.outcome import Outcome
from pseudovoice.study.plan import Plan, SafeguardPlan
from pseudovoice.study.plan_file import PlanError, check_plan
from pseudovoice.study.plan_text import plan_yaml
from pseudovoice.study.protecting import Protection, another_run, our_run, training_run
from pseudovoice.study.provenance import provenance_json
from pseudovoice.study.report import write_pages
from pseudovoice.study.slices import FoundSlices, SliceStages
from pseudovoice.study.speech import SetSpeech, read_set
from pseudovoice.study.stages import Stages, stage_name
from pseudovoice.study.tables import write_tables

Progress = Callable[[str, int, int], None]
"""Called with what is being done, how many items are done, and how many there are (0: unknown)."""

SPEECH, WORK, TABLES, FIGURES = "speech", "work", "tables", "figures"
"""Folders of the output: what would be released, what the run needs for itself, what it shows."""


def run_plan(
    plan: Plan,
    out: Path,
    *,
    progress: Progress | None = None,
    workers: int | None = None,
    allow_commands: bool = False,
) -> Outcome:
    """Protect, attack, assess and report; everything is written into the folder ``out``.

    ``allow_commands`` runs the programs that corpora name in place of files, without a shell.

    A run that was killed, or stopped by an exception out of ``progress``, goes on where it was
    when it is started again, and ends with the same tables. A safeguard or a recording that
    fails is left out and listed; only where nothing is left an error is raised.
    """
    faults = Faults("the plan")
    check_plan(plan, faults)
    if faults.found:
        raise PlanError(faults.found)
    out = out.resolve()
    study = _Study(plan, out, workers, progress or (lambda *_: None), allow_commands)
    found, sliced, problems = study.run()
    tables = write_tables(found, out / TABLES, sliced)
    write_atomic(out / "plan.yaml", plan_yaml(plan))
    pages = write_pages(plan, study.sets, found, study.keys, out, sliced)
    figures = []
    if plan.figures:
        figures = write_figures(found, out / FIGURES, study.stages, study.say)
    outputs = [*tables, *pages.files, *figures]
    write_atomic(
        out / "provenance.json",
        provenance_json(plan, study.keys, study.fingerprints, found, outputs, out, sliced),
    )
    return Outcome(
        studies=pages.studies,
        pages=pages.per_set,
        page=pages.first,
        problems=tuple(dict.fromkeys((*problems, *pages.problems))),
        headlines=headlines(found, sliced),
        new_key=study.keys.file if study.keys.new else None,
    )


@dataclass
class _Study:
    """A study under way."""

    plan: Plan
    out: Path
    workers: int | None
    say: Progress
    allow_commands: bool
    _content: dict[int, str] = field(default_factory=dict)
    _unread: list[Problem] = field(default_factory=list)

    @cached_property
    def sets(self) -> list[SetSpeech]:
        sets = [read_set(one, allow_commands=self.allow_commands) for one in self.plan.sets]
        for one in sets:
            if self.out.is_relative_to(one.corpus.root.resolve()):
                raise UsageError(
                    f"{self.out}: protected speech cannot lie inside the corpus it comes from; "
                    "choose another folder with -o."
                )
        return sets

    @cached_property
    def keys(self) -> StudyKeys:
        return study_keys(self.plan, self.out)

    @cached_property
    def stages(self) -> Stages:
        return Stages(self.out / WORK / "stages")

    @cached_property
    def training(self) -> Corpus | None:
        """Other people's speech, which semi-informed attackers protect."""
        return self._read(self.plan.attacker_training)

    @cached_property
    def backend_training(self) -> Corpus | None:
        return self._read(self.plan.comparison.training)

    @cached_property
    def encoders(self) -> list[Encoder]:
        """Loaded when the first stage needs them: a finished study needs none."""
        return [load_encoder(name) for name in self.plan.encoders]

    @cached_property
    def recogniser(self) -> SpeechRecogniser | None:
        wanted = self.plan.utility
        needed = wanted is not None and "words" in wanted.measures
        return load_recogniser(wanted.recogniser) if wanted is not None and needed else None

    def _read(self, path: Path | None) -> Corpus | None:
        if path is None:
            return None
        return read_corpus(path, allow_commands=self.allow_commands)

    def fingerprint(self, corpus: Corpus) -> str:
        """Of the content, taken once a run for each corpus of originals.

        A file that cannot be read makes it another corpus, which has to be said.
        """
        if id(corpus) not in self._content:
            self.say(f"reading {corpus.name}", 0, 0)
            self._content[id(corpus)] = corpus.fingerprint(content=True, unread=self._unread.append)
        return self._content[id(corpus)]

    @property
    def fingerprints(self) -> dict[str, str]:
        """Of the originals, by set."""
        return {one.name: self.fingerprint(one.corpus) for one in self.sets}

    @cached_property
    def slices(self) -> SliceStages:
        """The stages of chains that end in slices."""
        return SliceStages(
            self.plan,
            self.out,
            SPEECH,
            WORK,
            self.keys,
            self.stages,
            self.training,
            lambda: self.encoders,
            self.fingerprint,
            self._protect,
            self.workers,
            self.say,
        )

    def run(self) -> tuple[list[Found], list[FoundSlices], list[Problem]]:
        """Everything that can be found; what cannot is a problem, unless nothing is left."""
        sets, _ = self.sets, self.keys  # what is wrong with them is said before anything is made
        texts_sha256(self.plan.slices.language_model)
        heard = ("assess-*", "identity-*", "reassembly-*")
        if not any(file for kind in heard for file in self.stages.folder.glob(kind)):
            _ = (
                self.encoders
            )  # nobody wants to hear after an hour of protecting that one is missing
        self.out.mkdir(parents=True, exist_ok=True)
        # Speech under another key, voices by name, what undoes slices: not for those who may read
        # the report.
        private_folder(self.out / WORK)
        found: list[Found] = []
        sliced: list[FoundSlices] = []
        problems: list[Problem] = []
        first: PseudovoiceError | None = None
        for speech in sets:
            for safeguard in self.plan.safeguards:
                try:
                    if safeguard.slices:
                        sliced.append(self.slices(speech, safeguard))
                    else:
                        found.append(self._one(speech, safeguard))
                except PseudovoiceError as error:
                    first = first or error
                    where = f"{safeguard.name} on {speech.name}"
                    problems.append(
                        Problem(where, str(error).rstrip("."), "it is missing from the report")
                    )
        if not found and not sliced:
            assert first is not None
            raise first
        problems = [*self._unread, *(p for cut in sliced for p in cut.problems), *problems]
        return found, sliced, [*(p for one in found for p in one.problems), *problems]

    def _one(self, speech: SetSpeech, safeguard: SafeguardPlan) -> Found:
        """All stages of one safeguard on one set."""
        original = speech.corpus
        ours = our_run(original, safeguard, self.keys, self.plan.key_session)
        protected, protected_run = self._protect(ours, SPEECH)
        problems = [*protected.problems]
        another, another_fp = None, None
        if (second := another_run(original, safeguard, self.keys)) is not None:
            made, its_run = self._protect(second, WORK)
            another, another_fp = made.corpus, its_run.fingerprint
            problems += made.problems
        training, training_fp = None, None
        if "semi" in self.plan.attackers and self.training is not None:
            made, its_run = self._protect(training_run(self.training, safeguard, self.keys), WORK)
            training, training_fp = made.corpus, its_run.fingerprint
            problems += made.problems
        corpora = {
            "original": self.fingerprint(original),
            "protected": protected_run.fingerprint,
            "another": another_fp,
            "attacker_training": training_fp,
            "backend_training": None
            if self.backend_training is None
            else self.fingerprint(self.backend_training),
            "lists": speech.lists_sha256,
        }
        key = None if ours.key is None else ours.key.identifier
        name = stage_name("assess", assess_inputs(self.plan, safeguard, corpora, key))
        assessed = self.stages.get_or_make(
            name,
            Assessed,
            lambda: self._assess(
                speech, safeguard, Speech(original, protected.corpus, another, training), key
            ),
        )
        problems += assessed.problems
        utility, utility_name, more = self._measure(speech, safeguard, protected.corpus, corpora)
        problems += more
        return Found(
            speech.name,
            safeguard.name,
            protected.corpus,
            assessed,
            utility,
            tuple(dict.fromkeys(problems)),
            (name, utility_name) if utility is not None else (name,),
        )

    def _protect(self, run: Protection, under: str) -> tuple[Protected, ProtectedRun]:
        fingerprint = self.fingerprint(run.corpus)
        place = self.out / under / run.folder(fingerprint)
        place.parent.mkdir(parents=True, exist_ok=True)
        done = run.run(place, self.keys.file, self.workers, self.say)
        unread = len(self._unread)
        content = done.corpus.fingerprint(content=True, unread=self._unread.append)
        record = ProtectedRun(content, len(done.corpus))
        if len(self._unread) == unread:
            self.stages.put(stage_name("protect", run.inputs(fingerprint)), ProtectedRun, record)
        return done, record

    def _assess(
        self, speech: SetSpeech, safeguard: SafeguardPlan, corpora: Speech, key: str | None
    ) -> Assessed:
        comparison = self.plan.comparison
        recogniser = Recogniser(
            comparison.backend, self.backend_training, comparison.as_norm, speech.lists
        )
        assessor = Assessor(self.plan, lambda: self.encoders, self.workers, self.say)
        return assessor(safeguard, corpora, recogniser, described(safeguard), key)

    def _measure(
        self,
        speech: SetSpeech,
        safeguard: SafeguardPlan,
        protected: Corpus,
        corpora: dict[str, str | None],
    ) -> tuple[MeasuredUtility | None, str, Sequence[Problem]]:
        """What protected speech is good for; a recogniser that is missing costs only this."""
        wanted = self.plan.utility
        if wanted is None:
            return None, "", ()
        name = stage_name("utility", utility_inputs(self.plan, wanted, corpora))
        try:
            measured = self.stages.get_or_make(
                name,
                MeasuredUtility,
                lambda: measure(
                    self.plan,
                    wanted,
                    speech.corpus,
                    protected,
                    self.recogniser,
                    self.workers,
                    self.say,
                ),
            )
        except PseudovoiceError as error:
            where = f"use of {speech.name} under {safeguard.name}"
            problem = Problem(where, str(error).rstrip("."), "it is missing from the report")
            return None, "", (problem,)
        return measured, name, measured.problems


def described(safeguard: SafeguardPlan) -> dict[str, Any]:
    """The parameters of a safeguard as the page shows them."""
    chain = parse_chain(safeguard.chain)
    several = len(chain.links) > 1
    return {
        (f"{link.name}: {name}" if several else name): value
        for link in chain.links
        for name, value in link.to_dict().items()
        if name != "safeguard" or several or safeguard.name != link.name
    }
