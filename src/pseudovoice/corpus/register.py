"""What a reader collects: good utterances, and a problem for each bad item.

Every reader passes what it finds through one register, so that ids, speakers, times and files
are judged alike in all layouts and one bad item never ends the reading.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from ..errors import InputError, Problem, few
from .corpus import Corpus, Utterance
from .faults import ItemFault
from .naming import check_characters, check_name, nfc, quoted, shown
from .paths import check_file


class Register:
    """The growing list of utterances and problems of one reading."""

    def __init__(self, root: Path, layout: str) -> None:
        self.root = root
        self.layout = layout
        self.problems: list[Problem] = []
        self._utterances: dict[str, Utterance] = {}
        self._places: dict[str, str] = {}
        self._good_files: set[Path] = set()

    def problem(self, where: str, what: str, remedy: str) -> None:
        """Note one bad item."""
        self.problems.append(Problem(where, what, remedy))

    def problem_of_many(
        self, where: str, names: Sequence[str], singular: str, plural: str, remedy: str
    ) -> None:
        """Note many items that are bad for one reason as one sentence; none if there are none."""
        if names:
            words = f"1 {singular}" if len(names) == 1 else f"{len(names)} {plural}"
            self.problem(where, f"{words} ({few([quoted(name) for name in names])})", remedy)

    def fault(self, where: str, fault: ItemFault) -> None:
        """Note the fault of one item."""
        self.problem(where, fault.what, fault.remedy)

    def add(self, utterance: Utterance, where: str) -> None:
        """Take an utterance in, or note why not. ``where`` is the file or ``file:line``."""
        utterance = replace(
            utterance,
            id=nfc(utterance.id),
            speaker=nfc(utterance.speaker),
            session=None if utterance.session is None else nfc(utterance.session),
        )
        try:
            check_name(utterance.id, "id")
            check_name(utterance.speaker, "speaker")
            for kind in ("transcript", "session", "gender"):
                check_characters(getattr(utterance, kind), kind)
            check_times(utterance.start, utterance.end)
            first = self._places.get(utterance.id)
            if first is not None:
                raise ItemFault(
                    f"the id {quoted(utterance.id)} is a duplicate of {first}",
                    "give every utterance its own id; this one is left out",
                )
            # Many segments share a recording: look at each file once.
            if utterance.command is None and utterance.path not in self._good_files:
                self._check_file(utterance.path, where)
        except ItemFault as fault:
            self.fault(where, fault)
            return
        self._utterances[utterance.id] = utterance
        self._places[utterance.id] = where

    def _check_file(self, path: Path, where: str) -> None:
        try:
            check_file(path)
        except ItemFault as fault:
            # Where a listing is named, the sentence must name the file as well.
            named = fault.what if shown(path) == where else f"{shown(path)} {fault.what}"
            raise ItemFault(named, fault.remedy) from None
        self._good_files.add(path)

    def corpus(self, *, nothing: str) -> Corpus:
        """The finished corpus; ``nothing`` is the advice if not one utterance can be used."""
        if not self._utterances:
            found = f"; the first of {len(self.problems)} problems: " if self.problems else "; "
            first = str(self.problems[0]) if self.problems else f"{nothing}."
            raise InputError(
                f"{shown(self.root)}: read as layout {self.layout}, "
                f"it has no usable utterance{found}{first}"
            )
        utterances = self._without_contradictory_genders()
        return Corpus(
            name=shown(self.root.stem if self.root.is_file() else self.root.name),
            root=self.root,
            utterances=utterances,
            problems=tuple(self.problems),
            layout=self.layout,
        )

    def _without_contradictory_genders(self) -> tuple[Utterance, ...]:
        genders: dict[str, set[str]] = {}
        for utterance in self._utterances.values():
            if utterance.gender is not None:
                genders.setdefault(utterance.speaker, set()).add(utterance.gender)
        double = {speaker for speaker, found in genders.items() if len(found) > 1}
        for speaker in sorted(double):
            self.problem(
                shown(self.root),
                f"the speaker {quoted(speaker)} has more than one gender "
                f"({few(sorted(genders[speaker]))})",
                "correct it; until then the gender counts as unknown",
            )
        return tuple(
            replace(utterance, gender=None) if utterance.speaker in double else utterance
            for utterance in self._utterances.values()
        )


def check_times(start: float | None, end: float | None) -> None:
    """Raise :class:`ItemFault` unless ``0 ≤ start < end``; None means the beginning or the end."""
    for name, seconds in (("start", start), ("end", end)):
        if seconds is not None and not (math.isfinite(seconds) and seconds >= 0):
            raise ItemFault(
                f"the {name} {seconds:g} s is not a time in the file",
                "give seconds from the beginning",
            )
    if end is not None and end <= (start or 0):
        raise ItemFault(
            f"the segment ends at {end:g} s, not after its start at {start or 0:g} s",
            "correct the two times",
        )
