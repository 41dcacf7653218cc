"""Ears for pseudo-voices: encoders that learn what a safeguard leaves of a person.

They learn from other people's speech, each utterance under a voice of its own. What the safeguard
moves is then no mark of a person to them, and what the safeguard leaves alone counts for more.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pseudovoice.corpus import Channel, Corpus
from pseudovoice.progress import Progress
from pseudovoice.training.ground import SUMMARY_FILE, need_torch
from pseudovoice.training.recipe import Recipe
from pseudovoice.training.start import ENCODER_FILE, PUBLISHED

if TYPE_CHECKING:
    from pseudovoice.encoders.encoder import Encoder


@dataclass(frozen=True)
class EarKind:
    """A kind of ear: what tables call it, whose it is, how it learns, and from where.

    ``start`` is what training starts from; None is chance.
    """

    name: str
    attacker: str
    recipe: Recipe
    start: str | None


EARS: Mapping[str, EarKind] = {
    # What a shorter training of this kind gave is in docs/results/attackers.md.
    "ecapa": EarKind(
        "ecapa-ear",
        "trained",
        Recipe(
            model="ecapa", epochs=8, batch=32, rate=1e-4, gentle=True, voices_vary=True, half=True
        ),
        PUBLISHED,
    ),
    # maouche2022 §4.1: the x-vectors of Snyder et al. (2018), from chance. The papers' last layers
    # are an angular margin here, as for all encoders that are trained with this package.
    "xvector": EarKind(
        "xvector-ear",
        "semi-encoder",
        Recipe(model="xvector", width=512, epochs=30, voices_vary=True, half=True),
        None,
    ),
}
"""By the name that attackers give in :attr:`~pseudovoice.attacks.attacker.Attacker.ear`."""

MODEL_FILE = "model.onnx"
_CHECKPOINT_FILE = "checkpoint.npz"


def ear_mark(kind: str, speech: str) -> str:
    """Names the ear that speech with this fingerprint makes."""
    how = EARS[kind]
    text = json.dumps(
        {"speech": speech, "start": how.start, **how.recipe.to_dict()}, sort_keys=True
    )
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def has_learnt(folder: Path) -> bool:
    """Whether the training of an ear in this folder is finished."""
    return (folder / SUMMARY_FILE).is_file() and (folder / MODEL_FILE).is_file()


def need_ear(kind: str, folder: Path) -> None:
    """Raise MissingExtraError if an ear is still to be trained and torch is not installed."""
    if not has_learnt(folder):
        need_torch(f"The attacker {EARS[kind].attacker}")


def train_ear(
    kind: str,
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
    need_ear(kind, folder)
    how = EARS[kind]
    if not has_learnt(folder):
        from pseudovoice.training.train import train_encoder

        train_encoder(
            training,
            folder,
            init=how.start,
            channel=channel,
            threads=threads,
            progress=progress,
            **how.recipe.to_dict(),
        )
    # What only training needs is three times as large as the ear.
    for name in (_CHECKPOINT_FILE, ENCODER_FILE):
        (folder / name).unlink(missing_ok=True)
    return load_ear(kind, folder)


def load_ear(kind: str, folder: Path) -> Encoder:
    """An ear that has learnt."""
    from pseudovoice.encoders.onnx_file import load_onnx

    return load_onnx(folder / MODEL_FILE, name=EARS[kind].name)
