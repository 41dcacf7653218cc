"""What speech is worth to train a recogniser on: Table 1 of maouche2022, for one safeguard.

A recogniser is trained on clear and on protected speech of other people, whole and cut into slices
of every duration, and its word errors are counted in whole utterances of the set, clear and
protected. Words are aligned once, on clear speech, unless the safeguard changes their times; with
``check_words`` a recogniser listens there, and whoever surely says other words is in no slices.
What was cut and trained stays in the study's own folder: a killed run goes on where it was.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict, astuple, dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, Literal

from pseudovoice.alignment import ReadAlignments, Word, align_corpus
from pseudovoice.alignment.heard import listening
from pseudovoice.asr.ctc import learn_language, load_ctc
from pseudovoice.assessment.estimate import Estimate
from pseudovoice.atomic import write_atomic
from pseudovoice.corpus import Corpus
from pseudovoice.errors import InputError, PassingProblem, Problem
from pseudovoice.keys import Key
from pseudovoice.models.cache import private_cache, sha256_of
from pseudovoice.private import private_folder
from pseudovoice.report.filename import harmless_name
from pseudovoice.safeguards import parse_chain
from pseudovoice.slicing import Slicing, slice_corpus
from pseudovoice.study import rates
from pseudovoice.study.plan import AsrTrainingPlan
from pseudovoice.study.stage import Computation
from pseudovoice.study.told import words_told
from pseudovoice.study.tools import Tools
from pseudovoice.training.ctc_recipe import CtcRecipe
from pseudovoice.training.ctc_train import train_recogniser
from pseudovoice.utility.assess import assess_utility
from pseudovoice.utility.store import MeasureStore

FOLDER = "asr"
Training = Literal["clear", "protected"]


@dataclass(frozen=True)
class WorthCell:
    """One line of the table: what was learnt from, and the WER on clear and protected speech.

    ``delta`` is the duration of the slices in seconds, None for whole utterances.
    """

    training: Training
    delta: float | None
    pieces: int
    hours: float
    clear: Estimate
    protected: Estimate


@dataclass(frozen=True)
class TrainingWorth:
    """All lines, and what could not be used."""

    cells: tuple[WorthCell, ...]
    problems: tuple[Problem, ...]


@dataclass(frozen=True)
class WorthWork(Computation):
    """Needs the set under the safeguard, and the training speech under it."""

    set: str
    safeguard: str
    chain: str
    original: Corpus
    training: Corpus
    content: dict[str, str | None] = field(hash=False)
    wanted: AsrTrainingPlan
    replicates: int
    seed: int
    under: Path
    key: Key | None = field(default=None, repr=False)
    key_session: str = "default"
    check_words: bool = False

    kind: ClassVar[str] = "asr"
    record: ClassVar[type[Any]] = TrainingWorth

    @property
    def title(self) -> str:
        return f"train recognisers on {self.training.name} under {self.safeguard}"

    @property
    def recipe(self) -> CtcRecipe:
        w = self.wanted
        return CtcRecipe(w.recipe, w.width, w.epochs, self.seed, batch=w.batch).filled()

    def inputs(self) -> dict[str, Any] | None:
        if None in self.content.values() or self.key is None:
            return None
        inputs = {
            "corpora": self.content,
            "words": [words_told(self.original), words_told(self.training)],
            "durations": list(self.wanted.durations),
            "recipe": self.recipe.to_dict(),
            "language_model": [sha256_of(path) for path in self.wanted.language_model],
            "key": [self.key.identifier, self.key_session],
            "replicates": self.replicates,
        }
        return inputs | ({"checked": True} if self._listens else {})

    @property
    def _listens(self) -> bool:
        return self.check_words and bool(self.wanted.durations)

    def seconds(self, workers: int) -> tuple[float, str]:
        trainings = 2 * (1 + len(self.wanted.durations))
        epochs = self.recipe.epochs or 1
        spoken = 3600 * rates.hours_of(self.training)
        rate = trainings * epochs * rates.RECOGNISER_EPOCH
        if self._listens:
            rate += rates.CHECK_WORDS
        return spoken * rate / workers, ""

    def compute(self, tools: Tools, *needed: Any) -> TrainingWorth:
        protected, guarded = needed
        folder = self.under / FOLDER
        private_folder(folder)
        tested = [u.transcript for u in self.original if u.transcript]
        language = None
        if self.wanted.language_model:
            language = learn_language(self.wanted.language_model, tested=tested)
        cells: list[WorthCell] = []
        problems: list[Problem] = [*guarded.problems]
        store = MeasureStore(private_cache() / "utility.sqlite")
        try:
            for training, delta, speech, said in self.learnt_from(tools, folder, guarded.corpus):
                problems += said
                what = f"{training}, {'whole' if delta is None else f'{delta:g} s'}"
                tools.say(f"training a recogniser on {what}", 0, 0)
                place = folder / f"model-{harmless_name(what)}-{self._mark(training, delta)}"
                learnt = train_recogniser(
                    speech, place, self.recipe, threads=tools.workers, progress=tools.say
                )
                heard = assess_utility(
                    self.original,
                    protected.corpus,
                    recogniser=load_ctc(place, language=language),
                    measures=["words"],
                    reference="transcripts",
                    store=store,
                    workers=tools.workers,
                    by_gender=False,
                    replicates=self.replicates,
                    seed=self.seed,
                    progress=tools.say,
                )
                before, after = (
                    Estimate(row.value, row.low, row.high)
                    for row in (heard.value("wer", side) for side in ("original", "protected"))
                )
                cells.append(
                    WorthCell(training, delta, learnt.utterances, learnt.hours, before, after)
                )
                problems += [*learnt.problems, *heard.problems]
        finally:
            store.close()
        return TrainingWorth(tuple(cells), tuple(dict.fromkeys(problems)))

    def learnt_from(
        self, tools: Tools, folder: Path, guarded: Corpus
    ) -> Iterator[tuple[Training, float | None, Corpus, tuple[Problem, ...]]]:
        """Everything that is learnt from: clear and protected, whole and sliced."""
        there = {u.id for u in guarded}
        clear = self.training.subset(
            ids=[u.id for u in self.training if u.transcript and u.id in there]
        )
        guarded = guarded.subset(ids=[u.id for u in clear])
        assert self.key is not None
        chain = parse_chain(self.chain)
        whole, aligner = clear, None
        unaligned: tuple[Problem, ...] = ()
        if self.wanted.durations:
            aligner, unaligned = self._aligned(tools, folder, whole)
            clear = whole.subset(ids=list(aligner.words))
        sources: tuple[tuple[Training, Corpus | None], ...] = (
            ("clear", None),
            ("protected", guarded),
        )
        for training, speech in sources:
            yield training, None, whole if speech is None else _with_words(speech, whole), unaligned
            for delta in self.wanted.durations:
                again = speech is not None and not chain.keeps_timing
                cut = slice_corpus(
                    clear,
                    folder / f"slices-{training}-{delta:g}-{self._mark(training, delta)}",
                    Slicing(delta),
                    key=self.key,
                    key_session=self.key_session,
                    aligner=None if again else aligner,
                    workers=tools.workers,
                    progress=tools.counter(f"slicing {clear.name}, {delta:g} s", len(clear)),
                    speech=speech,
                    align_speech=again,
                    protection=None if speech is None else chain.to_dict(),
                )
                yield training, delta, cut.corpus, cut.problems

    def _aligned(
        self, tools: Tools, folder: Path, clear: Corpus
    ) -> tuple[ReadAlignments, tuple[Problem, ...]]:
        """The words of clear speech, found once, and why some have none."""
        path = folder / f"aligned-{self._mark('clear', None)}.json"
        if path.exists():
            kept = json.loads(path.read_bytes())
            words = {name: tuple(Word(*w) for w in said) for name, said in kept["words"].items()}
            return ReadAlignments(path.name, words), tuple(Problem(*p) for p in kept["problems"])
        say = tools.counter(f"aligning {clear.name}", len(clear))
        aligner = listening() if self._listens else None
        found = align_corpus(clear, aligner, workers=tools.workers, progress=say)
        if not found.alignments:
            raise InputError(f"{clear.root}: no utterance could be aligned with its words.")
        words = {name: alignment.words for name, alignment in found.alignments.items()}
        if not any(isinstance(problem, PassingProblem) for problem in found.problems):
            lines = {"words": words, "problems": found.problems}
            write_atomic(path, json.dumps(lines, default=astuple), private=True)
        return ReadAlignments(path.name, words), found.problems

    def _mark(self, training: Training, delta: float | None) -> str:
        """Of all that a cut corpus or a network depends on: what is clear serves all safeguards."""
        assert self.key is not None
        facts = {
            "training": self.content["asr_training"],
            "words": words_told(self.training),
            "chain": None if training == "clear" else parse_chain(self.chain).to_dict(),
            "delta": delta,
            "key": [self.key.identifier, self.key_session],
            "recipe": asdict(self.recipe),
        }
        if self._listens:
            facts["checked"] = True
        text = json.dumps(facts, sort_keys=True, default=str)
        return hashlib.sha256(text.encode()).hexdigest()[:12]


def _with_words(speech: Corpus, said: Corpus) -> Corpus:
    """Protected speech with the transcripts of its originals."""
    words = {u.id: u.transcript for u in said}
    return replace(speech, utterances=tuple(replace(u, transcript=words[u.id]) for u in speech))
