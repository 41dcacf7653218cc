"""Whose slice is it: the identity attacks of a study, and the same on speech that was not cut."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from pseudovoice.attacks.registry import attacker
from pseudovoice.backends import EnrolmentTrials
from pseudovoice.corpus import Corpus
from pseudovoice.errors import InputError, Problem
from pseudovoice.reidentification import (
    IdentityResult,
    OwnSpeech,
    SlicedSpeech,
    attack_identity,
    attack_uncut,
)
from pseudovoice.study import rates
from pseudovoice.study.stage import Computation
from pseudovoice.study.tools import Tools, encoder_mark

LEFT_OUT = "slices are shown without speech that was not cut beside them"


@dataclass(frozen=True)
class Identity:
    """What the stage found, as it is kept.

    ``whole`` are the same attacks on the chain's unsliced form, empty where it is not at hand;
    ``whole_mean`` and ``whole_sd`` are the seconds of what was tried there.
    """

    attacks: tuple[IdentityResult, ...]
    whole: tuple[IdentityResult, ...]
    whole_mean: float | None
    whole_sd: float | None
    encoders: tuple[dict[str, Any], ...]
    problems: tuple[Problem, ...]


@dataclass(frozen=True)
class IdentityWork(Computation):
    """Needs the slices, the chain's unsliced form, the attacker's own speech, its training, and
    the encoders that learnt from that.

    What no stage makes is clear speech: a chain that only cuts protects nothing. ``uncut`` says
    that there is speech that was not cut to be tried, too; ``lists`` who is enrolled and tried.
    """

    set: str
    safeguard: str
    original: Corpus
    training: Corpus | None
    attackers: tuple[str, ...]
    encoders: tuple[str, ...]
    replicates: int
    seed: int
    uncut: bool
    cut_training: bool
    content: dict[str, str | None] = field(hash=False)
    lists: EnrolmentTrials | None = field(default=None, hash=False)

    kind: ClassVar[str] = "identity"
    record: ClassVar[type[Any]] = Identity

    @property
    def title(self) -> str:
        return f"find out whose the slices of {self.set} under {self.safeguard} are"

    @property
    def protects(self) -> bool:
        return any(attacker(name).protects for name in self.attackers)

    @property
    def trains(self) -> bool:
        return any(attacker(name).trains for name in self.attackers)

    def inputs(self) -> dict[str, Any] | None:
        if None in self.content.values():
            return None
        return {
            "corpora": self.content,
            "encoders": [encoder_mark(name) for name in self.encoders],
            "attackers": list(self.attackers),
            **({"cut_training": self.cut_training} if self.trains else {}),
            "replicates": self.replicates,
            "seed": self.seed,
        }

    def seconds(self, workers: int) -> tuple[float, str]:
        # Slices, clear speech cut and whole, the attacker's own twice, uncut speech; training.
        hours = rates.hours_of(self.original) * (3 + 2 * self.protects + 2 * self.uncut)
        if self.trains and self.training is not None:
            hours += rates.hours_of(self.training)
        each = rates.assessing(len(self.original.speakers))
        parts = 2 * len(self.attackers) * len(self.encoders) * (2 + self.uncut)
        embed = rates.embedding(hours, self.encoders, workers)
        return embed + parts * each * self.replicates / 400, ""

    def compute(self, tools: Tools, *needed: Any) -> Identity:
        slices, unsliced, whole, trained, *ears = needed
        own = OwnSpeech(
            self._speech(whole, self.original) if self.protects else None,
            self._speech(trained, self.training) if self.trains else None,
            self.cut_training,
            {one.kind: one.encoder for one in ears},
        )
        known = SlicedSpeech(slices.corpus, slices.origins, self.original, self.lists)
        encoders = tools.encoders(self.encoders)
        with tools.embeddings() as store:
            attacks, problems = attack_identity(
                known,
                encoders,
                own,
                attackers=self.attackers,
                replicates=self.replicates,
                seed=self.seed,
                store=store,
                workers=tools.workers,
                progress=tools.say,
            )
            uncut: list[IdentityResult] = []
            seconds: tuple[float, ...] = ()
            speech = self._speech(unsliced, self.original) or self.original
            try:
                if self.uncut:
                    found, seconds = attack_uncut(
                        known,
                        speech,
                        encoders,
                        own,
                        attackers=self.attackers,
                        replicates=self.replicates,
                        seed=self.seed,
                        store=store,
                        workers=tools.workers,
                        progress=tools.say,
                    )
                    uncut += found
            except InputError as error:  # a small corpus has more slices than recordings
                where = f"{slices.corpus.name} before it was cut"
                problems += (Problem(where, str(error).rstrip("."), LEFT_OUT),)
        return Identity(
            tuple(attacks),
            tuple(uncut),
            float(np.mean(seconds)) if seconds else None,
            float(np.std(seconds, ddof=1)) if len(seconds) > 1 else None,
            tuple({"name": e.name, "sha256": e.sha256, "licence": e.licence} for e in encoders),
            problems,
        )

    @staticmethod
    def _speech(made: Any, otherwise: Corpus | None) -> Corpus | None:
        """What a stage protected, or the speech that stands in for it."""
        return otherwise if made is None else made.corpus
