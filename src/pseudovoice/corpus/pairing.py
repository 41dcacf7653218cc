"""Pair the original with the protected corpus by utterance id."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..errors import InputError, Problem, few
from .corpus import Corpus
from .naming import shown


@dataclass(frozen=True)
class Pairing:
    """Which utterances both corpora have, under the same speaker.

    ``ids`` is in the order of the original. ``problems`` has one sentence for each way in which
    the corpora differ, each with its count; the full lists are here.
    """

    ids: tuple[str, ...]
    only_original: tuple[str, ...]
    only_protected: tuple[str, ...]
    other_speaker: tuple[str, ...]
    problems: tuple[Problem, ...]


def pair(original: Corpus, protected: Corpus) -> Pairing:
    """Utterances that occur in both corpora; what is missing on either side is listed.

    An id that belongs to different speakers on the two sides is left out, because it cannot be
    said whether its comparisons are mated. Nothing in common raises InputError.
    """
    ours, theirs = original.by_id, protected.by_id
    common = [name for name in ours if name in theirs]
    other_speaker = tuple(name for name in common if ours[name].speaker != theirs[name].speaker)
    disagreeing = frozenset(other_speaker)
    ids = tuple(name for name in common if name not in disagreeing)
    only_original = tuple(name for name in ours if name not in theirs)
    only_protected = tuple(name for name in theirs if name not in ours)
    if not common:
        raise InputError(
            f"{shown(original.root)} and {shown(protected.root)} have no utterance id in common "
            f"(such as {few(only_original, 2)} against {few(only_protected, 2)}); "
            "give the protected files the names of the originals, or a table with an id column."
        )
    if not ids:
        raise InputError(
            f"{shown(original.root)} and {shown(protected.root)} give every common utterance "
            f"different speakers (such as {few(other_speaker, 2)}); "
            "arrange both in the same way, or name the layouts with `layout`."
        )
    problems = [
        *_missing(protected, only_original, "the original"),
        *_missing(original, only_protected, "the protected"),
    ]
    if other_speaker:
        problems.append(
            Problem(
                shown(protected.root),
                f"{_counted(other_speaker, 'here')} under another speaker "
                f"than in the original corpus ({few(other_speaker)})",
                "correct the speaker in one of the two; these are left out",
            )
        )
    return Pairing(ids, only_original, only_protected, other_speaker, tuple(problems))


def _missing(corpus: Corpus, ids: Sequence[str], other: str) -> list[Problem]:
    if not ids:
        return []
    what = f"{_counted(ids, f'of {other} corpus')} missing here ({few(ids)})"
    return [Problem(shown(corpus.root), what, "add them; until then these are left out")]


def _counted(ids: Sequence[str], which: str) -> str:
    return f"1 utterance {which} is" if len(ids) == 1 else f"{len(ids)} utterances {which} are"
