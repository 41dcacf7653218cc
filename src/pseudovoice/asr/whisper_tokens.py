"""Whisper's tokens: which bytes each stands for, and which may be written.

Two files that come with the weights say it. In the table of tokens every byte is one printable
character (the byte-level code of GPT-2); the rules name the tokens that steer the decoder.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pseudovoice.asr.languages import ENGLISH
from pseudovoice.errors import InputError


@dataclass(frozen=True)
class Rules:
    """Text goes up to ``end``; ``languages`` are the tokens of languages by their codes."""

    start: int
    languages: dict[str, int]
    behind: tuple[int, ...]
    end: int
    never: tuple[int, ...]
    never_first: tuple[int, ...]

    def prompt(self, language: str) -> tuple[int, ...]:
        """Asks for a transcript in a language, without times."""
        return (self.start, self.languages[language], *self.behind)


def read_rules(data: bytes) -> Rules:
    """The rules of ``generation_config.json``."""
    try:
        said = _object(data)
        start, end = int(said["decoder_start_token_id"]), int(said["eos_token_id"])
        languages = {
            name.removeprefix("<|").removesuffix("|>"): int(token)
            for name, token in said["lang_to_id"].items()
        }
        return Rules(
            start=start,
            languages={ENGLISH: languages.pop(ENGLISH), **languages},
            behind=(int(said["task_to_id"]["transcribe"]), int(said["no_timestamps_token_id"])),
            end=end,
            never=tuple(map(int, said["suppress_tokens"])),
            never_first=tuple(map(int, said["begin_suppress_tokens"])),
        )
    except (AttributeError, KeyError, TypeError, ValueError):
        raise InputError("The rules of the tokens are not those of Whisper.") from None


def read_table(data: bytes) -> tuple[bytes, ...]:
    """The tokens of ``vocab.json``, each as the bytes it stands for, by number."""
    letters = _letters()
    try:
        numbers = {int(number): token for token, number in _object(data).items()}
        names = [numbers[number] for number in range(len(numbers))]
        # The end of the text is in some tables; its name is spelt with letters like any word.
        return tuple(bytes(letters[letter] for letter in name) for name in names)
    except (KeyError, TypeError, ValueError):
        raise InputError("The table of tokens is not that of Whisper.") from None


def text_of(tokens: Sequence[int], table: Sequence[bytes], end: int) -> str:
    """The text of the tokens; those from ``end`` on steer and are no text."""
    known = b"".join(table[token] for token in tokens if token < min(end, len(table)))
    return known.decode("utf-8", "ignore").strip()


def _object(data: bytes) -> dict[str, Any]:
    found = json.loads(data)
    if not isinstance(found, dict):
        raise TypeError
    return found


def _letters() -> dict[str, int]:
    """The byte of each character: itself if it can be printed, else the next from U+0100 on."""
    printed = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    hidden = [byte for byte in range(256) if byte not in printed]
    return {chr(byte): byte for byte in printed} | {chr(256 + k): b for k, b in enumerate(hidden)}
