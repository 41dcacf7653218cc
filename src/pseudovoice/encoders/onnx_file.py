"""A user's own ONNX file as an encoder: raw waveforms in, or Kaldi filter banks.

What the network takes is told from its input's shape: [batch, time] or [batch, 1, time] is a
waveform, [batch, time, bands] or [batch, bands, time] with a fixed number of bands is a filter
bank. A declaration (see ``onnx_declaration``) settles what the shape leaves open.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from pseudovoice.corpus.recording import HIGHEST_RATE, LOWEST_RATE
from pseudovoice.encoders.frame_encoder import FrameEncoder
from pseudovoice.encoders.onnx_declaration import Declaration, read_declaration
from pseudovoice.errors import InputError
from pseudovoice.models.cache import sha256_of
from pseudovoice.models.one_file import open_own
from pseudovoice.models.session import first_line
from pseudovoice.signal.fbank import kaldi_fbank
from pseudovoice.signal.frames import Float32

_FEWEST_BANDS, _MOST_BANDS = 20, 256
_DEFAULT_RATE = 16_000
_KALDI_SCALE = 32768.0


@dataclass(frozen=True)
class _Layout:
    """How features [n, time(, bands)] become the network's input."""

    bands: int | None = None
    bands_first: bool = False
    channel: bool = False

    def arrange(self, stacked: Float32) -> Float32:
        if self.channel:
            return stacked[:, None, :]
        return np.ascontiguousarray(stacked.swapaxes(1, 2)) if self.bands_first else stacked


def load_onnx(
    path: Path, *, name: str | None = None, declaration: Declaration | None = None, threads: int = 1
) -> FrameEncoder:
    """The encoder ``onnx:PATH``. ``declaration`` takes the place of the JSON beside the file.

    The model is tried on one second of noise, which also tells its dimension.
    """
    if not path.is_file():
        raise InputError(f"{path} does not exist; give the path of an ONNX file.")
    declared = declaration or read_declaration(path)
    session = open_own(path, threads=threads)
    if not session.get_inputs() or not session.get_outputs():
        raise InputError(f"{path} takes or gives nothing, so it is no encoder: export it again.")
    entry, *others = session.get_inputs()
    layout = _layout(entry.shape, declared, path)
    rate = declared.sample_rate or _rate_in(session, path) or _DEFAULT_RATE
    output = _output_name([o.name for o in session.get_outputs()], declared, path)

    def network(features: Float32) -> Float32:
        feeds: dict[str, Any] = {entry.name: layout.arrange(features)}
        for other in others:
            feeds[other.name] = _lengths(other, features, path)
        rows = np.asarray(session.run([output], feeds)[0], np.float32)
        return rows.reshape(len(features), -1)

    encoder = FrameEncoder(
        name=name or f"onnx:{path}",
        sample_rate=rate,
        dimension=0,
        licence=declared.licence,
        sha256=sha256_of(path),
        features=lambda waveform: _features(waveform, declared, layout.bands, rate),
        network=network,
        shortest_seconds=declared.shortest_seconds,
        steps_per_second=100 if layout.bands else rate,
        batched=not isinstance(entry.shape[0], int),
    )
    return replace(encoder, dimension=_dimension(encoder, path))


def _layout(shape: list[int | str | None], declared: Declaration, path: Path) -> _Layout:
    sizes = [size if isinstance(size, int) else None for size in shape]
    found: _Layout | None = None
    match sizes:
        case [_, None]:
            found = _Layout()
        case [_, 1, None]:
            found = _Layout(channel=True)
        case [_, None, int(bands)] if _FEWEST_BANDS <= bands <= _MOST_BANDS:
            found = _Layout(bands)
        case [_, int(bands), None] if _FEWEST_BANDS <= bands <= _MOST_BANDS:
            found = _Layout(bands, bands_first=True)
        case [_, None, None] if declared.input == "fbank":
            found = _Layout(80)
    kind = None if found is None else "fbank" if found.bands else "waveform"
    if found is None or declared.input not in (None, kind):
        wanted = declared.input or "speech"
        raise InputError(
            f"{path} takes an input of shape {shape}, which is no {wanted} of free length: export "
            f"it with the input [batch, time] (waveform) or [batch, time, 80] (filter bank)."
        )
    return found


def _rate_in(session: Any, path: Path) -> int | None:
    """The sample rate that sherpa-onnx and WeSpeaker exports carry in their metadata."""
    rate = session.get_modelmeta().custom_metadata_map.get("sample_rate", "")
    if not rate.strip("0"):
        return None
    if re.fullmatch("[0-9]{1,7}", rate) and LOWEST_RATE <= int(rate) <= HIGHEST_RATE:
        return int(rate)
    raise InputError(
        f"{path} says that its sample rate is {rate[:20]!r}, which is none: declare sample_rate in "
        f"{path.with_suffix('.json')}."
    )


def _output_name(names: list[str], declared: Declaration, path: Path) -> str:
    if declared.output is not None:
        if declared.output not in names:
            raise InputError(
                f"{path} has no output {declared.output!r}; its outputs are {', '.join(names)}."
            )
        return declared.output
    # Exports of trained classifiers often return their logits first.
    return next((name for name in names if name.lower().startswith("emb")), names[0])


def _lengths(other: Any, features: Float32, path: Path) -> Any:
    """Some exports also want every item's length: in steps (integers) or as a share (floats)."""
    if len(other.shape) == 1 and other.type in ("tensor(int64)", "tensor(int32)"):
        return np.full(len(features), features.shape[1], other.type[7:-1])
    if len(other.shape) == 1 and other.type == "tensor(float)":
        return np.ones(len(features), np.float32)
    raise InputError(
        f"{path} wants a second input {other.name} of shape {other.shape}, which is not known: "
        f"export it with speech as its only input."
    )


def _features(waveform: Float32, declared: Declaration, bands: int | None, rate: int) -> Float32:
    if bands is None:
        return waveform * np.float32(declared.scale or 1.0)
    features = kaldi_fbank(waveform, rate=rate, mels=bands, scale=declared.scale or _KALDI_SCALE)
    if declared.subtract_mean:
        features -= features.mean(axis=0)
    return features


def _dimension(encoder: FrameEncoder, path: Path) -> int:
    seconds = max(1.0, encoder.shortest_seconds)
    noise = np.random.default_rng(0).standard_normal(int(seconds * encoder.sample_rate))
    try:
        rows = encoder.network(encoder.features((0.05 * noise).astype(np.float32))[None])
    except InputError:
        raise
    except Exception as error:  # onnxruntime's own exceptions share no base class of theirs
        raise InputError(
            f"{path} fails on one second of noise ({first_line(error)}): declare its input in "
            f"{path.with_suffix('.json')}."
        ) from error
    # An embedding per frame would grow with the duration and cannot be compared by angle.
    if not 2 <= rows.shape[1] <= 8192 or not np.isfinite(rows).all():
        raise InputError(
            f"{path} gives {rows.shape[1]} numbers for one second of noise, which is no speaker "
            f"embedding: declare its output in {path.with_suffix('.json')}."
        )
    return int(rows.shape[1])
