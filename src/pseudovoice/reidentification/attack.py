"""Public slices against attackers who have other speech of the same people (maouche2022 §4.3).

Conventions
-----------
- Enrolment and trials are different utterances, as far as possible of different sessions; where
  lists are given, such as VoicePrivacy's, they say which, and who is tried against whom.
- ``sliced`` enrolment is cut like the trials, as in the paper; ``whole`` is not, since nobody
  keeps an attacker from using all it has.
- Attackers are those who compare: the ignorant one enrols clear speech and the lazy-informed one
  speech protected with a key of its own, both compared by cosine. The semi-informed attacker also
  trains PLDA on other people's speech, protected by itself: uncut, as in the paper, or cut into
  pieces as long as the slices are on average. Who trains an encoder too is heard through it alone.
- Each attack stands beside its control, the same attack on clear speech cut at the same places.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from pseudovoice.attacks.attack import Comparing
from pseudovoice.attacks.attacker import Attacker, Enrolment
from pseudovoice.attacks.listen import Listener
from pseudovoice.attacks.registry import attacker, attacks
from pseudovoice.backends import Backend, EnrolmentTrials, train_plda
from pseudovoice.choices import ENROLLED_SHARE, ENROLMENTS, IDENTITY_REPLICATES
from pseudovoice.corpus import Corpus, Utterance
from pseudovoice.embeddings.embed import Cut
from pseudovoice.embeddings.embeddings import Embeddings
from pseudovoice.embeddings.store import EmbeddingStore
from pseudovoice.encoders.encoder import Encoder
from pseudovoice.errors import InputError, Problem, UsageError
from pseudovoice.progress import Progress
from pseudovoice.reidentification.link import Linked, link
from pseudovoice.reidentification.split import split_utterances
from pseudovoice.slicing.algorithm import Slice, fixed
from pseudovoice.slicing.table import Origin


@dataclass(frozen=True)
class SlicedSpeech:
    """The public slices and what only an experimenter has: their table and the clear speech.

    ``lists`` say who is enrolled with which utterances, and tried with slices of which.
    """

    slices: Corpus
    origins: Sequence[Origin]
    original: Corpus
    lists: EnrolmentTrials | None = None

    def sides(self, share: float) -> tuple[frozenset[str], frozenset[str]]:
        """The utterances that are enrolled, and those that are tried."""
        if self.lists is None:
            rows = ((o.speaker, o.session, o.utterance) for o in self.origins)
            return split_utterances(rows, share)
        cut = {o.utterance for o in self.origins}
        listed = {name for mine in self.lists.models.values() for name in mine}
        enrolled, tried = listed & cut, self.lists.tried & cut
        for side, what in ((enrolled, "enrols"), (tried, "tries")):
            if not side:
                raise InputError(
                    f"{self.lists.key.path}: none of the utterances that it {what} was cut into "
                    "slices; check that lists and slices belong together."
                )
        return frozenset(enrolled), frozenset(tried)


@dataclass(frozen=True)
class OwnSpeech:
    """What informed attackers made for themselves, of whole utterances.

    ``protected`` is the same people's speech under the attacker's key (ids of the originals),
    ``training`` other people's; with ``cut_training`` a PLDA learns from pieces of it. ``ears`` are
    encoders that learnt from it, by the name that attackers have for them.
    """

    protected: Corpus | None = None
    training: Corpus | None = None
    cut_training: bool = False
    ears: Mapping[str, Encoder] = field(default_factory=dict)

    def listeners(self, encoders: Sequence[Encoder]) -> list[tuple[Encoder, str]]:
        """Everybody's encoders, and after them those of single attackers with their names."""
        own = ((encoder, name) for name, encoder in self.ears.items())
        return [*((encoder, "") for encoder in encoders), *own]


@dataclass(frozen=True)
class IdentityResult:
    """One attack beside its control."""

    attacker: str
    encoder: str
    enrolment: str
    linked: Linked
    control: Linked

    @property
    def who(self) -> Attacker:
        return attacker(self.attacker)

    def to_dict(self) -> dict[str, Any]:
        return {
            "attacker": self.attacker,
            "knows": self.who.knows,
            "encoder": self.encoder,
            "enrolment": self.enrolment,
            **self.linked.to_dict(),
            "control": self.control.to_dict(),
        }


