"""A voice to go on from: what it learnt stays, and more speech or other prices are added."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from pseudovoice.errors import InputError
from pseudovoice.safeguards.xvector.neural_voice import (
    GRAPH_FILE,
    About,
    read_about,
    shipped_folder,
)
from pseudovoice.training.archive import Arrays
from pseudovoice.training.voice_data import Scale
from pseudovoice.training.voice_graph import state_of
from pseudovoice.training.voice_recipe import VoiceRecipe

SHAPE = ("width", "fine", "narrow", "levels", "voice")
"""Choices of a recipe that say how large a network is."""


@dataclass(frozen=True)
class Begun:
    """A voice as it stands: what it was trained with, and its tensors."""

    about: About
    state: Arrays

    @classmethod
    def of(cls, start: str | Path) -> Begun:
        """That of a folder which `train voice` wrote, or ``shipped``, this package's."""
        if str(start) == "shipped":
            with shipped_folder() as folder:
                return cls._in(folder)
        return cls._in(Path(start))

    @classmethod
    def _in(cls, folder: Path) -> Begun:
        about = read_about(folder)
        state = state_of((folder / GRAPH_FILE).read_bytes())
        if "exit.weight" not in state or "recipe" not in about.told:
            raise InputError(
                f"{folder / GRAPH_FILE} was written before voices could be gone on from; train it "
                "again."
            )
        return cls(about, state)

    @property
    def sha256(self) -> str:
        return str(self.about.told["sha256"])

    @property
    def scale(self) -> Scale:
        about, state = self.about, self.state
        return Scale(about.content_mean, about.content_deviation, state["mean"], state["deviation"])

    def shaped(self, recipe: VoiceRecipe) -> VoiceRecipe:
        """The recipe for a network of this size."""
        own = self.about.told["recipe"]
        return replace(recipe, **{name: own[name] for name in SHAPE})
