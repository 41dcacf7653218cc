"""Text for the attacker's language model that does not contain what it is tested on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

RUN = 6
"""Words in a row that two texts do not share by chance."""


def without(
    sentences: Iterable[Sequence[str]], tested: Iterable[Sequence[str]]
) -> Iterator[tuple[str, ...]]:
    """The sentences that share no run of six words with a tested one, nor are one if shorter."""
    seen: set[tuple[str, ...]] = set()
    for words in tested:
        seen.update(_runs(words))
    for words in sentences:
        if not any(run in seen for run in _runs(words)):
            yield tuple(words)


def _runs(words: Sequence[str]) -> Iterator[tuple[str, ...]]:
    if len(words) <= RUN:
        yield tuple(words)
    else:
        for k in range(len(words) - RUN + 1):
            yield tuple(words[k : k + RUN])
