"""Tell a trait: probes learn it from some people, and say it of others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pseudovoice.assessment.auc import aucs, wins
from pseudovoice.assessment.estimate import Row
from pseudovoice.assessment.replicates import draw_speakers
from pseudovoice.attacks.heard import Heard
from pseudovoice.attacks.probe import cross_fitted, folds_of
from pseudovoice.attacks.told import Draws, Told, auc_row
from pseudovoice.attacks.traits import Trait
from pseudovoice.calibration.ladder import Floats

Codes = NDArray[np.intp]


def tell(heard: Heard, trait: Trait, draws: Draws) -> Told | None:
    """Let probes learn and say a trait; None where fewer than two classes of it were heard."""
    versions = {"original": heard.original, "protected": heard.protected}
    if heard.own is not None:
        versions["own"] = heard.own
    everywhere = set(trait.classes).intersection(*(one.ids for one in versions.values()))
    original = heard.original.of(everywhere)
    case = _Case(trait, draws, original.ids, original.speakers)
    if len(case.kinds) < 2:
        return None
    vectors = {
        name: version.in_order(original.ids).vectors.astype(np.float64)
        for name, version in versions.items()
    }
    # Who learns from what, to say it of what.
    probes = {"oo": ("original", "original"), "op": ("original", "protected")}
    if heard.own is not None:
        probes["pq"] = ("own", "protected")
    rows = tuple(
        case.row(condition, heard.encoder, vectors[learnt], vectors[said])
        for condition, (learnt, said) in probes.items()
    )
    return Told(trait.name, heard.encoder, dict(trait.people), rows)


@dataclass(frozen=True)
class _Case:
    """A trait of the utterances that were heard; every probe has the same folds and draws."""

    trait: Trait
    draws: Draws
    ids: Sequence[str]
    speakers: Sequence[str]

    @cached_property
    def labels(self) -> list[str]:
        return [self.trait.classes[name] for name in self.ids]

    @cached_property
    def kinds(self) -> list[str]:
        return sorted(set(self.labels))

    @cached_property
    def codes(self) -> Codes:
        return np.array([self.kinds.index(label) for label in self.labels], np.intp)

    @cached_property
    def who(self) -> Codes:
        return np.unique(np.array(self.speakers), return_inverse=True)[1]

    @cached_property
    def people(self) -> int:
        return int(self.who.max()) + 1

    @cached_property
    def fold(self) -> Codes:
        return folds_of(self.speakers, self.labels, self.draws.of(self.trait.name, "folds"))

    @cached_property
    def drawn(self) -> Floats:
        rng = self.draws.of(self.trait.name, "speakers")
        return draw_speakers(rng, self.draws.replicates, self.people)

    @cached_property
    def shuffled(self) -> Codes:
        """Labels as they might be had they nothing to do with speech: [utterances, shuffles].

        Everybody gets the labels of somebody else, in any order. Where a trait is the speaker's,
        that is the other's class.
        """
        rng = self.draws.of(self.trait.name, "labels")
        own = [np.flatnonzero(self.who == k) for k in range(self.people)]
        made = np.empty((self.codes.size, self.draws.permutations), np.intp)
        for column in made.T:
            for mine, other in zip(own, rng.permutation(self.people), strict=True):
                column[mine] = np.resize(rng.permutation(self.codes[own[other]]), mine.size)
        return made

    def row(self, condition: str, encoder: str, learnt: Floats, said_of: Floats) -> Row:
        # One of two classes says it all.
        kinds = range(len(self.kinds)) if len(self.kinds) > 2 else range(1)
        values, drawn, shuffled = [], [], []
        for kind in kinds:
            marks = np.column_stack([self.codes == kind, self.shuffled == kind])
            said = cross_fitted(learnt, said_of, marks.astype(np.float64), self.fold)
            won = wins(said[:, 0], marks[:, 0], self.who, self.people)
            values.append(won.auc())
            drawn.append(won.auc(self.drawn))
            shuffled.append(aucs(said[:, 1:], marks[:, 1:]))
        of_class = int(np.count_nonzero(self.codes == 0))
        return auc_row(
            condition,
            (self.trait.name, encoder),
            float(np.mean(values)),
            np.mean(drawn, axis=0),
            np.mean(shuffled, axis=0),
            trials=(of_class, self.codes.size - of_class),
            method=f"ridge probe, cross-fitted over speakers ({self.trait})",
        )
