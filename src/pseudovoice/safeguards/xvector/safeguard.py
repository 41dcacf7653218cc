"""xvector as a safeguard: B1 for everyone, and targets that belong to nobody."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, cast

import numpy as np

from pseudovoice.corpus import Corpus
from pseudovoice.keys import Key
from pseudovoice.models.cache import sha256_of
from pseudovoice.safeguards.channel import Channel, whole
from pseudovoice.safeguards.given import read_state, state_path, tag_of
from pseudovoice.safeguards.hearing import HeardSpeaker, listen
from pseudovoice.safeguards.options import check_options, option
from pseudovoice.safeguards.registry import register
from pseudovoice.safeguards.safeguard import LEVELS, Safeguard, Samples, Voice, describe
from pseudovoice.safeguards.with_voices import WithVoices
from pseudovoice.safeguards.xvector.choice import GENDERS, STRATEGIES, Chooser
from pseudovoice.safeguards.xvector.contour import CONTOURS
from pseudovoice.safeguards.xvector.density import Uniform
from pseudovoice.safeguards.xvector.speak import speak
from pseudovoice.safeguards.xvector.target import Target
from pseudovoice.safeguards.xvector.targets import (
    chooser_of,
    heard_in,
    sexes_of,
    source_of,
    voice_of,
)
from pseudovoice.safeguards.xvector.voice_files import mark_of, speaking_mark

DRAWN = {level: says for level, says in LEVELS.items() if level != "session"}

RANKED = ("farthest", "nearest")
"""Strategies that need to know how far a speaker is from the people of the pool."""


@register
@dataclass(frozen=True)
class XVector:
    """The words in another's voice, spoken by a network: x-vector pooling and resynthesis (B1).

    ``target``: nobody's voice, drawn from a density over voices (synthetic), or one made of people
    of the pool. ``gender``: the target's sex, any, that of the speaker or the other. ``contour``:
    what becomes of the melody. ``level``: a target for each speaker, or for each utterance.
    ``pool`` and ``voice`` are paths of one's own, or the voice is ``hf:org/name`` of the Hub; those
    that come with the package if empty.
    """

    target: str = option("synthetic", "Whose voice is taken.", choices=STRATEGIES)
    gender: str = option("any", "The sex of the new voice.", choices=GENDERS)
    contour: str = option("redraw", "What becomes of the melody.", choices=CONTOURS)
    level: str = option("speaker", "Who or what has a voice of its own.", choices=DRAWN)
    pool: str = option("", "People of one's own instead of those that come along.", path=True)
    voice: str = option("", "A network of one's own.", path=True)

    name: ClassVar[str] = "xvector"
    reference: ClassVar[str] = (
        "Fang et al. 2019 (VoicePrivacy 2020 B1); synthetic targets: pseudovoice"
    )
    deterministic: ClassVar[bool] = False
    caution: ClassVar[str] = (
        "whoever tries 16 to 64 of its voices recognises 40 people with an EER of 39 to 40 %, "
        "whoever does not try 45 to 49 %; of 100 words 7 to 11 are misheard, unprotected 3 to 6, "
        "and questions sound like statements"
    )

    def __post_init__(self) -> None:
        check_options(self)

    def to_dict(self) -> dict[str, Any]:
        """Parameters; files by their content, for a path tells where one works."""
        marks = {"voice": speaking_mark(self.voice)}
        if self.pool:
            marks["pool"] = sha256_of(Path(self.pool))[:16]
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
        # How it is spoken changes nobody's target, nor does it that the package's voice was
        # trained further: the space of its targets is the same.
        chosen = {k: v for k, v in self.to_dict().items() if k not in ("contour", "level")}
        chosen["voice"] = mark_of(self.voice) if self.voice else ""
        path = state_path(self.name, chosen, key, key_session, beside)
        state = read_state(path, Target.from_dict)
        speakers = sorted({utterance.speaker for utterance in corpus})
        tags = {s: tag_of(self.name, key, key_session, name_of(s)) for s in speakers}
        new = sum(tag not in state.voices for tag in tags.values())
        if new:
            from pseudovoice.encoders import load_encoder

            chooser = self._chooser()
            # Not the one that is kept: nobody hears with it while the voices speak.
            encoder = load_encoder(chooser.space.encoder)
            heard = listen(
                corpus, tags, [encoder], workers, stage("listening to speakers", len(speakers))
            )
            names = {tags[s]: name_of(s) for s in speakers}
            sources = [source_of(h, encoder.name) for h in heard]

            def uniform(h: HeardSpeaker, purpose: str) -> float:
                return key.uniform(key_session, f"xvector/{purpose}", names[h.tag])

            given = [state.voices.get(h.tag) for h in heard]
            sexes = sexes_of(chooser, heard, sources, given, uniform)
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
            source = heard_in(channel, sample_rate, chooser.space.encoder)
        uniform = _uniform(voice)
        target = chooser.target(source, chooser.sex(source, uniform), uniform)
        return self.spoken(channel, sample_rate, target, voice)

    def spoken(
        self, channel: Channel, sample_rate: int, given: Target, voice: Voice
    ) -> Iterator[Samples]:
        """What is said, by a target that is known."""
        network = voice_of(self.voice, self.pool)
        return speak(channel, sample_rate, network, given, self.contour, _uniform(voice))

    def _chooser(self) -> Chooser:
        return chooser_of(self.pool, self.voice, self.target, self.gender)


def _uniform(voice: Voice) -> Uniform:
    """The key's draws for a voice, by purpose."""
    return lambda purpose: voice.uniform(f"xvector/{purpose}", 0.0, 1.0)
