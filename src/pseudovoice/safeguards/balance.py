"""Draws of a session that come out as often as is probable, and not only on average."""

from __future__ import annotations

from collections.abc import Callable, Sequence


def balanced(
    chances: Sequence[float], given: Sequence[bool | None], uniform: Callable[[int], float]
) -> list[bool]:
    """Yes or no for each, with these chances; ``given`` has the answers that stand already.

    Draws of their own let 16 of 20 come out alike in one session. So the number of yeses stays
    within one of what is expected: whoever is next makes up for those before, those given first of
    all, and chance (``uniform`` of each) decides what is left open.
    """
    chosen = [False] * len(chances)
    lacking = 0.0  # yeses expected, less those there are
    for k in sorted(range(len(chances)), key=lambda k: given[k] is None):  # stable
        lacking += chances[k]
        known = given[k]
        chosen[k] = uniform(k) < lacking if known is None else known
        lacking -= chosen[k]
    return chosen
