"""A voice of others that gives waveforms: soft content in, a vocoder that is told a speaker.

Such are HuBERT-soft and a HiFi-GAN conditioned on embeddings (Miao et al. 2022), as two ONNX files
with a declaration beside them. ``content.onnx`` takes a waveform of 16 kHz, [1, n] or [1, 1, n],
and gives content [1, T, c]; ``vocoder.onnx`` takes ``content``, ``pitch`` [1, P] in Hz, 0 where
unvoiced, and ``target`` [1, d], and gives a waveform. Nothing in a folder is run or unpickled but
these graphs, whose hashes the declaration names.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import onnxruntime
import soxr

from pseudovoice.errors import InputError
from pseudovoice.models.one_file import open_own
from pseudovoice.models.session import first_line
from pseudovoice.safeguards.xvector.declaration import (
    CONTENT_FILE,
    DECLARATION_FILE,
    VOCODER_FILE,
    Declaration,
    read_declaration,
)
from pseudovoice.safeguards.xvector.frames import (
    FRAME,
    RATE,
    SHARED,
    Float32,
    Float64,
    energy_of,
    f0_at,
    loudest,
    steps,
)
from pseudovoice.safeguards.xvector.pool import Pool
from pseudovoice.safeguards.xvector.space import Space, space_of

INPUTS = ("content", "pitch", "target")


@dataclass(frozen=True)
class WaveformVoice:
    """Says content through a vocoder; targets lie among the people of a pool."""

    declared: Declaration
    space: Space
    hearing: onnxruntime.InferenceSession = field(repr=False)
    vocoder: onnxruntime.InferenceSession = field(repr=False)

    @property
    def identity(self) -> str:
        return f"{CONTENT_FILE} {self.declared.sha256[CONTENT_FILE]} {self.declared.content_pad}"

    def content(self, waveform: Float32) -> Float32:
        (entry,) = self.hearing.get_inputs()
        padded = np.pad(waveform, self.declared.content_pad)
        shape = (1,) * (len(entry.shape) - 1) + (-1,)
        frames = self.hearing.run(None, {entry.name: padded.reshape(shape)})[0]
        return np.asarray(frames[0], np.float32)

    def say(self, content: Float32, f0: Float64, place: Float64) -> Float64:
        told, size = self.declared, f0.size * FRAME
        values = max(1, len(content) * told.content_step // told.pitch_step)
        # The middle of the stretch that a value stands for.
        times = told.pitch_step * (np.arange(values) + 0.5)
        target = told.norm * self.space.directions(place[None])
        fed = (content, f0_at(times, FRAME * np.arange(f0.size), f0), target[0])
        feeds = {name: np.asarray(a, np.float32)[None] for name, a in zip(INPUTS, fed, strict=True)}
        made = np.ravel(self.vocoder.run(None, feeds)[0]).astype(np.float64)
        if told.sample_rate != RATE:
            made = soxr.resample(made, told.sample_rate, RATE)
        out = np.zeros(size)
        out[: min(size, made.size)] = made[:size]
        # At what level it speaks is its own affair.
        level = np.exp(loudest(energy_of(out.astype(np.float32))) / 2)
        return np.asarray(out / max(level, 1e-4), np.float64)


def read_waveform_voice(folder: Path, pool: Pool, *, threads: int = 1) -> WaveformVoice:
    """The voice in a folder that has a declaration, for targets among these people.

    It is tried on one second of noise: what does not fit is said now.
    """
    declared = read_declaration(folder / DECLARATION_FILE)
    declared.check_files(folder)
    hearing, vocoder = (
        open_own(folder / name, threads=threads) for name in (CONTENT_FILE, VOCODER_FILE)
    )
    _check_inputs(folder / CONTENT_FILE, [e.name for e in hearing.get_inputs()], 1)
    _check_inputs(folder / VOCODER_FILE, [e.name for e in vocoder.get_inputs()], len(INPUTS))
    space = space_of(declared.encoder, pool.embeddings)
    voice = WaveformVoice(declared, space, hearing, vocoder)
    _try(voice, folder)
    return voice


def _check_inputs(path: Path, names: list[str], count: int) -> None:
    if len(names) != count or (count > 1 and set(names) != set(INPUTS)):
        wanted = "a waveform alone" if count == 1 else ", ".join(INPUTS)
        raise InputError(
            f"{path} takes {', '.join(names) or 'nothing'}, and a voice is given {wanted}; export "
            "it again with such inputs."
        )


def _try(voice: WaveformVoice, folder: Path) -> None:
    noise = (0.05 * np.random.default_rng(0).standard_normal(RATE)).astype(np.float32)
    f0 = np.full(SHARED * steps(RATE), 150.0)
    try:
        content = voice.content(noise)
        frames = RATE // voice.declared.content_step
        if content.ndim != 2 or not abs(len(content) - frames) <= 2:
            raise ValueError(f"content of shape {content.shape}, not about [{frames}, n]")
        made = voice.say(content, f0, np.zeros(len(voice.space.axes)))
        if not np.isfinite(made).all() or not made.any():
            raise ValueError("no sound")
    except Exception as error:  # onnxruntime's own exceptions share no base class of theirs
        raise InputError(
            f"The voice in {folder} fails on one second of noise ({first_line(error)}): check "
            f"{DECLARATION_FILE}, or export it again."
        ) from error
