"""Speech that was protected elsewhere, as the first stage of what is done with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from pseudovoice.corpus import Corpus, pair, read_corpus
from pseudovoice.corpus.detect import is_listed
from pseudovoice.errors import Problem
from pseudovoice.protection.protect import Protected
from pseudovoice.study.plan import SafeguardPlan
from pseudovoice.study.protecting import ProtectedRun
from pseudovoice.study.speech import SetSpeech, as_one
from pseudovoice.study.tools import Tools


@dataclass(frozen=True)
class MadeElsewhere:
    """What a system of others made of the sets: its release, and another run if there is one."""

    speech: Corpus
    another: Corpus | None


def read_given(
    plan: SafeguardPlan, *, allow_commands: bool = False, speaker_from: str | None = None
) -> MadeElsewhere:
    """Read both runs of a system that was made elsewhere.

    ``speaker_from`` says who speaks in files without a listing.
    """

    def read(path: Path) -> Corpus:
        said = None if path.exists() and is_listed(path) else speaker_from
        return read_corpus(path, allow_commands=allow_commands, speaker_from=said)

    runs = [[read(path) for path in run] for run in (plan.speech, plan.another)]
    speech, *another = [as_one(parts) for parts in runs if parts]
    return MadeElsewhere(speech, another[0] if another else None)


def of_set(corpus: Corpus, speech: SetSpeech, *, part: bool) -> Corpus:
    """What a system made of one set; ``part`` says that it made more than that.

    Where nothing is of the set, all of it: whoever pairs the two says so.
    """
    mine = [u.id for u in corpus if u.id in speech.corpus.by_id]
    return corpus.subset(ids=mine) if part and mine else corpus


@dataclass(frozen=True)
class GivenProtection:
    """A protected corpus as it is, by the fingerprint of its content.

    ``fingerprint`` is None where only commands could tell it; ``problems`` are what is wrong with
    it beside its originals, where nobody else pairs them.
    """

    corpus: Corpus
    fingerprint: str | None
    problems: tuple[Problem, ...] = ()

    kind: ClassVar[str] = "given"
    record: ClassVar[type[Any]] = ProtectedRun

    @property
    def title(self) -> str:
        return f"read {self.corpus.name}"

    def inputs(self) -> dict[str, Any] | None:
        return None if self.fingerprint is None else {"corpus": self.fingerprint}

    def seconds(self, _workers: int) -> tuple[float, str]:
        return 0.0, ""

    def stands(self, _kept: ProtectedRun) -> bool:
        return True

    def make(
        self, tools: Tools, _needed: Sequence[Any], kept: ProtectedRun | None
    ) -> tuple[Protected, ProtectedRun]:
        fingerprint = self.fingerprint or tools.fingerprint(self.corpus)
        made = ProtectedRun(fingerprint, len(self.corpus))
        done = Protected(self.corpus, self.problems, 0, len(self.corpus))
        return done, made if kept is None else kept


def another_run(corpus: Corpus, fingerprint: str | None, original: Corpus) -> GivenProtection:
    """A second run, and what of the originals it lacks."""
    return GivenProtection(corpus, fingerprint, pair(original, corpus).problems)
