"""A chain of safeguards at work on one utterance: decoded, given its pseudo-voice, written."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np

from pseudovoice.corpus import AudioError, Corpus, Utterance, reading, writing
from pseudovoice.errors import DiskError, InputError, OutputError, Problem, out_of_memory
from pseudovoice.keys import Draws, Key
from pseudovoice.protection.by_turns import ByTurns
from pseudovoice.protection.lengths import LengthGrid
from pseudovoice.safeguards.channel import Channel
from pseudovoice.safeguards.loudness import Gain, level_of
from pseudovoice.safeguards.safeguard import Chain, Samples, Searching, Voice
from pseudovoice.safeguards.with_voices import WithVoices

Stage = Callable[[str, int], Callable[[int], None]]


def prepared(
    chain: Chain,
    corpus: Corpus,
    key: Key | None,
    key_session: str,
    key_file: Path | None,
    workers: int | None,
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


def voices_of(chain: Chain) -> str:
    """The voices that a prepared chain speaks with, as a text that is the same for the same."""
    given = [link.voices for link in chain.links if isinstance(link, WithVoices)]
    return json.dumps(
        [{name: voice.to_dict() for name, voice in voices.items()} for voices in given],
        sort_keys=True,
    )


def drawn_for(name: str, link: int) -> str:
    """Links after the first draw for themselves: the same safeguard twice is not the same draw."""
    return name + (f"\0link{link}" if link else "")


def voices_for(
    chain: Chain, utterance: Utterance, key: Draws | None, key_session: str
) -> list[Voice]:
    """The voice of an utterance in each link of a chain."""
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
    utterance: Utterance,
    target: Utterance,
    chain: Chain,
    key: Draws | None,
    key_session: str,
    grid: LengthGrid | None = None,
    turns: ByTurns | None = None,
    picture: Path | None = None,
) -> Problem | None:
    """Write the protected twin of an utterance; a bad one is a problem, a full disk an error.

    Each channel goes through the chain by itself; with ``turns`` everybody in it does. Nothing
    depends on how long the recording is but the space that its channels take on the disk of the
    target. ``picture`` is a recording whose picture goes along.
    """

    def speak(one: Channel, said: Utterance) -> Iterator[Samples]:
        voices = voices_for(chain, said, key, key_session)
        return protect_channel(one, recording.sample_rate, chain, voices, utterance.place)

    try:
        with reading(utterance) as recording:
            originals = [
                Channel(target.path, (block[:, k] for block in recording.blocks()))
                for k in range(recording.channels)
            ]
            if grid is not None:
                originals = grid.fit(originals, recording, key, key_session)
            # A phone's stereo is often one microphone twice, which need not speak twice.
            alike = [originals.index(one) for one in originals]
            distinct = sorted(set(alike))
            channels = [
                speak(originals[k], utterance)
                if turns is None
                else turns.protected(utterance, originals[k], recording.sample_rate, speak)
                for k in distinct
            ]
            places = [distinct.index(k) for k in alike]
            originals.clear()
        with writing(
            target.path,
            recording.sample_rate,
            len(places),
            subtype=recording.subtype,
            picture=picture,
        ) as audio:
            for pieces in zip(*channels, strict=True):
                audio.write(np.stack([pieces[k] for k in places], axis=1))
    except DiskError:
        raise
    except (AudioError, OutputError) as error:
        return error.problem
    except InputError as error:
        return Problem(utterance.place, str(error).rstrip("."), "it is left out")
    except MemoryError:
        return out_of_memory(utterance.place)
    return None


def protect_channel(
    original: Channel, sample_rate: int, chain: Chain, voices: list[Voice], where: str
) -> Iterator[Samples]:
    """One channel in its pseudo-voice, as loud as it was, piece by piece.

    ``where`` names it to a person.
    """
    protected = chain(original, sample_rate, voices)
    gain = Gain(level_of(protected.pieces()), level_of(original.pieces()))
    if not np.isfinite(gain.protected.energy):
        raise AudioError(
            "non-finite",
            Problem(
                where,
                f"{chain.name} gives samples that are not finite",
                "it is left out; try other parameters",
            ),
        )
    return map(gain, protected.pieces())
