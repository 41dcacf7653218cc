"""Encoders by name."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from pseudovoice.errors import UsageError

if TYPE_CHECKING:  # encoders can be named without loading what runs them
    from pseudovoice.encoders.encoder import Encoder

DEFAULT_ENCODER = "resnet34-lm"


def _resnet34(name: str, *, threads: int) -> Encoder:
    from pseudovoice.encoders.resnet34 import load_resnet34

    return load_resnet34(name, threads=threads)


def _ecapa(*, threads: int) -> Encoder:
    from pseudovoice.encoders.ecapa import load_ecapa

    return load_ecapa(threads=threads)


def _ge2e(*, threads: int) -> Encoder:
    from pseudovoice.encoders.ge2e import load_ge2e

    return load_ge2e(threads=threads)


_LOADERS: dict[str, Callable[..., Encoder]] = {
    "resnet34-lm": partial(_resnet34, "resnet34-lm"),
    "ecapa": _ecapa,
    "ge2e": _ge2e,
    "resnet34": partial(_resnet34, "resnet34"),
    "resnet34-lm-hub": partial(_resnet34, "resnet34-lm-hub"),
}

ENCODER_NAMES: tuple[str, ...] = tuple(_LOADERS)


def load_encoder(name: str = DEFAULT_ENCODER, *, threads: int = 1) -> Encoder:
    """Load an encoder, fetching its weights into the user's cache the first time.

    ``name`` is one of :data:`ENCODER_NAMES`, ``fusion:a+b+c`` of such names, ``onnx:PATH`` (see
    :func:`load_onnx`) or ``hf:org/name[/file.onnx]`` (see :func:`load_hub`).
    """
    from pseudovoice.encoders.fusion import FusedEncoder
    from pseudovoice.encoders.hub import load_hub
    from pseudovoice.encoders.onnx_file import load_onnx

    kind, colon, rest = name.partition(":")
    if not colon and kind in _LOADERS:
        return _LOADERS[kind](threads=threads)
    if colon and kind == "fusion":
        return FusedEncoder(tuple(load_encoder(part, threads=threads) for part in rest.split("+")))
    if colon and kind == "onnx":
        return load_onnx(Path(rest), threads=threads)
    if colon and kind == "hf":
        return load_hub(name, threads=threads)
    raise UsageError(
        f"There is no encoder {name!r}; name {', '.join(ENCODER_NAMES)}, a fusion such as "
        f"fusion:resnet34-lm+ecapa, a file as onnx:PATH or a model id as hf:org/name."
    )
