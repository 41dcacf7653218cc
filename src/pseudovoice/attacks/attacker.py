"""An attacker: who it is and what it knows, which is always said before a number."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Enrolment = Literal["original", "own key", "same key", "fitted mapping", "other sessions"]
"""Speech of the people that an attacker compares with: as it was recorded, protected by itself with
a key of its own, protected with the very key of the release, as it found each mapping to be, or
as it was released in other sessions, each under another key."""

Retrained = Literal["nothing", "back-end", "encoder and back-end"]
"""What of its recogniser an attacker trains on other people's speech that it protected itself."""


@dataclass(frozen=True)
class Attacker:
    """One kind of attacker.

    Parameters
    ----------
    name : in options, plans and figures
    title : in tables, before what it retrained and the encoder
    knows : its knowledge, as the rest of a sentence that begins with "this attacker"
    summary, explained, reference : its entry in the glossary, the paper included
    condition : what its comparison is called: ``op`` or ``pq``
    enrolment : which speech of the people it has
    retrains : what of its recogniser has learnt from other people's speech that it protected itself
    ear : which encoder that is, by its name in `pseudovoice.training.ear`, if it is one of its own
    tries : whether it protects the people's speech again and again, a voice of each at a time, and
        undoes what is released in the same way
    gathers : whether it has several releases of the same people, each under another key
    pairs : whether some utterances of the release are known to it in clear
    infers : whether it asks what people are, not who they are, and so compares no voices
    fuses : whether it is made of what all others find, through all encoders
    by_name : whether it has to be asked for by name
    competes : whether it counts among the strongest; who has the key is a leak, not an attack
    """

    name: str
    title: str
    knows: str
    summary: str
    explained: str
    reference: str
    condition: str
    enrolment: Enrolment
    retrains: Retrained = "nothing"
    ear: str = ""
    tries: bool = False
    gathers: bool = False
    pairs: bool = False
    infers: bool = False
    fuses: bool = False
    by_name: bool = False
    competes: bool = True

    @property
    def protects(self) -> bool:
        """Whether it protects speech itself, with a key of its own."""
        return self.enrolment == "own key"

    @property
    def label(self) -> str:
        """What tables call it: its title, and what it retrained."""
        return f"{self.title} ({self.retrains} retrained)" if self.trains else self.title

    @property
    def trains(self) -> bool:
        """Whether it needs other people's speech that it protected itself."""
        return self.retrains != "nothing"
