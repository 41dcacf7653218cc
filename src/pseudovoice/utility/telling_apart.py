"""What voices must stay distinct for: finding out who spoke when (noe2020 §2, noe2022 §2.2).

Conversations of two to six people are composed of the utterances, once as they were and once
protected, and both are diarised (`pseudovoice.diarisation`: windows of 1.5 s, embeddings,
clustering). Truth is when there was speech in the originals.

Conventions
-----------
- ``der`` is the diarisation error rate without a collar, ``confusion`` the share of speech that
  was given to somebody else: the part that hangs on voices. In ``der_given`` the diariser is told
  how many people there are: pseudo-voices may be apart and yet nearer to each other than people
  are, so that a bound that was set on people takes several of them for one.
- The voice activity that finds speech also says when there was some, so that ``der`` flatters the
  diariser; of originals and protected speech alike.
- Intervals are over conversations, which share people: they are somewhat too narrow.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pseudovoice.corpus import AudioError, Channel, Corpus, audio_hash, load
from pseudovoice.diarisation.activity import RATE, SECONDS, Span, VoiceActivity, runs, speech
from pseudovoice.diarisation.conversations import Conversation, conversations
from pseudovoice.diarisation.diarise import BRIDGE, turns_from
from pseudovoice.diarisation.error_rate import DiarisationError, diarisation_error
from pseudovoice.diarisation.turns import Turns
from pseudovoice.diarisation.windows import embed_windows, window_spans
from pseudovoice.encoders.encoder import Encoder
from pseudovoice.engines import Lost, in_parallel, worker_lost
from pseudovoice.errors import Problem
from pseudovoice.progress import Progress
from pseudovoice.utility.interval import Ratio, draws, interval
from pseudovoice.utility.rows import Condition, UtilityRow
from pseudovoice.utility.store import MeasureStore, measure_key

CONVERSATIONS = 10
NOBODY_CONVERSES = (
    "Who spoke when was not measured: conversations take two people with two utterances each."
)
LONGEST = 8.0
"""Seconds of an utterance that are a turn."""

_KINDS = ("missed", "false_alarm", "confusion", "speech")


@dataclass(frozen=True)
class Both:
    """One version diarised with as many people as are found, and as many as there are."""

    found: DiarisationError
    given: DiarisationError

    def to_list(self) -> list[list[float]]:
        return [[getattr(one, kind) for kind in _KINDS] for one in (self.found, self.given)]

    @classmethod
    def from_list(cls, numbers: Sequence[Sequence[float]]) -> Both:
        found, given = (
            DiarisationError(**dict(zip(_KINDS, row, strict=True)), names={}) for row in numbers
        )
        return cls(found, given)


@dataclass(frozen=True)
class Conversing:
    """Both versions of some people's utterances, and who listens to them."""

    original: Corpus
    protected: Corpus
    encoder: Encoder
    activity: VoiceActivity
    channel: Channel = "mean"
    store: MeasureStore | None = None

    def of(self, talk: Conversation) -> Conversing:
        """All that one conversation needs, without the store: a database is for one machine."""
        ids = [one.utterance for one in talk.said]
        return replace(
            self,
            original=self.original.subset(ids=ids),
            protected=self.protected.subset(ids=ids),
            store=None,
        )

    def key(self, talk: Conversation) -> str:
        """The name under which the errors of a conversation are kept."""
        said = repr(talk.said)
        return measure_key("diarisation 2", self.encoder.sha256, said, *self._audio(talk))

    def kept(self, key: str) -> tuple[Both, Both] | None:
        found = {} if self.store is None else self.store.get([key])
        if key not in found:
            return None
        before, after = map(Both.from_list, found[key])
        return before, after

    def _audio(self, talk: Conversation) -> list[str]:
        sides = (self.original, self.protected)
        return [audio_hash(side.by_id[one.utterance]) for side in sides for one in talk.said]

    def errors(self, talk: Conversation) -> tuple[Both, Both]:
        """Of the originals, and of the protected versions."""
        before = {one.utterance: self._heard(self.original, one.utterance) for one in talk.said}
        after = {one.utterance: self._heard(self.protected, one.utterance) for one in talk.said}
        for name, samples in after.items():
            # Somebody else's timing would be nobody's fault here: it is cut or filled.
            after[name] = np.zeros_like(before[name])
            size = min(samples.size, before[name].size)
            after[name][:size] = samples[:size]

        def spoken(name: str) -> list[Span]:
            found = speech(self.activity.probabilities([before[name]]))
            return [(a * SECONDS, b * SECONDS) for a, b in runs(found)]

        truth = talk.turns(spoken, lambda name: before[name].size / RATE)
        truth = Turns.of(truth.recording, truth.turns, BRIDGE)
        return (
            self._both(truth, talk.samples(before.__getitem__, RATE)),
            self._both(truth, talk.samples(after.__getitem__, RATE)),
        )

    def _heard(self, side: Corpus, name: str) -> NDArray[np.float32]:
        samples = load(
            side.by_id[name], sample_rate=RATE, channel=self.channel, refuse_silence=False
        )
        return samples[: round(LONGEST * RATE)].astype(np.float32)

    def _both(self, truth: Turns, samples: NDArray[np.float32]) -> Both:
        spoken = speech(self.activity.probabilities([samples]))
        spans = window_spans(spoken)
        nobody = diarisation_error(truth, Turns("found", ()))
        if not spans:
            return Both(nobody, nobody)
        windows = embed_windows([samples], spans, self.encoder, 1, lambda _: None)
        if not len(windows):
            return Both(nobody, nobody)
        found, given = (
            turns_from("found", windows, spoken, people, samples.size / RATE).turns
            for people in (None, len(truth.people))
        )
        return Both(diarisation_error(truth, found), diarisation_error(truth, given))


