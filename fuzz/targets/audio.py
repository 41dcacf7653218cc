"""Audio in every container that is written here, decoded as recognition does it."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from fuzz.target import Target
from pseudovoice.corpus import AudioError, Utterance, decode, write_audio
from pseudovoice.corpus.recording import channels_of

_CONTAINERS: dict[str, tuple[str, ...]] = {
    "wav": ("PCM_16", "PCM_24", "PCM_U8", "FLOAT", "ULAW", "IMA_ADPCM"),
    "flac": ("PCM_16", "PCM_24"),
    "ogg": ("VORBIS",),
    "opus": ("OPUS",),
    "mp3": ("MPEG_LAYER_III",),
    "aiff": ("PCM_16", "PCM_S8"),
    "au": ("PCM_16", "ALAW"),
    "caf": ("PCM_16", "ALAC_16"),
    "w64": ("PCM_16",),
    "rf64": ("PCM_16",),
    "m4a": ("AAC",),
    "mka": ("FLAC",),
}
_HEAD = 8
"""Bytes before the audio: which part of it is asked for."""

_EXACT = ("PCM_16", "PCM_24", "PCM_U8", "PCM_S8", "FLOAT")
_WORDS: dict[str, tuple[bytes, ...]] = {
    "wav": (b"RIFF", b"RIFX", b"WAVE", b"fmt ", b"data", b"ds64", b"LIST", b"fact", b"\xff" * 4),
    "flac": (b"fLaC", b"\xff\xf8", b"\x84\x00\x00\x28"),
    "ogg": (b"OggS", b"\x01vorbis", b"\x03vorbis", b"\x05vorbis", b"\xff" * 8),
    "opus": (b"OggS", b"OpusHead", b"OpusTags", b"\xff" * 8),
    "mp3": (b"ID3\x04", b"Xing", b"Info", b"VBRI", b"\xff\xfb\x90\x00", b"\xff\xf3\x40\xc0"),
    "aiff": (b"FORM", b"AIFF", b"AIFC", b"COMM", b"SSND", b"sowt", b"\x40\x0b"),
    "au": (b".snd", b"\0\0\0\x18", b"\xff" * 4),
    "caf": (b"caff", b"desc", b"data", b"lpcm", b"alac", b"pakt", b"\xff" * 8),
    "w64": (b"riff\x2e\x91\xcf\x11", b"wave", b"fmt ", b"data"),
    "rf64": (b"RF64", b"BW64", b"ds64", b"data", b"\xff" * 8),
    "m4a": (b"ftyp", b"moov", b"mdat", b"moof", b"stsz", b"stts", b"elst", b"esds", b"\0\0\0\1"),
    "mka": (b"\x1a\x45\xdf\xa3", b"\x18\x53\x80\x67", b"\x01" + b"\xff" * 7, b"A_FLAC", b"\xa3"),
}


def _reader(suffix: str) -> Callable[[Path, bytes], None]:
    def read(folder: Path, data: bytes) -> None:
        head, content = data[:_HEAD], data[_HEAD:]
        path = folder / f"a.{suffix}"
        path.write_bytes(content)
        channels_of(path)
        start, end, channel = _part(head)
        sound = decode(Utterance("a", "anna", path, start, end, channel=channel))
        assert sound.samples.size
        assert np.isfinite(sound.samples).all()
        if suffix == "wav" and sound.subtype in _EXACT and abs(sound.samples).max() <= 1:
            again = folder / "again.wav"
            write_audio(again, sound.samples, sound.sample_rate, subtype=sound.subtype)
            reread = decode(Utterance("a", "anna", again))
            assert np.array_equal(reread.samples, sound.samples), "another sound was read again"

    return read


def _part(head: bytes) -> tuple[float | None, float | None, int | None]:
    """Whole most of the time; else a part in milliseconds, and a channel."""
    if len(head) < _HEAD or not head[0]:
        return None, None, None
    _, channel, start, length = struct.unpack("<BBHI", head)
    return start / 1000, (start + length) / 1000, channel - 1 if channel else None


def _seeds(suffix: str) -> Callable[[Path], Sequence[bytes]]:
    def make(folder: Path) -> Sequence[bytes]:
        time = np.arange(960) / 8000
        tone = 0.5 * np.sin(2 * np.pi * 440 * time)
        seeds = []
        for subtype in _CONTAINERS[suffix]:
            for samples in (tone, np.stack([tone, -tone], axis=1)):
                path = folder / f"seed.{suffix}"
                write_audio(path, samples, 8000, subtype=subtype)
                seeds.append(bytes(_HEAD) + path.read_bytes())
        return [*seeds, struct.pack("<BBHI", 1, 2, 10, 50) + seeds[1][_HEAD:]]

    return make


TARGETS = tuple(
    Target(
        suffix,
        _reader(suffix),
        _seeds(suffix),
        _WORDS[suffix],
        refusals=(AudioError,),
        longest=12_000,
        smoke=200,
    )
    for suffix in _CONTAINERS
)
