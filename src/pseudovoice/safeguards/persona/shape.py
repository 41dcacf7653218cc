"""A speaker's frames turned into those of a pseudo-voice."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.fft import dct, idct
from scipy.ndimage import gaussian_filter1d

from pseudovoice.safeguards.persona.pseudovoice import PseudoVoice
from pseudovoice.safeguards.world import BINS, RATE, Floats, Speech, pitch_of

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

LOUDNESS_STEP = 0.1
"""dB, by which the frames of long recordings are told apart."""

SPEECH_SHARE = 0.6
"""The loudest share of frames, which is taken for speech."""


@dataclass(frozen=True)
class LongTerm:
    """What a whole recording has in common, of a source heard through a pseudo-voice's tract.

    Mean and standard deviation of the cosine terms over its speech frames, and its median F0, None
    where it cannot be told.
    """

    mean: Floats
    spread: Floats
    pitch: float | None


class LongTermCount:
    """The mean and spread of speech frames that come block by block.

    Which frames are speech is known after the last. So they are summed up by loudness, in steps of
    a tenth of a decibel, and the loudest steps are taken then.
    """

    def __init__(self) -> None:
        # Loudness in steps: number of frames, sum and sum of squares of the terms.
        self._sums: dict[int, tuple[int, Floats, Floats]] = {}

    def add(self, cepstrum: Floats) -> None:
        terms = cepstrum[:, TERMS]
        steps = np.floor(cepstrum[:, 0] / (LOUDNESS_STEP * DECIBEL * np.sqrt(BINS))).astype(int)
        order = np.argsort(steps, kind="stable")
        found, first = np.unique(steps[order], return_index=True)
        for step, group in zip(found, np.split(terms[order], first[1:]), strict=True):
            n, total, squares = self._sums.get(int(step), (0, 0.0, 0.0))
            self._sums[int(step)] = (
                n + len(group),
                total + group.sum(axis=0),
                squares + np.square(group).sum(axis=0),
            )

    def result(self, pitch: float | None) -> LongTerm:
        wanted = SPEECH_SHARE * sum(n for n, _, _ in self._sums.values())
        taken, total, squares = 0.0, np.zeros(LONG_TERM.size), np.zeros(LONG_TERM.size)
        for _, (n, sums, sums_of_squares) in sorted(self._sums.items(), reverse=True):
            share = min(1.0, (wanted - taken) / n)
            if share <= 0:
                break
            taken += share * n
            total += share * sums
            squares += share * sums_of_squares
        mean = total / taken
        return LongTerm(mean, np.sqrt(np.maximum(squares / taken - mean**2, 0.0)), pitch)


def reshape(speech: Speech, voice: PseudoVoice, common: LongTerm | None = None) -> Speech:
    """The frames as the pseudo-voice would have spoken them.

    The long-term spectrum is replaced by a common one before the voice's own tilt is added: with
    it go the microphone, the room's colour and the average timbre, by which encoders also know
    people. How far the envelope strays from it is made common too. ``common`` is that of the
    recording of which these frames are a block; without it they are the whole.
    """
    cepstrum = cepstrum_of(speech.envelope, voice)
    speaking = None
    if common is None:
        speaking = cepstrum[:, 0] >= np.quantile(cepstrum[:, 0], 1 - SPEECH_SHARE)
        own = cepstrum[speaking, TERMS]
        common = LongTerm(own.mean(axis=0), own.std(axis=0), pitch_of(speech.f0))
    if voice.evenness > 0:
        _even_out(cepstrum, common, voice.evenness)
    cepstrum[:, 1:] *= voice.contrast
    # Evening out keeps the mean, up to rounding.
    mean = (
        common.mean * voice.contrast
        if speaking is None
        else cepstrum[speaking][:, TERMS].mean(axis=0)
    )
    envelope = idct(cepstrum, axis=1, norm="ortho") + _equaliser(mean) + _tilt(voice)
    if voice.blur > 0:
        envelope = gaussian_filter1d(envelope, voice.blur, axis=0)
    breath = 10 ** (voice.breath / 20)
    return Speech(
        _pitch(speech.f0, voice, common.pitch),
        envelope,
        np.clip(_at_bins(speech.aperiodicity, _source_bins(voice)) * breath, 0.0, 1.0),
    )


def cepstrum_of(envelope: Floats, voice: PseudoVoice) -> Floats:
    """Cosine terms of every frame, in the vocal tract of the pseudo-voice."""
    cepstrum: Floats = dct(_at_bins(envelope, _source_bins(voice)), axis=1, norm="ortho")
    return cepstrum


def _even_out(cepstrum: Floats, common: LongTerm, evenness: float) -> None:
    """Give the terms, about their means, the common spread instead of the speaker's, in place."""
    spread = np.maximum(common.spread, 1e-6)
    factor = np.clip(SPREAD / spread, 1 / MOST_SPREAD, MOST_SPREAD) ** evenness
    cepstrum[:, TERMS] = common.mean + (cepstrum[:, TERMS] - common.mean) * factor


def _equaliser(mean: Floats) -> Floats:
    """What the long-term spectrum of speech frames lacks of the common one, to `MOST_EQUALISED`."""
    lacking = np.zeros(BINS)
    lacking[TERMS] = LONG_TERM - mean
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


def tilt_waves(terms: int) -> Floats:
    """The cosines over frequency that a tilt is made of, one a row."""
    waves: Floats = np.cos(np.pi * np.arange(1, terms + 1)[:, None] * FREQUENCY / (RATE / 2))
    return waves


def _tilt(voice: PseudoVoice) -> Floats:
    tilt: Floats = DECIBEL * (np.array(voice.tilt)[:, None] * tilt_waves(len(voice.tilt))).sum(
        axis=0
    )
    return tilt


def _pitch(f0: Floats, voice: PseudoVoice, median: float | None) -> Floats:
    """The contour about the voice's own median; nothing of the source's median is left."""
    voiced = f0 > 0
    if median is None:
        median = voice.pitch
    moved = np.zeros_like(f0)
    moved[voiced] = np.clip(
        voice.pitch * (f0[voiced] / median) ** voice.intonation, LOWEST_F0, HIGHEST_F0
    )
    return moved
