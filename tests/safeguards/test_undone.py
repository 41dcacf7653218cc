"""A voice is taken away again: exactly by McAdams, as far as it goes by persona."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pseudovoice.corpus import load, read_corpus
from pseudovoice.keys import Key
from pseudovoice.safeguards import parse_chain
from pseudovoice.safeguards.channel import Channel, whole
from pseudovoice.safeguards.draws import draws
from pseudovoice.safeguards.persona.pseudovoice import LIMITS, draw
from pseudovoice.safeguards.safeguard import Chain, Samples, Undoable, Voice
from pseudovoice.safeguards.undone import undone
from pseudovoice.safeguards.unlikeness import unlikeness

RATE = 16_000
VOICE = Voice(Key(bytes(range(32))), "attacker, try 1", "whoever")


@pytest.fixture(scope="module")
def speech(shared: Path) -> Samples:
    corpus = read_corpus(shared / "speech" / "voice")
    return load(corpus.speakers["121"][0], sample_rate=RATE)[: 3 * RATE].astype(np.float64)


def said(chain: Chain | None, samples: Samples) -> Samples:
    assert chain is not None
    voices = [VOICE] * len(chain.links)
    return whole(chain(Channel(None, [samples]), RATE, voices).pieces())


@pytest.mark.parametrize(
    ("name", "left"), [("mcadams", 0.3), ("mcadams-random", 0.3), ("mcadams-random+mcadams", 0.5)]
)
def test_what_is_undone_is_nearly_what_it_was(speech: Samples, name: str, left: float) -> None:
    (one, *_) = draws(parse_chain(name), 1)
    protected = said(one.chain, speech)
    again = said(one.inverse, protected)
    assert again.size == speech.size
    assert unlikeness(again, speech, RATE) < left * unlikeness(protected, speech, RATE)


def test_the_wrong_voice_undoes_less(speech: Samples) -> None:
    chain = parse_chain("mcadams-random:low=0.7,high=0.9")
    (one, *_) = draws(chain, 1)
    protected = said(one.chain, speech)
    right = unlikeness(said(one.inverse, protected), speech, RATE)
    wrong = unlikeness(said(undone(parse_chain("mcadams:alpha=0.95")), protected), speech, RATE)
    assert right < wrong


@pytest.mark.parametrize("pitch", [100.0, 210.0])
@pytest.mark.parametrize("up", [True, False])
def test_the_inverse_of_a_pseudo_voice(pitch: float, up: bool) -> None:
    voice = draw(pitch, up, 1.0, "any", lambda _: 0.3)
    inverse = voice.inverse(pitch)
    angle = np.linspace(0.05, 1.5, 50)
    there = np.exp(voice.warp) * angle**voice.bend
    back = np.exp(inverse.warp) * there**inverse.bend
    np.testing.assert_allclose(back, angle)
    assert inverse.pitch == pitch
    assert inverse.intonation * voice.intonation == pytest.approx(1)
    assert voice.intonation > LIMITS["intonation"][0]


def test_formants_of_persona_go_back(speech: Samples) -> None:
    """The source's pitch is guessed, and so the voice; a guess near it brings formants back."""
    chain = parse_chain("persona:candidates=1")
    (link,) = chain.links
    protected = said(next(draws(chain, 1)).chain, speech)
    assert isinstance(link, Undoable)
    again = said(undone(chain), protected)
    assert again.size == speech.size
    assert unlikeness(again, speech, RATE) < unlikeness(protected, speech, RATE)


def test_what_cannot_be_undone_leaves_the_chain_as_it_is() -> None:
    class Another:
        name, reference, deterministic, level = "another", "this test", True, "speaker"

    chain = Chain((*parse_chain("mcadams").links, Another()))  # type: ignore[arg-type]
    assert undone(chain) is None


def test_links_are_undone_from_the_last() -> None:
    chain = undone(parse_chain("mcadams:alpha=0.7+persona:candidates=1"))
    assert chain is not None
    assert [link.name for link in chain.links] == ["persona", "mcadams"]
    # What is drawn nowhere needs one try.
    assert len(list(draws(parse_chain("mcadams"), 5))) == 1
    assert len({one.session for one in draws(parse_chain("mcadams-random"), 5)}) == 5
