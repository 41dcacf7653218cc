"""Which utterances an attacker has of the people, and which it tries to recognise them in."""

from __future__ import annotations

from collections.abc import Iterable

from pseudovoice.choices import ENROLLED_SHARE
from pseudovoice.errors import UsageError


def split_utterances(
    rows: Iterable[tuple[str, str, str]], share: float = ENROLLED_SHARE
) -> tuple[frozenset[str], frozenset[str]]:
    """Ids for enrolment and for trials, from (speaker, session, utterance) of each utterance.

    A person's utterances go in the order of their sessions, ``share`` of them to the enrolment: at
    most one session is on both sides, as far as there are several. Of two utterances each side gets
    one; who has only one is tried but never enrolled, like a stranger.
    """
    if not 0 < share < 1:
        raise UsageError(f"The share for enrolment lies between 0 and 1, not at {share:g}.")
    mine: dict[str, set[tuple[str, str]]] = {}
    for speaker, session, utterance in rows:
        mine.setdefault(speaker, set()).add((session, utterance))
    enrolment: set[str] = set()
    trials: set[str] = set()
    for some in mine.values():
        ordered = [utterance for _, utterance in sorted(some)]
        count = min(max(1, round(share * len(ordered))), len(ordered) - 1)
        enrolment.update(ordered[:count])
        trials.update(ordered[count:])
    return frozenset(enrolment), frozenset(trials)
