"""Which slice follows which: the reassembly attacks of a study, by cues and trained networks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binomtest

from pseudovoice.assessment.estimate import Estimate
from pseudovoice.corpus import Corpus
from pseudovoice.encoders.encoder import Encoder
from pseudovoice.errors import Problem
from pseudovoice.reassembly import (
    Ends,
    NGram,
    Ranking,
    Sampled,
    SpeechSuccessor,
    Succession,
    attack_text,
    listen,
    load_successors,
    measure,
    public_texts,
    rank_by_scores,
    recovered,
    succession,
)
from pseudovoice.reassembly.attack import (
    NETWORKS,
    all_scores,
    decided_of,
    draw_samples,
    joined,
    rank_samples,
)
from pseudovoice.slicing import Origin
from pseudovoice.study import rates
from pseudovoice.study.language_model import learn_language
from pseudovoice.study.plan import SlicesPlan
from pseudovoice.study.stage import Computation
from pseudovoice.study.tools import Tools, encoder_mark

Float64 = NDArray[np.float64]

NO_SUCCESSOR = "every utterance gave one slice at most, so there was nothing to put together"


@dataclass(frozen=True)
class Reassembly:
    """What the stage found, as it is kept; what people said is not in it.

    ``text`` are the attacks by words on all slices (Table 2 of maouche2022), ``sound`` those by ear
    on samples of utterances (Table 3). Where all utterances fit into one sample, that is all there
    is, and intervals come from drawing utterances again. ``nothing`` says why nothing was tried.
    """

    slices: int
    utterances: int
    text: dict[str, Ranking]
    sound: dict[str, Sampled]
    encoder: str
    sentences: int | None
    left_out: int | None
    nothing: str
    problems: tuple[Problem, ...]


@dataclass(frozen=True)
class ReassemblyWork(Computation):
    """Needs the slices. ``texts`` is the hash of the language model's texts, None without any;
    ``networks`` are those of the successors.
    """

    set: str
    safeguard: str
    original: Corpus
    encoder: str
    wanted: SlicesPlan
    texts: str | None
    networks: tuple[str, ...]
    replicates: int
    seed: int

    kind: ClassVar[str] = "reassembly"
    record: ClassVar[type[Any]] = Reassembly

    @property
    def title(self) -> str:
        by = "words and sound" if self.texts else "sound, not by words: no language model is named"
        return f"put slices of {self.set} under {self.safeguard} together by {by}"

    def inputs(self) -> dict[str, Any] | None:
        return {
            "encoder": encoder_mark(self.encoder),
            "language_model": self.texts,
            "samples": self.wanted.samples,
            "utterances": self.wanted.utterances,
            **({"successors": list(self.networks)} if self.networks else {}),
            "replicates": self.replicates,
            "seed": self.seed,
        }

    def seconds(self, workers: int) -> tuple[float, str]:
        tried = min(len(self.original), self.wanted.samples * self.wanted.utterances)
        hours = rates.hours_of(self.original) * tried / len(self.original)
        rate = rates.LISTEN + rates.embed_rate(self.encoder)
        seconds = hours * 3600 * rate / workers + tried * rates.JOIN_PER_UTTERANCE
        # A slice a second, each with each of its sample, through networks as large as their files.
        samples = min(self.wanted.samples, -(-tried // self.wanted.utterances))
        pairs = samples * (hours * 3600 / samples) ** 2
        weights = sum(path.stat().st_size for path in self.wanted.successors)
        seconds += rates.JOIN_PER_PAIR_AND_MEGABYTE * pairs * weights / 1e6 / workers
        letters = sum(path.stat().st_size for path in self.wanted.language_model)
        return seconds + rates.LEARN_PER_MEGABYTE * letters / 1e6, ""

    def compute(self, tools: Tools, *needed: Any) -> Reassembly:
        """Try words on all slices, if there is a model to learn, and sound on samples."""
        (made,) = needed
        slices, origins = made.corpus, made.origins
        (encoder,) = tools.encoders([self.encoder])
        successors = load_successors(self.wanted.successors)
        known = [origin for origin in origins if origin.slice in slices.by_id]
        truth = succession(known)
        utterances = int(np.unique(truth.utterance).size)
        if not truth.queries.size:
            return Reassembly(
                len(known), utterances, {}, {}, encoder.name, None, None, NO_SUCCESSOR, ()
            )
        learnt, by_text = None, {}
        if self.wanted.language_model:
            tools.say(f"learning which words follow which, for {slices.name}", 0, 0)
            learnt = learn_language(self.wanted.language_model, origins)
            by_text = attack_text(
                public_texts(slices, truth.names),
                truth,
                learnt.model,
                replicates=self.replicates,
                seed=self.seed,
                workers=tools.workers,
            )
        truth, heard, problems = self._listen(tools, slices, known, encoder)
        by_sound = self._by_sound(
            tools, slices, truth, heard, None if learnt is None else learnt.model, successors
        )
        return Reassembly(
            len(known),
            utterances,
            by_text,
            by_sound,
            encoder.name,
            None if learnt is None else learnt.sentences,
            None if learnt is None else learnt.left_out,
            "",
            problems,
        )

    def _listen(
        self, tools: Tools, slices: Corpus, origins: list[Origin], encoder: Encoder
    ) -> tuple[Succession, dict[str, Ends], tuple[Problem, ...]]:
        """Hear every slice of every sample; an utterance with one that cannot be heard is out."""
        heard: dict[str, Ends] = {}
        problems: list[Problem] = []
        while True:
            truth = succession(origins)
            drawn = {truth.names[k] for at in self._samples(truth) for k in at}
            if not (missing := sorted(drawn - heard.keys())):
                return truth, heard, tuple(problems)
            part = slices.subset(ids=missing)
            step = tools.counter(f"listening to {slices.name}", len(part))
            found = listen(
                part,
                encoder=encoder,
                joining=bool(self.networks),
                workers=tools.workers,
                progress=step,
            )
            heard |= found.slices
            problems += found.problems
            lost = {
                (o.speaker, o.utterance)
                for o in origins
                if o.slice in drawn and o.slice not in heard
            }
            origins = [o for o in origins if (o.speaker, o.utterance) not in lost]

    def _samples(self, truth: Succession) -> list[NDArray[np.int64]]:
        wanted = self.wanted
        if np.unique(truth.utterance).size <= wanted.utterances:
            return [np.arange(len(truth))]
        drawn = draw_samples(
            truth, samples=wanted.samples, utterances=wanted.utterances, seed=self.seed
        )
        return [at for _, at in drawn]

    def _by_sound(
        self,
        tools: Tools,
        slices: Corpus,
        truth: Succession,
        heard: dict[str, Ends],
        model: NGram | None,
        successors: Sequence[SpeechSuccessor],
    ) -> dict[str, Sampled]:
        def attackers(at: NDArray[np.int64]) -> dict[str, Float64]:
            tools.say(f"putting slices of {slices.name} together", 0, 0)
            names = [truth.names[k] for k in at]
            texts = None if model is None else public_texts(slices, names)
            scores = all_scores(
                [heard[n] for n in names],
                texts,
                model,
                successors=successors,
                workers=tools.workers,
            )
            return joined(scores)

        wanted = self.wanted
        everything, *others = self._samples(truth)
        if not truth.queries.size:
            return {}
        if others or everything.size < len(truth):
            return rank_samples(
                truth,
                attackers,
                samples=wanted.samples,
                utterances=wanted.utterances,
                seed=self.seed,
            )
        return {
            name: replace(
                self._all_of_them(matrix, truth),
                decided=decided_of([(matrix, truth)] if name in NETWORKS else ()),
            )
            for name, matrix in attackers(everything).items()
        }

    def _all_of_them(self, scores: Float64, truth: Succession) -> Sampled:
        """One attack on everything there is, with intervals over utterances."""
        ranking = measure(rank_by_scores(scores, truth), replicates=self.replicates, seed=self.seed)
        whole = recovered(scores, truth, seed=self.seed)
        return Sampled(
            float(ranking.slices),
            1,
            ranking.average,
            ranking.median,
            ranking.top_1,
            ranking.top_10,
            _share(whole.whole, whole.utterances),
        )


def _share(some: int, of: int) -> Estimate:
    """A share of independent cases with Wilson's 95 % interval."""
    interval = binomtest(some, of).proportion_ci(method="wilson")
    return Estimate(some / of, float(interval.low), float(interval.high))