@dataclass(frozen=True)
class Linking:
    """How slices are linked to people: models of whom, and how figures are drawn."""

    models: str = "speaker"
    lists: EnrolmentTrials | None = None
    replicates: int = IDENTITY_REPLICATES
    seed: int = 0

    def __call__(self, rows: Embeddings, columns: Embeddings, backend: Backend | None) -> Linked:
        return link(
            rows,
            columns,
            backend,
            models=self.models,
            lists=self.lists,
            replicates=self.replicates,
            seed=self.seed,
        )


def attack_identity(
    known: SlicedSpeech,
    encoders: Sequence[Encoder],
    own: OwnSpeech = OwnSpeech(),  # noqa: B008 - frozen
    *,
    attackers: Sequence[str] | None = None,
    enrolments: Sequence[str] = ENROLMENTS,
    models: str = "speaker",
    share: float = ENROLLED_SHARE,
    replicates: int = IDENTITY_REPLICATES,
    seed: int = 0,
    store: EmbeddingStore | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
) -> tuple[list[IdentityResult], tuple[Problem, ...]]:
    """Try to tell whose each slice is, by every encoder, attacker and kind of enrolment."""
    if wrong := set(enrolments) - set(ENROLMENTS):
        raise UsageError(
            f"There is no enrolment {sorted(wrong)[0]!r}; choose from {', '.join(ENROLMENTS)}."
        )
    experiment = _Experiment(known, own, share)
    linking = Linking(models, known.lists, replicates, seed)
    problems: dict[Problem, None] = {}
    results: list[IdentityResult] = []
    for encoder, ear in own.listeners(encoders):
        hear = Listener(encoder, store, "mean", workers, progress or (lambda *_: None), problems)
        heard = experiment.listen(hear, enrolments)
        results += [
            one
            for enrolment in enrolments
            for one in heard.attacked(enrolment, linking, attackers, hear, ear)
        ]
    return results, tuple(problems)


def attack_uncut(
    known: SlicedSpeech,
    uncut: Corpus,
    encoders: Sequence[Encoder],
    own: OwnSpeech = OwnSpeech(),  # noqa: B008 - frozen
    *,
    attackers: Sequence[str] | None = None,
    replicates: int = IDENTITY_REPLICATES,
    seed: int = 0,
    store: EmbeddingStore | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
) -> tuple[list[IdentityResult], tuple[float, ...]]:
    """The same on speech before it was cut: utterance against person, the same people enrolled.

    Gives back the seconds of what was tried, too. What cannot be decoded was said when slices of
    it were tried.
    """
    enrolled, tried = known.sides(ENROLLED_SHARE)
    linking = Linking("speaker", known.lists, replicates, seed)
    results: list[IdentityResult] = []
    seconds: tuple[float, ...] = ()
    for encoder, ear in own.listeners(encoders):
        hear = Listener(encoder, store, "mean", workers, progress or (lambda *_: None), {})
        trials = hear(_part(uncut, tried), _whole)
        clear_trials = hear(_part(known.original, tried), _whole)
        speech: dict[Enrolment, Embeddings] = {
            "original": hear(_part(known.original, enrolled), _whole)
        }
        if own.protected is not None:
            speech["own key"] = hear(_part(own.protected, enrolled), _whole)
        backend = None
        if own.training is not None:
            theirs = hear(own.training, _whole)
            backend = train_plda(theirs.vectors, theirs.speakers)
        heard = _HeardPeople(trials, clear_trials, {"whole": speech}, backend)
        results += heard.attacked("whole", linking, attackers, hear, ear)
        seconds = trials.seconds
    return results, seconds


def _whole(_: Utterance, duration: float) -> Sequence[Slice]:
    return (Slice(0.0, duration, 0, 0),)


