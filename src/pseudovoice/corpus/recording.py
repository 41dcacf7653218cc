"""The audio of one utterance, block by block, or a sentence on why it cannot be had.

A block is bounded whatever the length of the recording, so nothing has to fit into memory.
"""

from __future__ import annotations

import os
import tempfile
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import soundfile  # type: ignore[import-untyped, unused-ignore]
from numpy.typing import NDArray

from ..errors import PassingProblem, Problem
from ..storage.near import present
from ..storage.store import StoreError
from .containers import container_of
from .corpus import Utterance
from .faults import AudioError, ItemFault, Undecodable
from .media import ENDLESS, PADDING, Media, opened_media
from .mp3 import count_samples, has_length
from .ogg import has_damaged_edge
from .paths import check_file
from .pipeline import run
from .source import Source
from .truncation import missing_bytes

# Segment times are rounded to hundredths in most manifests, so an end may lie that far outside.
ROUNDING = 0.01
# A damaged header can claim any rate; resampling from 1 Hz would multiply the samples by 16,000.
LOWEST_RATE, HIGHEST_RATE = 1_000, 768_000
# The length in the header of an MP3 is exact only to a frame at each end.
MP3_SLACK = 2 * 1152
# A damaged FLAC header can claim 2^36 samples, and a streamed one claims none: never allocate
# what the header says, read block by block.
_BLOCK = 1 << 20
_FORMAT_NOT_RECOGNISED, _NOT_REGULAR = 1, 7
# Float files can hold anything; 40 dB above full scale is a mistake, most often 16-bit numbers.
_LOUDEST = 100.0
# libsndfile keeps the reason of a failed open in one place for all threads.
_OPENING = threading.Lock()


