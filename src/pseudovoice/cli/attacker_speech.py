"""The lazy-informed attacker's speech, made on the spot with a key of its own."""

from __future__ import annotations

import hashlib
from pathlib import Path

from pseudovoice.corpus import Corpus
from pseudovoice.errors import UsageError
from pseudovoice.models.cache import cache_directory
from pseudovoice.safeguards import parse_chain
from pseudovoice.safeguards.key import read_key
from pseudovoice.safeguards.protect import protect_corpus


def protect_as_attacker(
    corpus: Corpus, safeguard: str, key_file: Path | None, already: Path | None
) -> Path:
    """Protect the originals as the attacker would; kept in the cache, so that a rerun is quick."""
    if already is not None:
        raise UsageError(
            "--attacker-protected and --attacker-safeguard say the same thing; name one."
        )
    chain = parse_chain(safeguard)
    if key_file is None and not chain.deterministic:
        raise UsageError("--attacker-safeguard needs the attacker's own key: --attacker-key-file.")
    key = None if key_file is None else read_key(key_file)
    who = f"{corpus.fingerprint()} {safeguard} {key.identifier if key else ''}"
    folder = cache_directory() / "attacker" / hashlib.sha256(who.encode()).hexdigest()[:16]
    protect_corpus(corpus, folder, chain, key=key, key_session="attacker")
    return folder
