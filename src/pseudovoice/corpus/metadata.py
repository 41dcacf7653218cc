"""A ``metadata.tsv`` or ``metadata.csv`` beside a tree of audio: what is known of it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath

from .columns import ListedRow, gender
from .corpus import Utterance
from .faults import ListingError
from .labels import UNLABELLED, Labels
from .naming import nfc, shown
from .register import Register
from .rows import read_rows

NAMES = ("metadata.tsv", "metadata.csv")


@dataclass
class Metadata:
    """What the file says of utterances by id, and of speakers; empty if there is no file."""

    source: str = ""
    rows: dict[str, ListedRow] = field(default_factory=dict)
    genders: dict[str, str] = field(default_factory=dict)
    labels: dict[str, Labels] = field(default_factory=dict)
    disagreeing: list[str] = field(default_factory=list)

    def complete(self, utterance: Utterance) -> Utterance:
        """The utterance with what the tree does not tell filled in: gender, transcript, labels.

        The speaker always comes from the folder; where the file names another one, that is kept
        for :meth:`report`.
        """
        if not self.rows and not self.genders and not self.labels:
            return utterance
        speaker = nfc(utterance.speaker)
        row = self.rows.get(nfc(utterance.id))
        stated = row and gender(row.gender)
        if row is not None and row.speaker is not None and row.speaker != speaker:
            self.disagreeing.append(utterance.id)
        return replace(
            utterance,
            gender=utterance.gender or stated or self.genders.get(speaker),
            transcript=utterance.transcript or (row.transcript if row else None),
            labels=(row.labels if row else UNLABELLED) | self.labels.get(speaker, UNLABELLED),
        )

    def report(self, register: Register) -> None:
        """Note where folders and file name different speakers."""
        register.problem_of_many(
            self.source,
            self.disagreeing,
            "utterance has another speaker than its folder",
            "utterances have another speaker than their folder",
            "correct the file or move the audio; until then the folder counts",
        )


def read_metadata(root: Path, register: Register) -> Metadata:
    """The metadata of a tree, matched by id or else by the stem of the path.

    A file without ids and paths but with speakers describes the speakers.
    """
    path = next((root / name for name in NAMES if (root / name).is_file()), None)
    if path is None:
        return Metadata()
    metadata = Metadata(source=shown(path))
    try:
        for row in read_rows(path, register):
            name = row.id or (nfc(PurePosixPath(row.path).stem) if row.path else None)
            stated = gender(row.gender)
            if name is not None:
                metadata.rows.setdefault(name, row)
            elif row.speaker is not None:
                metadata.labels.setdefault(row.speaker, row.labels)
                if stated is not None:
                    metadata.genders.setdefault(row.speaker, stated)
    except ListingError as error:
        # The audio is still there; only the extra knowledge is lost.
        register.problems.append(error.problem)
    return metadata
