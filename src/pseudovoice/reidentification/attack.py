"""Public slices against attackers who have other speech of the same people (maouche2022 §4.3).

Conventions
-----------
- Enrolment and trials are different utterances, as far as possible of different sessions.
- ``sliced`` enrolment is cut like the trials, as in the paper; ``whole`` is not, since nobody
  keeps an attacker from using all it has.
- The ignorant attacker enrols clear speech and the lazy-informed one speech protected with a key of
  its own, both compared by cosine. The semi-informed attacker also trains PLDA on other people's
  speech, protected by itself and cut into pieces as long as the slices are on average.
- Each attack stands beside its control, the same attack on clear speech cut at the same places.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pseudovoice.attacks.attackers import ATTACKERS
from pseudovoice.backends import Backend, train_plda
from pseudovoice.corpus import Corpus, Utterance
from pseudovoice.encoders.encoder import Encoder
from pseudovoice.errors import InputError, Problem, UsageError
from pseudovoice.reidentification.link import REPLICATES, Linked, link
from pseudovoice.reidentification.segments import Cut, Segments, embed_segments
from pseudovoice.reidentification.split import SHARE, split_utterances
from pseudovoice.slicing.algorithm import Slice, fixed
from pseudovoice.slicing.table import Origin

ENROLMENTS = ("sliced", "whole")
Progress = Callable[[str, int, int], None]
"""Called with what is being done, how many items are done, and how many there are."""


@dataclass(frozen=True)
class Known:
    """The public slices and what only an experimenter has: their table and the clear speech."""

    slices: Corpus
    origins: Sequence[Origin]
    original: Corpus


@dataclass(frozen=True)
class Found:
    """What informed attackers made for themselves, of whole utterances.

    ``protected`` is the same people's speech under the attacker's key (ids of the originals),
    ``training`` other people's.
    """

    protected: Corpus | None = None
    training: Corpus | None = None


@dataclass(frozen=True)
class Attacked:
    """One attack beside its control."""

    attacker: str
    encoder: str
    enrolment: str
    linked: Linked
    control: Linked

    @property
    def knows(self) -> str:
        return ATTACKERS[self.attacker].knows

    def to_dict(self) -> dict[str, Any]:
        return {
            "attacker": self.attacker,
            "knows": self.knows,
            "encoder": self.encoder,
            "enrolment": self.enrolment,
            **self.linked.to_dict(),
            "control": self.control.to_dict(),
        }


def attack_identity(
    known: Known,
    encoders: Sequence[Encoder],
    found: Found = Found(),  # noqa: B008 - frozen
    *,
    enrolments: Sequence[str] = ENROLMENTS,
    models: str = "speaker",
    share: float = SHARE,
    replicates: int = REPLICATES,
    seed: int = 0,
    workers: int | None = None,
    progress: Progress | None = None,
) -> tuple[list[Attacked], tuple[Problem, ...]]:
    """Try to tell whose each slice is, by every encoder, attacker and kind of enrolment."""
    if wrong := set(enrolments) - set(ENROLMENTS):
        raise UsageError(
            f"There is no enrolment {sorted(wrong)[0]!r}; choose from {', '.join(ENROLMENTS)}."
        )
    scene = _Scene(known, found, share)
    results: list[Attacked] = []
    problems: list[Problem] = []
    for encoder in encoders:
        ear = _Ear(encoder, workers, progress or (lambda *_: None), problems)
        heard = scene.listen(ear, enrolments)
        for enrolment in enrolments:
            for attacker, (enrolled, backend) in heard.attackers(enrolment).items():
                ear.say(f"{attacker}, {enrolment} enrolment, {encoder.name}", 0, 0)

                def attack(
                    rows: Segments, columns: Segments, backend: Backend | None = backend
                ) -> Linked:
                    return link(
                        rows, columns, backend, models=models, replicates=replicates, seed=seed
                    )

                results.append(
                    Attacked(
                        attacker,
                        encoder.name,
                        enrolment,
                        attack(enrolled, heard.trials),
                        attack(heard.clear[enrolment], heard.clear_trials),
                    )
                )
    return results, tuple(dict.fromkeys(problems))


@dataclass(frozen=True)
class _Ear:
    """An encoder, and where its problems go."""

    encoder: Encoder
    workers: int | None
    say: Progress
    problems: list[Problem]

    def __call__(self, corpus: Corpus, cut: Cut | None = None) -> Segments:
        so_far = 0

        def step(count: int) -> None:
            nonlocal so_far
            so_far += count
            self.say(f"embedding {corpus.name} with {self.encoder.name}", so_far, len(corpus))

        segments, problems = embed_segments(
            corpus, self.encoder, cut, workers=self.workers, progress=step
        )
        self.problems.extend((*corpus.problems, *problems))
        return segments


@dataclass(frozen=True)
class _Heard:
    """All that one encoder made of the speech; enrolled segments by kind of enrolment."""

    trials: Segments
    clear_trials: Segments
    clear: dict[str, Segments]
    own: dict[str, Segments]
    backend: Backend | None

    def attackers(self, enrolment: str) -> dict[str, tuple[Segments, Backend | None]]:
        who: dict[str, tuple[Segments, Backend | None]] = {
            "ignorant": (self.clear[enrolment], None)
        }
        if self.own:
            who["lazy"] = (self.own[enrolment], None)
            if self.backend is not None:
                who["semi"] = (self.own[enrolment], self.backend)
        return who


class _Scene:
    """Who is enrolled, who is tried, and where the speech is cut."""

    def __init__(self, known: Known, found: Found, share: float) -> None:
        self._found = found
        self._origins = {o.slice: o for o in known.origins if o.slice in known.slices.by_id}
        if len(self._origins) < len(known.slices):
            raise InputError(
                f"{known.slices.root}: the table knows {len(self._origins):,} of its "
                f"{len(known.slices):,} slices; name the table that was written with them."
            )
        if found.training is not None and found.protected is None:
            raise UsageError(
                "The semi-informed attacker enrols speech it protected itself; name it too."
            )
        rows = self._origins.values()
        enrolled, tried = split_utterances(
            ((o.speaker, o.session, o.utterance) for o in rows), share
        )
        self._slices = known.slices.subset(
            ids=[name for name, o in self._origins.items() if o.utterance in tried]
        )
        self._clear_tried = _part(known.original, tried)
        self._clear = _part(known.original, enrolled)
        self._own = None if found.protected is None else _part(found.protected, enrolled)
        self._mean = float(np.mean([o.end - o.start for o in rows]))
        self._places: dict[str, list[Slice]] = {}
        for o in rows:
            self._places.setdefault(o.utterance, []).append(Slice(o.start, o.end, 0, 0))

    def listen(self, ear: _Ear, enrolments: Sequence[str]) -> _Heard:
        """Embed everything once with one encoder."""
        kinds: dict[str, Cut | None] = {
            name: self._as_the_trials if name == "sliced" else None for name in enrolments
        }
        backend = None
        if self._found.training is not None:
            theirs = ear(self._found.training, self._pieces)
            backend = train_plda(theirs.vectors, theirs.speakers)
        public = ear(self._slices)
        named = [self._origins[name] for name in public.utterances]
        return _Heard(
            Segments(
                public.vectors,
                tuple(o.speaker for o in named),
                tuple(o.utterance for o in named),
                public.seconds,
            ),
            ear(self._clear_tried, self._as_the_trials),
            {name: ear(self._clear, cut) for name, cut in kinds.items()},
            {} if self._own is None else {n: ear(self._own, cut) for n, cut in kinds.items()},
            backend,
        )

    def _as_the_trials(self, utterance: Utterance, _: float) -> list[Slice]:
        return self._places.get(utterance.id, [])

    def _pieces(self, _: Utterance, duration: float) -> Sequence[Slice]:
        return fixed((), duration, self._mean)


def _part(corpus: Corpus, wanted: frozenset[str]) -> Corpus:
    ids = [utterance.id for utterance in _those(corpus, wanted)]
    if not ids:
        raise InputError(
            f"{corpus.root}: has none of the utterances that the table names; give the speech that "
            "was sliced, or its protected version, under the same names."
        )
    return corpus.subset(ids=ids)


def _those(corpus: Corpus, wanted: frozenset[str]) -> Iterator[Utterance]:
    return (utterance for utterance in corpus if utterance.id in wanted)
