"""xvector as a safeguard: B1 for everyone, and targets that belong to nobody."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, cast

import numpy as np

from pseudovoice.corpus import Corpus
from pseudovoice.errors import UsageError
from pseudovoice.keys import Key
from pseudovoice.models.cache import sha256_of
from pseudovoice.safeguards.channel import Channel, whole
from pseudovoice.safeguards.given import read_state, state_path, tag_of
from pseudovoice.safeguards.hearing import HeardSpeaker, listen, mean_direction
from pseudovoice.safeguards.options import check_options, option
from pseudovoice.safeguards.registry import register
from pseudovoice.safeguards.safeguard import LEVELS, Safeguard, Samples, Voice, describe
from pseudovoice.safeguards.with_voices import WithVoices
from pseudovoice.safeguards.world import resample
from pseudovoice.safeguards.xvector.choice import (
    GENDERS,
    STRATEGIES,
    Chooser,
    Source,
    balanced_sexes,
)
from pseudovoice.safeguards.xvector.contour import CONTOURS, statistics
from pseudovoice.safeguards.xvector.density import Uniform
from pseudovoice.safeguards.xvector.frames import RATE, pitch_of
from pseudovoice.safeguards.xvector.neural_voice import (
    ABOUT_FILE,
    NeuralVoice,
    read_voice,
    shipped_voice,
)
from pseudovoice.safeguards.xvector.pool import Pool, read_pool
from pseudovoice.safeguards.xvector.speak import speak
from pseudovoice.safeguards.xvector.target import Target

if TYPE_CHECKING:
    from pseudovoice.encoders import Encoder

DRAWN = {level: says for level, says in LEVELS.items() if level != "session"}

SHIPPED_POOL = "weights/pool.npz"
RANKED = ("farthest", "nearest")
"""Strategies that need to know how far a speaker is from the people of the pool."""

HEARD_SECONDS = 10.0


@register
@dataclass(frozen=True)
class XVector:
    """The words in another's voice, spoken by a network: x-vector pooling and resynthesis (B1).

    ``target``: nobody's voice, drawn from a density over voices (synthetic), or one made of people
    of the pool. ``gender``: the target's sex, any, that of the speaker or the other. ``contour``:
    what becomes of the melody. ``level``: a target for each speaker, or for each utterance.
    ``pool`` and ``voice`` are paths of one's own; those that come with the package if empty.
    """

    target: str = option("synthetic", "Whose voice is taken.", choices=STRATEGIES)
    gender: str = option("any", "The sex of the new voice.", choices=GENDERS)
    contour: str = option("keep", "What becomes of the melody.", choices=CONTOURS)
    level: str = option("speaker", "Who or what has a voice of its own.", choices=DRAWN)
    pool: str = option("", "People of one's own instead of those that come along.", path=True)
    voice: str = option("", "A network of one's own.", path=True)

    name: ClassVar[str] = "xvector"
    reference: ClassVar[str] = (
        "Fang et al. 2019 (VoicePrivacy 2020 B1); synthetic targets: pseudovoice"
    )
    deterministic: ClassVar[bool] = False
    caution: ClassVar[str] = (
        "whoever tries six of its voices recognises 40 people with an EER of 34 %, whoever does "
        "not try 47 %, and more tries would tell more; of 100 words 13 are misheard, unprotected 6"
    )

    def __post_init__(self) -> None:
        check_options(self)

    def to_dict(self) -> dict[str, Any]:
        """Parameters; files of one's own by their content, for a path tells where one works."""
        files = {"pool": self.pool, "voice": self.voice and str(Path(self.voice) / ABOUT_FILE)}
        marks = {name: sha256_of(Path(path))[:16] for name, path in files.items() if path}
        return {**describe(self), **marks}

    def prepared(
        self,
        corpus: Corpus,
        key: Key,
        key_session: str,
        name_of: Callable[[str], str],
        beside: Path | None,
        workers: int | None,
        stage: Callable[[str, int], Callable[[int], None]],
    ) -> Safeguard:
        """Choose the targets of the corpus' speakers that the session has not given yet."""
        if self.level == "utterance":
            return self
        # How a contour is made changes nobody's target.
        chosen = {k: v for k, v in self.to_dict().items() if k not in ("contour", "level")}
        path = state_path(self.name, chosen, key, key_session, beside)
        state = read_state(path, Target.from_dict)
        speakers = sorted({utterance.speaker for utterance in corpus})
        tags = {s: tag_of(self.name, key, key_session, name_of(s)) for s in speakers}
        new = sum(tag not in state.voices for tag in tags.values())
        if new:
            chooser = self._chooser()
            encoder = _ear(chooser.space.encoder)
            heard = listen(
                corpus, tags, [encoder], workers, stage("listening to speakers", len(speakers))
            )
            names = {tags[s]: name_of(s) for s in speakers}
            sources = [_source(h, encoder.name) for h in heard]

            def uniform(h: HeardSpeaker, purpose: str) -> float:
                return key.uniform(key_session, f"xvector/{purpose}", names[h.tag])

            given = [state.voices.get(h.tag) for h in heard]
            sexes = _sexes(chooser, heard, sources, given, uniform)
            progress = stage("choosing targets", new)
            for h, source, sex in zip(heard, sources, sexes, strict=True):
                if h.tag in state.voices:
                    continue
                with state.alone():
                    # Another run may have been quicker, and what it gave stays.
                    if h.tag not in state.voices:
                        others = [row[encoder.name] for row in state.places.values()]
                        target = chooser.distinct(source, sex, others, partial(uniform, h))
                        place = chooser.space.directions(np.array([target.place]))[0]
                        state.give(h.tag, target, {encoder.name: place.astype(np.float32)})
                progress(1)
        voices = {name_of(s): state.voices[tags[s]] for s in speakers}
        return cast("Safeguard", WithVoices(self, voices))  # its name is that of another

    def __call__(self, samples: Samples, sample_rate: int, voice: Voice) -> Samples:
        return whole(self.in_pieces(Channel(None, [samples]), sample_rate, voice))

    def in_pieces(self, channel: Channel, sample_rate: int, voice: Voice) -> Iterator[Samples]:
        """A target for this utterance alone."""
        chooser = self._chooser()
        source = None
        if self.target in RANKED or self.gender != "any":
            source = _heard_in(channel, sample_rate, chooser.space.encoder)
        uniform = _uniform(voice)
        target = chooser.target(source, chooser.sex(source, uniform), uniform)
        return self.spoken(channel, sample_rate, target, voice)

    def spoken(
        self, channel: Channel, sample_rate: int, given: Target, voice: Voice
    ) -> Iterator[Samples]:
        """What is said, by a target that is known."""
        return speak(channel, sample_rate, self._voice(), given, self.contour, _uniform(voice))

    def _voice(self) -> NeuralVoice:
        return _voice_in(self.voice) if self.voice else shipped_voice()

    def _chooser(self) -> Chooser:
        return _chooser(self.pool, self.voice, self.target, self.gender)


