"""Listen to recordings, and find where to cut them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import TypeVar

from pseudovoice.corpus import AudioError, Corpus, Utterance, reading
from pseudovoice.diarisation.diarise import heard
from pseudovoice.diarisation.turns import Turns
from pseudovoice.errors import Problem, few
from pseudovoice.pieces.cut import Cutting, Piece
from pseudovoice.pieces.pauses import LONGEST, Powers, Span, cut_at_pauses, powers_of

RATE = 16_000

MOST = 60
"""Utterances of a person that are taken of one recording, spread over it: more cost hours and tell
nothing that a second recording would not tell better."""

SHORTEST_TURN = 1.0
"""Seconds; from a shorter turn neither a voice nor a word can be told."""

DRIFT = 0.1
"""Seconds by which a codec may lengthen what it wrote."""

T = TypeVar("T")


def cut_recordings(corpus: Corpus) -> Cutting:
    """Cut recordings of one person each at their pauses."""

    def spans(recording: Utterance, powers: Powers) -> Iterator[tuple[str, Span]]:
        return ((recording.speaker, span) for span in cut_at_pauses(powers))

    return _cut(corpus, spans, None, "no utterances between pauses were found in it")


def cut_by_turns(corpus: Corpus, turns: Mapping[str, Turns]) -> Cutting:
    """Cut recordings of several people: every turn in which one speaks alone is an utterance.

    Long turns are cut at pauses, short ones left out. ``turns`` are by the id of the recording.
    """

    def spans(recording: Utterance, powers: Powers) -> Iterator[tuple[str, Span]]:
        for strip in turns[recording.id].strips(powers.seconds):
            if len(strip.people) != 1 or strip.seconds < SHORTEST_TURN:
                continue
            (person,) = strip.people
            if strip.seconds <= LONGEST:
                yield person, Span(strip.start, strip.end)
                continue
            for inside in cut_at_pauses(powers.between(strip.start, strip.end)):
                start = strip.start + inside.start
                yield person, Span(start, min(strip.end, start + inside.seconds))

    nothing = f"nobody has a turn of {SHORTEST_TURN:g} s alone in it"
    return _cut(corpus, spans, turns, nothing)


def _cut(
    corpus: Corpus,
    spans: Callable[[Utterance, Powers], Iterator[tuple[str, Span]]],
    turns: Mapping[str, Turns] | None,
    nothing: str,
) -> Cutting:
    pieces: list[Piece] = []
    problems: list[Problem] = []
    taken = set(corpus.by_id)
    spoken = 0.0
    for recording in corpus:
        try:
            powers = _listened(recording)
        except AudioError as error:
            problems.append(error.problem)
            continue
        by_person: dict[str, list[Span]] = {}
        for person, span in spans(recording, powers):
            by_person.setdefault(person, []).append(span)
            spoken += span.seconds
        chosen = sorted(
            (span.start, span.end, person)
            for person, own in by_person.items()
            for span in _spread(own, MOST)
        )
        for number, (start, end, person) in enumerate(chosen, 1):
            name = _unlike(f"{recording.id}-{number:03d}", taken)
            pieces.append(Piece(recording.id, name, person, round(start, 3), round(end, 3)))
        if not chosen:
            problems.append(
                Problem(recording.place, nothing, "record more, or leave it out; it is left out")
            )
    return Cutting(corpus, tuple(pieces), turns, spoken, tuple(problems))


def _listened(recording: Utterance) -> Powers:
    with reading(recording) as audio:
        blocks = heard(recording, audio.blocks(), audio.sample_rate, RATE)
        return powers_of(blocks, RATE)


def _spread(items: list[T], most: int) -> list[T]:
    """At most so many, evenly over all."""
    n = min(most, len(items))
    return [items[k * len(items) // n] for k in range(n)]


def _unlike(name: str, taken: set[str]) -> str:
    """A name that no utterance has yet."""
    while name in taken:
        name += "+"
    taken.add(name)
    return name


def as_long(version: Corpus, recordings: Corpus) -> Corpus:
    """A version without recordings that do not last as long as theirs, which are problems then.

    By their headers: what is longer or shorter cannot be cut at the same places.
    """
    differ = [
        recording.id
        for recording in recordings
        if (other := version.by_id.get(recording.id)) is not None and _differ(recording, other)
    ]
    if not differ:
        return version
    problem = Problem(
        str(version.root),
        f"{len(differ)} recording(s) do not last as long as the original ({few(differ)})",
        "they cannot be cut at the same places and are left out; protect without `pad` and `trim`",
    )
    kept = tuple(u for u in version if u.id not in differ)
    return replace(version, utterances=kept, problems=(*version.problems, problem))


def _differ(one: Utterance, other: Utterance) -> bool:
    try:
        with reading(one) as before, reading(other) as after:
            seconds = before.seconds, after.seconds
    except AudioError:
        return False  # whoever listens to it says so
    return None not in seconds and abs((seconds[0] or 0.0) - (seconds[1] or 0.0)) > DRIFT
