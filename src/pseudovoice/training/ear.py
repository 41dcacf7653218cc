"""An ear for pseudo-voices: an encoder that learns what a safeguard leaves of a person.

It starts from ECAPA as published, and goes on with other people's speech, each utterance under a
voice of its own. What the safeguard moves is then no longer a mark of a person to it, and what the
safeguard leaves alone counts for more.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING

from pseudovoice.corpus import Channel, Corpus
from pseudovoice.progress import Progress
from pseudovoice.training.ground import SUMMARY_FILE, need_torch
from pseudovoice.training.recipe import Recipe
from pseudovoice.training.start import ENCODER_FILE, PUBLISHED

if TYPE_CHECKING:
    from pseudovoice.encoders.encoder import Encoder

EAR = "ecapa-ear"
"""What tables call it, whatever it learnt from."""

RECIPE = Recipe(
    model="ecapa", epochs=8, batch=32, rate=1e-4, gentle=True, voices_vary=True, half=True
)
"""What a shorter training of this kind gave is in docs/results/attackers.md."""

MODEL_FILE = "model.onnx"
_CHECKPOINT_FILE = "checkpoint.npz"
_PURPOSE = "The attacker trained"


def ear_mark(speech: str) -> str:
    """Names the ear that speech with this fingerprint makes under the recipe."""
    text = json.dumps({"speech": speech, "start": PUBLISHED, **RECIPE.to_dict()}, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def has_learnt(folder: Path) -> bool:
    """Whether the training of an ear in this folder is finished."""
    return (folder / SUMMARY_FILE).is_file() and (folder / MODEL_FILE).is_file()


def need_ear(folder: Path) -> None:
    """Raise MissingExtraError if an ear is still to be trained and torch is not installed."""
    if not has_learnt(folder):
        need_torch(_PURPOSE)


def train_ear(
    training: Corpus,
    folder: Path,
    *,
    channel: Channel = "mean",
    threads: int | None = None,
    progress: Progress | None = None,
) -> Encoder:
    """The ear that learns from ``training``, other people's speech that the attacker protected.

    ``folder`` keeps it; a training that was killed goes on from there. Once it has learnt, torch is
    no longer needed.
    """
    need_ear(folder)
    if not has_learnt(folder):
        from pseudovoice.training.train import train_encoder

        train_encoder(
            training,
            folder,
            init=PUBLISHED,
            channel=channel,
            threads=threads,
            progress=progress,
            **RECIPE.to_dict(),
        )
    # What only training needs is three times as large as the ear.
    for name in (_CHECKPOINT_FILE, ENCODER_FILE):
        (folder / name).unlink(missing_ok=True)
    return load_ear(folder)


def load_ear(folder: Path) -> Encoder:
    """An ear that has learnt."""
    from pseudovoice.encoders.onnx_file import load_onnx

    return load_onnx(folder / MODEL_FILE, name=EAR)
