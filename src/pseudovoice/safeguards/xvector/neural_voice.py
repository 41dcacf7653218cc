"""A neural voice as it is used: an ONNX graph, and what it needs to know besides."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
from numpy.typing import NDArray

from pseudovoice.asr.ctc.front_end import FrontEnd, load_front_end
from pseudovoice.atomic import write_atomic
from pseudovoice.errors import InputError
from pseudovoice.json_tree import json_tree
from pseudovoice.models.session import open_session
from pseudovoice.plain_arrays import plain_arrays
from pseudovoice.safeguards.xvector.frames import (
    SHARED,
    Float32,
    Float64,
    content_of,
    waveform_of,
)
from pseudovoice.safeguards.xvector.space import Space

FORMAT = 1
GRAPH_FILE, ABOUT_FILE = "voice.onnx", "voice.npz"
SHIPPED = "weights"

COMMON_PITCH, PITCH_UNIT = 150.0, 0.35
"""Hz that log F0 is told against, and the unit of it."""

TOLD = 2
"""Numbers that are told of a frame besides its content."""

MANY = 40
"""Frames of content that are counted with the common ones: the mean of a word is no mean."""

CHUNK, MARGIN = 1000, 40
"""Frames of content that are spoken at once, and those heard around them."""


@dataclass(frozen=True)
class About:
    """What a voice was trained with: content's mean and deviation, the space of its targets.

    ``told`` has the front end that hears content, the recipe, the graph's sha256 and so on.
    """

    content_mean: Float64
    content_deviation: Float64
    space: Space
    told: Mapping[str, Any] = field(default_factory=dict)

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        space = {
            "space_mean": self.space.mean,
            "space_axes": self.space.axes,
            "space_deviation": self.space.deviation,
        }
        content = {
            "content_mean": self.content_mean,
            "content_deviation": self.content_deviation,
        }
        return {name: a.astype(np.float32) for name, a in (space | content).items()}

    def normalised(self, content: Float32) -> Float32:
        """Content [T, n] less its own mean, in its own deviation: both tell who speaks."""
        count = len(content)
        both = count + MANY
        mean = (count * content.mean(axis=0) + MANY * self.content_mean) / both
        variance = (count * content.var(axis=0) + MANY * np.square(self.content_deviation)) / both
        scaled: Float32 = ((content - mean) / np.sqrt(variance + 1e-6)).astype(np.float32)
        return scaled


def prosody(f0: Float64) -> Float32:
    """What is told of every frame: log F0, and whether it is voiced.

    Not its energy, which would tell the room, the noise of pauses and who speaks.
    """
    voiced = f0 > 0
    told = np.where(voiced, height(np.maximum(f0, 1.0)), 0.0)
    return np.stack([told, voiced], axis=-1).astype(np.float32)


def height(f0: Any) -> Any:
    """F0 in Hz, or an array of it, as it is told."""
    return np.log(f0 / COMMON_PITCH) / PITCH_UNIT


@dataclass(frozen=True)
class NeuralVoice:
    """Speaks content with a pitch as a target; sessions are shared by all threads."""

    about: About
    front_end: FrontEnd
    graph: onnxruntime.InferenceSession = field(repr=False)

    @cached_property
    def dimensions(self) -> int:
        return len(self.about.space.axes)

    @property
    def identity(self) -> str:
        return self.front_end.identity

    @property
    def space(self) -> Space:
        return self.about.space

    def content(self, waveform: Float32) -> Float32:
        return content_of(self.front_end, waveform)

    def say(self, content: Float32, f0: Float64, place: Float64) -> Float64:
        """Samples; content as it was heard, and in the rhythm of F0."""
        return waveform_of(self.speak(self.about.normalised(content), prosody(f0), place), f0)

    def speak(self, content: Float32, told: Float32, place: Float64) -> Float32:
        """What is spoken [3T, n]; ``content`` [T, c] is normalised, ``told`` [3T, 2] the prosody.

        In chunks that hear their surroundings: memory does not grow with the length.
        """
        target = np.asarray(place, np.float32)[None]
        parts = []
        for first in range(0, len(content), CHUNK):
            begin, last = max(0, first - MARGIN), min(first + CHUNK, len(content))
            end = min(last + MARGIN, len(content))
            spoken = self.graph.run(
                None,
                {
                    "content": content[None, begin:end],
                    "prosody": told[None, SHARED * begin : SHARED * end],
                    "target": target,
                },
            )[0][0]
            parts.append(spoken[SHARED * (first - begin) :][: SHARED * (last - first)])
        return np.concatenate(parts)


def write_voice(folder: Path, graph: bytes, about: About) -> None:
    """The two files of a voice: first the graph, then what names its hash."""
    write_atomic(folder / GRAPH_FILE, graph)
    told = {**about.told, "format": FORMAT, "sha256": hashlib.sha256(graph).hexdigest()}
    told["encoder"] = about.space.encoder
    stream = io.BytesIO()
    text = np.array(json.dumps(told, sort_keys=True, allow_nan=False))
    np.savez_compressed(stream, allow_pickle=False, json=text, **about.to_arrays())
    write_atomic(folder / ABOUT_FILE, stream.getvalue())


def read_about(folder: Path) -> About:
    """What a folder says of its voice, and says of the network that lies there."""
    about = _about(folder / ABOUT_FILE)
    path = folder / GRAPH_FILE
    if not path.is_file() or hashlib.sha256(path.read_bytes()).hexdigest() != about.told["sha256"]:
        raise InputError(
            f"{path} is not the network that {ABOUT_FILE} beside it describes; train it again, or "
            "copy both files anew."
        )
    return about


def read_voice(folder: Path, *, threads: int = 1) -> NeuralVoice:
    """The voice in a folder that `pseudovoice train voice` wrote."""
    about, path = read_about(folder), folder / GRAPH_FILE
    front_end = load_front_end(str(about.told["front_end"]), threads=threads)
    if front_end.identity != about.told["front_end_identity"]:
        raise InputError(
            f"{path} learnt from content of another {front_end.name} than the one here; train it "
            "again."
        )
    return NeuralVoice(about, front_end, open_session(path, threads=threads, in_turn=True))


def _about(path: Path) -> About:
    try:
        arrays = {name: np.asarray(a) for name, a in plain_arrays(path).items()}
        told = json_tree(str(arrays.pop("json")))
        if not isinstance(told, dict) or told.pop("format", None) != FORMAT:
            raise ValueError("it is of another format")
        for name in ("sha256", "front_end", "front_end_identity", "encoder"):
            str(told[name])
        numbers = {name: a.astype(np.float64) for name, a in arrays.items()}
        space = Space(
            str(told["encoder"]),
            *(numbers[f"space_{part}"] for part in ("mean", "axes", "deviation")),
        )
        if space.axes.shape != (space.deviation.size, space.mean.size):
            raise ValueError("its parts do not fit each other")
        return About(numbers["content_mean"], numbers["content_deviation"], space, told)
    except FileNotFoundError:
        raise InputError(
            f"{path} does not exist; give a folder that `pseudovoice train voice` wrote."
        ) from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(
            f"{path} describes no neural voice ({error}); train it again with "
            "`pseudovoice train voice`."
        ) from None


@contextmanager
def shipped_folder() -> Iterator[Path]:
    """Where the voice lies that comes with this package."""
    with as_file(files("pseudovoice.safeguards.xvector") / SHIPPED) as folder:
        if not (folder / ABOUT_FILE).is_file():
            raise InputError(
                f"The neural voice that comes with pseudovoice is not in {folder}; install "
                "pseudovoice again, or name a voice of your own (xvector:voice=FOLDER)."
            )
        yield folder


@cache
def shipped_voice() -> NeuralVoice:
    """The voice that comes with this package; opened once."""
    with shipped_folder() as folder:
        return read_voice(folder)