@dataclass(frozen=True)
class _Listening:
    """One conversation, and who listens to it."""

    who: Conversing
    talk: Conversation


def _listened(task: _Listening) -> tuple[Both, Both] | Problem:
    try:
        return task.who.errors(task.talk)
    except AudioError as error:
        return error.problem


def _lost(task: _Listening, lost: Lost) -> Problem:
    return worker_lost(task.talk.name, lost)


def told_apart(
    who: Conversing,
    ids: Sequence[str],
    *,
    count: int = CONVERSATIONS,
    workers: int | None = 1,
    replicates: int = 0,
    seed: int = 0,
    progress: Progress | None = None,
) -> tuple[list[UtilityRow], list[Problem]]:
    """The rows ``der`` and ``confusion``, and what could not be listened to.

    ``ids`` are the utterances that both versions have.
    """
    wanted = set(ids)
    speakers: dict[str, list[str]] = {}
    for utterance in who.original:
        if utterance.id in wanted:
            speakers.setdefault(utterance.speaker, []).append(utterance.id)
    talks = conversations(speakers, count, seed)
    found: dict[str, tuple[Both, Both]] = {}
    problems: list[Problem] = []

    keys: dict[str, str] = {}

    def say() -> None:
        if progress is not None:
            progress("telling people apart", len(found) + len(problems), len(talks))

    def todo() -> Iterator[_Listening]:
        for talk in talks:
            try:
                keys[talk.name] = who.key(talk)
            except AudioError as error:
                problems.append(error.problem)
                continue
            known = who.kept(keys[talk.name])
            if known is None:
                yield _Listening(who.of(talk), talk)
            else:
                found[talk.name] = known
                say()

    for task, result in in_parallel(_listened, todo(), workers, _lost):
        if isinstance(result, Problem):
            problems.append(result)
        else:
            found[task.talk.name] = result
            if who.store is not None:
                kept = [both.to_list() for both in result]
                who.store.put({keys[task.talk.name]: kept})
        say()
    used = [talk for talk in talks if talk.name in found]
    return list(_rows(used, [found[talk.name] for talk in used], who, replicates, seed)), problems


def _rows(
    talks: Sequence[Conversation],
    errors: Sequence[tuple[Both, Both]],
    who: Conversing,
    replicates: int,
    seed: int,
) -> Iterator[UtilityRow]:
    if not talks:
        return
    said = [one for talk in talks for one in talk.said]
    people = {one.person for one in said}
    method = (
        f"{len(talks)} composed conversations of 2 to {max(map(_size, talks))} people, "
        f"{who.encoder.name}, no collar; interval over conversations"
    )
    drawn = draws(len(talks), replicates, seed)
    wrong = _KINDS[:3]
    for metric, how, kinds in (
        ("der", "found", wrong),
        ("confusion", "found", ("confusion",)),
        ("der_given", "given", wrong),
    ):
        before, after = (
            Ratio(
                np.array([sum(getattr(one, kind) for kind in kinds) for one in ones]),
                np.array([one.speech for one in ones]),
            )
            for ones in ([getattr(sides[side], how) for sides in errors] for side in (0, 1))
        )
        conditions: dict[Condition, tuple[Ratio, Ratio | None]] = {
            "original": (before, None),
            "protected": (after, None),
            "change": (after, before),
        }
        for condition, (ratio, minus) in conditions.items():
            result = interval(ratio, minus=minus, drawn=drawn)
            yield UtilityRow(
                condition,
                "all",
                metric,
                result.value,
                result.low,
                result.high,
                "fraction",
                "lower",
                len({one.utterance for one in said}),
                len(people),
                method,
            )


def _size(talk: Conversation) -> int:
    return len({one.person for one in talk.said})
