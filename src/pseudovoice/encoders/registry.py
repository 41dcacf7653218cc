"""Encoders by name."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib.metadata import entry_points
from pathlib import Path
from typing import TYPE_CHECKING

from pseudovoice.errors import InputError, PseudovoiceError, UsageError

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


def _prosody(*, threads: int) -> Encoder:
    from pseudovoice.encoders.prosody import load_prosody

    del threads  # it has one
    return load_prosody()


_LOADERS: dict[str, Callable[..., Encoder]] = {
    "resnet34-lm": partial(_resnet34, "resnet34-lm"),
    "ecapa": _ecapa,
    "ge2e": _ge2e,
    "resnet34": partial(_resnet34, "resnet34"),
    "resnet34-lm-hub": partial(_resnet34, "resnet34-lm-hub"),
    "prosody": _prosody,
}

ENCODER_NAMES: tuple[str, ...] = tuple(_LOADERS)
"""Ours, whose weights this version pins."""

ENTRY_POINTS = "pseudovoice.encoders"


def encoder_names() -> tuple[str, ...]:
    """All that can be named: ours, and those that other packages name as entry points."""
    others = (entry.name for entry in entry_points(group=ENTRY_POINTS))
    return tuple(dict.fromkeys((*ENCODER_NAMES, *others)))


def load_encoder(name: str = DEFAULT_ENCODER, *, threads: int = 1) -> Encoder:
    """Load an encoder, fetching its weights into the user's cache the first time.

    ``name`` is one of :data:`ENCODER_NAMES`, ``fusion:a+b+c`` of such names, ``onnx:PATH`` (see
    :func:`load_onnx`), ``hf:org/name[/file.onnx]`` (see :func:`load_hub`), or the name of an
    entry point ``pseudovoice.encoders``: a function ``load(*, threads)`` that gives an encoder.
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
    if not colon and name in encoder_names():
        return _load_other(name, threads)
    raise UsageError(
        f"There is no encoder {name!r}; name {', '.join(encoder_names())}, a fusion such as "
        f"fusion:resnet34-lm+ecapa, a file as onnx:PATH or a model id as hf:org/name."
    )


def _load_other(name: str, threads: int) -> Encoder:
    """An encoder of another package."""
    from pseudovoice.encoders.encoder import Encoder

    (entry, *_) = entry_points(group=ENTRY_POINTS, name=name)
    try:
        encoder = entry.load()(threads=threads)
    except PseudovoiceError:
        raise
    except Exception as error:  # somebody else's code
        raise InputError(
            f"The encoder {name!r} of {entry.value} cannot be loaded ({error}); ask whoever made "
            "the package, or remove it."
        ) from error
    if not isinstance(encoder, Encoder):
        raise InputError(
            f"The encoder {name!r} of {entry.value} lacks a part of pseudovoice.encoders.Encoder; "
            "ask whoever made the package."
        )
    return encoder
