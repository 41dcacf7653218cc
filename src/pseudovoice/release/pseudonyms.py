"""Keyed pseudonyms: what people, their recording sessions and their utterances are called instead.

A pseudonym is a draw of the key for one of its sessions: ``spk-``, ``ses-`` or ``utt-`` and 24 hex
digits. Whoever has the key computes it from a name, so no table of who is who need be kept. There
is no way back but to try names, which needs the key as well.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from pseudovoice.corpus import Corpus, Utterance
from pseudovoice.keys import Key

# 96 bits: among a hundred million names two are alike with a chance of one in ten million million.
_DIGITS = 24


class Renaming(Protocol):
    """What utterances are to be called."""

    def renamed(self, utterance: Utterance) -> Utterance: ...


@dataclass(frozen=True)
class AsNamed:
    """For utterances that bear pseudonyms already, though their files do not."""

    def renamed(self, utterance: Utterance) -> Utterance:
        return utterance


@dataclass(frozen=True)
class Pseudonyms:
    """The names that one session of a key gives."""

    key: Key
    key_session: str = "default"

    def speaker(self, name: str) -> str:
        return self._drawn("spk", name)

    def session(self, speaker: str, name: str) -> str:
        """Of a recording session; two people's sessions of one name have nothing in common."""
        return self._drawn("ses", f"{speaker}\0{name}")

    def utterance(self, speaker: str, name: str) -> str:
        return self._drawn("utt", f"{speaker}\0{name}")

    def renamed(self, utterance: Utterance) -> Utterance:
        """The utterance under its pseudonyms, where it was."""
        speaker, session = utterance.speaker, utterance.session
        return replace(
            utterance,
            id=self.utterance(speaker, utterance.id),
            speaker=self.speaker(speaker),
            session=session and self.session(speaker, session),
        )

    def corpus(self, corpus: Corpus) -> Corpus:
        """All of a corpus under pseudonyms, and in their order; what was wrong with it is left out.

        Sentences about problems name files and people.
        """
        again = sorted((self.renamed(u) for u in corpus), key=lambda u: (u.speaker, u.id))
        return replace(corpus, utterances=tuple(again), problems=())

    def _drawn(self, kind: str, name: str) -> str:
        digits = self.key.derive(self.key_session, f"name/{kind}", name).hex()[:_DIGITS]
        return f"{kind}-{digits}"


@dataclass(frozen=True)
class Named:
    """A pseudonym and whose it is: ``kind`` says of what, ``path`` where an utterance lies."""

    pseudonym: str
    kind: str
    speaker: str
    name: str
    path: Path | None = None


def named(
    pseudonyms: Pseudonyms, speakers: Iterable[str], corpus: Corpus | None = None
) -> list[Named]:
    """The pseudonyms of people, and of all that a corpus has of them."""
    wanted = dict.fromkeys(speakers)
    found = [Named(pseudonyms.speaker(who), "speaker", who, who) for who in wanted]
    for utterance in () if corpus is None else corpus:
        who = utterance.speaker
        if who not in wanted:
            continue
        again = pseudonyms.renamed(utterance)
        if utterance.session and again.session:
            found.append(Named(again.session, "session", who, utterance.session))
        found.append(Named(again.id, "utterance", who, utterance.id, utterance.path))
    return list(dict.fromkeys(found))
