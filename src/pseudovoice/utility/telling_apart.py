"""What voices must stay distinct for: finding out who spoke when (noe2020 §2, noe2022 §2.2).

Conversations of two to six people are composed of the utterances, once as they were and once
protected, and both are diarised (`pseudovoice.diarisation`: windows of 1.5 s, embeddings,
clustering with the number of people found). Truth is when there was speech in the originals.

Conventions
-----------
- ``der`` is the diarisation error rate without a collar, ``confusion`` the share of speech that
  was given to somebody else: the part that hangs on voices.
- The voice activity that finds speech also says when there was some, so that ``der`` flatters the
  diariser; of originals and protected speech alike.
- Intervals are over conversations, which share people: they are somewhat too narrow.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from pseudovoice.corpus import AudioError, Channel, Corpus, audio_hash, load
from pseudovoice.diarisation.activity import RATE, SECONDS, Span, VoiceActivity, runs, speech
from pseudovoice.diarisation.conversations import Conversation, conversations
from pseudovoice.diarisation.diarise import BRIDGE, turns_from
from pseudovoice.diarisation.error_rate import DiarisationError, diarisation_error
from pseudovoice.diarisation.turns import Turns
from pseudovoice.diarisation.windows import embed_windows, window_spans
from pseudovoice.encoders.encoder import Encoder
from pseudovoice.errors import Problem
from pseudovoice.parallel import in_parallel
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
class Conversing:
    """Both versions of some people's utterances, and who listens to them."""

    original: Corpus
    protected: Corpus
    encoder: Encoder
    activity: VoiceActivity
    channel: Channel = "mean"
    store: MeasureStore | None = None

    def errors(self, talk: Conversation) -> tuple[DiarisationError, DiarisationError]:
        """Of the originals, and of the protected versions."""
        key = measure_key("diarisation", self.encoder.sha256, repr(talk.said), *self._audio(talk))
        if self.store is not None and (kept := self.store.get([key])):
            before, after = (dict(zip(_KINDS, side, strict=True)) for side in kept[key])
        else:
            found = self._diarised(talk)
            before, after = ({kind: getattr(one, kind) for kind in _KINDS} for one in found)
            if self.store is not None:
                self.store.put({key: [list(before.values()), list(after.values())]})
        return DiarisationError(**before, names={}), DiarisationError(**after, names={})

    def _audio(self, talk: Conversation) -> list[str]:
        sides = (self.original, self.protected)
        return [audio_hash(side.by_id[one.utterance]) for side in sides for one in talk.said]

    def _diarised(self, talk: Conversation) -> tuple[DiarisationError, DiarisationError]:
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
            diarisation_error(truth, self._turns(talk.samples(before.__getitem__, RATE))),
            diarisation_error(truth, self._turns(talk.samples(after.__getitem__, RATE))),
        )

    def _heard(self, side: Corpus, name: str) -> NDArray[np.float32]:
        samples = load(
            side.by_id[name], sample_rate=RATE, channel=self.channel, refuse_silence=False
        )
        return samples[: round(LONGEST * RATE)].astype(np.float32)

    def _turns(self, samples: NDArray[np.float32]) -> Turns:
        spoken = speech(self.activity.probabilities([samples]))
        spans = window_spans(spoken)
        if not spans:
            return Turns("found", ())
        windows = embed_windows([samples], spans, self.encoder, 1, lambda _: None)
        if not len(windows):
            return Turns("found", ())
        return turns_from("found", windows, spoken, None, samples.size / RATE).turns


def told_apart(
    who: Conversing,
    ids: Sequence[str],
    *,
    count: int = CONVERSATIONS,
    workers: int = 1,
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
    found: dict[str, tuple[DiarisationError, DiarisationError]] = {}
    problems: list[Problem] = []

    def listen(talk: Conversation) -> tuple[DiarisationError, DiarisationError] | Problem:
        try:
            return who.errors(talk)
        except AudioError as error:
            return error.problem

    with threadpool_limits(1):
        for talk, result in in_parallel(listen, talks, workers):
            if isinstance(result, Problem):
                problems.append(result)
            else:
                found[talk.name] = result
            if progress is not None:
                progress("telling people apart", len(found) + len(problems), len(talks))
    used = [talk for talk in talks if talk.name in found]
    return list(_rows(used, [found[talk.name] for talk in used], who, replicates, seed)), problems


def _rows(
    talks: Sequence[Conversation],
    errors: Sequence[tuple[DiarisationError, DiarisationError]],
    who: Conversing,
    replicates: int,
    seed: int,
) -> Iterator[UtilityRow]:
    if not talks:
        return
    said = [one for talk in talks for one in talk.said]
    people = {one.person for one in said}
    method = (
        f"{len(talks)} composed conversations of 2 to {max(map(_size, talks))} people, as many as "
        f"are found, {who.encoder.name}, no collar; interval over conversations"
    )
    drawn = draws(len(talks), replicates, seed)
    for metric, kinds in (("der", _KINDS[:3]), ("confusion", ("confusion",))):
        before, after = (
            Ratio(
                np.array([sum(getattr(both[side], kind) for kind in kinds) for both in errors]),
                np.array([both[side].speech for both in errors]),
            )
            for side in (0, 1)
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
