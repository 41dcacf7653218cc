"""Every scalar under reweighted or renamed speakers, many replicates at a time.

A replicate is a weight for each cell as mated and as non-mated trials:

* bootstrap: speakers are drawn with replacement; a cell counts w_i as mated and w_i·w_j as
  non-mated (a speaker drawn twice is not a mated pair of two people);
* permutation: the names of one side are shuffled, a speaker's utterances staying together; a
  cell is mated when the new name of its row is its column.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from pseudovoice.assessment import zebra
from pseudovoice.assessment.evaluate import BATCH_METRICS, Oracle, evaluate_counts
from pseudovoice.assessment.similarity import similarity_of_mean, terms_of_llr
from pseudovoice.assessment.tally import Counts, Tally
from pseudovoice.calibration.ladder import Floats

CHUNK = 1 << 15
"""Counts held at once: replicates are taken a few at a time, so that their arrays stay in the
processor's cache and no fresh memory is asked for (four times as fast as all at once)."""

Sums = tuple[Callable[[slice], Floats], Callable[[slice], Floats]]


@dataclass(frozen=True)
class Weights:
    """How often each cell counts as mated and as non-mated, shape (replicates, cells)."""

    mated: Floats
    nonmated: Floats

    def __getitem__(self, part: slice) -> Weights:
        return Weights(self.mated[part], self.nonmated[part])

    def __len__(self) -> int:
        return int(self.mated.shape[0])


class Cells(Protocol):
    """Pairs of speakers that have trials."""

    @property
    def row(self) -> NDArray[Any]: ...
    @property
    def column(self) -> NDArray[Any]: ...
    @property
    def n_speakers(self) -> int: ...
    @property
    def mated(self) -> NDArray[np.bool_]: ...


def once(tally: Tally) -> Weights:
    """The observed data as a replicate: every cell counts once."""
    mated = tally.mated.astype(np.float64)[None]
    return Weights(mated, 1.0 - mated)


def draw_speakers(rng: np.random.Generator, replicates: int, speakers: int) -> Floats:
    """How often each speaker is drawn in each bootstrap replicate."""
    share = np.full(speakers, 1.0 / speakers)
    return rng.multinomial(speakers, share, size=replicates).astype(np.float64)


def bootstrap(tally: Cells, drawn: Floats) -> Weights:
    """Cell weights of bootstrap replicates from speaker counts, shape (replicates, speakers)."""
    row, column = drawn[:, tally.row], drawn[:, tally.column]
    same = tally.mated
    return Weights(np.where(same, row, 0.0), np.where(same, 0.0, row * column))


def draw_names(rng: np.random.Generator, replicates: int, speakers: int) -> NDArray[np.intp]:
    """New names of all speakers in each permutation, shape (replicates, speakers)."""
    return rng.permuted(np.tile(np.arange(speakers), (replicates, 1)), axis=1)


def permutation(tally: Cells, names: NDArray[np.intp]) -> Weights:
    """Cell weights when speakers of the enrolment side are renamed.

    Only speakers who stand on both sides swap names, among themselves: handing out a name that
    has no trials would make mated trials disappear and the null level rise. Their order in
    ``names`` decides who gets whose.
    """
    both = np.intersect1d(tally.row, tally.column)
    renamed = np.broadcast_to(np.arange(tally.n_speakers), names.shape).copy()
    renamed[:, both] = both[np.argsort(names[:, both], axis=1)]
    mated = (renamed[:, tally.row] == tally.column).astype(np.float64)
    return Weights(mated, 1.0 - mated)


@dataclass(frozen=True)
class Replicates:
    """Each scalar's value in each replicate; NaN where a replicate has no trial of a class.

    ``speaker_d_ece`` and ``speaker_l_w`` have shape (replicates, speakers), NaN where the
    speaker is not in the replicate.
    """

    scalars: dict[str, Floats]
    speaker_d_ece: Floats | None = None
    speaker_l_w: Floats | None = None


def join_replicates(parts: Sequence[Replicates]) -> Replicates:
    """Replicates that were computed a few at a time, in their order."""
    first = parts[0]
    per_speaker = first.speaker_d_ece is not None
    return Replicates(
        {name: np.concatenate([p.scalars[name] for p in parts]) for name in first.scalars},
        np.concatenate([p.speaker_d_ece for p in parts if p.speaker_d_ece is not None])
        if per_speaker
        else None,
        np.concatenate([p.speaker_l_w for p in parts if p.speaker_l_w is not None])
        if per_speaker
        else None,
    )


