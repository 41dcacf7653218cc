"""A study as a graph of stages: what each depends on, what it costs, and how it is run.

A stage is a piece of *work* and the stages whose results it needs. Its name is the hash of
everything it depends on: the work's own inputs, and the results of what it needs. So a result that
is there under that name is the result. Running a study and foretelling one are two walks over the
same graph.

Results are records of numbers, kept whole or not at all. One that was just made is read back before
it is used, so that a run which resumes and one which never stopped work with the very same numbers.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, TypeVar

from pseudovoice.atomic import write_atomic
from pseudovoice.errors import PassingProblem, PseudovoiceError
from pseudovoice.private import close_to_others
from pseudovoice.study.records import from_json, to_json
from pseudovoice.study.tools import Tools
from pseudovoice.version import __version__

T = TypeVar("T")

FORMAT = 2
"""Of the kept records; another one makes everything anew."""


def stage_name(kind: str, inputs: Mapping[str, Any]) -> str:
    """The kind and the hash of its inputs, of this version and of the format."""
    whole = {"format": FORMAT, "pseudovoice": __version__, "kind": kind, "inputs": inputs}
    text = json.dumps(whole, sort_keys=True, ensure_ascii=True)
    return f"{kind}-{hashlib.sha256(text.encode()).hexdigest()[:24]}"


class Work(Protocol):
    """What a stage does, as a record without hidden state.

    ``kind`` names it in files, ``record`` is the type that is kept of its result, ``title`` says to
    a person what is being done.
    """

    @property
    def kind(self) -> str: ...
    @property
    def record(self) -> type[Any]: ...
    @property
    def title(self) -> str: ...

    def inputs(self) -> dict[str, Any] | None:
        """All that the result depends on, other stages apart; None if it cannot be told yet."""

    def seconds(self, workers: int) -> tuple[float, str]:
        """About how long it takes, and a note on what of it is there already."""

    def stands(self, kept: Any) -> bool:
        """Whether what the work left beside its record is still there."""

    def make(self, tools: Tools, needed: Sequence[Any], kept: Any | None) -> tuple[Any, Any]:
        """The result for the stages that need it, and the record of it that is kept.

        ``kept`` is the record of an earlier run, if there is one.
        """


@dataclass(frozen=True)
class Computation:
    """Work whose result is the record that is kept."""

    def stands(self, _kept: Any) -> bool:
        return True

    def compute(self, tools: Tools, *needed: Any) -> Any:
        raise NotImplementedError

    def make(self, tools: Tools, needed: Sequence[Any], kept: Any | None) -> tuple[Any, Any]:
        made = self.compute(tools, *needed) if kept is None else kept
        return made, made


@dataclass(frozen=True, eq=False)
class Stage:
    """Work and the stages it needs, in the order in which the work takes them; None for nothing."""

    work: Work
    needs: tuple[Stage | None, ...] = ()

    def name(self, prints: Sequence[str | None]) -> str | None:
        """The name, given what is known of the results it needs; None if that is not enough."""
        inputs = self.work.inputs()
        missing = any(
            need is not None and known is None
            for need, known in zip(self.needs, prints, strict=True)
        )
        if inputs is None or missing:
            return None
        return stage_name(self.work.kind, {**inputs, "needs": list(prints)})

    def all(self) -> Iterator[Stage]:
        """This stage and everything it needs, what is needed first."""
        for need in self.needs:
            if need is not None:
                yield from need.all()
        yield self


def print_of(record: Any) -> str:
    """The fingerprint of a result."""
    return hashlib.sha256(to_json(record).encode()).hexdigest()[:24]


@dataclass(frozen=True)
class StageStore:
    """A folder of finished stages."""

    folder: Path

    def get(self, name: str, record: type[T]) -> T | None:
        """The result of a stage; None if it is not there, or damaged and to be made anew."""
        try:
            return from_json(self._path(name).read_text(encoding="ascii"), record)
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def put(self, name: str, record: type[T], made: T) -> T:
        """Keep a result; gives back what a later run will read."""
        text = to_json(made)
        self.folder.mkdir(parents=True, exist_ok=True)
        write_atomic(self._path(name), text)
        # Had somebody removed the folder of the work meanwhile, it was made anew, open to all.
        close_to_others(self.folder.parent)
        return from_json(text, record)

    def has(self, *kinds: str) -> bool:
        """Whether a stage of one of these kinds is finished."""
        return any(True for kind in kinds for _ in self.folder.glob(f"{kind}-*"))

    def _path(self, name: str) -> Path:
        return self.folder / f"{name}.json"


@dataclass(frozen=True)
class Finished:
    """A stage that was walked: its result, what is kept of it, and under which name."""

    made: Any
    record: Any
    name: str


@dataclass
class Walk:
    """A walk that makes what is not there; every stage once, its failure too."""

    store: StageStore
    tools: Tools
    _results: dict[Stage, Finished] = field(default_factory=dict)
    _failed: dict[Stage, PseudovoiceError] = field(default_factory=dict)

    def result(self, stage: Stage) -> Any:
        """What the stage gives to those who need it."""
        return self._of(stage).made

    def record(self, stage: Stage) -> Any:
        """What is kept of it."""
        return self._of(stage).record

    def name(self, stage: Stage) -> str:
        """The name under which it is kept."""
        return self._of(stage).name

    def done(self, stage: Stage) -> bool:
        """Whether the stage was walked, and did not fail."""
        return stage in self._results

    def _of(self, stage: Stage) -> Finished:
        if stage in self._failed:
            raise self._failed[stage]
        if stage not in self._results:
            try:
                self._results[stage] = self._made(stage)
            except PseudovoiceError as error:
                self._failed[stage] = error
                raise
        return self._results[stage]

    def _made(self, stage: Stage) -> Finished:
        needed = [None if need is None else self._of(need) for need in stage.needs]
        name = stage.name([None if one is None else print_of(one.record) for one in needed])
        assert name is not None
        work = stage.work
        kept = self.store.get(name, work.record)
        results = [None if one is None else one.made for one in needed]
        unread = len(self.tools.unread)
        made, record = work.make(self.tools, results, kept)
        if record is not kept:
            # What lacks something that could not be read for the moment is not kept: the next run
            # shall have it all.
            if len(self.tools.unread) == unread and not _passing(record):
                again = self.store.put(name, work.record, self.tools.veil.hidden(record))
            else:
                again = from_json(to_json(record), work.record)
            made, record = (again if made is record else made), again
        return Finished(made, record, name)


def _passing(record: Any) -> bool:
    problems = getattr(record, "problems", ())
    return any(isinstance(problem, PassingProblem) for problem in problems)


@dataclass(frozen=True)
class Step:
    """A stage as it is foretold; ``seconds`` is what is left of it, 0 if it is done."""

    what: str
    done: bool
    seconds: float
    note: str = ""


def foretell(
    stages: Sequence[Stage], store: StageStore, workers: int, slowness: float = 1.0
) -> list[Step]:
    """A walk that makes nothing: which stages are done, and about how long the others take.

    ``slowness`` is how many times longer than foretold this machine takes.
    """
    known: dict[Stage, str | None] = {}
    steps = []
    for stage in dict.fromkeys(one for last in stages for one in last.all()):
        prints = [None if need is None else known[need] for need in stage.needs]
        name = stage.name(prints)
        kept = None if name is None else store.get(name, stage.work.record)
        done = kept is not None and stage.work.stands(kept)
        known[stage] = print_of(kept) if done else None
        seconds, note = (0.0, "") if done else stage.work.seconds(workers)
        steps.append(Step(stage.work.title, done, slowness * seconds, note))
    return steps
