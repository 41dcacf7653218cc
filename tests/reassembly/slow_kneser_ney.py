"""Modified Kneser–Ney as its definition reads, with dictionaries and recursion: slow, for tests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

BEGIN, END, UNKNOWN = "<s>", "</s>", "<unk>"


class SlowKneserNey:
    def __init__(self, sentences: Sequence[Sequence[str]], order: int) -> None:
        self.order = order
        padded = [[BEGIN, *words, END] for words in sentences]
        self.vocabulary = {w for words in sentences for w in words} | {END, UNKNOWN}
        raw = {
            n: Counter(tuple(p[k : k + n]) for p in padded for k in range(len(p) - n + 1))
            for n in range(1, order + 1)
        }
        self.counts = {order: raw[order]}
        for n in range(order - 1, 0, -1):
            company = Counter(gram[1:] for gram in raw[n + 1])
            self.counts[n] = Counter(
                {g: (raw[n][g] if g[0] == BEGIN else company[g]) for g in raw[n]}
            )
        del self.counts[1][(BEGIN,)]
        self.discounts = {n: self._discounts(c) for n, c in self.counts.items()}

    @staticmethod
    def _discounts(counts: Counter[tuple[str, ...]]) -> tuple[float, ...]:
        n = Counter(counts.values())
        if not all(n[k] for k in (1, 2, 3, 4)):
            return 0.0, 0.5, 1.0, 1.5
        y = n[1] / (n[1] + 2 * n[2])
        found = [k - (k + 1) * y * n[k + 1] / n[k] for k in (1, 2, 3)]
        usable = all(0 < d <= k for k, d in enumerate(found, 1))
        return (0.0, *found) if usable else (0.0, 0.5, 1.0, 1.5)

    def probability(self, word: str, context: tuple[str, ...]) -> float:
        n = len(context) + 1
        counts, discounts = self.counts[n], self.discounts[n]
        after = {g[-1]: c for g, c in counts.items() if g[:-1] == context}
        lower = 1 / len(self.vocabulary) if not context else self.probability(word, context[1:])
        total = sum(after.values())
        if not total:
            return lower
        own = after.get(word, 0)
        left = sum(discounts[min(c, 3)] for c in after.values()) / total
        return (own - discounts[min(own, 3)]) / total + left * lower
