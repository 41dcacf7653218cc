"""A chain of safeguards at work on one utterance: decoded, given its pseudo-voice, written."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

from pseudovoice.corpus import AudioError, Corpus, Utterance, decode, write_audio
from pseudovoice.errors import DiskError, InputError, OutputError, Problem
from pseudovoice.safeguards.key import Key
from pseudovoice.safeguards.loudness import match_level
from pseudovoice.safeguards.safeguard import Chain, Searching, Voice

Stage = Callable[[str, int], Callable[[int], None]]


def prepared(
    chain: Chain,
    corpus: Corpus,
    key: Key | None,
    key_session: str,
    key_file: Path | None,
    workers: int,
    stage: Stage,
) -> Chain:
    """The chain with the voices at hand that its links have to search for beforehand."""
    links = list(chain.links)
    for k, link in enumerate(links):
        if key is not None and isinstance(link, Searching):
            links[k] = link.prepared(
                corpus, key, key_session, partial(drawn_for, link=k), key_file, workers, stage
            )
    return Chain(tuple(links))


def drawn_for(name: str, link: int) -> str:
    """Links after the first draw for themselves: the same safeguard twice is not the same draw."""
    return name + (f"\0link{link}" if link else "")


def _voices(chain: Chain, utterance: Utterance, key: Key | None, key_session: str) -> list[Voice]:
    names = {
        "speaker": utterance.speaker,
        "session": f"{utterance.speaker}\0{utterance.session or ''}",
        "utterance": f"{utterance.speaker}\0{utterance.id}",
    }
    return [
        Voice(key, key_session, drawn_for(names[link.level], k))
        for k, link in enumerate(chain.links)
    ]


def protect_one(
    utterance: Utterance, target: Utterance, chain: Chain, key: Key | None, key_session: str
) -> Problem | None:
    try:
        sound = decode(utterance)
        voices = _voices(chain, utterance, key, key_session)
        original = sound.samples.astype(np.float64)
        channels = [
            match_level(chain(channel, sound.sample_rate, voices), channel)
            for channel in original.T
        ]
        if not np.isfinite(channels).all():
            return Problem(
                utterance.place,
                f"{chain.name} gives samples that are not finite",
                "it is left out; try other parameters",
            )
        write_audio(
            target.path, np.stack(channels, axis=1), sound.sample_rate, subtype=sound.subtype
        )
    except AudioError as error:
        return error.problem
    except DiskError:
        raise
    except OutputError as error:
        return error.problem
    except InputError as error:
        return Problem(utterance.place, str(error).rstrip("."), "it is left out")
    return None
