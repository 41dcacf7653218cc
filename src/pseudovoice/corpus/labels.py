"""What a listing may tell of people and of how they speak, beside their gender."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields


@dataclass(frozen=True, slots=True)
class Labels:
    """What is known, None where it is not: ``age`` in years or as a word, the rest as words.

    Age, accent and language are mostly the speaker's, emotion the utterance's; nobody relies on it.
    """

    age: str | None = None
    accent: str | None = None
    language: str | None = None
    emotion: str | None = None

    def __iter__(self) -> Iterator[tuple[str, str]]:
        """Every label that is there, with its name."""
        named = ((name, getattr(self, name)) for name in NAMES)
        return ((name, value) for name, value in named if value is not None)

    def __or__(self, other: Labels) -> Labels:
        """These, and the other's where these do not tell."""
        return Labels(**{**dict(other), **dict(self)})


NAMES = tuple(field.name for field in fields(Labels))
UNLABELLED = Labels()
