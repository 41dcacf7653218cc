"""What a plan would do, what of it is done already, and about how long the rest takes."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from pseudovoice.cores import usable_cores
from pseudovoice.corpus import Corpus, read_corpus
from pseudovoice.keys import read_key
from pseudovoice.protection.state import begun as files_made
from pseudovoice.safeguards import Chain, parse_chain
from pseudovoice.study.assessing import Assessed
from pseudovoice.study.hours import hours_of, unheard
from pseudovoice.study.joining import Reassembly
from pseudovoice.study.keys import StudyKeys, key_place
from pseudovoice.study.language_model import texts_sha256
from pseudovoice.study.linking import Identity
from pseudovoice.study.measuring import MeasuredUtility
from pseudovoice.study.names import ProtectedRun, assess_inputs, utility_inputs
from pseudovoice.study.plan import Plan, SafeguardPlan
from pseudovoice.study.protecting import (
    Protection,
    another_run,
    before_slicing,
    our_run,
    training_run,
    unsliced,
    whole_run,
)
from pseudovoice.study.run import SPEECH, WORK
from pseudovoice.study.slices import (
    SlicedRun,
    identity_attackers,
    identity_inputs,
    reassembly_inputs,
    undo_table,
)
from pseudovoice.study.speech import SetSpeech, read_set
from pseudovoice.study.stages import Stages, stage_name

# Processor seconds per second of speech on one core of the machine of docs/benchmarks.md; only a
# rough guide elsewhere, hence "about".
PROTECT = {"mcadams": 0.004, "mcadams-random": 0.004, "persona": 0.1}
PROTECT_OTHER = 0.1
SEARCH_PER_SPEAKER = 24.0
EMBED = {"resnet34-lm": 0.05, "resnet34": 0.05, "resnet34-lm-hub": 0.05, "ecapa": 0.062}
EMBED |= {"ge2e": 0.0065}
EMBED_OTHER = 0.06
MEASURE = {"words": 0.4, "quality": 0.25, "prosody": 0.01}
ASSESS_PER_SPEAKER, MOST_ASSESS = 0.1, 4.0
"""Seconds of one attacker, recogniser and group at 400 replicates and as many permutations: they
grow with the speakers until their scores are rounded."""
ALIGN, LISTEN = 0.03, 0.08
JOIN_PER_UTTERANCE = 0.05
LEARN_PER_MEGABYTE = 3.0
"""Of slices: seconds per second of speech to find its words and to listen to it, and seconds per
utterance of a sample that is put together, and per million letters of a language model."""


@dataclass(frozen=True)
class Step:
    """A stage of the study; ``seconds`` is what is left of it, 0 if it is done."""

    what: str
    done: bool
    seconds: float
    note: str = ""


@dataclass(frozen=True)
class Examination:
    """What a plan would do: facts about each set, and every stage in order.

    ``unheard`` counts utterances whose length is unknown because a command would print them.
    """

    sets: tuple[str, ...]
    steps: tuple[Step, ...]
    notes: tuple[str, ...]
    unheard: int = 0

    @property
    def seconds(self) -> float:
        return sum(step.seconds for step in self.steps)


def examine_plan(plan: Plan, out: Path, *, workers: int | None = None) -> Examination:
    """Look at corpora and results that are there; nothing is made, fetched, written or run.

    Speech is hashed to find out what is done, so that a large corpus takes a moment. Commands that
    corpora name in place of files are counted and left alone: what they would print, and so what
    is done of it, cannot be told.
    """
    return _Look(plan, out.resolve(), workers or usable_cores()).examine()


@dataclass
class _Look:
    plan: Plan
    out: Path
    workers: int
    _content: dict[int, str | None] = field(default_factory=dict)
    _hours: dict[int, float] = field(default_factory=dict)

    def content(self, corpus: Corpus) -> str | None:
        """The fingerprint of a corpus, taken once; None where only its commands could tell."""
        if id(corpus) not in self._content:
            told = not any(u.command is not None for u in corpus)
            self._content[id(corpus)] = corpus.fingerprint(content=True) if told else None
        return self._content[id(corpus)]

    def hours(self, corpus: Corpus) -> float:
        if id(corpus) not in self._hours:
            self._hours[id(corpus)] = hours_of(corpus)
        return self._hours[id(corpus)]

    def examine(self) -> Examination:
        self.stages = Stages(self.out / WORK / "stages")
        self.keys, notes = self._keys()
        self.training = self._read(self.plan.attacker_training)
        self.backend_training = self._read(self.plan.comparison.training)
        steps: list[Step] = []
        facts: list[str] = []
        sets: list[SetSpeech] = []
        for one in self.plan.sets:
            speech = read_set(one, allow_commands=True)  # listed, and nothing here decodes them
            sets.append(speech)  # kept: corpora are told apart by where they are in memory
            facts.append(_described(speech, self.hours(speech.corpus)))
            notes += [f"{speech.name}: {problem}" for problem in speech.corpus.problems]
            for safeguard in self.plan.safeguards:
                steps += (self._cut_steps if safeguard.slices else self._steps)(speech, safeguard)
        named = [self.training, self.backend_training, *(one.corpus for one in sets)]
        read = [corpus for corpus in named if corpus is not None]
        notes += [note for corpus in read for note in _commands_of(corpus)]
        silent = sum(map(unheard, read))
        return Examination(tuple(facts), tuple(steps), tuple(notes), silent)

    def _read(self, path: Path | None) -> Corpus | None:
        return None if path is None else read_corpus(path, allow_commands=True)

    def _keys(self) -> tuple[StudyKeys, list[str]]:
        place = key_place(self.plan, self.out)
        if place is None:
            return StudyKeys(), ["No safeguard of the plan needs a key."]
        if place.exists():
            key = read_key(place)
            return StudyKeys(key, place), [f"The key {key.identifier} is in {place}."]
        if self.plan.key_file is not None:
            read_key(place)  # says that there is none, and how to make one
        return StudyKeys(), [f"A new secret key would be made in {place}."]

    def _steps(self, speech: SetSpeech, safeguard: SafeguardPlan) -> list[Step]:
        """The stages of one safeguard on one set, as far as their names can be told."""
        original = speech.corpus
        random = not parse_chain(safeguard.chain).deterministic
        runs = [(our_run(original, safeguard, self.keys, self.plan.key_session), SPEECH)]
        second = another_run(original, safeguard, self.keys)
        runs += [] if second is None else [(second, WORK)]
        if "semi" in self.plan.attackers and self.training is not None:
            runs.append((training_run(self.training, safeguard, self.keys), WORK))
        looked = [self._protection(run, under, random) for run, under in runs]
        steps = [step for step, _ in looked]
        prints = [fingerprint for _, fingerprint in looked]
        complete = all(prints)
        backend = None
        if complete and self.backend_training is not None:
            backend = self.content(self.backend_training)
            complete = backend is not None
        corpora = {
            "original": self.content(original) if complete else None,
            "protected": prints[0],
            "another": prints[1] if second is not None else None,
            "attacker_training": prints[-1] if len(runs) > 1 + (second is not None) else None,
            "backend_training": backend,
            "lists": speech.lists_sha256,
        }
        steps.append(self._assessment(speech, safeguard, corpora, complete))
        if self.plan.utility is not None:
            steps.append(self._utility(speech, safeguard, corpora))
        return steps

    def _cut_steps(self, speech: SetSpeech, safeguard: SafeguardPlan) -> list[Step]:
        """The stages of a chain of slices on one set."""
        original, among = speech.corpus, self.plan.safeguards
        named, same = before_slicing(safeguard, among), unsliced(safeguard, among)
        chain = parse_chain(safeguard.chain)
        ours = our_run(original, safeguard, self.keys, self.plan.key_session)
        first, run = self._slicing(ours)
        steps, prints = [first], {"slices": None if run is None else run.fingerprint}
        if not {"lazy", "semi"}.isdisjoint(self.plan.attackers):
            whole = whole_run(original, named, self.keys, self.plan.key_session)
            if whole is not None:
                random = not whole.chain.deterministic
                shared = same is not None and not random
                step, prints["own"] = self._protection(whole, SPEECH if shared else WORK, random)
                steps += [] if same is not None else [step]  # else it is a step of the other's
        if "semi" in self.plan.attackers and self.training is not None:
            prints["training"] = None if run is None else self.content(self.training)
            if chain.links:
                theirs = training_run(self.training, named, self.keys)
                random = not theirs.chain.deterministic
                step, prints["training"] = self._protection(theirs, WORK, random)
                steps += [] if same is not None else [step]
        if same is not None:
            uncut = our_run(original, same, self.keys, self.plan.key_session)
            random = not uncut.chain.deterministic
            _, prints["unsliced"] = self._protection(uncut, SPEECH, random)
        steps.append(self._identity(speech, safeguard, prints, run))
        steps.append(self._reassembly(speech, safeguard, run))
        return steps

    def _slicing(self, run: Protection) -> tuple[Step, SlicedRun | None]:
        what = f"protect and slice {run.corpus.name} with {run.title}"
        hours = self.hours(run.corpus)
        seconds = hours * 3600 * (_rate(run.chain) + ALIGN) / self.workers
        if any(link.name == "persona" and link.level == "speaker" for link in run.chain.links):
            seconds += SEARCH_PER_SPEAKER * len(run.corpus.speakers) / self.workers
        if run.key is None:
            return Step(what, False, seconds), None
        fingerprint = self.content(run.corpus)
        if fingerprint is None:
            return Step(what, False, seconds), None
        record = self.stages.get(stage_name("slice", run.inputs(fingerprint)), SlicedRun)
        place = self.out / SPEECH / run.folder(fingerprint)
        table = undo_table(self.out / WORK, run, fingerprint)
        if record is not None and place.is_dir() and table.is_file():
            return Step(what, True, 0.0), record
        return Step(what, False, seconds), None

    def _identity(
        self,
        speech: SetSpeech,
        safeguard: SafeguardPlan,
        prints: dict[str, str | None],
        run: SlicedRun | None,
    ) -> Step:
        who = identity_attackers(self.plan, safeguard)
        what = f"find out whose the slices of {speech.name} under {safeguard.name} are"
        corpora = {name: print_ for name, print_ in prints.items() if print_ is not None}
        original = self.content(speech.corpus)
        if run is not None and original is not None and len(corpora) == len(prints):
            corpora["original"] = original
            inputs = identity_inputs(self.plan, safeguard, corpora, run.table_sha256)
            if self.stages.get(stage_name("identity", inputs), Identity) is not None:
                return Step(what, True, 0.0)
        # Slices, clear speech cut and whole, the attacker's own twice, uncut speech; training.
        times = 3 + 2 * ("lazy" in who or "semi" in who) + 2 * ("unsliced" in prints)
        heard = self.hours(speech.corpus) * times
        if "semi" in who and self.training is not None:
            heard += self.hours(self.training)
        embed = sum(_embed_rate(name) for name in self.plan.encoders) * heard * 3600
        each = min(ASSESS_PER_SPEAKER * len(speech.corpus.speakers), MOST_ASSESS)
        parts = 2 * len(who) * len(self.plan.encoders) * (2 + ("unsliced" in prints))
        return Step(what, False, embed / self.workers + parts * each * self.plan.replicates / 400)

    def _reassembly(
        self, speech: SetSpeech, safeguard: SafeguardPlan, run: SlicedRun | None
    ) -> Step:
        wanted = self.plan.slices
        texts = texts_sha256(wanted.language_model)
        by = "words and sound" if texts else "sound, not by words: no language model is named"
        what = f"put slices of {speech.name} under {safeguard.name} together by {by}"
        if run is not None:
            inputs = reassembly_inputs(self.plan, run, texts)
            if self.stages.get(stage_name("reassembly", inputs), Reassembly) is not None:
                return Step(what, True, 0.0)
        tried = min(len(speech.corpus), wanted.samples * wanted.utterances)
        hours = self.hours(speech.corpus) * tried / len(speech.corpus)
        rate = LISTEN + _embed_rate(self.plan.encoders[0])
        seconds = hours * 3600 * rate / self.workers + tried * JOIN_PER_UTTERANCE
        letters = sum(path.stat().st_size for path in wanted.language_model)
        return Step(what, False, seconds + LEARN_PER_MEGABYTE * letters / 1e6)

    def _protection(self, run: Protection, under: str, random: bool) -> tuple[Step, str | None]:
        what = f"protect {run.corpus.name} with {run.title}"
        hours = self.hours(run.corpus)
        seconds = hours * 3600 * _rate(run.chain) / self.workers
        if any(link.name == "persona" and link.level == "speaker" for link in run.chain.links):
            seconds += SEARCH_PER_SPEAKER * len(run.corpus.speakers) / self.workers
        if random and run.key is None:  # no key yet: nothing can be there
            return Step(what, False, seconds), None
        fingerprint = self.content(run.corpus)
        if fingerprint is None:
            return Step(what, False, seconds), None
        place = self.out / under / run.folder(fingerprint)
        record = self.stages.get(stage_name("protect", run.inputs(fingerprint)), ProtectedRun)
        if record is not None and place.is_dir():
            return Step(what, True, 0.0), record.fingerprint
        begun = files_made(place)
        left = max(0.0, 1.0 - begun / len(run.corpus))
        note = f"{begun} of {len(run.corpus)} utterances are there" if begun else ""
        return Step(what, False, seconds * left, note), None

    def _assessment(
        self,
        speech: SetSpeech,
        safeguard: SafeguardPlan,
        corpora: dict[str, str | None],
        complete: bool,
    ) -> Step:
        what = f"attack and assess {speech.name} under {safeguard.name}"
        key = None
        if self.keys.ours is not None and not parse_chain(safeguard.chain).deterministic:
            key = self.keys.ours.identifier
        if complete:
            inputs = assess_inputs(self.plan, safeguard, corpora, key)
            if self.stages.get(stage_name("assess", inputs), Assessed) is not None:
                return Step(what, True, 0.0)
        random = not parse_chain(safeguard.chain).deterministic
        hours = self.hours(speech.corpus)
        runs = 2 + random
        embed = sum(_embed_rate(name) for name in self.plan.encoders) * hours * 3600 * runs
        groups = 1
        if self.plan.genders and speech.lists is None:
            groups += len({g for g in speech.corpus.genders.values() if g})
        resampled = (self.plan.replicates + self.plan.permutations) / 800
        parts = groups * len(self.plan.encoders) * (len(self.plan.attackers) + random)
        each = min(ASSESS_PER_SPEAKER * len(speech.corpus.speakers), MOST_ASSESS)
        return Step(what, False, embed / self.workers + parts * each * resampled)

    def _utility(
        self, speech: SetSpeech, safeguard: SafeguardPlan, corpora: dict[str, str | None]
    ) -> Step:
        wanted = self.plan.utility
        assert wanted is not None
        what = f"measure {', '.join(wanted.measures)} of {speech.name} under {safeguard.name}"
        if corpora["original"] is not None:
            name = stage_name("utility", utility_inputs(self.plan, wanted, corpora))
            if self.stages.get(name, MeasuredUtility) is not None:
                return Step(what, True, 0.0)
        corpus = speech.corpus
        most = len(corpus) if wanted.utterances is None else wanted.utterances
        taken = sum(min(most, len(mine)) for mine in corpus.speakers.values())
        hours = self.hours(corpus) * taken / len(corpus)
        rate = sum(MEASURE[name] for name in wanted.measures)
        return Step(what, False, 2 * hours * 3600 * rate / self.workers)


def _rate(chain: Chain) -> float:
    return sum(PROTECT.get(link.name, PROTECT_OTHER) for link in chain.links)


def _embed_rate(name: str) -> float:
    parts = name.removeprefix("fusion:").split("+")
    return sum(EMBED.get(part, EMBED_OTHER) for part in parts)


def _commands_of(corpus: Corpus) -> list[str]:
    """A note about what a run would start, where it would start anything."""
    commands = sum(u.command is not None for u in corpus)
    if not commands:
        return []
    return [
        f"{corpus.name}: {commands:,} of {len(corpus):,} utterances are the output of commands, "
        "which are not run here: how long they are, and what is done of them, is unknown. A run "
        "needs --allow-commands to hear them."
    ]


def _described(speech: SetSpeech, hours: float) -> str:
    corpus = speech.corpus
    genders = [g for g in corpus.genders.values() if g]
    by_gender = ", ".join(f"{genders.count(g)} {g}" for g in sorted(set(genders)))
    how = "listed trials" if speech.lists is not None else "every utterance with every other"
    return (
        f"{speech.name} ({corpus.layout}): {len(corpus):,} utterances of "
        f"{len(corpus.speakers):,} speakers{f' ({by_gender})' if by_gender else ''}, "
        f"{hours:.2f} h; {how}"
    )


def in_words(seconds: float) -> str:
    """About how long: nobody needs the seconds."""
    if seconds < 60:
        return "less than a minute"
    if seconds < 5400:
        minutes = round(seconds / 60)
        return f"about {minutes} minute{'' if minutes == 1 else 's'}"
    return f"about {seconds / 3600:.1f} hours"
