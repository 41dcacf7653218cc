"""All stages of a chain that ends in slices, on one set: cut, link to people, put together.

Slices bear nobody's name, so that what is done with other safeguards cannot be done with them.
Whether an attack is right only the table that undoes the slicing can tell. It stays in the work
folder, readable by its owner alone; tables and page hold numbers that were counted with it.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pseudovoice.corpus import Corpus, read_corpus
from pseudovoice.encoders.encoder import Encoder
from pseudovoice.errors import Problem, PseudovoiceError
from pseudovoice.models.cache import sha256_of
from pseudovoice.private import private_folder
from pseudovoice.protection.protect import Protected
from pseudovoice.protection.record import RECORD
from pseudovoice.protection.to_slices import begun_slices
from pseudovoice.reidentification import Found as Made
from pseudovoice.reidentification import Known
from pseudovoice.safeguards import parse_chain
from pseudovoice.slicing import Origin, Summary, read_table
from pseudovoice.study.joining import Joiner, Reassembly
from pseudovoice.study.keys import StudyKeys
from pseudovoice.study.language_model import learn_language, texts_sha256
from pseudovoice.study.linking import Identity, Linker
from pseudovoice.study.names import ProtectedRun, encoder_mark
from pseudovoice.study.plan import Plan, SafeguardPlan
from pseudovoice.study.protecting import (
    Protection,
    before_slicing,
    our_run,
    training_run,
    unsliced,
    whole_run,
)
from pseudovoice.study.speech import SetSpeech
from pseudovoice.study.stages import Stages, stage_name

UNDO = "undo"
"""Folder of the tables that undo the slicing, below the work folder."""


@dataclass(frozen=True)
class SlicedRun:
    """A finished slicing: fingerprint of the slices, hash of the table that undoes them."""

    fingerprint: str
    table_sha256: str
    summary: Summary
    problems: tuple[Problem, ...]


@dataclass(frozen=True)
class FoundSlices:
    """All stages of a chain of slices on one set; an attack that failed is None and a problem."""

    set: str
    safeguard: SafeguardPlan
    reference: str | None
    key: str
    run: SlicedRun
    identity: Identity | None
    reassembly: Reassembly | None
    fingerprints: dict[str, str]
    language_model: str | None
    problems: tuple[Problem, ...]
    stages: tuple[str, ...]


@dataclass(frozen=True)
class SliceStages:
    """What all chains of slices in a study share; ``protect`` is the study's own stage."""

    plan: Plan
    out: Path
    speech_folder: str
    work_folder: str
    keys: StudyKeys
    stages: Stages
    training: Corpus | None
    encoders: Callable[[], Sequence[Encoder]]
    fingerprint: Callable[[Corpus], str]
    protect: Callable[[Protection, str], tuple[Protected, ProtectedRun]]
    workers: int | None
    say: Callable[[str, int, int], None]

    def __call__(self, speech: SetSpeech, safeguard: SafeguardPlan) -> FoundSlices:
        """Everything that can be found about one chain on one set."""
        original = speech.corpus
        ours = our_run(original, safeguard, self.keys, self.plan.key_session)
        assert ours.key is not None
        slices, origins, run, cut_name = self._cut(ours)
        problems = [*run.problems]
        corpora = {"original": self.fingerprint(original), "slices": run.fingerprint}
        identity, identity_name = None, ""
        try:
            identity, identity_name = self._identity(
                speech, safeguard, slices, origins, corpora, run.table_sha256, problems
            )
            problems += identity.problems
        except PseudovoiceError as error:
            problems.append(_missing("whose slices", speech, safeguard, error))
        reassembly, reassembly_name = None, ""
        try:
            reassembly, reassembly_name = self._reassembly(slices, origins, run)
            problems += reassembly.problems
        except PseudovoiceError as error:
            problems.append(_missing("putting slices together", speech, safeguard, error))
        same = unsliced(safeguard, self.plan.safeguards)
        return FoundSlices(
            speech.name,
            safeguard,
            None if same is None else same.name,
            ours.key.identifier,
            run,
            identity,
            reassembly,
            corpora,
            texts_sha256(self.plan.slices.language_model),
            tuple(dict.fromkeys(problems)),
            tuple(name for name in (cut_name, identity_name, reassembly_name) if name),
        )

    def _cut(self, run: Protection) -> tuple[Corpus, tuple[Origin, ...], SlicedRun, str]:
        """Protect and slice, unless all of it is there; what was made is read back."""
        fingerprint = self.fingerprint(run.corpus)
        place = self.out / self.speech_folder / run.folder(fingerprint)
        table = undo_table(self.out / self.work_folder, run, fingerprint)
        name = stage_name("slice", run.inputs(fingerprint))
        record = self.stages.get(name, SlicedRun)
        if record is not None and _stands(place, table, record):
            return read_corpus(place), read_table(table), record, name
        place.parent.mkdir(parents=True, exist_ok=True)
        private_folder(table.parent)
        _clear_leftover(place)
        done = run.run(place, self.keys.file, self.workers, self.say, table)
        assert done.summary is not None
        slices = read_corpus(place)
        record = SlicedRun(
            slices.fingerprint(content=True), sha256_of(table), done.summary, done.problems
        )
        return slices, read_table(table), self.stages.put(name, SlicedRun, record), name

    def _identity(
        self,
        speech: SetSpeech,
        safeguard: SafeguardPlan,
        slices: Corpus,
        origins: tuple[Origin, ...],
        corpora: dict[str, str],
        table_sha256: str,
        problems: list[Problem],
    ) -> tuple[Identity, str]:
        """Whose slices they are; what the attackers need for it is protected first."""
        original, attackers = speech.corpus, self.plan.attackers
        same = unsliced(safeguard, self.plan.safeguards)
        named = before_slicing(safeguard, self.plan.safeguards)
        linked = bool(parse_chain(safeguard.chain).links)
        uncut = None if linked else original
        if same is not None:
            done, its_run = self.protect(
                our_run(original, same, self.keys, self.plan.key_session), self.speech_folder
            )
            uncut, corpora["unsliced"] = done.corpus, its_run.fingerprint
        own, training = None, None
        if {"lazy", "semi"} & set(attackers):
            own = original
            whole = whole_run(original, named, self.keys, self.plan.key_session)
            if whole is not None:
                shared = same is not None and whole.key is None
                under = self.speech_folder if shared else self.work_folder
                done, its_run = self.protect(whole, under)
                own, corpora["own"] = done.corpus, its_run.fingerprint
                problems += done.problems
        if "semi" in attackers and self.training is not None:
            training, corpora["training"] = self.training, self.fingerprint(self.training)
            if linked:
                theirs = training_run(self.training, named, self.keys)
                done, its_run = self.protect(theirs, self.work_folder)
                training, corpora["training"] = done.corpus, its_run.fingerprint
                problems += done.problems
        wanted = identity_attackers(self.plan, safeguard)
        name = stage_name("identity", identity_inputs(self.plan, safeguard, corpora, table_sha256))
        linker = Linker(self.plan, self.encoders, self.workers, self.say)
        found = self.stages.get_or_make(
            name,
            Identity,
            lambda: linker(Known(slices, origins, original), Made(own, training), uncut, wanted),
        )
        return found, name

    def _reassembly(
        self, slices: Corpus, origins: tuple[Origin, ...], run: SlicedRun
    ) -> tuple[Reassembly, str]:
        texts = self.plan.slices.language_model
        name = stage_name("reassembly", reassembly_inputs(self.plan, run, texts_sha256(texts)))
        joiner = Joiner(self.plan, lambda: self.encoders()[0], self.workers, self.say)
        learn = (lambda: learn_language(texts, origins)) if texts else None
        return self.stages.get_or_make(
            name, Reassembly, lambda: joiner(slices, origins, learn)
        ), name