def _uniform(voice: Voice) -> Uniform:
    """The key's draws for a voice, by purpose."""
    return lambda purpose: voice.uniform(f"xvector/{purpose}", 0.0, 1.0)


@cache
def _voice_in(folder: str) -> NeuralVoice:
    return read_voice(Path(folder))


@cache
def _chooser(pool: str, voice: str, strategy: str, gender: str) -> Chooser:
    space = (_voice_in(voice) if voice else shipped_voice()).about.space
    people = read_pool(Path(pool)) if pool else shipped_pool()
    if people.encoder != space.encoder:
        raise UsageError(
            f"xvector: the pool was heard by {people.encoder}, and the voice knows targets as "
            f"{space.encoder} hears them; build the pool with the encoder {space.encoder}."
        )
    return Chooser(people, space, strategy, gender)


@cache
def shipped_pool() -> Pool:
    """The pool that comes with this package."""
    with as_file(files("pseudovoice.safeguards.xvector") / SHIPPED_POOL) as path:
        return read_pool(path)


def _source(heard: HeardSpeaker, encoder: str) -> Source | None:
    if encoder not in heard.original:
        return None
    return Source(np.asarray(heard.original[encoder], np.float64), heard.pitch)


def _sexes(
    chooser: Chooser,
    heard: list[HeardSpeaker],
    sources: list[Source | None],
    given: list[Target | None],
    uniform: Callable[[HeardSpeaker, str], float],
) -> list[str]:
    """The sex of everybody's target, as many women's as men's where any will do."""
    if chooser.gender != "any":
        return [
            chooser.sex(source, partial(uniform, h))
            for h, source in zip(heard, sources, strict=True)
        ]

    def sounds(place: np.ndarray[Any, Any], pitch: float) -> str:
        return chooser.density.sex_of(place, pitch)

    own = [
        "F" if s is None else sounds(chooser.space.places(s.embedding[None])[0], s.pitch)
        for s in sources
    ]
    known = [None if t is None else sounds(np.array(t.place), t.pitch) for t in given]
    return balanced_sexes(own, known, lambda k: uniform(heard[k], "sex"))


@cache
def _ear(name: str) -> Encoder:
    """Opened once: it may hear every utterance."""
    from pseudovoice.encoders import load_encoder

    return load_encoder(name)


def _heard_in(channel: Channel, sample_rate: int, encoder: str) -> Source | None:
    """The speaker of one recording, from its beginning."""
    start = channel.part(0, round(HEARD_SECONDS * sample_rate))
    x = resample(start, sample_rate, RATE).astype(np.float32)
    ear = _ear(encoder)
    if x.size < ear.shortest_seconds * RATE:
        return None
    told = statistics(pitch_of(x))
    pitch = 150.0 if told is None else float(np.exp(told[0]))
    return Source(np.asarray(mean_direction(ear.embed([x])), np.float64), pitch)
