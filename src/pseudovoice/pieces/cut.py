"""Where recordings are cut, so that every version of them is cut at the same places.

An original and its protected twin last equally long, and what is said at a moment of the one is
said at the same moment of the other. So places are looked for once, in the original, and hold for
whatever was made of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from pseudovoice.corpus import Corpus
from pseudovoice.diarisation.turns import Turns
from pseudovoice.errors import Problem

FLATTERED = (
    "Utterances of one recording share room, microphone and day, which help to tell them: trials "
    "within a recording flatter the attacker, and less may be disclosed than is said here. How "
    "much less, only recordings of the same people on other days would tell"
)


@dataclass(frozen=True)
class Piece:
    """From ``start`` to ``end`` (seconds) of a recording one person speaks: an utterance."""

    recording: str
    id: str
    speaker: str
    start: float
    end: float


@dataclass(frozen=True)
class Cutting:
    """Recordings, and the utterances in them.

    ``turns`` are given where several people speak in a recording, and None where each has one
    speaker and was cut at pauses. ``spoken`` are the seconds that the utterances were taken from:
    not all of a long recording is needed. ``problems`` are recordings that gave none.
    """

    recordings: Corpus
    pieces: tuple[Piece, ...]
    turns: Mapping[str, Turns] | None = field(default=None, hash=False)
    spoken: float = 0.0
    problems: tuple[Problem, ...] = ()

    @property
    def utterances(self) -> Corpus:
        """The utterances of the originals."""
        cut = self.of(self.recordings)
        return replace(cut, problems=(*self.recordings.problems, *self.problems))

    def of(self, version: Corpus) -> Corpus:
        """The same utterances in another version of the recordings; what it lacks has none.

        The session of an utterance is its recording, where no listing tells another.
        """
        found = []
        for piece in self.pieces:
            whole = version.by_id.get(piece.recording)
            if whole is None:
                continue
            at = whole.start or 0.0
            found.append(
                replace(
                    whole,
                    id=piece.id,
                    speaker=piece.speaker,
                    start=at + piece.start,
                    end=at + piece.end,
                    session=whole.session or whole.id,
                    gender=whole.gender if self.turns is None else None,
                    transcript=None,
                )
            )
        return replace(version, utterances=tuple(found))

    def stamp(self) -> list[Any]:
        """All of the turns that what is made of whole recordings depends on."""
        return [
            [name, [[t.start, t.end, t.person] for t in turns.turns]]
            for name, turns in sorted((self.turns or {}).items())
        ]

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader has to know of numbers that rest on this, a sentence each."""
        recordings = Counter(piece.recording for piece in self.pieces)
        people = dict.fromkeys(piece.speaker for piece in self.pieces)
        where = "by who speaks when" if self.turns is not None else "at pauses"
        taken = sum(piece.end - piece.start for piece in self.pieces)
        said = [
            f"{_count(len(recordings), 'recording')} of "
            f"{_count(len(people), 'person', 'people')} cut {where} into "
            f"{_count(len(self.pieces), 'utterance')}, the original and the protected one at the "
            f"same places ({taken / 60:.1f} of {self.spoken / 60:.1f} minutes of speech).",
            f"{self._within_one()}. {FLATTERED}.",
        ]
        if any(u.transcript for u in self.recordings):
            said.append(
                "Transcripts belong to whole recordings and cannot be told apart by utterance: "
                "words are counted against what the recogniser hears in the original."
            )
        return tuple(said)

    def _within_one(self) -> str:
        """How many comparisons of a person with themselves lie within one recording."""
        by_person: dict[str, Counter[str]] = {}
        for piece in self.pieces:
            by_person.setdefault(piece.speaker, Counter())[piece.recording] += 1
        every = sum(n.total() * (n.total() - 1) for n in by_person.values())
        within = sum(k * (k - 1) for n in by_person.values() for k in n.values())
        if every == within:
            return "Everybody is compared with themselves within one recording"
        return (
            f"{100 * within / every:.0f} % of the comparisons of a person with themselves lie "
            "within one recording"
        )


def _count(n: int, one: str, many: str | None = None) -> str:
    return f"{n:,} {one if n == 1 else many or f'{one}s'}"
