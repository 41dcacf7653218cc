"""What somebody says about a voice of their own that gives waveforms: ``voice.json``.

It lies beside ``content.onnx`` and ``vocoder.onnx``, and names their hashes::

    {"format": 1, "encoder": "ecapa", "content_step": 320, "content_pad": 40, "pitch_step": 80,
     "sample_rate": 16000, "licence": "CC-BY-4.0", "source": "…",
     "sha256": {"content.onnx": "…", "vocoder.onnx": "…", "pool.npz": "…"}}

``encoder`` hears the people whose embeddings it takes for targets, of the length ``norm`` (1).
``content_step`` and ``pitch_step`` are samples of 16 kHz from one frame of content, or value of
pitch, to the next; ``content_pad`` zeros are put before and after a waveform. ``sample_rate`` is
that of what it says. ``pool.npz`` may be left out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pseudovoice.errors import InputError
from pseudovoice.json_tree import json_tree
from pseudovoice.models.cache import sha256_of

FORMAT = 1
DECLARATION_FILE = "voice.json"
CONTENT_FILE, VOCODER_FILE, POOL_FILE = "content.onnx", "vocoder.onnx", "pool.npz"

_NUMBERS = {
    "content_step": (16, 16_000),
    "pitch_step": (16, 16_000),
    "content_pad": (0, 16_000),
    "sample_rate": (8_000, 48_000),
}
_HASH = re.compile("[0-9a-f]{64}")


@dataclass(frozen=True)
class Declaration:
    """How a voice is fed, and the hashes of its files."""

    encoder: str
    content_step: int
    pitch_step: int
    content_pad: int
    sample_rate: int
    norm: float
    licence: str
    source: str
    sha256: dict[str, str]

    def check_files(self, folder: Path) -> None:
        """Raise InputError for the first file that is not the one described."""
        for name, sha256 in self.sha256.items():
            path = folder / name
            if not path.is_file() or sha256_of(path) != sha256:
                raise InputError(
                    f"{path} is not the file that {DECLARATION_FILE} beside it describes; copy "
                    "both anew."
                )


def read_declaration(path: Path) -> Declaration:
    """The declaration in a file; anything else is an :class:`InputError`."""
    try:
        told = json_tree(path.read_text(encoding="utf-8"))
        if not isinstance(told, dict) or told.get("format") != FORMAT:
            raise ValueError(f"its format is not {FORMAT}")
        return Declaration(
            encoder=_text(told, "encoder"),
            norm=_norm(told.get("norm", 1.0)),
            licence=_text(told, "licence"),
            source=_text(told, "source"),
            sha256=_hashes(told.get("sha256")),
            **{name: _number(told, name) for name in _NUMBERS},
        )
    except (OSError, ValueError) as error:
        raise InputError(
            f"{path} describes no voice ({error}); correct it as the page on xvector says."
        ) from None


def _text(told: dict[str, Any], name: str) -> str:
    value = told.get(name)
    if not isinstance(value, str) or not value:
        raise ValueError(f"{name} must be a text")
    return value


def _number(told: dict[str, Any], name: str) -> int:
    value, (low, high) = told.get(name), _NUMBERS[name]
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise ValueError(f"{name} must be a whole number from {low:,} to {high:,}")
    return value


def _norm(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 1e-6 < value < 1e6:
        raise ValueError("norm must be a number greater than 0")
    return float(value)


def _hashes(value: object) -> dict[str, str]:
    needed, known = {CONTENT_FILE, VOCODER_FILE}, {CONTENT_FILE, VOCODER_FILE, POOL_FILE}
    if not isinstance(value, dict) or not needed <= set(value) <= known:
        raise ValueError(
            f"sha256 must name {CONTENT_FILE}, {VOCODER_FILE} and, if any, {POOL_FILE}"
        )
    for name, sha256 in value.items():
        if not isinstance(sha256, str) or not _HASH.fullmatch(sha256):
            raise ValueError(f"the sha256 of {name} must have 64 hexadecimal digits")
    return value
