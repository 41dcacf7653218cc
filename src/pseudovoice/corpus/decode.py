"""Decode the samples of one utterance, all channels, or say in a sentence why it cannot be done."""

from __future__ import annotations

import os
import tempfile
import threading
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import soundfile  # type: ignore[import-untyped, unused-ignore]
from numpy.typing import NDArray

from ..errors import Problem
from .corpus import Utterance
from .faults import AudioError, ItemFault
from .mp3 import count_samples, has_length
from .ogg import has_damaged_edge
from .paths import check_file
from .pipeline import run
from .truncation import missing_bytes

# Segment times are rounded to hundredths in most manifests, so an end may lie that far outside.
ROUNDING = 0.01
# A damaged header can claim any rate; resampling from 1 Hz would multiply the samples by 16,000.
LOWEST_RATE, HIGHEST_RATE = 1_000, 768_000
# The length in the header of an MP3 is exact only to a frame at each end.
MP3_SLACK = 2 * 1152
# A damaged FLAC header can claim 2^36 samples, and a streamed one claims none: never allocate
# what the header says, read block by block.
_BLOCK = 1 << 22
_ENDLESS = 1 << 40
_FORMAT_NOT_RECOGNISED, _NOT_REGULAR = 1, 7
# Float files can hold anything; 40 dB above full scale is a mistake, most often 16-bit numbers.
_LOUDEST = 100.0
# libsndfile keeps the reason of a failed open in one place for all threads.
_OPENING = threading.Lock()


@dataclass(frozen=True)
class Sound:
    """Samples (frames × channels, float32, full scale ±1) as they are in the file."""

    samples: NDArray[np.float32]
    sample_rate: int
    subtype: str

    @property
    def duration(self) -> float:
        """Seconds."""
        return len(self.samples) / self.sample_rate


def decode(utterance: Utterance) -> Sound:
    """All channels of the utterance, or the one it is on, at its own sample rate.

    Raises AudioError for a file that is missing, empty, no audio, damaged, truncated, without
    samples or with NaN, infinite or absurdly large ones, and for a segment outside the file.
    """
    if utterance.command is not None:
        with tempfile.TemporaryFile() as output:
            run(utterance.command, output, utterance.place)
            os.lseek(output.fileno(), 0, os.SEEK_SET)
            return _decode(output.fileno(), utterance)
    try:
        size = check_file(utterance.path)
        # libsndfile gets the open file, not its name: a name makes it guess raw formats from the
        # extension (.au) and cannot be passed if it is not UTF-8.
        with utterance.path.open("rb") as stream:
            if size == 0:
                raise _error(utterance, "empty", "the file is empty (0 bytes)", "record it again")
            return _decode(stream.fileno(), utterance)
    except ItemFault as fault:
        raise _error(utterance, "missing", fault.what, fault.remedy) from None
    except OSError as error:
        what = f"cannot be read ({error.strerror})"
        raise _error(utterance, "unreadable", what, "check its permissions") from None


def _decode(descriptor: int, utterance: Utterance) -> Sound:
    missing = missing_bytes(descriptor)
    if missing:
        bytes_are = "1 byte is" if missing == 1 else f"{missing} bytes are"
        what = f"is truncated: at least {bytes_are} missing at its end"
        raise _error(utterance, "truncated", what, "copy or download it again")
    if has_damaged_edge(descriptor):
        what = "is damaged: the checksum of its first or last page is wrong"
        raise _error(utterance, "unreadable", what, "copy or download it again")
    try:
        with opened(descriptor) as stream:
            rate = int(stream.samplerate)
            if not LOWEST_RATE <= rate <= HIGHEST_RATE:
                what = f"the header gives a sample rate of {rate} Hz, so it is probably damaged"
                raise _error(utterance, "unreadable", what, "restore the file")
            first, wanted = _extent(stream, utterance)
            if stream.frames >= _ENDLESS:
                # soundfile seeks after every read, which fails at the end of such a stream, so
                # it must take it for one without seeking.
                stream._info.seekable = 0
                samples = _read(stream, first + wanted)[first:]
            else:
                if first:
                    stream.seek(first)
                samples = _read(stream, wanted)
            container, frames = stream.format, stream.frames
            subtype = str(stream.subtype)
    except soundfile.LibsndfileError as error:
        raise _unreadable(utterance, error) from None
    if len(samples) == 0:
        raise _error(utterance, "empty", "contains no samples", "record it again")
    if container == "MP3" and wanted == frames and not has_length(descriptor):
        if count_samples(descriptor) > frames + MP3_SLACK:
            what = "has a variable bit rate but no length in its header, so it cannot be read whole"
            raise _error(utterance, "unreadable", what, "convert it to WAV, FLAC or Opus")
        # The length was only a guess, and nothing can be missing from a guess.
        wanted = len(samples)
    slack = MP3_SLACK if container == "MP3" else 0
    if wanted < _ENDLESS // 2 and len(samples) + slack < wanted:
        what = f"is truncated: {len(samples)} of {wanted} samples can be decoded"
        raise _error(utterance, "truncated", what, "copy or download it again")
    samples = _on_its_channel(samples, utterance)
    if not np.isfinite(samples).all():
        count = int(np.count_nonzero(~np.isfinite(samples)))
        what = f"{count} of {samples.size} samples are NaN or infinite"
        raise _error(utterance, "non-finite", what, "write the file again without them")
    peak = float(np.abs(samples).max())
    if peak > _LOUDEST:
        what = f"the samples reach {peak:.3g} times full scale"
        raise _error(utterance, "scale", what, "divide them by that and write the file again")
    return Sound(samples, rate, subtype)


