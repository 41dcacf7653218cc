"""What one encoder hears: all versions of the same utterances, and how they are compared."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pseudovoice.attacks.attacker import Attacker
from pseudovoice.backends import Backend, Cosine, EnrolmentTrials, score_enrolment
from pseudovoice.backends.compare import compare_all
from pseudovoice.embeddings.embeddings import Embeddings
from pseudovoice.errors import Problem
from pseudovoice.scores.binned import BinnedScores
from pseudovoice.scores.scoreset import ScoreSet, with_pairs

Scores = ScoreSet | BinnedScores


@dataclass(frozen=True)
class TrialSettings:
    """Which segments are compared, and how the results are kept.

    With ``lists`` the trials are those listed (enrolment models × segments); without, every segment
    is compared with every other. With ``all_pairs`` too, whatever similarity matrices say rests on
    every segment that a list tries with every other. ``keep_counts`` is a folder for counts of
    large comparisons.
    """

    lists: EnrolmentTrials | None = None
    all_pairs: bool = False
    similarity: str = "geometric"
    keep_counts: Path | None = None


@dataclass(frozen=True)
class Heard:
    """One group of speakers through one encoder; equal ids are versions of one utterance.

    ``own`` is the speakers' speech under the attacker's own key, ``another`` any other run of the
    safeguard, on which calibration is learnt; ``training`` other people's speech that the attacker
    protected, and ``retrained`` the back-end learnt from it. What is not at hand is None.
    ``backend`` is everybody's; None is the cosine. ``tries`` are the speakers' speech under each
    voice that an attacker tried on them, ``undone`` the protected speech with each taken away;
    ``releases`` and ``fitted`` are as in :class:`~pseudovoice.attacks.material.Material`.
    """

    encoder: str
    original: Embeddings
    protected: Embeddings
    own: Embeddings | None = None
    another: Embeddings | None = None
    training: Embeddings | None = None
    retrained: Backend | None = None
    backend: Backend | None = None
    tries: tuple[Embeddings, ...] = ()
    undone: tuple[Embeddings, ...] = ()
    releases: tuple[Embeddings, ...] = ()
    fitted: Embeddings | None = None
    leaked: frozenset[str] = frozenset()
    trials: TrialSettings = TrialSettings()
    problems: list[Problem] = field(default_factory=list, repr=False)
    _compared: dict[tuple[int, int, int], Scores] = field(default_factory=dict, repr=False)

    @property
    def everywhere(self) -> set[str]:
        """Utterances of which every version is there that single utterances are compared with."""
        versions = (self.protected, self.own, *self.tries, *self.undone)
        return set(self.original.ids).intersection(*(v.ids for v in versions if v is not None))

    def within(self, members: Container[str]) -> Heard:
        """The same of some utterances only; what is trained on other people stays."""
        versions = ("original", "protected", "own", "another", "fitted")
        parts = {
            name: version.of(members)
            for name in versions
            if (version := getattr(self, name)) is not None
        }
        if self.another is self.own and self.own is not None:
            parts["another"] = parts["own"]
        several: dict[str, Any] = {
            name: tuple(one.of(members) for one in getattr(self, name))
            for name in ("tries", "undone", "releases")
        }
        return replace(self, **parts, **several, _compared={})

    def enrolled(self, attacker: Attacker) -> Embeddings | None:
        """The speech that an attacker compares with; None where it is not at hand."""
        return {
            "original": self.original,
            "own key": self.own,
            "same key": self.protected,
            "fitted mapping": self.fitted,
            "other sessions": next(iter(self.releases), None),
        }[attacker.enrolment]

    def compare(self, rows: Embeddings, columns: Embeddings, backend: Backend | None) -> Scores:
        """Score two versions; asked again, the same object."""
        key = (id(rows), id(columns), id(backend))
        if key not in self._compared:
            self._compared[key] = self._scores(rows, columns, backend)
        return self._compared[key]

    def _scores(self, rows: Embeddings, columns: Embeddings, backend: Backend | None) -> Scores:
        lists = self.trials.lists
        if lists is None:
            return self._all_pairs(rows, columns, backend)
        joined = score_enrolment(backend or Cosine(), lists, rows, columns)
        self.problems.extend(joined.problems)
        if not self.trials.all_pairs:
            return joined.scores
        a = rows.of(lists.tried)
        b = a if columns is rows else columns.of(lists.tried)
        return with_pairs(joined.scores, self._all_pairs(a, b, backend))

    def _all_pairs(self, rows: Embeddings, columns: Embeddings, backend: Backend | None) -> Scores:
        return compare_all(
            rows,
            columns,
            backend=backend,
            similarity=self.trials.similarity,
            keep_counts=self.trials.keep_counts,
        )
