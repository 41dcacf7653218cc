"""Runs of attackers who begin with the release: it is undone, or tells everybody's mapping."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from pseudovoice.protection.known_pairs import fitted_to, known_utterances
from pseudovoice.protection.protect import Protected, protect_corpus
from pseudovoice.release.pseudonyms import AsNamed, Renaming
from pseudovoice.safeguards import Chain
from pseudovoice.safeguards.draws import draws
from pseudovoice.study.keys import StudyKeys
from pseudovoice.study.protecting import ATTACKER_SESSION, ProtectedRun, Protection, Protections
from pseudovoice.study.stage import stage_name
from pseudovoice.study.tools import Tools


@dataclass(frozen=True)
class Undoing(Protection):
    """Takes one voice away from the release; ``corpus`` is what that was made of."""

    @property
    def title(self) -> str:
        return f"undo {self.corpus.name} under {self.name}"

    def make(
        self, tools: Tools, needed: Sequence[Any], kept: ProtectedRun | None
    ) -> tuple[Protected, ProtectedRun]:
        (released,) = needed
        corpus = replace(released.corpus, name=self.corpus.name)
        return Protection.make(replace(self, corpus=corpus), tools, (), kept)


@dataclass(frozen=True)
class FittingToPairs(Protection):
    """Protects everybody's speech with the mapping that ``pairs`` utterances of theirs tell.

    ``tries`` voices are tried where it cannot be told otherwise.
    """

    pairs: int = 1
    tries: int = 1

    @property
    def title(self) -> str:
        return f"tell the mappings of {self.corpus.name} under {self.name}"

    def inputs(self) -> dict[str, Any] | None:
        known = super().inputs()
        return None if known is None else {**known, "pairs": self.pairs, "tries": self.tries}

    def make(
        self, tools: Tools, needed: Sequence[Any], kept: ProtectedRun | None
    ) -> tuple[Protected, ProtectedRun]:
        (released,) = needed
        enrolled, found = fitted_to(
            self.corpus,
            released.corpus,
            self.chain,
            known=known_utterances(self.corpus, self.pairs),
            key=self.key,
            tries=self.tries,
        )
        self.place.parent.mkdir(parents=True, exist_ok=True)
        done = protect_corpus(
            enrolled,
            self.place,
            found,
            key=None,
            rename=self.names or False,
            workers=tools.workers,
            progress=tools.counter(self.title, len(enrolled)),
        )
        made = ProtectedRun(tools.fingerprint(done.corpus), len(done.corpus))
        return done, kept if kept == made else made


@dataclass(frozen=True)
class OnReleased:
    """What an attacker makes of one release of a study."""

    runs: Protections
    released: Protection

    def undone(self, tries: int) -> list[Undoing]:
        """A run for each voice that is taken away again; none where that cannot be done."""
        chain = Chain(self.released.chain.links)
        return [
            Undoing(
                self.released.corpus,
                self._mark,
                one.inverse,
                None if chain.deterministic else self._keys.attacker,
                one.session,
                f"{self.released.name}, {one.session}",
                self.runs.work,
                names=self._as_named,
            )
            for one in draws(chain, tries)
            if one.inverse is not None
        ]

    def fitted(self, pairs: int, tries: int) -> FittingToPairs:
        """The speakers' speech under the mappings that their known utterances tell."""
        chain = Chain(self.released.chain.links)
        corpus, names = self.released.corpus, self.runs.names
        return FittingToPairs(
            corpus if names is None else names.corpus(corpus),
            self._mark,
            chain,
            None if chain.deterministic else self._keys.attacker,
            ATTACKER_SESSION,
            f"{self.released.name}, known pairs",
            self.runs.work,
            names=self._as_named,
            pairs=pairs,
            tries=tries,
        )

    @property
    def _as_named(self) -> Renaming | None:
        """Whoever begins with a renamed release goes on with its names."""
        return None if self.runs.names is None else AsNamed()

    @property
    def _keys(self) -> StudyKeys:
        return self.runs.keys

    @property
    def _mark(self) -> str | None:
        """What is released depends on key and session too, and so do these runs."""
        inputs = self.released.inputs()
        return None if inputs is None else stage_name("protect", inputs)