def channels_of(path: Path) -> int | None:
    """The number of channels that the header of a file gives; None if there is none to read."""
    try:
        check_file(path)
        with path.open("rb") as file, opened(file.fileno()) as stream:
            return int(stream.channels)
    except (ItemFault, OSError, soundfile.LibsndfileError):
        return None


def opened(descriptor: int) -> soundfile.SoundFile:
    """An open file as libsndfile sees it from where it stands; closing it leaves it open."""
    with _OPENING:
        return soundfile.SoundFile(descriptor, closefd=False)


def _on_its_channel(samples: NDArray[np.float32], utterance: Utterance) -> NDArray[np.float32]:
    """The one channel that the listing names for the utterance, where it names one."""
    channels = samples.shape[1]
    # One channel only: somebody has taken it out of the recording already.
    if utterance.channel is None or channels == 1:
        return samples
    if utterance.channel >= channels:
        what = f"has {channels} channels, so there is no channel {utterance.channel} (from 0)"
        raise _error(utterance, "channel", what, "correct the channel in the listing")
    return samples[:, [utterance.channel]]


def _extent(stream: soundfile.SoundFile, utterance: Utterance) -> tuple[int, int]:
    """First frame and number of frames of the utterance."""
    rate, frames = stream.samplerate, stream.frames
    # A time can be finite and its sample not: 10³⁰⁸ s is bounded first.
    first = 0 if utterance.start is None else round(min(utterance.start, _ENDLESS) * rate)
    last = frames if utterance.end is None else round(min(utterance.end, _ENDLESS) * rate)
    overshoot = last - frames if frames < _ENDLESS else 0
    if (first and first >= frames) or overshoot > ROUNDING * rate:
        what = f"the segment lies outside the file, which lasts {frames / rate:.2f} s"
        raise _error(utterance, "segment", what, "correct its start and end")
    return first, min(last, frames) - first


def _read(stream: soundfile.SoundFile, wanted: int) -> NDArray[np.float32]:
    block = max(1, _BLOCK // stream.channels)
    parts = []
    while wanted > 0:
        part = stream.read(min(block, wanted), dtype="float32", always_2d=True)
        parts.append(part)
        wanted -= len(part)
        if len(part) < block:
            break
    if len(parts) == 1:
        return np.asarray(parts[0], dtype=np.float32)
    return np.concatenate(parts) if parts else np.zeros((0, stream.channels), np.float32)


def _unreadable(utterance: Utterance, error: soundfile.LibsndfileError) -> AudioError:
    if error.code == _FORMAT_NOT_RECOGNISED:
        suffix = utterance.path.suffix
        named = f", although its name ends in {suffix}" if suffix else ""
        if utterance.command is not None:
            named = ", although a command should have printed a WAV file"
        return _error(
            utterance,
            "unreadable",
            f"the contents are not audio in a format that can be read{named}",
            "replace it by a WAV, FLAC, Ogg, Opus or MP3 file",
        )
    reason = error.error_string.removeprefix("Error : ").rstrip(".")
    # libsndfile reports a damaged MP3 as "not a regular file" and a wrong length in the header as
    # an internal failure, both of which would mislead.
    if error.code == _NOT_REGULAR or reason.startswith("Internal"):
        reason = "the header is damaged"
    what = f"is damaged or truncated and cannot be decoded ({reason})"
    return _error(utterance, "unreadable", what, "copy or download it again")


def _error(utterance: Utterance, kind: str, what: str, remedy: str) -> AudioError:
    return AudioError(kind, Problem(utterance.place, what, remedy))
