"""Training of networks, for attackers who learn from speech they protected themselves.

``train_encoder(corpus, out)`` leaves ``out/model.onnx``, a speaker encoder which
``load_encoder("onnx:…")`` runs without torch; ``train_successor(slices, origins, out)`` leaves what
``reassembly.load_successor`` runs. Only this room needs torch (extra ``[train]``), and only once
training starts. What trains is loaded when it is first used: a recipe can be written without it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pseudovoice.lazy_names import lazy_names
from pseudovoice.training.recipe import MODELS, Recipe
from pseudovoice.training.successor_recipe import SuccessorOutcome, SuccessorRecipe

if TYPE_CHECKING:
    from pseudovoice.training.outcome import TrainingOutcome
    from pseudovoice.training.successor import train_successor
    from pseudovoice.training.train import train_encoder

__all__ = [
    "MODELS",
    "Recipe",
    "SuccessorOutcome",
    "SuccessorRecipe",
    "TrainingOutcome",
    "train_encoder",
    "train_successor",
]

__getattr__ = lazy_names(
    __name__,
    {
        "TrainingOutcome": "pseudovoice.training.outcome",
        "train_encoder": "pseudovoice.training.train",
        "train_successor": "pseudovoice.training.successor",
    },
)
