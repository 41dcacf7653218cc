"""Training of speaker encoders, for attackers who learn from speech they protected themselves.

``train_encoder(corpus, out)`` leaves ``out/model.onnx``, which ``load_encoder("onnx:…")`` runs
without torch. Only this room needs torch (extra ``[train]``), and only once training starts.
"""

from pseudovoice.training.outcome import Outcome
from pseudovoice.training.recipe import MODELS, Recipe
from pseudovoice.training.train import train_encoder

__all__ = ["MODELS", "Outcome", "Recipe", "train_encoder"]
