"""Embeddings of short overlapping windows of speech: who could be heard around each moment."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pseudovoice.diarisation.activity import SECONDS, Span, runs
from pseudovoice.encoders.encoder import Encoder
from pseudovoice.engines import in_threads
from pseudovoice.signal.frames import Float32

LENGTH = 1.5
"""Seconds: shorter ones hear less of a voice, longer ones more often two."""

HOP = 0.5

LEAST = 0.3
"""Seconds of speech that say something of whose it is."""

MARGIN = 2
"""Frames before and after speech that windows take in: soft beginnings and endings are heard late,
and a shorter pause parts nobody."""

_BATCH = 8


@dataclass(frozen=True)
class Windows:
    """Where each window lies and its direction among voices: [n], [n, dimension]."""

    spans: tuple[Span, ...]
    directions: Float32

    def __len__(self) -> int:
        return len(self.spans)

    @property
    def seconds(self) -> NDArray[np.float64]:
        return np.array([end - start for start, end in self.spans])


def window_spans(spoken: NDArray[np.bool_]) -> list[Span]:
    """Windows over every stretch of speech; none reaches across a pause, where people change."""
    spans: list[Span] = []
    wide = spoken.copy()
    for first, last in runs(spoken):
        wide[max(0, first - MARGIN) : last + MARGIN] = True
    for first, last in runs(wide):
        start, end = first * SECONDS, last * SECONDS
        if end - start < LEAST:
            continue
        steps = int(np.ceil(max(0.0, end - start - LENGTH) / HOP - 1e-9))
        # The last window ends with the stretch, so that no beginning or end is heard less.
        starts = np.linspace(start, max(start, end - LENGTH), steps + 1)
        spans += [(float(s), float(min(end, s + LENGTH))) for s in starts]
    return spans


def embed_windows(
    blocks: Iterable[NDArray[np.floating]],
    spans: Sequence[Span],
    encoder: Encoder,
    workers: int,
    progress: Callable[[int], None],
) -> Windows:
    """The windows' directions; ``blocks`` are mono samples at the encoder's rate."""
    kept: list[Span] = []
    rows: dict[int, Float32] = {}

    def batches() -> Iterator[tuple[int, list[Float32]]]:
        batch: list[Float32] = []
        for span, samples in stretches(blocks, spans, encoder.sample_rate):
            if samples.size < encoder.shortest_seconds * encoder.sample_rate:
                continue
            kept.append(span)
            batch.append(samples)
            if len(batch) == _BATCH:
                yield len(kept) - len(batch), batch
                batch = []
        if batch:
            yield len(kept) - len(batch), batch

    work = in_threads(lambda task: encoder.embed(task[1]), batches(), workers)
    for (first, batch), embedded in work:
        rows[first] = embedded
        progress(len(batch))
    found = np.concatenate(
        [np.zeros((0, encoder.dimension), np.float32), *(rows[k] for k in sorted(rows))]
    )
    lengths = np.linalg.norm(found, axis=1)
    usable = np.isfinite(lengths) & (lengths > 0)
    directions: Float32 = (found[usable] / lengths[usable, None]).astype(np.float32)
    return Windows(tuple(s for s, good in zip(kept, usable, strict=True) if good), directions)


def stretches(
    blocks: Iterable[NDArray[np.floating]], spans: Sequence[Span], rate: int
) -> Iterator[tuple[Span, Float32]]:
    """The samples of each span; spans begin in order, and no more is held than they need."""
    waiting = np.zeros(0, np.float32)
    at = 0  # sample number of the first that waits
    coming = iter(blocks)
    ended = False
    for span in spans:
        first, last = round(span[0] * rate), round(span[1] * rate)
        if first > at:
            dropped = min(first - at, waiting.size)
            waiting, at = waiting[dropped:], at + dropped
        while not ended and at + waiting.size < last:
            block = next(coming, None)
            if block is None:
                ended = True
                break
            waiting = np.concatenate([waiting, np.asarray(block, np.float32)])
            if first > at:
                dropped = min(first - at, waiting.size)
                waiting, at = waiting[dropped:], at + dropped
        yield span, waiting[first - at : last - at].copy()
