"""The scores of one condition with the speakers behind them, as arrays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pseudovoice.errors import InputError
from pseudovoice.scores.binned import BinnedScores

Codes = NDArray[np.int32]


@dataclass(frozen=True)
class ScoreSet:
    """One condition: a score per trial, and who is on either side of it.

    ``enrol`` and ``trial`` index ``speakers``; a trial is mated when they are equal. Both are
    empty for score files that name no speaker; then ``mated`` is all that is known, and what
    needs speakers (intervals, null levels, similarity matrices, per-speaker disclosure) is
    absent. ``method`` tells how the trials came about: ``enrolment`` (a model of each enrolled
    speaker against trial segments) or ``exhaustive`` (segment × segment). With ``pairing``
    ``upper`` only one of the two orders of each pair of segments is there.
    """

    score: NDArray[np.float64]
    mated: NDArray[np.bool_]
    enrol: Codes
    trial: Codes
    speakers: tuple[str, ...]
    method: str = "enrolment"
    pairing: str = "all"

    def __post_init__(self) -> None:
        # Scores of any number type, but float64 from here on: uint8 would wrap around.
        object.__setattr__(self, "score", np.asarray(self.score, np.float64))
        if not self.speakers:
            return
        if len(set(self.speakers)) < len(self.speakers):
            raise InputError("A speaker is named twice in the list of speakers; name each once.")
        for side, codes in (("enrolment", self.enrol), ("trial", self.trial)):
            if codes.size and (codes.min() < 0 or codes.max() >= len(self.speakers)):
                raise InputError(
                    f"The {side} speakers are numbered {codes.min()} to {codes.max()} but there "
                    f"are {len(self.speakers)}, numbered from 0; check the codes."
                )

    @property
    def named(self) -> bool:
        """Whether the speakers behind the trials are known."""
        return len(self.speakers) > 0

    @property
    def mated_scores(self) -> NDArray[np.float64]:
        return self.score[self.mated]

    @property
    def nonmated_scores(self) -> NDArray[np.float64]:
        return self.score[~self.mated]


@dataclass(frozen=True)
class ListedScores(ScoreSet):
    """Listed trials, and all ``pairs`` of the segments they try, on which similarity is to rest.

    So it is in noe2022 §6: lists for what ZEBRA says, every segment with every other for the
    matrices.
    """

    pairs: ScoreSet | BinnedScores | None = None


def with_pairs(scores: ScoreSet, pairs: ScoreSet | BinnedScores) -> ListedScores:
    """Listed trials with all pairs of what they try beside them."""
    return ListedScores(**vars(scores), pairs=pairs)


def bare(scores: ScoreSet) -> ScoreSet:
    """The trials themselves, without pairs that stand beside them."""
    if not isinstance(scores, ListedScores):
        return scores
    return ScoreSet(
        scores.score,
        scores.mated,
        scores.enrol,
        scores.trial,
        scores.speakers,
        scores.method,
        scores.pairing,
    )


def named_scores(
    score: NDArray[np.float64],
    enrol: Codes,
    trial: Codes,
    speakers: tuple[str, ...],
    *,
    method: str = "enrolment",
    pairing: str = "all",
) -> ScoreSet:
    """A score set whose trials are mated exactly when both sides name the same speaker."""
    if not (score.shape == enrol.shape == trial.shape):
        raise InputError(
            f"There are {score.size} scores but {enrol.size} enrolment and {trial.size} trial "
            "speakers; each trial needs one of each."
        )
    return ScoreSet(score, enrol == trial, enrol, trial, speakers, method, pairing)


def unnamed_scores(mated: NDArray[np.float64], nonmated: NDArray[np.float64]) -> ScoreSet:
    """A score set of which only the labels are known."""
    none = np.empty(0, np.int32)
    labels = np.repeat([True, False], [mated.size, nonmated.size])
    return ScoreSet(np.concatenate([mated, nonmated]), labels, none, none, (), "unnamed")
