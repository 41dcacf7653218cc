"""The picture of a recording, packet by packet, to go beside new sound.

It is handed on as it is, without being decoded. Whatever else a file may say of people stays
behind: tags, covers, subtitles, other tracks, and the notes that H.264 and H.265 keep between their
frames, in which cameras put their number, the time and the place.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import InputError
from .containers import container_of
from .faults import Undecodable
from .media import demuxed, opened_media
from .naming import shown
from .source import Source

if TYPE_CHECKING:
    from av.container import InputContainer, OutputContainer

# Some containers do not say in which order frames are to be shown, so one is looked at.
_DECODERS = ("av1", "h263", "h264", "hevc", "libdav1d", "mjpeg", "mpeg4", "vp8", "vp9")
# Numbers of the units that are notes (SEI).
_NOTES = {"h264": "filter_units=remove_types=6", "hevc": "filter_units=remove_types=39-40"}
# Players of MPEG-4 know H.265 by this mark; FFmpeg's own choice is another.
_MARKS = {("hevc", "mp4"): "hvc1", ("hevc", "mov"): "hvc1"}

# H.264 and H.265 keep back no more frames than this.
_MOST_LATE = 16


class Picture:
    """The moving picture of an open recording; ``starts`` is when its sound begins, in seconds."""

    def __init__(self, container: InputContainer, starts: float) -> None:
        self.starts = starts
        self._stream = _moving(container)
        self._packets = _in_order(one for one in container.demux(self._stream) if one.size)
        self._next = next(self._packets, None)

    def join(self, out: OutputContainer, place: Path) -> None:
        """Take a place in a file that is about to be written."""
        from av.bitstream import BitStreamFilterContext

        codec = self._stream.codec_context.name
        try:
            track = out.add_stream_from_template(self._stream, opaque=True)
        except ValueError:
            raise InputError(
                f"{shown(place)}: cannot hold the picture, which is {codec}; choose .mkv, or .wav "
                "for the sound alone."
            ) from None
        mark = _MARKS.get((codec, out.format.name))
        if mark is not None:
            track.codec_context.codec_tag = mark
        self._out, self._track = out, track
        self._notes = BitStreamFilterContext(_NOTES.get(codec, "null"), self._stream, track)

    def until(self, seconds: float) -> None:
        """Hand on all that is seen up to this moment of the sound."""
        seconds += self.starts
        while self._next is not None and self._next.dts * self._next.time_base <= seconds:
            self._hand_on(self._next)
            self._next = next(self._packets, None)

    def end(self) -> None:
        """Hand on all the rest."""
        self.until(float("inf"))
        self._hand_on(None)

    def _hand_on(self, packet: Any) -> None:
        for one in self._notes.filter(packet):
            one.stream = self._track
            self._out.mux(one)


def has_picture(recording: Path) -> bool:
    """Whether there is a moving picture in a file; a cover does not move."""
    try:
        with recording.open("rb") as file:
            name = container_of(file.fileno())
            if name is None:
                return False
            with demuxed(Source(file.fileno()), name) as container:
                return _moving(container) is not None
    except Undecodable:
        return False  # whoever reads its sound says why


@contextmanager
def picture_of(recording: Path) -> Iterator[Picture]:
    """The picture of a recording that :func:`has_picture`."""
    with recording.open("rb") as file:
        name = container_of(file.fileno()) or ""
        with opened_media(Source(file.fileno()), name) as sound:
            starts = sound.starts
        file.seek(0)
        with demuxed(Source(file.fileno()), name, _DECODERS) as container:
            yield Picture(container, starts)


def _in_order(packets: Iterator[Any]) -> Iterator[Any]:
    """Packets that all say when they are to be decoded.

    Matroska does not, and of the first ones, up to the first that is shown late, FFmpeg cannot tell
    it: they come one after the other before it.
    """
    first: list[Any] = []
    for packet in packets:
        first.append(packet)
        if len(first) > _MOST_LATE or (packet.dts is not None and len(first) > 1):
            break
    known = [k for k, one in enumerate(first) if one.dts is not None]
    step = max(1, first[0].duration or 1) if first else 1
    for k, one in enumerate(first):
        if one.dts is None:
            one.dts = first[known[0]].dts + (k - known[0]) * step if known else one.pts
        yield one
    last = first[-1].dts if first else None
    for packet in packets:
        if packet.dts is None and last is not None:
            packet.dts = last + 1
        last = packet.dts
        yield packet


def _moving(container: InputContainer) -> Any:
    from av.stream import Disposition

    still = Disposition.attached_pic | Disposition.still_image | Disposition.timed_thumbnails
    return next((one for one in container.streams.video if not one.disposition & still), None)
