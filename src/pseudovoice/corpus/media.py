"""Sound of the containers that phones, cameras and browsers write, decoded by PyAV (FFmpeg).

Conventions
-----------
- Sample 0 is the first that is meant to be heard: what an encoder puts before it is left out.
- Time stamps decide where a part of the file lies. Where they leave something out, there is
  silence, so that sound and picture stay together.
- Of several tracks of sound the one that FFmpeg takes for the best is read.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .faults import Undecodable
from .source import Source

if TYPE_CHECKING:
    from av.container import InputContainer

CONVERT = "convert it to WAV or FLAC with another program"

ENDLESS = 1 << 40
"""Frames of what does not tell its length."""

PADDING = 4096
"""Samples that codecs of whole blocks put behind the last one, at most."""

# Decoders of sound, and no others: all that is never opened cannot be attacked.
_DECODERS = frozenset(
    ("aac", "aac_latm", "alac", "amrnb", "amrwb", "ac3", "eac3", "flac", "libopus")
)
_DECODERS |= frozenset(("mp2", "mp3", "mp3float", "opus", "vorbis", "adpcm_ima_qt", "adpcm_ms"))
_DECODERS |= frozenset(("wmalossless", "wmapro", "wmav1", "wmav2", "wmavoice"))
_DECODERS |= frozenset(("pcm_alaw", "pcm_mulaw", "pcm_s8", "pcm_u8"))
_DECODERS |= frozenset(
    f"pcm_{kind}{bits}{order}"
    for kind, bits in (("s", 16), ("s", 24), ("s", 32), ("f", 32), ("f", 64))
    for order in ("le", "be")
)
# Bare frames: without an index a place can only be found by reading up to it, and the length is
# a guess from the first bit rates.
_WITHOUT_INDEX = ("aac", "amr")
# Decoders need what came before: Opus 80 ms, AAC a frame.
_PREROLL = 0.5
# Time stamps are rounded, often to milliseconds.
_JITTER = 0.1
_MOST_SILENCE = 600.0
_PIECE = 1 << 16
# What a copy without loss needs; a lossy codec bears its own name.
_SUBTYPES = {"s16": "PCM_16", "s16p": "PCM_16", "s32": "PCM_24", "s32p": "PCM_24", "u8": "PCM_U8"}

Block = NDArray[np.float32]


class Media:
    """An open file, as far as :class:`~.recording.Recording` asks ``soundfile.SoundFile``.

    ``frames`` is what the header tells, rarely to the sample, and is never relied on for the end.
    """

    def __init__(self, container: InputContainer, name: str) -> None:
        stream = container.streams.best("audio")
        if stream is None:
            raise Undecodable("holds no sound", "leave it out")
        codec = stream.codec_context.name
        if codec not in _DECODERS:
            raise Undecodable(f"its sound is coded as {codec}, which is not read here", CONVERT)
        self._container, self._stream, self.format = container, stream, name
        self._decoded: Iterator[Any] = iter(container.decode(stream))
        head = next(self._decoded, None)
        if head is None:
            raise Undecodable("contains no sound", "record it again")
        self._head = head
        self.samplerate, self.channels = int(head.sample_rate), int(head.layout.nb_channels)
        self.frames = self._promised()
        self.subtype = _SUBTYPES.get(head.format.name, codec.upper())

    def _promised(self) -> int:
        stream, container = self._stream, self._container
        if self.format in _WITHOUT_INDEX:
            return ENDLESS
        if stream.duration is not None and stream.time_base is not None:
            seconds = float(stream.duration * stream.time_base)
        else:  # of the longest track, in microseconds
            seconds = (container.duration or 0) / 1e6
        frames = round(seconds * self.samplerate)
        return frames if 0 < frames < ENDLESS else ENDLESS

    @property
    def starts(self) -> float:
        """When the sound begins on the clock of the file, in seconds."""
        return 0.0 if self._head.time is None else float(self._head.time)

    def blocks(self, first: int, wanted: int, size: int) -> Iterator[Block]:
        """Up to ``wanted`` samples (frames × channels) from ``first``, ``size`` at a time."""
        left, kept, count = wanted, list[Block](), 0
        pieces = _without_padding(self._pieces(first), self.frames - first)
        for piece in pieces:
            left -= len(part := piece[:left])
            kept.append(part)
            count += len(part)
            while count >= size:
                whole = np.concatenate(kept)
                yield whole[:size]
                kept, count = [whole[size:]], count - size
            if left <= 0:
                break
        if count:
            yield np.concatenate(kept)

    def _pieces(self, first: int) -> Iterator[Block]:
        """All samples from ``first`` on, with silence where there are none."""
        at: int | None = None
        silence = 0
        for frame in self._frames_from(first):
            samples = self._samples(frame)
            there = self._place(frame)
            if at is None:
                at = there or 0
            gap = 0 if there is None else there - at
            if gap > _JITTER * self.samplerate:
                silence += gap
                if silence > _MOST_SILENCE * self.samplerate:
                    minutes = silence / self.samplerate / 60
                    raise Undecodable(f"its time stamps leave out {minutes:.0f} min", CONVERT)
                for k in range(0, gap, _PIECE):
                    quiet = np.zeros((min(_PIECE, gap - k), self.channels), np.float32)
                    yield quiet[max(0, first - at) :]
                    at += len(quiet)
            yield samples[max(0, first - at) :]
            at += len(samples)

    def _frames_from(self, first: int) -> Iterator[Any]:
        """Decoded frames; the first of them holds the sample or lies before it."""
        if first <= _PREROLL * self.samplerate or self.format in _WITHOUT_INDEX:
            return chain((self._head,), self._decoded)
        for seconds in (first / self.samplerate - _PREROLL, 0.0):
            clock = self._stream.time_base
            offset = round((seconds + self.starts) / clock) if clock else 0
            self._container.seek(offset, stream=self._stream)
            frames = iter(self._container.decode(self._stream))
            head = next(frames, None)
            if head is not None and (self._place(head) or 0) <= first:
                return chain((head,), frames)
        raise Undecodable("its index is damaged", CONVERT)

    def _place(self, frame: Any) -> int | None:
        """The sample at which a frame begins, by its time stamp; None without one."""
        if frame.time is None:
            return None
        return round((float(frame.time) - self.starts) * self.samplerate)

    def _samples(self, frame: Any) -> Block:
        if (frame.sample_rate, frame.layout.nb_channels) != (self.samplerate, self.channels):
            what = (
                f"changes from {self.samplerate} Hz and {self.channels} channels to "
                f"{frame.sample_rate} Hz and {frame.layout.nb_channels} in between"
            )
            raise Undecodable(what, CONVERT)
        data = frame.to_ndarray()
        if not frame.format.is_planar:
            data = data.reshape(-1, self.channels).T
        steps = 1 if data.dtype.kind == "f" else 2.0 ** (8 * data.dtype.itemsize - 1)
        middle = 128 if data.dtype.kind == "u" else 0
        return np.ascontiguousarray(((data - middle) / steps).T, np.float32)


def _without_padding(pieces: Iterable[Block], length: int) -> Iterator[Block]:
    """Pieces up to the promised length, if only padding follows; else all of them."""
    held: list[Block] = []
    for piece in pieces:
        inside = max(0, length)
        length -= len(piece)
        if length >= 0:
            yield piece
            continue
        if inside:
            yield piece[:inside]
        held.append(piece[inside:])
        if -length > PADDING:
            yield from held
            held = []


@contextmanager
def demuxed(
    source: Source, name: str, decoders: Collection[str] = _DECODERS
) -> Iterator[InputContainer]:
    """An open file in the container of this (FFmpeg's) name; only ``decoders`` may look into it.

    Raises Undecodable, also for what goes wrong while it is open.
    """
    try:
        import av
    except ImportError:
        raise Undecodable(
            "is read by PyAV, which is not installed",
            "install it (pip install av), or convert the file to WAV or FLAC",
        ) from None
    # No name in a file may make another be opened.
    options = {"codec_whitelist": ",".join(sorted(decoders)), "protocol_whitelist": "none"}
    try:
        # A tag need not be UTF-8.
        with av.open(
            source, "r", format=name, options=options, metadata_errors="replace"
        ) as container:
            yield container
    except av.FFmpegError as error:
        source.check()
        reason = (error.strerror or "damaged").lower()
        what = f"is damaged or truncated and cannot be decoded ({reason})"
        raise Undecodable(what, "copy or download it again") from None


@contextmanager
def opened_media(source: Source, name: str) -> Iterator[Media]:
    """The sound of an open file; see :func:`demuxed`."""
    with demuxed(source, name) as container:
        yield Media(container, name)
