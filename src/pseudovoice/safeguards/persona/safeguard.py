"""persona as a safeguard: parameters, the voices of a session, and samples to samples."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, cast

from pseudovoice.corpus import Corpus
from pseudovoice.errors import UsageError
from pseudovoice.keys import Key
from pseudovoice.safeguards.channel import Channel, whole
from pseudovoice.safeguards.given import read_state, state_path, tag_of
from pseudovoice.safeguards.hearing import HeardSpeaker, listen
from pseudovoice.safeguards.options import check_options, option
from pseudovoice.safeguards.persona.by_network import ByNetwork
from pseudovoice.safeguards.persona.by_world import ByWorld
from pseudovoice.safeguards.persona.pseudovoice import TARGETS, PseudoVoice, Uniform
from pseudovoice.safeguards.persona.search import search
from pseudovoice.safeguards.persona.speak import speak
from pseudovoice.safeguards.persona.speaking import Speaking
from pseudovoice.safeguards.registry import register
from pseudovoice.safeguards.safeguard import LEVELS, Pairs, Safeguard, Samples, Voice, describe
from pseudovoice.safeguards.with_voices import WithVoices
from pseudovoice.safeguards.world import FEMALE_PITCH, MALE_PITCH
from pseudovoice.safeguards.xvector.safeguard import XVector
from pseudovoice.safeguards.xvector.voice_files import speaking_mark

DEFAULT_ENCODERS = "resnet34-lm/ecapa/ge2e"

ENGINES = {
    "world": "signal processing; whoever tries its voices undoes most of it",
    "neural": "a network says the words anew in a voice of nobody, as under xvector",
}

SEARCHED = {level: says for level, says in LEVELS.items() if level != "session"}
"""A voice of a recording session would have to be searched for each of them."""


@register
@dataclass(frozen=True)
class Persona:
    """A new vocal tract, pitch and timbre, searched for so that recognisers lose the speaker.

    ``strength`` moves along the frontier between protection and words; ``target`` is the sex of
    the voice; of ``candidates`` drawn with the key the best is taken, as heard by ``encoders``
    (names joined by /). One candidate is a plain draw, for which nobody has to listen. At the level
    of utterances every utterance has its own draw and nothing is kept: the training speech of an
    attacker. ``engine`` is what voices are made with.
    """

    strength: float = option(1.0, "More hides better, and costs words.", between=(0.0, 2.0))
    target: str = option("any", "The sex of the new voice.", choices=TARGETS)
    candidates: int = option(
        12, "Voices that are tried for everybody; 1 is quick, and hides less.", between=(1, 1000)
    )
    encoders: str = option(DEFAULT_ENCODERS, "The recognisers that judge them.")
    level: str = option("speaker", "Who or what has a voice of its own.", choices=SEARCHED)
    engine: str = option("world", "What the voices are made with.", choices=ENGINES)

    name: ClassVar[str] = "persona"
    reference: ClassVar[str] = "pseudovoice; WORLD: Morise et al. 2016"
    deterministic: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_options(self)
        if self.engine == "neural" and self.strength != 1.0:
            raise UsageError(
                "persona: strength moves resonances, and engine=neural has none to move: its "
                "voices are drawn anew; leave strength out, or take engine=world."
            )

    @property
    def caution(self) -> str:
        """What an attacker who tries is known to get."""
        if self.engine == "neural":
            return f"of the network it speaks with: {XVector.caution}"
        return (
            "whoever tries four of its voices recognises 40 people with an EER of 5.6 %, with two "
            "recordings of each 2.8 %, whoever does not try 40 %; see the attackers adaptive and "
            "gathering"
        )

    @property
    def reversible(self) -> bool:
        """What a network says anew cannot be turned back, nor its target told from pairs."""
        return self.engine == "world"

    def to_dict(self) -> dict[str, Any]:
        """Parameters, and which network speaks."""
        network = {"network": speaking_mark("")} if self.engine == "neural" else {}
        return self._given() | network

    def _given(self) -> dict[str, Any]:
        """What a voice that was given hangs on.

        WORLD goes without saying, as in what was given when there was no other.
        """
        told = describe(self)
        if self.engine == "world":
            del told["engine"]
        return told

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
        """Search the voices of the corpus' speakers that the session has not given yet.

        ``name_of`` gives the name a speaker's draws are made for; ``beside`` is the key file, next
        to which the session's voices are kept.
        """
        if self.level == "utterance":
            return self
        from pseudovoice.encoders import load_encoder

        speaking = self._speaking
        state = read_state(
            state_path(self.name, self._given(), key, key_session, beside), speaking.known
        )
        speakers = sorted({utterance.speaker for utterance in corpus})
        tags = {s: tag_of(self.name, key, key_session, name_of(s)) for s in speakers}
        new = sum(tag not in state.voices for tag in tags.values())
        if new:
            judges = () if self.candidates == 1 else tuple(self.encoders.split("/"))
            ears = {name: load_encoder(name) for name in dict.fromkeys((*judges, *speaking.ears))}
            heard = listen(
                corpus,
                tags,
                list(ears.values()),
                workers,
                stage("listening to speakers", len(speakers)),
            )
            names = {tags[s]: name_of(s) for s in speakers}

            def uniform(h: HeardSpeaker, purpose: str) -> float:
                return key.uniform(key_session, f"persona/{purpose}", names[h.tag])

            search(
                speaking,
                heard,
                state,
                [ears[name] for name in judges],
                speaking.candidates(heard, state.voices, self.candidates, uniform),
                workers,
                stage("searching pseudo-voices", new),
            )
        voices = {name_of(s): state.voices[tags[s]] for s in speakers}
        return cast("Safeguard", WithVoices(self, voices))  # its name is that of another

    def __call__(self, samples: Samples, sample_rate: int, voice: Voice) -> Samples:
        return whole(self.in_pieces(Channel(None, [samples]), sample_rate, voice))

    def in_pieces(self, channel: Channel, sample_rate: int, voice: Voice) -> Iterator[Samples]:
        """A draw for this utterance alone."""
        return self._speaking.drawn(channel, sample_rate, _uniform(voice))

    def spoken(
        self, channel: Channel, sample_rate: int, given: Any, voice: Voice
    ) -> Iterator[Samples]:
        """With a voice that was searched for."""
        del voice
        return self._speaking.spoken(channel, sample_rate, given)

    def undo(self, channel: Channel, sample_rate: int, voice: Voice) -> Iterator[Samples]:
        """Voices depend on the source's pitch, which protected speech does not tell: it is guessed.

        With the rest of the draw, between a man's and a woman's.
        """
        pitch = MALE_PITCH * (FEMALE_PITCH / MALE_PITCH) ** voice.uniform("persona/source", 0, 1)
        drawn = ByWorld(self.strength, self.target).draw(pitch, _uniform(voice))
        inverse = drawn.inverse(pitch)
        return speak(channel, sample_rate, lambda _: inverse)

    def fitted(self, pairs: Pairs, sample_rate: int) -> KnownPersona:
        """The voice of somebody of whom some speech is known in clear."""
        from pseudovoice.safeguards.persona.fit import fitted_voice  # whose SciPy takes 40 MB

        return KnownPersona(self, fitted_voice(pairs, sample_rate, min(1.0, self.strength)))

    @property
    def _speaking(self) -> Speaking[Any]:
        if self.engine == "neural":
            return ByNetwork(self.target)
        return ByWorld(self.strength, self.target)


def _uniform(voice: Voice) -> Uniform:
    """The key's draws for a voice, by purpose."""
    return lambda purpose: voice.uniform(f"persona/{purpose}", 0.0, 1.0)


@dataclass(frozen=True)
class KnownPersona:
    """persona with one voice that is known, whoever speaks."""

    persona: Persona
    voice: PseudoVoice

    name: ClassVar[str] = Persona.name
    reference: ClassVar[str] = Persona.reference
    deterministic: ClassVar[bool] = True
    level: ClassVar[str] = "speaker"

    def to_dict(self) -> dict[str, Any]:
        return {**self.persona.to_dict(), "voice": self.voice.to_dict()}

    def __call__(self, samples: Samples, sample_rate: int, voice: Voice) -> Samples:
        return whole(self.in_pieces(Channel(None, [samples]), sample_rate, voice))

    def in_pieces(self, channel: Channel, sample_rate: int, voice: Voice) -> Iterator[Samples]:
        del voice
        return speak(channel, sample_rate, lambda _: self.voice)
