"""What a user says about an own ONNX model: a small JSON beside it, or keyword arguments.

``voices.onnx`` is declared by ``voices.json``::

    {"input": "fbank", "sample_rate": 16000, "licence": "CC-BY-4.0"}

Every key may be left out; what the graph itself shows (rank and sizes of its input) is not asked.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Literal

from pseudovoice.corpus.recording import HIGHEST_RATE, LOWEST_RATE
from pseudovoice.encoders.encoder import SHORTEST_SECONDS
from pseudovoice.errors import InputError
from pseudovoice.json_tree import json_tree

_KINDS = {"input": str, "output": str, "sample_rate": int, "licence": str}
_KINDS |= {"scale": float, "subtract_mean": bool, "shortest_seconds": float}
# The model is tried at once on that many seconds, at that rate.
_RANGES = {
    "sample_rate": (LOWEST_RATE, HIGHEST_RATE),
    "scale": (1e-9, 1e9),
    "shortest_seconds": (1e-3, 30),
}


@dataclass(frozen=True)
class Declaration:
    """How to feed the model.

    ``input``: ``waveform`` or ``fbank`` (Kaldi's), None to tell from the shape. ``output``: the
    name of the output that is the embedding. ``scale``: factor on samples in ±1; None is 32768
    for fbank, as Kaldi reads samples, and 1 for waveforms. ``subtract_mean``: remove each band's
    mean over the utterance (fbank only).
    """

    input: Literal["waveform", "fbank"] | None = None
    output: str | None = None
    sample_rate: int | None = None
    licence: str = "not declared"
    scale: float | None = None
    subtract_mean: bool = True
    shortest_seconds: float = SHORTEST_SECONDS


def read_declaration(model: Path) -> Declaration:
    """The declaration beside ``model``, or the default one if there is none."""
    path = model.with_suffix(".json")
    if not path.is_file():
        return Declaration()
    try:
        values = json_tree(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"{path} is not valid JSON ({error}): correct or remove it.") from error
    if not isinstance(values, dict):
        raise InputError(f'{path} must hold one JSON object, such as {{"input": "fbank"}}.')
    known = [field.name for field in fields(Declaration)]
    for key, value in values.items():
        _check(key, value, known, path)
    return Declaration(**values)


def _check(key: str, value: Any, known: list[str], path: Path) -> None:
    if key not in known:
        raise InputError(f"{path} has an unknown key {key!r}; the keys are {', '.join(known)}.")
    kind = _KINDS[key]
    fitting = isinstance(value, int | float if kind is float else kind)
    if not fitting or (isinstance(value, bool) and kind is not bool):
        raise InputError(f"{path}: {key} must be a {kind.__name__}, not {json.dumps(value)}.")
    if key == "input" and value not in ("waveform", "fbank"):
        raise InputError(f"{path}: input must be waveform or fbank, not {value!r}.")
    if kind in (int, float) and not value > 0:
        raise InputError(f"{path}: {key} must be greater than 0, not {value}.")
    if kind in (int, float):
        least, most = _RANGES[key]
        if not least <= value <= most:
            raise InputError(f"{path}: {key} must be from {least:,} to {most:,}.")
