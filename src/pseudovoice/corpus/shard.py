"""One of several equal shares of a corpus, for machines that know nothing of each other.

Whose share an utterance is, its own name settles, by a hash: not the order of a listing, not who
else is in it. So utterances that come later go to some shard and move none of the others, and a
shard that is run again finds what it made.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass, replace

from ..errors import UsageError
from .corpus import Corpus, Utterance

_WRITTEN = re.compile(r"([0-9]{1,6})/([0-9]{1,6})", re.ASCII)


@dataclass(frozen=True)
class Shard:
    """Share ``number``, from 1, of ``of``."""

    number: int
    of: int

    def __post_init__(self) -> None:
        if not 1 <= self.number <= self.of:
            raise UsageError(
                f"There is no shard {self}: of N shards the first is 1/N and the last N/N."
            )

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"

    def __contains__(self, utterance: Utterance) -> bool:
        name = f"{utterance.speaker}\0{utterance.id}".encode("utf-8", "surrogatepass")
        return int.from_bytes(hashlib.sha256(name).digest()[:8]) % self.of == self.number - 1

    def part(self, corpus: Corpus) -> Corpus:
        """Its share of a corpus, in the corpus' order."""
        return replace(corpus, utterances=tuple(u for u in corpus if u in self))


def parse_shard(text: str) -> Shard:
    """``K/N`` as a shard."""
    found = _WRITTEN.fullmatch(text.strip())
    if found is None:
        raise UsageError(f"{text!r} is no shard; write 2/3 for the second of three.")
    return Shard(int(found[1]), int(found[2]))


def listing_hash(corpus: Corpus) -> str:
    """SHA-256 of what a corpus lists, in its order; its audio is not read."""
    digest = hashlib.sha256(corpus.layout.encode())
    root = corpus.root.resolve()
    for u in corpus:
        place = u.path.relative_to(root) if u.path.is_relative_to(root) else u.path
        what = (
            u.id, u.speaker, u.session, u.gender, u.transcript, place.as_posix(), u.start, u.end,
            u.channel, u.command,
        )  # fmt: skip
        digest.update(json.dumps(what).encode())
    return digest.hexdigest()
