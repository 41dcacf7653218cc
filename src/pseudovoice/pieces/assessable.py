"""What can be assessed of a corpus, and why not the rest: said before anything is protected."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from pseudovoice.choices import FEWEST
from pseudovoice.corpus import Corpus
from pseudovoice.diarisation.turns import Turns
from pseudovoice.pieces.need import LEAST_SPEAKERS, one_each
from pseudovoice.pieces.pauses import SHORTEST

FEW = 10
"""People; with fewer, intervals are too wide for more than a first look."""

SHORT = 2.0
"""Seconds of an utterance in which hardly any voice can be told."""


@dataclass(frozen=True)
class Assessable:
    """One question about protected speech, whether this corpus can answer it, and why."""

    what: str
    possible: bool
    why: str

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def assessable(
    corpus: Corpus, seconds: Mapping[str, float], turns: Mapping[str, Turns] | None = None
) -> tuple[Assessable, ...]:
    """All questions; ``seconds`` are the lengths of utterances by id, as far as they are heard.

    With ``turns`` the utterances are recordings of several people. What cannot be heard is left
    out.
    """
    corpus = corpus.subset(ids=[u.id for u in corpus if u.id in seconds])
    if not len(corpus):
        return (Assessable("anything", False, "nothing can be heard, as the problems say"),)
    if turns is not None:
        turns = {u.id: turns[u.id] for u in corpus}
    return (
        *_hidden(corpus, seconds, turns),
        _genders(corpus, turns),
        _sessions(corpus, turns),
        _words(corpus, turns),
        _slices(corpus, turns),
    )


def _hidden(
    corpus: Corpus, seconds: Mapping[str, float], turns: Mapping[str, Turns] | None
) -> Iterator[Assessable]:
    what = "how well people are hidden"
    people = people_in(corpus, turns)
    if len(people) < LEAST_SPEAKERS:
        yield Assessable(
            what,
            False,
            "there is one person only, and whoever is alone cannot be taken for somebody else; add "
            "recordings of other people, or, if several speak in the recording, find out who "
            "speaks when with `pseudovoice diarise`",
        )
        return
    rest = _too_few(len(people))
    if turns is not None:
        yield Assessable(what, True, f"every turn counts as an utterance of its person{rest}")
        return
    if one_each(corpus):
        yield from _one_each(what, corpus, seconds, rest)
        return
    single = sum(len(own) == 1 for own in corpus.speakers.values())
    some = f"; {single} of them have a single utterance and cannot be recognised again"
    there = f"there are utterances of {len(people)} people{some * (single > 0)}{rest}"
    yield Assessable(what, True, there)
    short = sum(length < SHORT for length in seconds.values())
    if 2 * short > len(seconds):
        yield Assessable(
            "short utterances",
            False,
            f"{short} of {len(seconds)} utterances last less than {SHORT:g} s: attackers hear too "
            "little in them, and everybody will seem well hidden",
        )


def _one_each(
    what: str, corpus: Corpus, seconds: Mapping[str, float], rest: str
) -> Iterator[Assessable]:
    """Everybody has one recording, which has to give at least two utterances."""
    enough = [
        name
        for name, own in corpus.speakers.items()
        if sum(seconds.get(u.id, 0.0) for u in own) >= 2 * SHORTEST
    ]
    if not enough:
        yield Assessable(
            what,
            False,
            f"everybody has one recording, and none lasts {2 * SHORTEST:g} s: it cannot be cut "
            "into two utterances, by which a person could be recognised; add longer recordings",
        )
        return
    short = len(corpus.speakers) - len(enough)
    less = f"; {short} of {len(corpus.speakers)} recordings are too short for that"
    yield Assessable(
        what,
        True,
        "everybody has one recording, which is cut at pauses into utterances; these share room, "
        f"microphone and day, which flatters the attacker{less * (short > 0)}{rest}",
    )


def _too_few(people: int) -> str:
    if people < FEWEST:
        return f"; with {people} people there are numbers, and nothing follows from them"
    if people < FEW:
        return f"; with {people} people intervals are wide, {FEW} or more would tell more"
    return ""


def people_in(corpus: Corpus, turns: Mapping[str, Turns] | None) -> tuple[str, ...]:
    """Whoever speaks in a corpus; where several do in a recording, by its turns."""
    if turns is None:
        return tuple(corpus.speakers)
    return tuple(dict.fromkeys(person for one in turns.values() for person in one.people))


def _genders(corpus: Corpus, turns: Mapping[str, Turns] | None) -> Assessable:
    what = "women and men apart"
    known = [] if turns is not None else [gender for gender in corpus.genders.values() if gender]
    several = [g for g in sorted(set(known)) if known.count(g) >= LEAST_SPEAKERS]
    if len(several) > 1:
        return Assessable(what, True, f"there are several people each of {', '.join(several)}")
    if not known:
        return Assessable(what, False, "nobody's gender is known; add a column gender to a table")
    return Assessable(what, False, "of two genders there have to be two people each")


def _sessions(corpus: Corpus, turns: Mapping[str, Turns] | None) -> Assessable:
    what = "voice and room apart"
    if turns is None:
        own = ({u.session for u in group} - {None} for group in corpus.speakers.values())
        several = sum(len(sessions) > 1 for sessions in own)
    else:
        spoken = [person for one in turns.values() for person in one.people]
        several = sum(spoken.count(person) > 1 for person in set(spoken))
    if several >= LEAST_SPEAKERS:
        return Assessable(what, True, f"{several} people were recorded in several sessions")
    return Assessable(
        what,
        False,
        "nearly everybody was recorded once, or no sessions are named: whether people are "
        "recognised by their voice or by room and day cannot be told",
    )


def _words(corpus: Corpus, turns: Mapping[str, Turns] | None) -> Assessable:
    what = "words that are still understood"
    written = sum(bool((u.transcript or "").strip()) for u in corpus)
    language = (
        "the default recogniser knows English; for other languages choose whisper-base or "
        "whisper-small"
    )
    if not written or turns is not None or one_each(corpus):
        why = "there are no transcripts" if not written else "transcripts are of whole recordings"
        return Assessable(
            what,
            True,
            f"{why}, so that words are counted against what the recogniser hears in the original; "
            f"{language}",
        )
    part = "all" if written == len(corpus) else f"{written} of {len(corpus)}"
    return Assessable(what, True, f"{part} utterances have transcripts; {language}")


def _slices(corpus: Corpus, turns: Mapping[str, Turns] | None) -> Assessable:
    what = "cutting into slices"
    if turns is not None:
        return Assessable(what, False, "several people speak in a recording")
    written = sum(bool((u.transcript or "").strip()) for u in corpus)
    if written:
        return Assessable(what, True, f"{written} of {len(corpus)} utterances have transcripts")
    return Assessable(what, False, "there are no transcripts, which say where words begin and end")
