"""A speaker's frames turned into those of a pseudo-voice."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.fft import dct, idct
from scipy.ndimage import gaussian_filter1d

from pseudovoice.safeguards.persona.pseudovoice import PseudoVoice
from pseudovoice.safeguards.persona.world import BINS, RATE, Floats, Speech, pitch_of

LOWEST_F0, HIGHEST_F0 = 50.0, 500.0

FREQUENCY = np.arange(BINS) * (RATE / 2) / (BINS - 1)
DECIBEL = np.log(10.0) / 10
"""One dB in the unit of a log power envelope."""

TERMS = slice(1, 24)
"""Cosine terms that a long-term spectrum has: its slope and broad hills, no single formant."""

# fmt: off
LONG_TERM: Floats = np.array([
    45.26, 6.49, 7.39, 9.59, 6.83, 4.71, 5.32, 3.49, 2.46, 1.77, 1.19, 0.20,
    -0.77, -1.19, -1.07, -0.66, -0.47, -0.19, -0.51, -0.06, -0.33, -0.37, -0.32,
])
# fmt: on
"""Orthonormal cosine terms 1 to 23 of CheapTrick's log power in speech frames: the mean over 32
women and 32 men of LibriSpeech train-clean-100."""

# fmt: off
SPREAD: Floats = np.array([
    35.11, 17.66, 11.62, 10.33, 10.16, 9.37, 8.76, 7.77, 6.73, 6.22, 6.01, 5.90,
    5.79, 5.39, 5.09, 4.83, 4.61, 4.43, 4.14, 3.95, 3.80, 3.60, 3.47,
])
# fmt: on
"""Their standard deviations over the speech frames of an utterance: the mean over 80 people of
LibriSpeech train-clean-100 and test-other."""

MOST_SPREAD = 1.45
"""The largest factor on a spread, either way: in a word or two it is not known well."""

MOST_EQUALISED = 25.0
"""dB; a band that the recording does not have at all must not be blown up to hiss."""

SPEECH_SHARE = 0.6
"""The loudest share of frames, which is taken for speech."""


def reshape(speech: Speech, voice: PseudoVoice) -> Speech:
    """The frames as the pseudo-voice would have spoken them.

    The long-term spectrum is replaced by a common one before the voice's own tilt is added: with
    it go the microphone, the room's colour and the average timbre, by which encoders also know
    people. How far the envelope strays from it is made common too.
    """
    source = _source_bins(voice)
    envelope = _at_bins(speech.envelope, source)
    cepstrum = dct(envelope, axis=1, norm="ortho")
    speaking = cepstrum[:, 0] >= np.quantile(cepstrum[:, 0], 1 - SPEECH_SHARE)
    if voice.evenness > 0:
        _even_out(cepstrum, speaking, voice.evenness)
    cepstrum[:, 1:] *= voice.contrast
    envelope = idct(cepstrum, axis=1, norm="ortho") + _equaliser(cepstrum[speaking]) + _tilt(voice)
    if voice.blur > 0:
        envelope = gaussian_filter1d(envelope, voice.blur, axis=0)
    breath = 10 ** (voice.breath / 20)
    return Speech(
        _pitch(speech.f0, voice),
        envelope,
        np.clip(_at_bins(speech.aperiodicity, source) * breath, 0.0, 1.0),
    )


def _even_out(cepstrum: Floats, speaking: NDArray[np.bool_], evenness: float) -> None:
    """Give the terms, about their means, the common spread instead of the speaker's, in place."""
    speech = cepstrum[speaking, TERMS]
    mean, spread = speech.mean(axis=0), speech.std(axis=0)
    factor = np.clip(SPREAD / np.maximum(spread, 1e-6), 1 / MOST_SPREAD, MOST_SPREAD) ** evenness
    cepstrum[:, TERMS] = mean + (cepstrum[:, TERMS] - mean) * factor


def _equaliser(speech: Floats) -> Floats:
    """What the long-term spectrum of speech frames lacks of the common one, to `MOST_EQUALISED`."""
    lacking = np.zeros(BINS)
    lacking[TERMS] = LONG_TERM - speech[:, TERMS].mean(axis=0)
    most = DECIBEL * MOST_EQUALISED
    curve: Floats = np.clip(idct(lacking, norm="ortho"), -most, most)
    return curve


def _source_bins(voice: PseudoVoice) -> Floats:
    """For each bin of the new envelope, the (fractional) bin of the old one it comes from."""
    unwarped = FREQUENCY / np.exp(voice.warp)
    angle = 2 * np.pi * unwarped / RATE
    bins = angle ** (1 / voice.bend) / np.pi * (BINS - 1)
    within: Floats = np.clip(bins, 0, BINS - 1)
    return within


def _at_bins(frames: Floats, bins: Floats) -> Floats:
    """Every frame at fractional bins, by linear interpolation."""
    below = np.minimum(bins.astype(np.intp), BINS - 2)
    share = bins - below
    return frames[:, below] * (1 - share) + frames[:, below + 1] * share


def _tilt(voice: PseudoVoice) -> Floats:
    terms = np.arange(1, len(voice.tilt) + 1)[:, None]
    waves = np.cos(np.pi * terms * FREQUENCY / (RATE / 2))
    tilt: Floats = DECIBEL * (np.array(voice.tilt)[:, None] * waves).sum(axis=0)
    return tilt


def _pitch(f0: Floats, voice: PseudoVoice) -> Floats:
    """The contour about the voice's own median; nothing of the source's median is left."""
    median = pitch_of(f0)
    voiced = f0 > 0
    if median is None:
        median = voice.pitch
    moved = np.zeros_like(f0)
    moved[voiced] = np.clip(
        voice.pitch * (f0[voiced] / median) ** voice.intonation, LOWEST_F0, HIGHEST_F0
    )
    return moved
