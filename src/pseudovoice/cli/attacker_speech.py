"""The lazy-informed attacker's speech, made on the spot with a key of its own."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pseudovoice.attacks.adaptive import attacker_sessions
from pseudovoice.corpus import Corpus
from pseudovoice.errors import UsageError
from pseudovoice.keys import read_key
from pseudovoice.models.cache import private_cache
from pseudovoice.private import TemporaryFolder
from pseudovoice.protection.protect import protect_corpus
from pseudovoice.safeguards import parse_chain


@contextmanager
def attacker_workplace(*, keep: bool) -> Iterator[Path]:
    """The folder for the attacker's speech: in the cache, or gone afterwards if not to be kept."""
    if keep:
        yield private_cache("attacker")
        return
    with TemporaryFolder("attacker") as folder:
        yield folder


def protect_as_attacker(
    corpus: Corpus,
    safeguard: str,
    key_file: Path | None,
    already: Path | None,
    workplace: Path,
    tries: int = 1,
) -> tuple[Corpus, ...]:
    """Protect the originals as the attacker would; what the workplace holds is not made again.

    Each of the ``tries`` gives everybody another voice; a safeguard that draws none has but one.
    What cannot be protected cannot be recognised either: it is listed with the originals.
    """
    if already is not None:
        raise UsageError(
            "--attacker-protected and --attacker-safeguard say the same thing; name one."
        )
    chain = parse_chain(safeguard)
    if key_file is None and not chain.deterministic:
        raise UsageError("--attacker-safeguard needs the attacker's own key: --attacker-key-file.")
    key = None if key_file is None else read_key(key_file)
    made: list[Corpus] = []
    for session in attacker_sessions(1 if chain.deterministic else tries):
        who = f"{corpus.fingerprint()} {safeguard} {key.identifier if key else ''}"
        if made:
            who += f" {session}"
        folder = workplace / hashlib.sha256(who.encode()).hexdigest()[:16]
        # The corpus itself, not what a reader would make of the folder: speakers stay who they are.
        run = protect_corpus(corpus, folder, chain, key=key, key_session=session, key_file=key_file)
        made.append(run.corpus)
    return tuple(made)
