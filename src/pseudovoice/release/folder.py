"""The folder that a run fills: what of it stands, what goes into it, and its account at the end."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace
from pathlib import Path

from pseudovoice.corpus import Corpus
from pseudovoice.errors import Problem
from pseudovoice.release.account import Presence, orphan_problems, ours, prune, strangers
from pseudovoice.release.journal import Journal, Made
from pseudovoice.release.listing import write_listing
from pseudovoice.release.publish import at_one_time, publish
from pseudovoice.release.record import RECORD
from pseudovoice.release.seal import intact
from pseudovoice.release.state import OwnerState


class ReleaseFolder:
    """A folder of released speech with its journal, for one run that holds it.

    What ``renames`` goes into the release together at the end, in the order of its new names.
    """

    def __init__(self, out: Path, journal: Journal, *, renames: bool, verify: bool = False) -> None:
        self.out, self._journal = out, journal
        self._renames, self._verify = renames, verify
        self._staged = OwnerState(out).staged
        self._presence = Presence(out)
        self.left: list[Problem] = []
        """What could not be removed."""

    def check(self) -> None:
        """Raise InputError if somebody has removed or replaced the folder."""
        self._presence.check()

    def path(self, place: str) -> Path:
        """Where a file is to be written."""
        return (self._staged if self._renames else self.out) / place

    def stands(self, place: str, stamp: str) -> bool:
        """Whether a file was made of the same before, and is what it was."""
        made = self._journal.get(place)
        staged = self._staged / place
        if made is not None and made.stamp == stamp:
            if self._renames and intact(staged, made, verify=self._verify):
                return True
            if intact(self.out / place, made, verify=self._verify):
                staged.unlink(missing_ok=True)
                return True
        return False

    def note(self, place: str, made: Made) -> None:
        """Remember a file that is done.

        The row follows the file: a killed run repeats at most what it lost.
        """
        self._journal.put(place, made)

    def published(self, places: Iterable[str]) -> dict[str, Made]:
        """All that the run answers for, in its place; what has gone or changed is left out."""
        made: dict[str, Made] = {}
        for place in places:
            known = self._journal.get(place)
            assert known is not None
            made[place] = known
        if self._renames:
            contents = {place: one.sha256 for place, one in made.items()}
            self.left += publish(contents, self._staged, self.out)
        self._presence.check()
        gone = [place for place, one in made.items() if not intact(self.out / place, one)]
        self._journal.drop(gone)
        return {place: one for place, one in made.items() if place not in set(gone)}

    def listed(self, corpus: Corpus) -> tuple[Corpus, set[str]]:
        """Write the listing of what is there; with it, the places of its files."""
        if self._renames:
            # The order of the originals must not be that of the rows.
            ordered = tuple(sorted(corpus, key=lambda u: u.path))
            corpus = replace(corpus, utterances=ordered)
        listings = write_listing(corpus, corpus.layout, self.out, self._renames)
        return corpus, {path.relative_to(self.out).as_posix() for path in listings}

    def closed(self, claimed: Collection[str], *, pruning: bool) -> tuple[int, list[Problem]]:
        """Remove or report what lies in the folder and is not of this run."""
        known = set(self._journal.places())
        others = strangers(self.out, {*claimed, RECORD})
        left = [place for place in others if ours(place, known)]
        foreign = sorted(set(others) - set(left))
        pruned = len(left) if pruning else 0
        if pruned:
            prune(self.out, left)
            left = []
        self._journal.drop(known - set(claimed) - set(left))
        if self._renames:
            at_one_time(self.out)
        self._presence.check()
        return pruned, orphan_problems(self.out, left, foreign)


def vanished(path: Path) -> Problem:
    what = "has gone or was changed while the run was under way"
    return Problem(str(path), what, "start again, and it is made anew")
