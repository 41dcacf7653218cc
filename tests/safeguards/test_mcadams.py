from pathlib import Path

import numpy as np
import pytest
import soundfile
import soxr
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.signal import lfilter
from slow_mcadams import slow_burg, slow_frame

from pseudovoice.errors import UsageError
from pseudovoice.keys import Key
from pseudovoice.safeguards import mcadams
from pseudovoice.safeguards.channel import Channel, whole
from pseudovoice.safeguards.mcadams import McAdams, RandomMcAdams, move_frame
from pseudovoice.safeguards.safeguard import Voice
from pseudovoice.signal.lpc import burg, poles, polynomial

WINDOW = np.sqrt(0.5 - 0.5 * np.cos(2 * np.pi * np.arange(320) / 320))


def speech_like(seconds: float = 1.0, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=int(16_000 * seconds)) + 4 * (np.arange(int(16_000 * seconds)) % 133 == 0)
    for f, r in ((500, 0.97), (1500, 0.96), (2500, 0.95)):
        x = lfilter([1.0], [1.0, -2 * r * np.cos(2 * np.pi * f / 16_000), r * r], x)
    return 0.3 * x / np.abs(x).max()


def move_poles(x: np.ndarray, rate: int, alpha: float) -> np.ndarray:
    return whole(mcadams.move_poles(Channel(None, [x]), rate, alpha))


def frames(x: np.ndarray) -> list[np.ndarray]:
    return [WINDOW * x[k : k + 320] for k in range(0, len(x) - 320, 160)]


@pytest.mark.parametrize("alpha", [0.5, 0.8, 0.95])
def test_every_frame_equals_the_slow_version(alpha: float) -> None:
    for frame in frames(speech_like()):
        fast, slow = move_frame(frame, alpha, 20, 1.0), slow_frame(frame, alpha)
        np.testing.assert_allclose(fast, slow, atol=1e-6 * max(1.0, np.abs(slow).max()))


def test_real_speech_frame_by_frame(shared: Path) -> None:
    for file in sorted((shared / "speech" / "dev").rglob("*.flac"))[:400:100]:
        samples, rate = soundfile.read(file)
        assert rate == 16_000
        for frame in frames(samples[: 5 * rate]):
            if frame.any():
                fast, slow = move_frame(frame, 0.8, 20, 1.0), slow_frame(frame, 0.8)
                assert np.abs(fast - slow).max() < 1e-6


def test_burg_equals_the_slow_recursion() -> None:
    for frame in frames(speech_like(0.3)):
        np.testing.assert_allclose(burg(frame, 20), slow_burg(frame, 20), atol=1e-9)


@given(
    st.lists(st.tuples(st.floats(0.05, 0.999), st.floats(0.01, 3.1)), min_size=0, max_size=8),
    st.lists(st.floats(-0.99, 0.99), min_size=0, max_size=4),
)
@settings(max_examples=200, deadline=None)
def test_poles_multiply_out_to_the_polynomial(
    upper: list[tuple[float, float]], real: list[float]
) -> None:
    points = np.array([r * np.exp(1j * angle) for r, angle in upper], np.complex128)
    everything = np.concatenate([points, points.conj(), real])
    gaps = np.abs(everything[:, None] - everything) + 9 * np.eye(everything.size)
    assume(gaps.min(initial=9) > 0.01)  # roots that coincide are known to no more than 1e-5
    a = polynomial(points, np.array(real, np.float64))
    found = polynomial(*poles(a))
    np.testing.assert_allclose(found, a, atol=1e-6 * np.abs(a).max())


def test_alpha_one_changes_nothing() -> None:
    x = speech_like()
    np.testing.assert_allclose(move_poles(x, 16_000, 1.0), x, atol=1e-9)


@pytest.mark.parametrize("rate", [8_000, 16_000, 22_050, 44_100, 48_000])
@pytest.mark.parametrize("n", [1, 7, 160, 1601, 9_999])
def test_as_many_samples_come_out_as_went_in(rate: int, n: int) -> None:
    x = np.random.default_rng(n).normal(size=n)
    y = move_poles(x, rate, 0.8)
    assert y.shape == x.shape
    assert np.isfinite(y).all()


@pytest.mark.parametrize("rate", [22_050, 44_100, 48_000])
def test_higher_rates_keep_nothing_above_8_khz_and_do_not_overflow(rate: int) -> None:
    x = soxr.resample(speech_like(), 16_000, rate)  # no energy above 8 kHz: hard for prediction
    for sound in (x, np.random.default_rng(2).normal(size=x.size)):
        y = move_poles(move_poles(sound, rate, 0.8), rate, 0.75)
        # Poles that meet make a narrow band ring; that is the method, an overflow is not.
        assert np.abs(y).max() < 1e4 * np.abs(sound).max()
        spectrum = np.square(np.abs(np.fft.rfft(y * np.hanning(y.size))))
        above = np.fft.rfftfreq(y.size, 1 / rate) > 8_200
        assert spectrum[above].sum() < 1e-3 * spectrum.sum()


def test_silence_stays_silence() -> None:
    assert not move_poles(np.zeros(5000), 16_000, 0.8).any()


def test_resonances_below_2546_hz_go_up_and_above_go_down() -> None:
    rng = np.random.default_rng(1)
    for f in (800, 5000):
        r = 0.985
        x = lfilter(
            [1], [1, -2 * r * np.cos(2 * np.pi * f / 16_000), r * r], rng.normal(size=32_000)
        )
        y = move_poles(x, 16_000, 0.8)
        peak = np.argmax(np.abs(np.fft.rfft(y)).reshape(-1)[1:].reshape(-1, 40).sum(1)) * 20 + 10
        expected = (2 * np.pi * f / 16_000) ** 0.8 * 16_000 / (2 * np.pi)
        assert abs(peak - expected) < 120


def test_sentences_for_wrong_parameters() -> None:
    with pytest.raises(UsageError, match="alpha must lie between"):
        McAdams(alpha=5)
    with pytest.raises(UsageError, match="above high"):
        RandomMcAdams(low=0.9, high=0.7)
    with pytest.raises(UsageError, match="level is one of"):
        RandomMcAdams(level="planet")


def test_b2r_moves_each_by_a_coefficient_of_its_own_range() -> None:
    """What comes out is B2 with an α of [0.7, 0.9), the same for one name and others for others."""
    speech, key = speech_like(0.3), Key(bytes(range(32)))
    drawn = []
    for name in ("anna", "anna", "bert", "carl"):
        voice = Voice(key, "default", name)
        alpha = voice.uniform("mcadams-random/alpha", 0.7, 0.9)
        assert 0.7 <= alpha < 0.9
        moved = RandomMcAdams()(speech, 16_000, voice)
        assert np.array_equal(moved, McAdams(alpha)(speech, 16_000, voice))
        drawn.append(alpha)
    assert drawn[0] == drawn[1]
    assert len(set(drawn)) == 3