@dataclass(frozen=True)
class _HeardPeople:
    """All that one encoder made of the speech; enrolled speech by kind of enrolment and of key."""

    trials: Embeddings
    clear_trials: Embeddings
    enrolled: Mapping[str, Mapping[Enrolment, Embeddings]]
    backend: Backend | None

    def attacked(
        self,
        enrolment: str,
        linking: Linking,
        wanted: Sequence[str] | None,
        hear: Listener,
        ear: str,
    ) -> list[IdentityResult]:
        """Everybody who compares, is wanted, hears through this ear and has what it takes."""
        speech = self.enrolled[enrolment]
        found = []
        for attack in attacks().values():
            who = attack.attacker
            able = isinstance(attack, Comparing) and who.enrolment in speech and who.ear == ear
            if not able or (who.trains and self.backend is None):
                continue
            if wanted is not None and who.name not in wanted:
                continue
            hear.say(f"{who.name}, {enrolment} enrolment, {hear.encoder.name}", 0, 0)
            backend = self.backend if who.trains else None
            found.append(
                IdentityResult(
                    who.name,
                    hear.encoder.name,
                    enrolment,
                    linking(speech[who.enrolment], self.trials, backend),
                    linking(speech["original"], self.clear_trials, backend),
                )
            )
        return found


class _Experiment:
    """Who is enrolled, who is tried, and where the speech is cut."""

    def __init__(self, known: SlicedSpeech, own: OwnSpeech, share: float) -> None:
        self._training, self._cut_training = own.training, own.cut_training
        self._origins = {o.slice: o for o in known.origins if o.slice in known.slices.by_id}
        if len(self._origins) < len(known.slices):
            raise InputError(
                f"{known.slices.root}: the table knows {len(self._origins):,} of its "
                f"{len(known.slices):,} slices; name the table that was written with them."
            )
        if own.training is not None and own.protected is None:
            raise UsageError(
                "The semi-informed attacker enrols speech it protected itself; name it too."
            )
        rows = self._origins.values()
        enrolled, tried = replace(known, origins=tuple(rows)).sides(share)
        self._slices = known.slices.subset(
            ids=[name for name, o in self._origins.items() if o.utterance in tried]
        )
        self._clear_tried = _part(known.original, tried)
        self._speech: dict[Enrolment, Corpus] = {"original": _part(known.original, enrolled)}
        if own.protected is not None:
            self._speech["own key"] = _part(own.protected, enrolled)
        self._mean = float(np.mean([o.end - o.start for o in rows]))
        self._places: dict[str, list[Slice]] = {}
        for o in rows:
            self._places.setdefault(o.utterance, []).append(Slice(o.start, o.end, 0, 0))

    def listen(self, hear: Listener, enrolments: Sequence[str]) -> _HeardPeople:
        """Embed everything once with one encoder."""
        kinds: dict[str, Cut] = {
            name: _AsTheTrials(self._places) if name == "sliced" else _whole for name in enrolments
        }
        backend = None
        if self._training is not None:
            theirs = hear(self._training, _Pieces(self._mean) if self._cut_training else _whole)
            backend = train_plda(theirs.vectors, theirs.speakers)
        public = hear(self._slices)
        named = [self._origins[name] for name in public.ids]
        return _HeardPeople(
            Embeddings(
                public.vectors,
                tuple(o.utterance for o in named),
                tuple(o.speaker for o in named),
            ),
            hear(self._clear_tried, _AsTheTrials(self._places)),
            {
                name: {whose: hear(corpus, cut) for whose, corpus in self._speech.items()}
                for name, cut in kinds.items()
            },
            backend,
        )


@dataclass(frozen=True)
class _AsTheTrials:
    """Cuts every utterance where its slices were cut."""

    places: dict[str, list[Slice]]

    def __call__(self, utterance: Utterance, _: float) -> Sequence[Slice]:
        return self.places.get(utterance.id, [])


@dataclass(frozen=True)
class _Pieces:
    """Cuts into pieces that last as long as a slice does on average."""

    seconds: float

    def __call__(self, _: Utterance, duration: float) -> Sequence[Slice]:
        return fixed((), duration, self.seconds)


def _part(corpus: Corpus, wanted: frozenset[str]) -> Corpus:
    ids = [utterance.id for utterance in corpus if utterance.id in wanted]
    if not ids:
        raise InputError(
            f"{corpus.root}: has none of the utterances that the table names; give the speech that "
            "was sliced, or its protected version, under the same names."
        )
    return corpus.subset(ids=ids)
