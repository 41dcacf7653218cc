"""The slicing stage: protected speech cut into slices that bear nobody's name.

Whether an attack on them is right only the table that undoes the slicing can tell. It stays in the
work folder, readable by its owner alone; tables and page hold numbers that were counted with it.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from pseudovoice.corpus import Corpus, read_corpus
from pseudovoice.errors import Problem, PseudovoiceError
from pseudovoice.models.cache import sha256_of
from pseudovoice.private import private_folder
from pseudovoice.protection.to_slices import begun_slices
from pseudovoice.release.record import RECORD
from pseudovoice.safeguards import Chain
from pseudovoice.slicing import Origin, Summary, read_table
from pseudovoice.study import rates
from pseudovoice.study.protecting import Protection
from pseudovoice.study.tools import Tools

UNDO = "undo"
"""Folder of the tables that undo the slicing, below the work folder."""


@dataclass(frozen=True)
class SlicedRun:
    """A finished slicing: fingerprint of the slices, hash of the table that undoes them."""

    fingerprint: str
    table_sha256: str
    summary: Summary
    problems: tuple[Problem, ...]


@dataclass(frozen=True)
class Slices:
    """The slices, where each comes from, and what is kept of their making."""

    corpus: Corpus
    origins: tuple[Origin, ...]
    run: SlicedRun


@dataclass(frozen=True)
class SliceWork:
    """Needs what the chain makes before it cuts, if anything: chains that differ in their slices
    alone share it. ``work`` is the study's folder for itself."""

    protection: Protection
    work: Path

    kind: ClassVar[str] = "slice"
    record: ClassVar[type[Any]] = SlicedRun

    @property
    def title(self) -> str:
        return f"slice {self.protection.corpus.name} with {self.protection.name}"

    @property
    def table(self) -> Path:
        """Where the table lies that undoes the slicing."""
        return self.work / UNDO / f"{self.protection.place.name}.csv"

    def inputs(self) -> dict[str, Any] | None:
        return self.protection.inputs()

    def seconds(self, workers: int) -> tuple[float, str]:
        run = self.protection
        rate = rates.ALIGN + (rates.CHECK_WORDS if run.check_words else 0.0)
        return rates.protecting(run.corpus, Chain(()), workers, rate), ""

    def stands(self, _kept: SlicedRun) -> bool:
        return self.protection.place.is_dir() and self.table.is_file()

    def make(
        self, tools: Tools, needed: Sequence[Any], kept: SlicedRun | None
    ) -> tuple[Slices, SlicedRun]:
        """Slice what was protected, unless all of it is there; what was made is read back."""
        place, table = self.protection.place, self.table
        if kept is not None and _stands(place, table, kept):
            return Slices(read_corpus(place), read_table(table), kept), kept
        place.parent.mkdir(parents=True, exist_ok=True)
        private_folder(table.parent)
        _clear_leftover(place)
        (before,) = needed
        done = self.protection.run(tools, table, before)
        assert done.summary is not None
        slices = read_corpus(place)
        run = SlicedRun(tools.fingerprint(slices), sha256_of(table), done.summary, done.problems)
        return Slices(slices, read_table(table), run), run


def _stands(place: Path, table: Path, record: SlicedRun) -> bool:
    """Whether slices and table are still those of the record."""
    if not (place / RECORD).is_file() or not table.is_file():
        return False
    try:
        if sha256_of(table) != record.table_sha256:
            return False
        return read_corpus(place).fingerprint(content=True) == record.fingerprint
    except PseudovoiceError:
        return False


def _clear_leftover(place: Path) -> None:
    """Remove slices that a run was killed over between the last one and the record of them all."""
    if place.is_dir() and not (place / RECORD).exists() and not begun_slices(place):
        shutil.rmtree(place)
