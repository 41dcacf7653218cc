"""Keys, voices given with them, journals: found by what they are, whatever they are called."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from dataclasses import dataclass

from pseudovoice.keys import Key
from pseudovoice.private.irreplaceable import KEY_HEADER, VOICES
from pseudovoice.release.undoing.windows import Bytes, windows

_ANYWHERE = (
    (re.compile(re.escape(KEY_HEADER.encode("ascii"))), "a secret key"),
    (re.compile(VOICES), "voices that were given with a key"),
    (re.compile(rb"SQLite format 3\0"), "a journal or another database"),
    (
        re.compile(rb"\bslice,utterance,position,start,end,speaker,session,text\b"),
        "the table that undoes slices",
    ),
)


@dataclass(frozen=True)
class Secrets:
    """What to look for: the marks of our own files, and with ``key`` its secret in any spelling."""

    key: Key | None = None

    def found_in(self, data: Bytes) -> Iterator[str]:
        """What of the kind some bytes hold, for a sentence."""
        wanted = list(_ANYWHERE)
        if self.key is not None:
            spelt = b"|".join(map(re.escape, _spellings(self.key)))
            wanted.append((re.compile(spelt, re.IGNORECASE), "the secret of the key"))
        found = {what for part in windows(data) for pattern, what in wanted if pattern.search(part)}
        yield from (what for _, what in wanted if what in found)


def _spellings(key: Key) -> tuple[bytes, ...]:
    secret = key.secret
    return (
        secret,
        secret.hex().encode("ascii"),
        base64.b64encode(secret).rstrip(b"="),
        base64.urlsafe_b64encode(secret).rstrip(b"="),
    )
