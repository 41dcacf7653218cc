"""The attacks side by side: by text on all slices, by text and sound on samples of utterances.

Table 2 of Maouche et al. (2022) ranks all slices of a corpus by their words. Table 3 takes five
samples of 100 utterances and averages; so do we where sound is listened to, and add how many
utterances were put together again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pseudovoice.assessment.estimate import Estimate
from pseudovoice.choices import RANKING_REPLICATES, SAMPLES, UTTERANCES
from pseudovoice.reassembly.chain import recovered
from pseudovoice.reassembly.cues import CUES, Ends, cue_scores
from pseudovoice.reassembly.decisions import Decisions, decisions
from pseudovoice.reassembly.fusion import Fusion, learn, mean_rank
from pseudovoice.reassembly.matrix import rank_by_scores
from pseudovoice.reassembly.ranking import Ranking, measure
from pseudovoice.reassembly.speech_successor import CUES as NETWORK_CUES
from pseudovoice.reassembly.speech_successor import SpeechSuccessor
from pseudovoice.reassembly.succession import Succession
from pseudovoice.reassembly.text_successor import SCORES, rank_by_text, text_scores
from pseudovoice.text.ngram import NGram

Float64 = NDArray[np.float64]

FIGURES = ("average", "median", "top_1", "top_10")
NETWORKS = frozenset(NETWORK_CUES.values())
"""Attacks whose scores are log-odds."""
TEXT = {"joint": "text, Eq. 2", "ratio": "text, ratio"}


@dataclass(frozen=True)
class Sampled:
    """An attack on several samples of utterances: means, and the range from sample to sample.

    ``slices`` is the mean number of slices in a sample; ``recovered`` the share of utterances put
    together again by greedy chaining. Networks say of every pair whether it is successive:
    ``decided`` is how often they are right.
    """

    slices: float
    samples: int
    average: Estimate
    median: Estimate
    top_1: Estimate
    top_10: Estimate
    recovered: Estimate
    decided: Decisions | None = None

    def to_dict(self) -> dict[str, Any]:
        figures = {
            name: [getattr(self, name).value, getattr(self, name).low, getattr(self, name).high]
            for name in (*FIGURES, "recovered")
        }
        decided = {} if self.decided is None else {"decided": asdict(self.decided)}
        return {"slices": self.slices, "samples": self.samples, **figures, **decided}


def attack_text(
    texts: Sequence[str],
    truth: Succession,
    model: NGram,
    *,
    replicates: int = RANKING_REPLICATES,
    seed: int = 0,
    workers: int | None = None,
) -> dict[str, Ranking]:
    """Both text attacks on all slices (Table 2)."""
    return {
        TEXT[score]: measure(
            rank_by_text(texts, truth, model, score=score, workers=workers),
            replicates=replicates,
            seed=seed,
        )
        for score in SCORES
    }


def all_scores(
    slices: Sequence[Ends],
    texts: Sequence[str] | None = None,
    model: NGram | None = None,
    *,
    successors: Sequence[SpeechSuccessor] = (),
    workers: int | None = None,
) -> dict[str, Float64]:
    """The matrix of each cue, and of the words where there is a model for them."""
    scores = cue_scores(slices, successors=successors, workers=workers)
    if texts is not None and model is not None:
        # What counts as equal when all slices are ranked is equal here, too.
        scores["text"] = np.round(text_scores(texts, model, score="ratio"), 9)
    return scores


def draw_samples(
    truth: Succession, *, samples: int = SAMPLES, utterances: int = UTTERANCES, seed: int = 0
) -> Iterator[tuple[Succession, NDArray[np.int64]]]:
    """Slices of some utterances at a time, and where they stand among all."""
    everyone = np.unique(truth.utterance)
    rng = np.random.default_rng(seed)
    for _ in range(samples):
        kept = rng.choice(everyone, min(utterances, everyone.size), replace=False)
        yield truth.of_utterances(np.sort(kept))


def learn_fusions(
    slices: Sequence[Ends],
    truth: Succession,
    texts: Sequence[str] | None = None,
    model: NGram | None = None,
    *,
    successors: Sequence[SpeechSuccessor] = (),
    workers: int | None = None,
    samples: int = SAMPLES,
    utterances: int = UTTERANCES,
    seed: int = 1,
) -> dict[str, Fusion]:
    """Fusions of sound, and of sound and text, learned on the attacker's own slices.

    ``successors`` must not have been trained on the same ones, or they would count for too much.
    """
    drawn = []
    for part, at in draw_samples(truth, samples=samples, utterances=utterances, seed=seed):
        own = texts and [texts[k] for k in at]
        heard = [slices[k] for k in at]
        drawn.append((all_scores(heard, own, model, successors=successors, workers=workers), part))
    present = set(drawn[0][0])
    sound = [cue for cue in CUES if cue in present]
    fusions = {"all of sound": learn(drawn, sound, seed=seed)}
    if "text" in present:
        fusions["sound and text"] = learn(drawn, [*sound, "text"], seed=seed)
    return fusions


def attack_samples(
    slices: Sequence[Ends],
    truth: Succession,
    texts: Sequence[str] | None = None,
    model: NGram | None = None,
    *,
    fusions: Mapping[str, Fusion] | None = None,
    successors: Sequence[SpeechSuccessor] = (),
    workers: int | None = None,
    samples: int = SAMPLES,
    utterances: int = UTTERANCES,
    seed: int = 0,
) -> dict[str, Sampled]:
    """Every attack on samples of utterances (Table 3).

    Without ``fusions`` learned by the attacker, cues are joined by their mean rank. Each of
    ``successors`` is one more cue.
    """

    def attackers(at: NDArray[np.int64]) -> dict[str, Float64]:
        own = texts and [texts[k] for k in at]
        heard = [slices[k] for k in at]
        scores = all_scores(heard, own, model, successors=successors, workers=workers)
        return joined(scores, fusions)

    return rank_samples(truth, attackers, samples=samples, utterances=utterances, seed=seed)


def rank_samples(
    truth: Succession,
    attackers: Callable[[NDArray[np.int64]], Mapping[str, Float64]],
    *,
    samples: int = SAMPLES,
    utterances: int = UTTERANCES,
    seed: int = 0,
) -> dict[str, Sampled]:
    """Any attacks on samples of utterances.

    ``attackers`` gets the numbers of a sample's slices and gives each attack's matrix of scores.
    """
    found: dict[str, list[tuple[Ranking, float]]] = {}
    decided: dict[str, list[tuple[Float64, Succession]]] = {}
    for part, at in draw_samples(truth, samples=samples, utterances=utterances, seed=seed):
        for name, matrix in attackers(at).items():
            ranking = measure(rank_by_scores(matrix, part), replicates=0)
            whole = recovered(matrix, part, seed=seed).fraction
            found.setdefault(name, []).append((ranking, whole))
            if name in NETWORKS:
                decided.setdefault(name, []).append((matrix, part))
    return {
        name: replace(_together(rankings), decided=decided_of(decided.get(name, ())))
        for name, rankings in found.items()
    }


def decided_of(scores: Sequence[tuple[Float64, Succession]]) -> Decisions | None:
    """How often log-odds are right; None of what are no log-odds."""
    return decisions(scores) if scores else None


def joined(
    scores: Mapping[str, Float64], fusions: Mapping[str, Fusion] | None = None
) -> dict[str, Float64]:
    """Every cue by its name as an attack, and all of them together.

    Without ``fusions`` that the attacker learnt, cues are joined by their mean rank.
    """
    attackers = {TEXT["ratio"] if name == "text" else name: m for name, m in scores.items()}
    if fusions is not None:
        together = {name: fusion(scores) for name, fusion in fusions.items()}
    else:
        sound = [cue for cue in CUES if cue in scores]
        together = {"all of sound, mean rank": mean_rank(scores, sound)}
        if "text" in scores:
            together["sound and text, mean rank"] = mean_rank(scores, [*sound, "text"])
    return {**attackers, **together}


def _together(rankings: Sequence[tuple[Ranking, float]]) -> Sampled:
    average, median, top_1, top_10 = (
        _range(
            [float(getattr(ranking, name).value) for ranking, _ in rankings],
            getattr(rankings[0][0], name).null,
        )
        for name in FIGURES
    )
    return Sampled(
        slices=float(np.mean([ranking.slices for ranking, _ in rankings])),
        samples=len(rankings),
        average=average,
        median=median,
        top_1=top_1,
        top_10=top_10,
        recovered=_range([share for _, share in rankings], None),
    )


def _range(values: Sequence[float], null: float | None) -> Estimate:
    return Estimate(float(np.mean(values)), min(values), max(values), null=null)
