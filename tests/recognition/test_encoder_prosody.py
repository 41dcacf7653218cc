"""The ear for melody and rhythm: deaf to the voice, and still it tells people apart."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pseudovoice.corpus import load, read_corpus
from pseudovoice.encoders.channel import ChannelEar
from pseudovoice.encoders.encoder import Encoder
from pseudovoice.encoders.registry import load_encoder
from pseudovoice.signal.melody import described, melody, stretches, syllables, tracked

RATE = 16_000


def test_a_voice_that_is_moved_keeps_its_melody() -> None:
    rng = np.random.default_rng(0)
    f0 = 120 * 2 ** (np.cumsum(rng.normal(size=400)) / 60)
    f0[100:130] = f0[250:300] = 0.0
    level = np.where(f0 > 0, -10.0, -70.0) + rng.normal(size=400)
    here, there = tracked(f0.copy(), level), tracked(1.7 * f0, level - 20)
    assert here is not None
    assert there is not None
    assert described(here) == pytest.approx(described(there), abs=1e-6, nan_ok=True)
    assert syllables(here) == pytest.approx(syllables(there), abs=1e-6)
    faster = tracked(f0[::2].copy(), level[::2])
    assert faster is not None
    assert np.nanmax(np.abs(described(faster) - described(here))) > 0.5


def test_noise_below_the_floor_is_the_rooms() -> None:
    rng = np.random.default_rng(1)
    f0 = np.where(np.arange(300) % 60 < 40, 150 + 20 * np.sin(np.arange(300) / 9), 0.0)
    level = np.where(f0 > 0, -10.0, -50.0) + rng.normal(size=300)
    quiet, loud = tracked(f0.copy(), level), tracked(f0.copy(), np.maximum(level, -45.0))
    assert quiet is not None
    assert loud is not None
    assert described(quiet) == pytest.approx(described(loud), abs=1e-9, nan_ok=True)


def test_stretches() -> None:
    marks = np.array([True, True, False, True, False, False, True])
    assert stretches(marks) == [(0, 2), (3, 4), (6, 7)]
    assert stretches(np.zeros(3, bool)) == []


@pytest.fixture(scope="module")
def prosody() -> Encoder:
    encoder = load_encoder("prosody")
    assert isinstance(encoder, Encoder)
    return encoder


def test_hiss_has_no_melody(prosody: Encoder) -> None:
    hiss = np.random.default_rng(0).normal(size=2 * RATE).astype(np.float32) / 50
    assert melody(hiss) is None
    assert not prosody.embed([hiss]).any()
    assert prosody.embed([]).shape == (0, prosody.dimension)


def test_some_of_each_tells_people_apart(prosody: Encoder, shared: Path) -> None:
    """Of ten people's other chapters, a person's own would by chance be behind 4.5 others."""
    dev = read_corpus(shared / "speech" / "dev")
    sides: list[list[np.ndarray]] = [[], []]
    for own in dev.speakers.values():
        chapters = sorted({str(u.session) for u in own})
        parts = [[u for u in own if u.session == chapter][:5] for chapter in chapters[:2]]
        if len(parts) < 2 or min(map(len, parts)) < 5 or len(sides[0]) == 10:
            continue
        for side, part in zip(sides, parts, strict=True):
            batch = [load(u, sample_rate=RATE)[: 8 * RATE] for u in part]
            side.append(prosody.embed(batch).mean(axis=0))
    a, b = (np.array(side) / np.linalg.norm(side, axis=1, keepdims=True) for side in sides)
    assert len(a) == 10
    alike = a @ b.T
    rank = (alike > np.diag(alike)[:, None]).sum(axis=1)
    assert rank.mean() < 2.0


def test_rows_do_not_depend_on_the_batch(prosody: Encoder, shared: Path) -> None:
    some = [load(u, sample_rate=RATE) for u in list(read_corpus(shared / "speech" / "dev"))[:2]]
    together = prosody.embed(some)
    assert together == pytest.approx(np.stack([prosody.embed([one])[0] for one in some]), abs=1e-5)


def test_the_noise_between_words_is_heard_and_not_the_words() -> None:
    rng = np.random.default_rng(0)
    ear = ChannelEar()
    assert isinstance(ear, Encoder)
    hum = 0.001 * np.sin(2 * np.pi * 250 * np.arange(9 * RATE) / RATE)
    words = np.where(np.arange(9 * RATE) % RATE < 0.8 * RATE, 0.1, 0.0) * rng.normal(size=9 * RATE)
    noise = 1e-4 * rng.normal(size=9 * RATE)
    plain, humming, other = ear.embed(
        [x.astype(np.float32) for x in (words + noise, words + noise + hum, words[::-1] + noise)]
    )
    assert np.abs(plain - other).mean() < 1.0
    band = int(np.argmax(humming - plain))
    assert (humming - plain)[band] > 10.0
    assert band == 3  # bins 7 and 8: 219 to 281 Hz
    assert ear.embed([np.zeros(RATE, np.float32)]).min() == pytest.approx(-100.0)
