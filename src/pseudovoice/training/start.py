"""What training starts from, when not from random weights: a folder of ours, or a published model.

Fine-tuning on protected speech is what makes an attacker semi-informed. The classes of the first
training are dropped; the new ones are other people, or the same ones sounding otherwise.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pseudovoice.errors import InputError, UsageError
from pseudovoice.models import fetch, read_tensors
from pseudovoice.models.cache import sha256_of
from pseudovoice.training.archive import Arrays, read_archive
from pseudovoice.training.recipe import MODELS

ENCODER_FILE = "encoder.npz"
PUBLISHED = "ecapa"
_DIMENSION = 192
_DECIBEL = np.float32(10.0 / np.log(10.0))
_FIRST_LAYER = "blocks.0.conv.conv.weight"


@dataclass(frozen=True)
class Start:
    """The tensors to start from, the kind and width of their network, and what names them."""

    state: Arrays
    model: str
    width: int
    sha256: str


def read_start(init: str | Path) -> Start:
    """The weights in the folder ``init``, or with ``"ecapa"`` the published SpeechBrain ones."""
    if init == PUBLISHED:
        return _published()
    path = Path(init) / ENCODER_FILE
    state, notes = read_archive(path)
    model, width = notes.get("model"), notes.get("width")
    if model not in MODELS or not isinstance(width, int):
        raise InputError(f"{path} does not say which network it holds; train it again.")
    return Start(state, model, width, sha256_of(path))


def check_fit(start: Start, model: str | None, width: int | None) -> None:
    """Raise UsageError if another network is asked for than the one to start from."""
    for name, asked, found in (("model", model, start.model), ("width", width, start.width)):
        if asked is not None and asked != found:
            raise UsageError(
                f"The weights to start from are those of a network with {name} {found}, not "
                f"{asked}: leave out the {name}, or start from others."
            )


def _published() -> Start:
    """SpeechBrain's ECAPA-TDNN, made to take Kaldi's features.

    It was trained on decibels of nearly the same mel bands; ours are natural logarithms. The
    factor between them goes into the first layer; constants vanish with the mean over time.
    """
    weights = fetch("ecapa")
    state = read_tensors(weights.path)
    first = state[_FIRST_LAYER]
    state = {**state, **_uncentred(), _FIRST_LAYER: (first * _DECIBEL).astype(np.float32)}
    named = hashlib.sha256(f"kaldi {weights.artefact.sha256}".encode()).hexdigest()
    return Start(state, "ecapa", int(first.shape[0]), named)


def _uncentred() -> Arrays:
    """The centring that changes nothing, for embeddings that were trained without it."""
    return {
        "centre.running_mean": np.zeros(_DIMENSION, np.float32),
        "centre.running_var": np.ones(_DIMENSION, np.float32),
        "centre.num_batches_tracked": np.array(0),
    }
