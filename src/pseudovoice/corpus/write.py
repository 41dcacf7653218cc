"""Write audio and listings: a reader sees the old file or the whole new one, never a part."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import numpy as np
import soundfile  # type: ignore[import-untyped, unused-ignore]
from numpy.typing import NDArray

from ..errors import InputError
from .naming import shown

# Extension: format and subtype; None is the format's own default (16 bit, or its only codec).
_FORMATS: dict[str, tuple[str, str | None]] = {
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


@contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """A binary file that takes the place of ``path`` when the block ends without an error.

    It is written in the same folder, since only a move within one file system is atomic, under
    a hidden name that no reader takes for audio, should a killed run leave it behind.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.parent / f".{secrets.token_hex(8)}.tmp"
    try:
        # Not tempfile: it would make the result readable by its owner only.
        with temporary.open("x+b") as stream:
            yield stream
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


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
    suffix = path.suffix.lower()
    if suffix not in _FORMATS:
        raise InputError(
            f"{shown(path)}: audio cannot be written with the extension {suffix or '(none)'}; "
            f"use one of {', '.join(_FORMATS)}."
        )
    samples = np.asarray(samples)
    if samples.size == 0 or not np.isfinite(samples).all():
        fault = "there are no samples" if samples.size == 0 else "samples are NaN or infinite"
        raise InputError(f"{shown(path)}: not written, because {fault}; check what made them.")
    container, default = _FORMATS[suffix]
    # An .opus file is Opus whatever the original was.
    if subtype is None or suffix == ".opus" or not soundfile.check_format(container, subtype):
        subtype = default or soundfile.default_subtype(container)
    try:
        with replacing(path) as stream:
            integers = _rounded(samples, subtype)
            soundfile.write(stream, integers, sample_rate, format=container, subtype=subtype)
    except soundfile.LibsndfileError as error:
        raise InputError(
            f"{shown(path)}: cannot be written as {container} {subtype} at {sample_rate} Hz "
            f"with {1 if samples.ndim == 1 else samples.shape[1]} channels "
            f"({error.error_string.rstrip('.')}); choose another extension or sample rate."
        ) from None
    return int(np.count_nonzero(np.abs(samples) > 1))


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
