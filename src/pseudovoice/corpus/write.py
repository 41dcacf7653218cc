"""Write audio: a reader sees the old file or the whole new one, never a part."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import soundfile  # type: ignore[import-untyped, unused-ignore]
from numpy.typing import NDArray

from ..atomic import replacing
from ..errors import InputError
from .media import PADDING, Media
from .media_write import FORMATS, encoding
from .naming import shown
from .recording import MP3_SLACK, opened
from .sink import Sink

# Extension: format and subtype; None is the format's own default (16 bit, or its only codec).
_SNDFILE: dict[str, tuple[str, str | None]] = {
    ".wav": ("WAV", "PCM_16"),
    ".flac": ("FLAC", "PCM_16"),
    ".ogg": ("OGG", "VORBIS"),
    ".oga": ("OGG", "VORBIS"),
    ".opus": ("OGG", "OPUS"),
    ".mp3": ("MP3", None),
    ".aiff": ("AIFF", "PCM_16"),
    ".aif": ("AIFF", "PCM_16"),
    ".au": ("AU", "PCM_16"),
    ".caf": ("CAF", "PCM_16"),
    ".w64": ("W64", "PCM_16"),
    ".rf64": ("RF64", "PCM_16"),
}


def write_audio(
    path: Path,
    samples: NDArray[np.floating],
    sample_rate: int,
    *,
    subtype: str | None = None,
) -> int:
    """Write samples (frames, or frames × channels, full scale ±1) in the format of the extension.

    ``subtype`` is that of the original (``Sound.subtype``); it is kept if the format can hold it,
    else the format's default is used. Returns the number of samples beyond full scale, which a
    format of integers clips.
    """
    samples = np.asarray(samples)
    channels = 1 if samples.ndim == 1 else samples.shape[1]
    with writing(path, sample_rate, channels, subtype=subtype) as audio:
        audio.write(samples)
    return audio.clipped


def check_writable(path: Path) -> None:
    """Raise InputError unless audio can be written with the extension of this path."""
    suffix = path.suffix.lower()
    if suffix not in _SNDFILE and suffix not in FORMATS:
        raise InputError(
            f"{shown(path)}: audio cannot be written with the extension {suffix or '(none)'}; "
            f"use one of {', '.join((*_SNDFILE, *FORMATS))}."
        )


@contextmanager
def writing(
    path: Path,
    sample_rate: int,
    channels: int,
    *,
    subtype: str | None = None,
    picture: Path | None = None,
) -> Iterator[AudioWriter]:
    """Write audio block by block; as :func:`write_audio`, it is there at the end or not at all.

    Before it takes its place it is opened again: all its samples must be found in it. ``picture``
    is a recording whose picture goes along, where the format is made for pictures.
    """
    check_writable(path)
    with replacing(path) as stream:
        sink = Sink(stream)
        if path.suffix.lower() in FORMATS:
            with encoding(sink, path, sample_rate, channels, picture) as put:
                audio = AudioWriter(path, put)
                yield audio
        else:
            with _sndfile(sink, path, sample_rate, channels, subtype) as put:
                audio = AudioWriter(path, put)
                yield audio
        sink.check()
        audio.check(stream.fileno())


@contextmanager
def _sndfile(
    sink: Sink, path: Path, sample_rate: int, channels: int, subtype: str | None
) -> Iterator[Callable[[NDArray[np.floating]], None]]:
    """What appends samples to a file that libsndfile writes."""
    suffix = path.suffix.lower()
    container, default = _SNDFILE[suffix]
    # An .opus file is Opus whatever the original was.
    if subtype is None or suffix == ".opus" or not soundfile.check_format(container, subtype):
        subtype = default or soundfile.default_subtype(container)
    try:
        with soundfile.SoundFile(
            sink, "w", sample_rate, channels, subtype, format=container
        ) as file:
            yield lambda samples: file.write(_rounded(samples, subtype))
    except soundfile.LibsndfileError as error:
        raise InputError(
            f"{shown(path)}: cannot be written as {container} {subtype} at {sample_rate} Hz "
            f"with {channels} channels "
            f"({error.error_string.rstrip('.')}); choose another extension or sample rate."
        ) from None


class AudioWriter:
    """The samples of a file under way; ``clipped`` counts those beyond full scale."""

    def __init__(self, path: Path, put: Callable[[NDArray[np.floating]], None]) -> None:
        self._path, self._put = path, put
        self._frames = self.clipped = 0

    def write(self, samples: NDArray[np.floating]) -> None:
        """Append samples: frames, or frames × channels."""
        if not np.isfinite(samples).all():
            raise self._nothing("samples are NaN or infinite")
        self._put(samples)
        self._frames += len(samples)
        self.clipped += int(np.count_nonzero(np.abs(samples) > 1))

    def check(self, descriptor: int) -> None:
        """Raise unless the finished file holds what was written into it."""
        if self._frames == 0:
            raise self._nothing("there are no samples")
        os.lseek(descriptor, 0, os.SEEK_SET)
        with opened(descriptor) as file:
            slack = PADDING if isinstance(file, Media) else 0
            slack = MP3_SLACK if file.format == "MP3" else slack
            # Never more than is lost: codecs of whole blocks, such as ADPCM, fill up the last one.
            if self._frames - file.frames > slack:
                raise OSError(f"{file.frames} of {self._frames} samples can be read back")

    def _nothing(self, fault: str) -> InputError:
        return InputError(
            f"{shown(self._path)}: not written, because {fault}; check what made them."
        )


def _rounded(samples: NDArray[np.floating], subtype: str) -> NDArray[np.generic]:
    """Samples as the integers to be stored, where there are 8 or 16 bits.

    libsndfile would round down, which shifts the whole recording by half a step. Samples that
    came from such a file are stored as they were.
    """
    steps = {"PCM_16": 2.0**15, "PCM_U8": 2.0**7, "PCM_S8": 2.0**7}.get(subtype)
    if steps is None:
        return samples
    integers = np.clip(np.rint(samples.astype(np.float64) * steps), -steps, steps - 1)
    return (integers * (2.0**15 / steps)).astype(np.int16)