def replicate(
    tally: Tally,
    weights: Weights,
    *,
    similarity: str | None = None,
    square: NDArray[np.bool_] | None = None,
    per_speaker: bool = False,
) -> Replicates:
    """All scalars in each replicate.

    ``square`` marks the cells of the similarity matrix; without it (or without ``similarity``)
    d_diag and d_diag_log are left out.
    """
    usable = ((weights.mated @ tally.n) > 0) & ((weights.nonmated @ tally.n) > 0)
    kept = Weights(weights.mated[usable], weights.nonmated[usable])
    step = max(1, CHUNK // max(tally.low.size, 1))
    rungs = _sums(tally.rungs, kept)
    bins = None if tally.bins is None else _sums(tally.bins, kept)
    chunks = [
        _replicate(tally, kept, slice(k, k + step), rungs, bins, similarity, square, per_speaker)
        for k in range(0, len(kept), step)
    ]
    everyone = np.empty((0, tally.n_speakers))
    return Replicates(
        {
            name: _spread([c.scalars[name] for c in chunks if name in c.scalars], usable)
            for name in (*BATCH_METRICS, "d_diag", "d_diag_log")
        },
        _spread([everyone, *(c.speaker_d_ece for c in chunks)], usable) if per_speaker else None,
        _spread([everyone, *(c.speaker_l_w for c in chunks)], usable) if per_speaker else None,
    )


def _replicate(
    tally: Tally,
    every: Weights,
    part: slice,
    rungs: Sums,
    bins: Sums | None,
    similarity: str | None,
    square: NDArray[np.bool_] | None,
    per_speaker: bool,
) -> Replicates:
    weights = every[part]
    mated, nonmated = (sums(part) for sums in rungs)
    cost = weights.mated @ tally.cost_mated / mated.sum(axis=1)
    cost += weights.nonmated @ tally.cost_nonmated / nonmated.sum(axis=1)
    histograms = None if bins is None else (bins[0](part), bins[1](part))
    scalars, oracle = evaluate_counts(
        mated, nonmated, cost / (2.0 * np.log(2.0)), histograms, tally.edges
    )
    if similarity is not None and square is not None:
        scalars |= _dominance(tally, weights, oracle, similarity, square)
    if not per_speaker:
        return Replicates(scalars)
    return Replicates(scalars, *_per_speaker(tally, weights, oracle))


def _spread(chunks: Sequence[Floats | None], usable: NDArray[np.bool_]) -> Floats:
    """Put the values of usable replicates back among all, NaN elsewhere."""
    values = [chunk for chunk in chunks if chunk is not None]
    out = np.full((usable.size, *(values[0].shape[1:] if values else ())), np.nan)
    if values:
        out[usable] = np.concatenate(values)
    return out


def _sums(counts: Counts, weights: Weights) -> Sums:
    """Weighted sums of the cells' counts, as mated and as non-mated, for a slice of replicates."""
    return _weigh(counts, weights.mated), _weigh(counts, weights.nonmated)


def _weigh(counts: Counts, weight: Floats) -> Callable[[slice], Floats]:
    if isinstance(counts, np.ndarray):
        return lambda part: (weight[part].astype(np.float32) @ counts).astype(np.float64)
    # Turned once: along its rows the product then runs over replicates that lie side by side.
    used = weight.any(axis=0)
    turned = counts[used].T.tocsr()
    return lambda part: np.ascontiguousarray(
        (turned @ np.ascontiguousarray(weight[part, used].T)).T
    )


def _per_cell(counts: Counts, on_rungs: Floats) -> Floats:
    """Sum a quantity of the rungs, shape (replicates, rungs), over the trials of each cell."""
    if isinstance(counts, np.ndarray):
        return (on_rungs.astype(np.float32) @ counts.T).astype(np.float64)
    return np.asarray((counts @ np.ascontiguousarray(on_rungs.T)).T)


def _dominance(
    tally: Tally,
    weights: Weights,
    oracle: Oracle,
    similarity: str,
    square: NDArray[np.bool_],
) -> dict[str, Floats]:
    """D_diag and its log-domain sibling in each replicate."""
    terms = oracle.laplace.on_rungs(terms_of_llr(oracle.laplace.llr, similarity))
    mean = _per_cell(tally.rungs[square], terms) / tally.n[square]
    values = similarity_of_mean(mean, similarity)
    mated, nonmated = weights.mated[:, square], weights.nonmated[:, square]
    with np.errstate(invalid="ignore", divide="ignore"):

        def gap(of: Floats) -> Floats:
            own = np.where(mated > 0, mated * of, 0.0).sum(axis=1) / mated.sum(axis=1)
            rest = np.where(nonmated > 0, nonmated * of, 0.0).sum(axis=1) / nonmated.sum(axis=1)
            dominance: Floats = np.abs(own - rest)
            return dominance

        return {"d_diag": gap(values), "d_diag_log": gap(np.log2(values))}


def _per_speaker(tally: Tally, weights: Weights, oracle: Oracle) -> tuple[Floats, Floats]:
    """D_ECE and l_w of each speaker's own trials under the replicate's calibration."""
    n, cells = tally.n_speakers, tally.row.size
    # Which cells hold trials of which speaker; a cell of a speaker with itself counts once.
    off = tally.row != tally.column
    touch = csr_array(
        (
            np.ones(cells + int(off.sum())),
            (
                np.concatenate([tally.row, tally.column[off]]),
                np.concatenate([np.arange(cells), np.flatnonzero(off)]),
            ),
        ),
        shape=(n, cells),
    )

    plain = oracle.plain
    total = np.zeros((len(weights), n))
    for weight, sign in ((weights.mated, 1.0), (weights.nonmated, -1.0)):
        # A −inf stands only where this replicate has no trial of the class: finite, so that a
        # count of 0 can silence it.
        terms = np.maximum(zebra.disclosure_of_llr(sign * plain.llr), -1e9)
        gain = _per_cell(tally.rungs, plain.on_rungs(terms))
        share = (touch @ (weight * tally.n).T).T
        with np.errstate(invalid="ignore", divide="ignore"):
            total += (touch @ np.where(weight > 0, weight * gain, 0.0).T).T / share

    # Along the rungs the LLR only rises, so a cell's strongest evidence is at one of its ends.
    llr = oracle.laplace.on_rungs(np.abs(oracle.laplace.llr))
    strongest = np.where(
        weights.mated + weights.nonmated > 0,
        np.maximum(llr[:, tally.first], llr[:, tally.last]),
        0.0,
    )
    l_w = np.zeros((len(weights), n))
    for speaker in range(n):
        own = touch.indices[touch.indptr[speaker] : touch.indptr[speaker + 1]]
        if own.size:
            l_w[:, speaker] = strongest[:, own].max(axis=1)
    blocks = np.diff(plain.row_start, append=plain.row.size)
    l_w[blocks == 1] = 0.0
    l_w = np.where(np.isnan(total), np.nan, l_w / np.log(10.0))
    return zebra.D_ECE_MAX * total, l_w
