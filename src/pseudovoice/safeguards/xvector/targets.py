"""Where targets come from in use: a pool, a voice that knows them, and speakers as they sound."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from pseudovoice.errors import UsageError
from pseudovoice.safeguards.channel import Channel
from pseudovoice.safeguards.hearing import HeardSpeaker, mean_direction
from pseudovoice.safeguards.world import resample
from pseudovoice.safeguards.xvector.choice import Chooser, Source, balanced_sexes
from pseudovoice.safeguards.xvector.contour import statistics
from pseudovoice.safeguards.xvector.declaration import (
    DECLARATION_FILE,
    POOL_FILE,
    read_declaration,
)
from pseudovoice.safeguards.xvector.frames import RATE, pitch_of
from pseudovoice.safeguards.xvector.neural_voice import (
    read_voice,
    shipped_folder,
    shipped_voice,
)
from pseudovoice.safeguards.xvector.pool import Pool, read_pool
from pseudovoice.safeguards.xvector.speaking_voice import SpeakingVoice
from pseudovoice.safeguards.xvector.target import Target
from pseudovoice.safeguards.xvector.voice_files import folder_of
from pseudovoice.safeguards.xvector.waveform_voice import read_waveform_voice

if TYPE_CHECKING:
    from pseudovoice.encoders import Encoder

HEARD_SECONDS = 10.0


@cache
def voice_of(voice: str, pool: str) -> SpeakingVoice:
    """A voice by its folder or repository, or the one of this package if empty; opened once."""
    if not voice:
        return shipped_voice()
    folder = folder_of(voice)
    if (folder / DECLARATION_FILE).is_file():
        encoder = read_declaration(folder / DECLARATION_FILE).encoder
        return read_waveform_voice(folder, _heard_by(encoder, pool, voice))
    return read_voice(folder)


@cache
def pool_of(pool: str, voice: str) -> Pool:
    """A pool by its path; else that of a voice of others, if it has one; else this package's."""
    if pool:
        return read_pool(Path(pool))
    if voice:
        folder = folder_of(voice)
        declaration = folder / DECLARATION_FILE
        if declaration.is_file() and POOL_FILE in read_declaration(declaration).sha256:
            return read_pool(folder / POOL_FILE)
    return shipped_pool()


@cache
def chooser_of(pool: str, voice: str, strategy: str, gender: str) -> Chooser:
    """Targets for a voice, among the people of a pool."""
    space = voice_of(voice, pool).space
    return Chooser(_heard_by(space.encoder, pool, voice), space, strategy, gender)


def _heard_by(encoder: str, pool: str, voice: str) -> Pool:
    people = pool_of(pool, voice)
    if people.encoder != encoder:
        raise UsageError(
            f"xvector: the pool was heard by {people.encoder}, and the voice knows targets as "
            f"{encoder} hears them; build the pool with the encoder {encoder}."
        )
    return people


@cache
def shipped_pool() -> Pool:
    """The pool that comes with this package."""
    with shipped_folder() as folder:
        return read_pool(folder / POOL_FILE)


@cache
def ear(name: str) -> Encoder:
    """Opened once: it may hear every utterance."""
    from pseudovoice.encoders import load_encoder

    return load_encoder(name)


def source_of(heard: HeardSpeaker, encoder: str) -> Source | None:
    """A speaker of a corpus; None of whom too little could be heard."""
    if encoder not in heard.original:
        return None
    return Source(np.asarray(heard.original[encoder], np.float64), heard.pitch)


def heard_in(channel: Channel, sample_rate: int, encoder: str) -> Source | None:
    """The speaker of one recording, from its beginning."""
    start = channel.part(0, round(HEARD_SECONDS * sample_rate))
    x = resample(start, sample_rate, RATE).astype(np.float32)
    if x.size < ear(encoder).shortest_seconds * RATE:
        return None
    told = statistics(pitch_of(x))
    pitch = 150.0 if told is None else float(np.exp(told[0]))
    return Source(np.asarray(mean_direction(ear(encoder).embed([x])), np.float64), pitch)


def sexes_of(
    chooser: Chooser,
    heard: Sequence[HeardSpeaker],
    sources: Sequence[Source | None],
    given: Sequence[Target | None],
    uniform: Callable[[HeardSpeaker, str], float],
) -> list[str]:
    """The sex of everybody's target, as many women's as men's where any will do."""
    if chooser.gender != "any":
        return [
            chooser.sex(source, partial(uniform, h))
            for h, source in zip(heard, sources, strict=True)
        ]

    def sounds(place: NDArray[np.float64], pitch: float) -> str:
        return chooser.density.sex_of(place, pitch)

    own = [
        "F" if s is None else sounds(chooser.space.places(s.embedding[None])[0], s.pitch)
        for s in sources
    ]
    known = [None if t is None else sounds(np.array(t.place), t.pitch) for t in given]
    return balanced_sexes(own, known, lambda k: uniform(heard[k], "sex"))
