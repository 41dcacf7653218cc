"""From measured pairs to the tidy table: each figure of each group, with its interval.

Conditions
----------
``original`` and ``protected`` are the two corpora, ``change`` is protected minus original under
the same draws of speakers, and ``pair`` compares the two frame by frame.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, Literal

import numpy as np

from pseudovoice.signal.pitch import tracker
from pseudovoice.utility.interval import Interval, Ratio, draws, interval
from pseudovoice.utility.measure import Measured
from pseudovoice.utility.words import WordErrors

Condition = Literal["original", "protected", "change", "pair"]
Part = tuple[float, float]
"""Numerator and denominator that one utterance adds to a figure."""


@dataclass(frozen=True)
class UtilityRow:
    """One line of the table; ``low`` and ``high`` are None where units are too few."""

    condition: Condition
    group: str
    """All speakers, those of one gender, or one speaker."""
    metric: str
    value: float
    low: float | None
    high: float | None
    unit: str
    direction: str
    n_utterances: int
    n_speakers: int
    method: str

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class Item:
    """A measured pair with the errors of each side; None where there is no reference."""

    measured: Measured
    original: WordErrors | None
    protected: WordErrors | None
    transcript_words: int | None
    """Words of the given transcript, None if there is none."""

    @property
    def speaker(self) -> str:
        return self.measured.utterance.speaker


@dataclass(frozen=True)
class _Figure:
    """A metric and what an utterance adds to it; ``of`` gets "original" or "protected"."""

    metric: str
    unit: str
    direction: str
    method: str
    of: Callable[[Item, str], Part | None]
    paired: bool = False
    events: bool = False
    """It counts what may not have happened at all; see :func:`interval`."""


def _errors(count: Callable[[WordErrors], Part]) -> Callable[[Item, str], Part | None]:
    def part(item: Item, side: str) -> Part | None:
        errors: WordErrors | None = getattr(item, side)
        return None if errors is None else count(errors)

    return part


def _quality(score: str) -> Callable[[Item, str], Part | None]:
    def part(item: Item, side: str) -> Part | None:
        quality = getattr(item.measured, side).quality
        return None if quality is None else (getattr(quality, score), 1.0)

    return part


def _word_rate(item: Item, side: str) -> Part | None:
    if item.transcript_words is None:
        return None
    return float(item.transcript_words), getattr(item.measured, side).seconds


def _voiced_rate(item: Item, side: str) -> Part | None:
    if item.measured.prosody is None:
        return None
    seconds: float = getattr(item.measured, side).seconds
    return getattr(item.measured.prosody, f"voiced_rate_{side}") * seconds, seconds


def _alike(name: str) -> Callable[[Item, str], Part | None]:
    def part(item: Item, side: str) -> Part | None:
        del side
        value = None if item.measured.prosody is None else getattr(item.measured.prosody, name)
        return None if value is None else (value, 1.0)

    return part


def _figures(words: str, quality: str) -> tuple[_Figure, ...]:
    """All figures; ``words`` and ``quality`` say what measured them."""
    predicted = f"{quality}, mean over utterances; compare, do not quote"
    counted = f"pitch by {tracker()}"
    return (
        _Figure("wer", "fraction", "lower", words, _errors(lambda e: (e.errors, e.words))),
        _Figure(
            "cer",
            "fraction",
            "lower",
            words,
            _errors(lambda e: (e.character_errors, e.characters)),
        ),
        _Figure(
            "lost",
            "fraction",
            "lower",
            f"utterances with no word recognised or WER ≥ 1; {words}",
            _errors(lambda e: (e.lost, e.utterances)),
            events=True,
        ),
        _Figure("ovrl", "MOS", "higher", predicted, _quality("ovrl")),
        _Figure("sig", "MOS", "higher", predicted, _quality("sig")),
        _Figure("bak", "MOS", "higher", predicted, _quality("bak")),
        _Figure("word_rate", "1/s", "unchanged", "transcript's words a second", _word_rate),
        _Figure(
            "voiced_rate", "1/s", "unchanged", f"voiced stretches a second; {counted}", _voiced_rate
        ),
        _Figure(
            "f0_correlation",
            "1",
            "higher",
            f"Pearson, log F0, frames voiced in both, mean over utterances; {counted}",
            _alike("f0_correlation"),
            paired=True,
        ),
        _Figure(
            "voicing_agreement",
            "fraction",
            "higher",
            f"frames, mean over utterances; {counted}",
            _alike("voicing_agreement"),
            paired=True,
        ),
    )


METRIC_NAMES = tuple(figure.metric for figure in _figures("", ""))
"""Everything that may be measured of the use of speech."""


def utility_rows(
    groups: Mapping[str, Sequence[Item]],
    *,
    words: str,
    quality: str,
    replicates: int,
    seed: int,
    resample: Literal["speakers", "utterances"] = "speakers",
) -> Iterator[UtilityRow]:
    """Every figure that was measured, in every group and condition."""
    figures = _figures(words, quality)
    for group, items in groups.items():
        units = (
            [item.speaker for item in items]
            if resample == "speakers"
            else [item.measured.utterance.id for item in items]
        )
        drawn = draws(len(set(units)), replicates, seed)
        speakers = len({item.speaker for item in items})
        for figure in figures:
            for condition, found, n in _conditions(figure, items, units, drawn):
                if np.isfinite(found.value):
                    yield UtilityRow(
                        condition,
                        group,
                        figure.metric,
                        found.value,
                        found.low,
                        found.high,
                        figure.unit,
                        figure.direction,
                        n,
                        speakers,
                        f"{figure.method}; interval over {resample}",
                    )


def _conditions(
    figure: _Figure, items: Sequence[Item], units: Sequence[str], drawn: Any
) -> Iterator[tuple[Condition, Interval, int]]:
    between = partial(interval, drawn=drawn, events=figure.events)
    before, n_before = _ratio(figure, items, units, "original")
    if figure.paired:
        yield "pair", between(before), n_before
        return
    after, n_after = _ratio(figure, items, units, "protected")
    yield "original", between(before), n_before
    yield "protected", between(after), n_after
    yield "change", between(after, minus=before), min(n_before, n_after)


def _ratio(
    figure: _Figure, items: Sequence[Item], units: Sequence[str], side: str
) -> tuple[Ratio, int]:
    """What every unit adds to the figure, and how many utterances had something to add."""
    at = {unit: k for k, unit in enumerate(dict.fromkeys(units))}
    sums = np.zeros((2, len(at)))
    used = 0
    for item, unit in zip(items, units, strict=True):
        part = figure.of(item, side)
        if part is not None:
            sums[:, at[unit]] += part
            used += 1
    return Ratio(sums[0], sums[1]), used