def undo_table(work: Path, run: Protection, fingerprint: str) -> Path:
    """Where the table lies that undoes a slicing."""
    return work / UNDO / f"{run.folder(fingerprint)}.csv"


def identity_attackers(plan: Plan, safeguard: SafeguardPlan) -> tuple[str, ...]:
    """Who attacks: the ignorant one always; who only protects has nothing to do without links."""
    able = ("lazy", "semi") if parse_chain(safeguard.chain).links else ("semi",)
    return ("ignorant", *(name for name in able if name in plan.attackers))


def identity_inputs(
    plan: Plan, safeguard: SafeguardPlan, corpora: dict[str, str], table_sha256: str
) -> dict[str, Any]:
    """What the identity stage depends on; ``corpora`` are fingerprints."""
    return {
        "corpora": corpora,
        "table": table_sha256,
        "encoders": [encoder_mark(name) for name in plan.encoders],
        "attackers": list(identity_attackers(plan, safeguard)),
        "replicates": plan.replicates,
        "seed": plan.seed,
    }


def reassembly_inputs(plan: Plan, run: SlicedRun, texts: str | None) -> dict[str, Any]:
    """What the reassembly stage depends on; ``texts`` is the hash of the language model's."""
    return {
        "slices": run.fingerprint,
        "table": run.table_sha256,
        "encoder": encoder_mark(plan.encoders[0]),
        "language_model": texts,
        "samples": plan.slices.samples,
        "utterances": plan.slices.utterances,
        "replicates": plan.replicates,
        "seed": plan.seed,
    }


def _stands(place: Path, table: Path, record: SlicedRun) -> bool:
    """Whether slices and table are still those of the record."""
    if not (place / RECORD).is_file() or not table.is_file():
        return False
    try:
        if sha256_of(table) != record.table_sha256:
            return False
        return read_corpus(place).fingerprint(content=True) == record.fingerprint
    except PseudovoiceError:
        return False


def _clear_leftover(place: Path) -> None:
    """Remove slices that a run was killed over between the last one and the record of them all."""
    if place.is_dir() and not (place / RECORD).exists() and not begun_slices(place):
        shutil.rmtree(place)


def _missing(
    what: str, speech: SetSpeech, safeguard: SafeguardPlan, error: PseudovoiceError
) -> Problem:
    return Problem(
        f"{what} of {safeguard.name} on {speech.name}",
        str(error).rstrip("."),
        "it is missing from the report",
    )
