"""A corpus: utterances with their speakers, and where their audio is.

Conventions
-----------
- An utterance is a file, or the part from ``start`` to ``end`` (seconds) of a file.
- Nothing here opens audio; :func:`pseudovoice.corpus.load` does, one utterance at a time.
- ``gender`` is ``"f"``, ``"m"``, another word in lower case, or None when unknown.
- What could not be used is in ``problems``; it is never repaired silently.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from ..errors import InputError, Problem, few
from .faults import AudioError
from .labels import UNLABELLED, Labels
from .naming import shown


@dataclass(frozen=True, slots=True)
class Utterance:
    """One stretch of speech by one speaker.

    ``channel`` is the one, from 0, that the speaker is on where a file has several; None leaves it
    to whoever loads the audio. ``path`` is absolute. ``command`` is set only for a Kaldi or lhotse
    entry whose audio is the output of a program; ``path`` is then the file that lists it and holds
    no audio.
    """

    id: str
    speaker: str
    path: Path
    start: float | None = None
    end: float | None = None
    session: str | None = None
    gender: str | None = None
    transcript: str | None = None
    command: str | None = None
    channel: int | None = None
    labels: Labels = UNLABELLED

    @property
    def place(self) -> str:
        """Where the audio is, for a sentence: the file and, if it is a part, which part."""
        name = shown(self.path)
        if self.command is not None:
            name = f"{name} (command of {self.id})"
        if self.start is None and self.end is None:
            return name
        end = "the end" if self.end is None else f"{self.end:g} s"
        channel = "" if self.channel is None else f", channel {self.channel}"
        return f"{name} ({self.id}: {self.start or 0:g} s to {end}{channel})"


@dataclass(frozen=True)
class Corpus:
    """What one reader understood of a folder or file."""

    name: str
    root: Path
    utterances: tuple[Utterance, ...]
    problems: tuple[Problem, ...] = ()
    layout: str = "folder"

    def __len__(self) -> int:
        return len(self.utterances)

    def __iter__(self) -> Iterator[Utterance]:
        return iter(self.utterances)

    @cached_property
    def by_id(self) -> dict[str, Utterance]:
        """Utterances by id, in corpus order."""
        return {utterance.id: utterance for utterance in self.utterances}

    @cached_property
    def speakers(self) -> dict[str, tuple[Utterance, ...]]:
        """The utterances of each speaker, speakers in sorted order."""
        groups: dict[str, list[Utterance]] = {}
        for utterance in self.utterances:
            groups.setdefault(utterance.speaker, []).append(utterance)
        return {speaker: tuple(groups[speaker]) for speaker in sorted(groups)}

    @cached_property
    def genders(self) -> dict[str, str | None]:
        """The gender of each speaker, None where unknown."""
        return {
            speaker: next((u.gender for u in group if u.gender is not None), None)
            for speaker, group in self.speakers.items()
        }

    def subset(
        self,
        *,
        speakers: Collection[str] | None = None,
        ids: Collection[str] | None = None,
    ) -> Corpus:
        """The utterances of these speakers, with these ids, or both; order and problems stay.

        A name that the corpus does not have raises InputError: a mistyped speaker must not
        quietly make a smaller corpus.
        """
        self._require("speaker", speakers, self.speakers)
        self._require("utterance", ids, self.by_id)
        wanted_speakers = None if speakers is None else frozenset(speakers)
        wanted_ids = None if ids is None else frozenset(ids)
        kept = tuple(
            utterance
            for utterance in self.utterances
            if (wanted_speakers is None or utterance.speaker in wanted_speakers)
            and (wanted_ids is None or utterance.id in wanted_ids)
        )
        return replace(self, utterances=kept)

    def _require(self, kind: str, wanted: Collection[str] | None, known: Collection[str]) -> None:
        unknown = [name for name in wanted or () if name not in known]
        if unknown:
            raise InputError(
                f"{shown(self.root)}: has no {kind} {few(sorted(unknown))}; "
                f"the corpus was read as layout {self.layout} with {len(known)} {kind}s."
            )

    def fingerprint(
        self, *, content: bool = False, unread: Callable[[Problem], None] | None = None
    ) -> str:
        """SHA-256 over ids, speakers, segment times and file sizes, whatever the order or folder.

        With ``content`` the hash of each file's bytes replaces its size: slower, but it also
        notices a file that changed without changing its length. One that cannot be read counts
        with the reason in place of its content, and ``unread`` is called with the problem.
        """
        # Imported here because audio imports this module.
        from .audio import audio_hash
        from .hashes import hashed_ahead

        digest = hashlib.sha256()
        ordered = sorted(self.utterances, key=lambda u: u.id)
        for utterance in hashed_ahead(ordered) if content else ordered:
            if content:
                try:
                    stamp = audio_hash(utterance)
                except AudioError as error:
                    stamp = error.kind
                    if unread is not None:
                        unread(error.problem)
            elif utterance.command is not None:
                stamp = utterance.command
            else:
                stamp = str(_size(utterance))
            fields: tuple[object, ...] = (
                utterance.id, utterance.speaker, utterance.start, utterance.end, stamp,
            )  # fmt: skip
            if utterance.channel is not None:
                fields += (utterance.channel,)
            # repr keeps the fields apart: ("a", "bc") and ("ab", "c") must differ.
            digest.update(repr(fields).encode())
        return digest.hexdigest()


def _size(utterance: Utterance) -> int:
    try:
        return utterance.path.stat().st_size
    except OSError as error:
        raise InputError(
            f"{utterance.place}: cannot be opened any more ({error.strerror}); "
            "the corpus changed after it was read, so read it again."
        ) from None
