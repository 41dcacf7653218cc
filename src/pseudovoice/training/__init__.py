"""Training of networks, for attackers who learn from speech they protected themselves.

``train_encoder(corpus, out)`` leaves ``out/model.onnx``, a speaker encoder which
``load_encoder("onnx:…")`` runs without torch; ``train_successor(slices, origins, out)`` leaves what
``reassembly.load_successor`` runs. Only this room needs torch (extra ``[train]``), and only once
training starts.
"""

from pseudovoice.training.outcome import TrainingOutcome
from pseudovoice.training.recipe import MODELS, Recipe
from pseudovoice.training.successor import train_successor
from pseudovoice.training.successor_recipe import SuccessorOutcome, SuccessorRecipe
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
