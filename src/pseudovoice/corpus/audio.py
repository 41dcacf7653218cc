"""Load the audio of one utterance as recognition needs it: mono float32 at one sample rate.

Conventions
-----------
- Full scale is ±1 whatever the file's width; 8-bit audio becomes float without dither.
- Several channels need a policy, never a guess: their mean, the first, or one by number.
- Silence is refused unless asked for: a recogniser gives it some voice, and the score is noise.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ..errors import PassingProblem, Problem
from ..storage.near import facts_of
from ..storage.store import StoreError
from .corpus import Utterance
from .decode import joined
from .faults import AudioError, ItemFault
from .hashes import file_hash
from .paths import check_file
from .pipeline import run
from .recording import reading
from .resampling import resampled

Channel = Literal["mean", "first"] | int

MIN_DURATION = 0.1
# Recognisers hear a recording in one piece, and need up to 30 MB for each minute of it.
MAX_DURATION = 7200.0
# Of recordings so long a part will do, where a part is all that is wanted.
LONG = 600.0
# Half a step of 16-bit audio: what a lossy codec makes of digital silence stays below it.
SILENCE = 2.0**-16
# The share of samples at full scale above which a recording counts as clipped.
CLIPPED = 0.001
_FULL_SCALE = {"PCM_U8": 1 - 2.0**-7, "PCM_S8": 1 - 2.0**-7, "PCM_16": 1 - 2.0**-15}


def load(
    utterance: Utterance,
    *,
    sample_rate: int,
    channel: Channel = "mean",
    min_duration: float = MIN_DURATION,
    max_duration: float = MAX_DURATION,
    refuse_silence: bool = True,
) -> NDArray[np.float32]:
    """Samples of one utterance: mono, float32, resampled (soxr HQ) to ``sample_rate`` in Hz.

    ``channel`` is "mean", "first" or a channel number from 0. Raises AudioError, an InputError
    that carries its Problem, for audio that cannot be used; see :func:`decode` for the causes.
    """
    with reading(utterance) as recording:
        rate = recording.sample_rate
        check_longest(utterance, recording.seconds, max_duration)
        heard = Range()
        blocks = (heard.of(mono(utterance, block, channel)) for block in recording.blocks())
        samples = joined(resampled(blocks, rate, sample_rate, quality="HQ"))
    check_duration(utterance, heard.samples, rate, min_duration)
    check_longest(utterance, heard.samples / rate, max_duration)
    if refuse_silence and heard.silent:
        raise silent_error(utterance)
    return samples


def excerpt(utterance: Utterance, seconds: float) -> Utterance:
    """So much from the middle of a recording of more than ten minutes; a shorter one as it is."""
    if utterance.command is not None:
        return utterance
    with reading(utterance) as recording:
        there = recording.seconds
    if there is None or there <= LONG:
        return utterance
    start = (utterance.start or 0.0) + (there - seconds) / 2
    return replace(utterance, start=start, end=start + seconds)


def mono(
    utterance: Utterance, samples: NDArray[np.float32], channel: Channel
) -> NDArray[np.float32]:
    """One channel by the policy ``channel``, unless the utterance's listing named one already."""
    channels = samples.shape[1]
    if channel == "mean" or utterance.channel is not None:
        if channels == 1:
            return np.ascontiguousarray(samples[:, 0])
        return np.asarray(samples.mean(axis=1), dtype=np.float32)
    number = 0 if channel == "first" else channel
    if not 0 <= number < channels:
        what = f"has {channels} channels, so there is no channel {number} (the first is 0)"
        raise AudioError("channel", Problem(utterance.place, what, "choose another channel"))
    return np.ascontiguousarray(samples[:, number])


def check_duration(
    utterance: Utterance, frames: int, sample_rate: int, min_duration: float = MIN_DURATION
) -> None:
    """Raise AudioError if so many frames last less than ``min_duration`` seconds."""
    seconds = frames / sample_rate
    if seconds < min_duration:
        count = "1 sample" if frames == 1 else f"{frames} samples"
        what = f"lasts {seconds:.4f} s ({count}), shorter than {min_duration:g} s"
        raise AudioError("short", Problem(utterance.place, what, "leave it out or record it again"))


def check_longest(utterance: Utterance, seconds: float | None, max_duration: float) -> None:
    """Raise AudioError for what is too long to be heard in one piece."""
    if seconds is not None and seconds > max_duration:
        what = (
            f"lasts {seconds / 60:.1f} min, longer than the {max_duration / 60:g} min heard at once"
        )
        remedy = "list its utterances by start and end in a table; its file can stay as it is"
        raise AudioError("long", Problem(utterance.place, what, remedy))


class Range:
    """Between which values the samples lie that have gone by, and how many they were."""

    def __init__(self) -> None:
        self.samples = 0
        self._lowest, self._highest = np.inf, -np.inf

    def of(self, samples: NDArray[np.float32]) -> NDArray[np.float32]:
        """The samples themselves, noted."""
        self.samples += len(samples)
        self._lowest = min(self._lowest, samples.min())
        self._highest = max(self._highest, samples.max())
        return samples

    @property
    def silent(self) -> bool:
        """Whether nothing moves: all samples alike to within half a 16-bit step."""
        return bool(self._highest - self._lowest < SILENCE)


def is_silent(samples: NDArray[np.float32]) -> bool:
    """Whether nothing moves; see :class:`Range`."""
    heard = Range()
    heard.of(samples)
    return heard.silent


def silent_error(utterance: Utterance) -> AudioError:
    """The error for an utterance that is silent throughout."""
    problem = Problem(
        utterance.place, "is silent throughout", "leave it out, or choose another channel"
    )
    return AudioError("silent", problem)


def at_full_scale(samples: NDArray[np.float32], subtype: str) -> int:
    """How many samples are at full scale, over all channels."""
    full = _FULL_SCALE.get(subtype, 0.9999)
    return int(np.count_nonzero(np.abs(samples) >= full))


def audio_hash(utterance: Utterance) -> str:
    """SHA-256 of the bytes of the audio file together with the segment's start, end and channel.

    The output of a command is hashed as its audio: its text alone would not notice a change of
    the files it reads.
    """
    if utterance.command is not None:
        with tempfile.TemporaryFile() as output:
            run(utterance.command, output, utterance.place)
            os.lseek(output.fileno(), 0, os.SEEK_SET)
            content = hashlib.file_digest(output, "sha256").hexdigest()
    else:
        try:
            size = check_file(utterance.path)
            content = file_hash(utterance.path, size, facts_of(utterance.path).st_mtime_ns)
        except ItemFault as fault:
            problem = PassingProblem(utterance.place, fault.what, fault.remedy)
            raise AudioError("missing", problem) from None
        except OSError as error:
            what = f"cannot be read ({error.strerror})"
            problem = PassingProblem(utterance.place, what, "check its permissions")
            raise AudioError("unreadable", problem) from None
        except StoreError as error:
            problem = PassingProblem(utterance.place, error.problem.what, error.problem.remedy)
            raise AudioError("unreadable", problem) from None
    part = f"{content} {utterance.start!r} {utterance.end!r}"
    if utterance.channel is not None:
        part += f" channel {utterance.channel}"
    return hashlib.sha256(part.encode()).hexdigest()
