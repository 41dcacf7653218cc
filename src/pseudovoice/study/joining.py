"""Which slice follows which: the reassembly attacks of a study, those that need no training."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binomtest
from threadpoolctl import threadpool_limits

from pseudovoice.assessment.estimate import Estimate
from pseudovoice.corpus import Corpus
from pseudovoice.encoders.encoder import Encoder
from pseudovoice.errors import Problem
from pseudovoice.reassembly import (
    Ends,
    NGram,
    Ranking,
    Sampled,
    Succession,
    attack_text,
    listen,
    measure,
    public_texts,
    rank_by_scores,
    recovered,
    succession,
)
from pseudovoice.reassembly.attack import TEXT, all_scores, draw_samples, rank_samples
from pseudovoice.reassembly.cues import CUES
from pseudovoice.reassembly.fusion import mean_rank
from pseudovoice.reassembly.language import Learnt
from pseudovoice.slicing import Origin
from pseudovoice.study.plan import Plan

Float64 = NDArray[np.float64]
Say = Callable[[str, int, int], None]

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
class Joiner:
    """What all reassembly attacks of a study share."""

    plan: Plan
    encoder: Callable[[], Encoder]
    workers: int | None
    say: Say

    def __call__(
        self,
        slices: Corpus,
        origins: Sequence[Origin],
        learn: Callable[[], Learnt] | None,
    ) -> Reassembly:
        """Try words on all slices, if there is a model to ``learn``, and sound on samples."""
        known = [origin for origin in origins if origin.slice in slices.by_id]
        encoder = self.encoder()
        truth = succession(known)
        utterances = int(np.unique(truth.utterance).size)
        if not truth.queries.size:
            return Reassembly(
                len(known), utterances, {}, {}, encoder.name, None, None, NO_SUCCESSOR, ()
            )
        learnt, by_text = None, {}
        if learn is not None:
            self.say(f"learning which words follow which, for {slices.name}", 0, 0)
            learnt = learn()
            by_text = attack_text(
                public_texts(slices, truth.names),
                truth,
                learnt.model,
                replicates=self.plan.replicates,
                seed=self.plan.seed,
                workers=self.workers,
            )
        truth, heard, problems = self._listen(slices, known, encoder)
        by_sound = self._by_sound(slices, truth, heard, None if learnt is None else learnt.model)
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
        self, slices: Corpus, origins: list[Origin], encoder: Encoder
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
            count = 0

            def step(more: int, of: int = len(part)) -> None:
                nonlocal count
                count += more
                self.say(f"listening to {slices.name}", count, of)

            with threadpool_limits(1):
                found = listen(part, encoder=encoder, workers=self.workers, progress=step)
            heard |= found.slices
            problems += found.problems
            lost = {
                (o.speaker, o.utterance)
                for o in origins
                if o.slice in drawn and o.slice not in heard
            }
            origins = [o for o in origins if (o.speaker, o.utterance) not in lost]

    def _samples(self, truth: Succession) -> list[NDArray[np.int64]]:
        wanted = self.plan.slices
        if np.unique(truth.utterance).size <= wanted.utterances:
            return [np.arange(len(truth))]
        drawn = draw_samples(
            truth, samples=wanted.samples, utterances=wanted.utterances, seed=self.plan.seed
        )
        return [at for _, at in drawn]

    def _by_sound(
        self, slices: Corpus, truth: Succession, heard: dict[str, Ends], model: NGram | None
    ) -> dict[str, Sampled]:
        def attackers(at: NDArray[np.int64]) -> dict[str, Float64]:
            self.say(f"putting slices of {slices.name} together", 0, 0)
            names = [truth.names[k] for k in at]
            texts = None if model is None else public_texts(slices, names)
            with threadpool_limits(1):
                return _joined(
                    all_scores([heard[n] for n in names], texts, model, workers=self.workers)
                )

        wanted = self.plan.slices
        everything, *others = self._samples(truth)
        if not truth.queries.size:
            return {}
        if others or everything.size < len(truth):
            return rank_samples(
                truth,
                attackers,
                samples=wanted.samples,
                utterances=wanted.utterances,
                seed=self.plan.seed,
            )
        return {
            name: self._all_of_them(matrix, truth) for name, matrix in attackers(everything).items()
        }

    def _all_of_them(self, scores: Float64, truth: Succession) -> Sampled:
        """One attack on everything there is, with intervals over utterances."""
        ranking = measure(
            rank_by_scores(scores, truth), replicates=self.plan.replicates, seed=self.plan.seed
        )
        whole = recovered(scores, truth, seed=self.plan.seed)
        return Sampled(
            float(ranking.slices),
            1,
            ranking.average,
            ranking.median,
            ranking.top_1,
            ranking.top_10,
            _share(whole.whole, whole.utterances),
        )


def _joined(scores: dict[str, Float64]) -> dict[str, Float64]:
    """Every cue by its name as an attack, and all of them together by their mean rank."""
    sound = [cue for cue in CUES if cue in scores]
    if "text" in scores:  # what counts as equal when all slices are ranked is equal here, too
        scores["text"] = np.round(scores["text"], 9)
    made = {TEXT["ratio"] if name == "text" else name: m for name, m in scores.items()}
    made["all of sound, mean rank"] = mean_rank(scores, sound)
    if "text" in scores:
        made["sound and text, mean rank"] = mean_rank(scores, [*sound, "text"])
    return made


def _share(some: int, of: int) -> Estimate:
    """A share of independent cases with Wilson's 95 % interval."""
    interval = binomtest(some, of).proportion_ci(method="wilson")
    return Estimate(some / of, float(interval.low), float(interval.high))
