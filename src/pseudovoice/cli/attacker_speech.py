"""The lazy-informed attacker's speech, made on the spot with a key of its own."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pseudovoice.attacks.adaptive import tried_sessions
from pseudovoice.corpus import Corpus
from pseudovoice.errors import UsageError
from pseudovoice.keys import Key, read_key
from pseudovoice.models.cache import private_cache
from pseudovoice.private import TemporaryFolder
from pseudovoice.protection.protect import protect_corpus
from pseudovoice.safeguards import Chain, parse_chain
from pseudovoice.safeguards.one_voice import with_one_voice


@contextmanager
def attacker_workplace(*, keep: bool) -> Iterator[Path]:
    """The folder for the attacker's speech: in the cache, or gone afterwards if not to be kept."""
    if keep:
        yield private_cache("attacker")
        return
    with TemporaryFolder("attacker") as folder:
        yield folder


def protect_as_attacker(
    corpus: Corpus, safeguard: str, key_file: Path | None, already: Path | None, workplace: Path
) -> Corpus:
    """Protect the originals as the attacker would; what the workplace holds is not made again.

    What cannot be protected cannot be recognised either: it is listed with the originals.
    """
    if already is not None:
        raise UsageError(
            "`attacker_protected` and `attacker_safeguard` say the same thing; name one."
        )
    chain, key = _chain_and_key(safeguard, key_file)
    who = f"{corpus.fingerprint()} {safeguard} {key.identifier if key else ''}"
    folder = workplace / hashlib.sha256(who.encode()).hexdigest()[:16]
    # The corpus itself, not what a reader would make of the folder: speakers stay who they are.
    return protect_corpus(
        corpus, folder, chain, key=key, key_session="attacker", key_file=key_file
    ).corpus


def try_voices(
    corpus: Corpus, safeguard: str, key_file: Path | None, tries: int, workplace: Path
) -> tuple[Corpus, ...]:
    """The originals once for each voice that the attacker tries on everybody.

    A safeguard that draws nothing has but one.
    """
    chain, key = _chain_and_key(safeguard, key_file)
    one = with_one_voice(chain)
    made = []
    for session in tried_sessions(1 if chain.deterministic else tries):
        who = f"{corpus.fingerprint()} {safeguard} {key.identifier if key else ''} {session}"
        folder = workplace / hashlib.sha256(who.encode()).hexdigest()[:16]
        made.append(protect_corpus(corpus, folder, one, key=key, key_session=session).corpus)
    return tuple(made)


def _chain_and_key(safeguard: str, key_file: Path | None) -> tuple[Chain, Key | None]:
    chain = parse_chain(safeguard)
    if key_file is None and not chain.deterministic:
        raise UsageError("`attacker_safeguard` needs the attacker's own key: `attacker_key`.")
    return chain, None if key_file is None else read_key(key_file)