@dataclass(frozen=True)
class Recording:
    """An utterance whose audio is open, with all that its header tells.

    ``channels`` counts those of the utterance: one where its listing names one.
    """

    utterance: Utterance
    sample_rate: int
    channels: int
    subtype: str
    _descriptor: int
    _container: str
    _frames: int
    _extent: tuple[int, int]
    _channel: int | None
    _by_header: bool

    @property
    def seconds(self) -> float | None:
        """By the header; None where it does not tell."""
        wanted = self._extent[1]
        return None if wanted >= ENDLESS // 2 else wanted / self.sample_rate

    def blocks(self) -> Iterator[NDArray[np.float32]]:
        """All samples (frames × channels, full scale ±1) from the first; may be asked for again.

        One pass at a time. Raises AudioError, at the latest after the last block, where there are
        fewer samples than the header promises, or none, and before a block of such as cannot be:
        the rest is then read for the sentence alone.
        """
        heard = _Heard()
        try:
            os.lseek(self._descriptor, 0, os.SEEK_SET)
            with opened(self._descriptor) as stream:
                for block in self._read(stream):
                    heard.take(block)
                    if heard.good:
                        yield block
        except soundfile.LibsndfileError as error:
            raise _unreadable(self.utterance, error) from None
        except Undecodable as fault:
            raise _error(self.utterance, "unreadable", fault.what, fault.remedy) from None
        except OSError as error:
            raise _refused(self.utterance, error) from None
        self._check_length(heard.frames)
        if heard.not_finite:
            what = f"{heard.not_finite} of {heard.samples} samples are NaN or infinite"
            remedy = "write the file again without them"
            raise _error(self.utterance, "non-finite", what, remedy)
        if heard.peak > _LOUDEST:
            what = f"the samples reach {heard.peak:.3g} times full scale"
            remedy = "divide them by that and write the file again"
            raise _error(self.utterance, "scale", what, remedy)

    def _read(self, stream: soundfile.SoundFile | Media) -> Iterator[NDArray[np.float32]]:
        first, wanted = self._extent
        size = max(1, _BLOCK // stream.channels)
        if isinstance(stream, Media):
            # Such a header may promise too little: what has no end of its own is read to its end.
            wanted = ENDLESS if self.utterance.end is None else wanted
            blocks = stream.blocks(first, wanted, size)
        else:
            blocks = _blocks(stream, first, wanted, size)
        for block in blocks:
            yield block if self._channel is None else block[:, [self._channel]]

    def _check_length(self, there: int) -> None:
        """Raise AudioError if samples are missing."""
        wanted = self._extent[1]
        if there == 0:
            raise _error(self.utterance, "empty", "contains no samples", "record it again")
        slack = PADDING if self._by_header else 0
        if self._by_header and self.utterance.end is None:
            return
        if self._container == "MP3":
            slack = MP3_SLACK
            if wanted == self._frames and not has_length(self._descriptor):
                if count_samples(self._descriptor) > self._frames + MP3_SLACK:
                    what = (
                        "has a variable bit rate but no length in its header, so it cannot be "
                        "read whole"
                    )
                    remedy = "convert it to WAV, FLAC or Opus"
                    raise _error(self.utterance, "unreadable", what, remedy)
                # The length was only a guess, and nothing can be missing from a guess.
                return
        if wanted < ENDLESS // 2 and there + slack < wanted:
            what = f"is truncated: {there} of {wanted} samples can be decoded"
            raise _error(self.utterance, "truncated", what, "copy or download it again")


def _blocks(
    stream: soundfile.SoundFile, first: int, wanted: int, size: int
) -> Iterator[NDArray[np.float32]]:
    if stream.frames >= ENDLESS:
        # soundfile seeks after every read, which fails at the end of such a stream, so
        # it must take it for one without seeking.
        stream._info.seekable = 0
        while first > 0:
            skipped = len(stream.read(min(size, first), dtype="float32", always_2d=True))
            first = first - skipped if skipped else 0
    elif first:
        stream.seek(first)
    while wanted > 0:
        block = stream.read(min(size, wanted), dtype="float32", always_2d=True)
        wanted -= len(block)
        if len(block):
            yield block
        if len(block) < size:
            break


class _Heard:
    """What is known of the samples so far."""

    def __init__(self) -> None:
        self.frames = self.samples = self.not_finite = 0
        self.peak = 0.0

    def take(self, block: NDArray[np.float32]) -> None:
        self.frames += len(block)
        self.samples += block.size
        finite = np.isfinite(block)
        if not finite.all():
            self.not_finite += int(np.count_nonzero(~finite))
            block = block[finite]
        self.peak = max(self.peak, float(np.abs(block).max(initial=0.0)))

    @property
    def good(self) -> bool:
        return self.not_finite == 0 and self.peak <= _LOUDEST


@contextmanager
def reading(utterance: Utterance) -> Iterator[Recording]:
    """The recording of an utterance, open as long as the block lasts.

    Raises AudioError for a file that is missing, empty, no audio, damaged, truncated, and for a
    segment or a channel outside the file; :meth:`Recording.blocks` for all that only the samples
    tell.
    """
    with ExitStack() as stack:
        try:
            recording = _recording(_descriptor(utterance, stack), utterance)
        except Undecodable as fault:
            raise _error(utterance, "unreadable", fault.what, fault.remedy) from None
        except ItemFault as fault:
            problem = PassingProblem(utterance.place, fault.what, fault.remedy)
            raise AudioError("missing", problem) from None
        except OSError as error:
            raise _refused(utterance, error) from None
        except StoreError as error:
            told = error.problem
            problem = PassingProblem(utterance.place, told.what, told.remedy)
            raise AudioError("unreadable", problem) from None
        yield recording


def _descriptor(utterance: Utterance, stack: ExitStack) -> int:
    if utterance.command is not None:
        output = stack.enter_context(tempfile.TemporaryFile())  # noqa: SIM115
        run(utterance.command, output, utterance.place)
        return output.fileno()
    if check_file(utterance.path) == 0:
        raise _error(utterance, "empty", "the file is empty (0 bytes)", "record it again")
    # libsndfile gets the open file, not its name: a name makes it guess raw formats from the
    # extension (.au) and cannot be passed if it is not UTF-8.
    near = stack.enter_context(present(utterance.path))
    return stack.enter_context(near.open("rb")).fileno()


def _recording(descriptor: int, utterance: Utterance) -> Recording:
    missing = missing_bytes(descriptor)
    if missing:
        bytes_are = "1 byte is" if missing == 1 else f"{missing} bytes are"
        what = f"is truncated: at least {bytes_are} missing at its end"
        raise _error(utterance, "truncated", what, "copy or download it again")
    if has_damaged_edge(descriptor):
        what = "is damaged: the checksum of its first or last page is wrong"
        raise _error(utterance, "unreadable", what, "copy or download it again")
    try:
        os.lseek(descriptor, 0, os.SEEK_SET)
        with opened(descriptor) as stream:
            rate = int(stream.samplerate)
            if not LOWEST_RATE <= rate <= HIGHEST_RATE:
                what = f"the header gives a sample rate of {rate} Hz, so it is probably damaged"
                raise _error(utterance, "unreadable", what, "restore the file")
            channel = _channel(stream.channels, utterance)
            return Recording(
                utterance,
                rate,
                stream.channels if channel is None else 1,
                str(stream.subtype),
                descriptor,
                str(stream.format),
                int(stream.frames),
                _extent(stream, utterance),
                channel,
                isinstance(stream, Media),
            )
    except soundfile.LibsndfileError as error:
        raise _unreadable(utterance, error) from None


def channels_of(path: Path) -> int | None:
    """The number of channels that the header of a file gives; None if there is none to read."""
    try:
        check_file(path)
        with present(path) as near, near.open("rb") as file, opened(file.fileno()) as stream:
            return int(stream.channels)
    except (ItemFault, OSError, StoreError, soundfile.LibsndfileError):
        return None


@contextmanager
def opened(descriptor: int) -> Iterator[soundfile.SoundFile | Media]:
    """An open file as its decoder sees it from its beginning; it stays open afterwards.

    Raises OSError at the end if a read failed: the decoder would not say it; for what cannot be
    decoded LibsndfileError, or Undecodable where FFmpeg is the decoder.
    """
    container = container_of(descriptor)
    source = Source(descriptor)
    try:
        if container is not None:
            with opened_media(source, container) as media:
                yield media
            source.check()
            return
        with _OPENING:
            stream = soundfile.SoundFile(source)
        with stream:
            yield stream
    except soundfile.LibsndfileError:
        source.check()
        raise
    source.check()


def _channel(channels: int, utterance: Utterance) -> int | None:
    """The one channel that the listing names for the utterance, where it names one."""
    # One channel only: somebody has taken it out of the recording already.
    if utterance.channel is None or channels == 1:
        return None
    if utterance.channel >= channels:
        what = f"has {channels} channels, so there is no channel {utterance.channel} (from 0)"
        raise _error(utterance, "channel", what, "correct the channel in the listing")
    return utterance.channel


def _extent(stream: soundfile.SoundFile | Media, utterance: Utterance) -> tuple[int, int]:
    """First frame and number of frames of the utterance."""
    rate, frames = stream.samplerate, stream.frames
    # A time can be finite and its sample not: 10³⁰⁸ s is bounded first.
    first = 0 if utterance.start is None else round(min(utterance.start, ENDLESS) * rate)
    last = frames if utterance.end is None else round(min(utterance.end, ENDLESS) * rate)
    overshoot = last - frames if frames < ENDLESS else 0
    if (first and first >= frames) or overshoot > ROUNDING * rate:
        what = f"the segment lies outside the file, which lasts {frames / rate:.2f} s"
        raise _error(utterance, "segment", what, "correct its start and end")
    return first, min(last, frames) - first


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
            "replace it by a WAV, FLAC, Ogg, Opus, MP3 or M4A file",
        )
    reason = error.error_string.removeprefix("Error : ").rstrip(".")
    # libsndfile reports a damaged MP3 as "not a regular file" and a wrong length in the header as
    # an internal failure, both of which would mislead.
    if error.code == _NOT_REGULAR or reason.startswith("Internal"):
        reason = "the header is damaged"
    what = f"is damaged or truncated and cannot be decoded ({reason})"
    return _error(utterance, "unreadable", what, "copy or download it again")


def _refused(utterance: Utterance, error: OSError) -> AudioError:
    """A file that the system does not give; it may do so another time."""
    what = f"cannot be read ({error.strerror})"
    return AudioError("unreadable", PassingProblem(utterance.place, what, "check its permissions"))


def _error(utterance: Utterance, kind: str, what: str, remedy: str) -> AudioError:
    return AudioError(kind, Problem(utterance.place, what, remedy))
