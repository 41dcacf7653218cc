"""One trial: a fault at one operation of a verb, then an undisturbed run, and what failed."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from fault_invariants import Calm, after_fault, after_resuming, calm
from fault_shim import KINDS, build
from fault_study import VERBS, Verb, fresh, restore_input, words_of, write_material
from forked_runs import ForkedRuns


@dataclass(frozen=True)
class Trial:
    """What was tried and what did not hold; ``struck`` is None if the run ended before it."""

    verb: str
    kind: str
    nth: int
    struck: tuple[str, str] | None
    code: int
    failures: tuple[str, ...]

    @property
    def place(self) -> str:
        """What was struck, without what differs from run to run."""
        if self.struck is None:
            return "nothing"
        operation, path = self.struck
        return f"{operation} {path}"


class Trials:
    """Everything trials need: the shim, the material, a warm process, the undisturbed results."""

    def __init__(self, place: Path, verbs: tuple[Verb, ...] = VERBS) -> None:
        self._place = place
        self._template = place / "template"
        write_material(self._template)
        warm = fresh(self._template, place / "warm")
        self._runs = ForkedRuns(
            build(place), place / "said", [(warm, words_of(verb)) for verb in verbs]
        )
        self._calm: dict[str, Calm] = {}
        self.counts: dict[tuple[str, str], int] = {}
        for verb in verbs:
            root = self._fresh()
            run = self._runs(root, words_of(verb))
            self._calm[verb.name] = calm(verb, root, run)
            self.counts |= {(verb.name, kind): run.counts[kind] for kind in KINDS}

    def __enter__(self) -> Trials:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._runs.__exit__(kind, error, trace)

    def _fresh(self) -> Path:
        return fresh(self._template, self._place / "study")

    def __call__(self, verb: Verb, kind: str, nth: int) -> Trial:
        """Fail the n-th operation of a verb, look, run it again, look again."""
        root = self._fresh()
        undisturbed = self._calm[verb.name]
        shutil.rmtree(self._place / "said" / "away", ignore_errors=True)
        run = self._runs(root, words_of(verb), kind, nth)
        failures = [*after_fault(verb, kind, root, run, undisturbed)] if run.struck else []
        restore_input(self._template, root)
        again = self._runs(root, words_of(verb))
        failures += after_resuming(verb, run, root, again, undisturbed)
        struck = run.struck and (run.struck[0], run.struck[1].removeprefix(f"{root}/"))
        return Trial(verb.name, kind, nth, struck, run.code, tuple(failures))
