"""Write sound into the containers of phones, cameras and browsers, by PyAV (FFmpeg).

Nothing goes in but the samples and, if asked for, a picture. The same samples give the same bytes
whenever they are written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from .faults import Undecodable
from .naming import shown
from .picture import picture_of
from .sink import Sink

# Extension: FFmpeg's container, and the codec of the sound.
FORMATS = {
    ".m4a": ("ipod", "aac"),
    ".mka": ("matroska", "flac"),
    ".mp4": ("mp4", "aac"),
    ".mov": ("mov", "aac"),
    ".mkv": ("matroska", "flac"),
    ".webm": ("webm", "libopus"),
}
FOR_PICTURES = (".mp4", ".mov", ".mkv", ".webm")
_LAYOUTS = ("mono", "stereo", "3.0", "4.0", "5.0", "5.1", "6.1", "7.1")
# Neither the version nor random numbers, in the container and in the sound.
_SAME_CONTAINER, _SAME_SOUND = {"fflags": "+bitexact"}, {"flags": "+bitexact"}
# Whatever goes into Opus, this comes out.
_OPUS = 48_000
# Bits for a sample, and bits a second for a channel at most: more than a voice needs.
_BITS, _MOST_BITS = 4, 128_000


@contextmanager
def encoding(
    sink: Sink, path: Path, sample_rate: int, channels: int, picture: Path | None
) -> Iterator[Callable[[NDArray[np.floating]], None]]:
    """What appends samples (frames × channels) to a file that is to become ``path``.

    ``picture`` is a recording whose picture goes along. Raises InputError.
    """
    container, codec = FORMATS[path.suffix.lower()]
    if codec == "libopus" and sample_rate != _OPUS:
        raise InputError(
            f"{shown(path)}: sound in WebM has {_OPUS} Hz, and this has {sample_rate} Hz; choose "
            "another extension, such as .mkv."
        )
    if channels > len(_LAYOUTS):
        raise InputError(
            f"{shown(path)}: holds {len(_LAYOUTS)} channels at most, not {channels}; choose .wav."
        )
    try:
        import av
    except ImportError:
        raise InputError(
            f"{shown(path)}: is written by PyAV, which is not installed; install it (pip install "
            "av), or choose .wav or .flac."
        ) from None

    @contextmanager
    def said() -> Iterator[None]:
        """Our sentence for what FFmpeg refuses, and not for what fails while samples are made."""
        try:
            yield
        except Undecodable as fault:
            raise InputError(f"{shown(picture or path)}: {fault.what}; {fault.remedy}.") from None
        except (av.FFmpegError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise InputError(
                f"{shown(path)}: cannot be written as {codec} at {sample_rate} Hz with {channels} "
                f"channels ({reason.rstrip('.').lower()}); choose another extension, such as .wav."
            ) from None

    with ExitStack() as stack:
        with said():
            seen = None if picture is None else stack.enter_context(picture_of(picture))
            options = dict(_SAME_CONTAINER)
            if codec == "aac":
                # The length would be rounded to milliseconds.
                options["movie_timescale"] = str(sample_rate)
            out = stack.enter_context(
                av.open(sink, "w", format=container, container_options=options)
            )
            if seen is not None:
                seen.join(out, path)
            track: Any = out.add_stream(codec, rate=sample_rate, options=_SAME_SOUND)
            track.layout = _LAYOUTS[channels - 1]
            track.bit_rate = channels * min(_BITS * sample_rate, _MOST_BITS)
            first = 0 if seen is None else round(seen.starts * sample_rate)
        done = 0

        def put(samples: NDArray[np.floating]) -> None:
            nonlocal done
            row = np.ascontiguousarray(samples, np.float32).reshape(1, -1)
            frame = av.AudioFrame.from_ndarray(row, format="flt", layout=track.layout.name)
            frame.sample_rate, frame.pts = sample_rate, first + done
            done += len(samples)
            with said():
                out.mux(track.encode(frame))
                if seen is not None:
                    seen.until(done / sample_rate)

        yield put
        with said():
            out.mux(track.encode(None))
            if seen is not None:
                seen.end()
            out.close()
