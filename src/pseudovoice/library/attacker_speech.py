"""The speech of informed attackers, made on the spot with a key of their own."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pseudovoice.attacks.adaptive import tried_sessions
from pseudovoice.corpus import Corpus
from pseudovoice.errors import UsageError
from pseudovoice.keys import Key
from pseudovoice.library.given import GivenKey, GivenSafeguard, a_chain, a_path, key_of
from pseudovoice.models.cache import private_cache
from pseudovoice.private import TemporaryFolder
from pseudovoice.protection.protect import protect_corpus
from pseudovoice.safeguards import Chain
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
    corpus: Corpus,
    safeguard: GivenSafeguard,
    key: GivenKey | None,
    already: bool,
    workplace: Path,
) -> Corpus:
    """Protect the originals as the attacker would; what the workplace holds is not made again.

    What cannot be protected cannot be recognised either: it is listed with the originals.
    """
    if already:
        raise UsageError(
            "`attacker_protected` and `attacker_safeguard` say the same thing; name one."
        )
    chain, own, what = _means(safeguard, key)
    folder = _place(workplace, corpus, what, own)
    # The corpus itself, not what a reader would make of the folder: speakers stay who they are.
    return protect_corpus(
        corpus,
        folder,
        chain,
        key=own,
        key_session="attacker",
        key_file=None if isinstance(key, Key) else a_path(key),
    ).corpus


def try_voices(
    corpus: Corpus,
    safeguard: GivenSafeguard,
    key: GivenKey | None,
    tries: int,
    workplace: Path,
) -> tuple[Corpus, ...]:
    """The originals once for each voice that the attacker tries on everybody.

    A safeguard that draws nothing has but one.
    """
    chain, own, what = _means(safeguard, key)
    one = with_one_voice(chain)
    made = []
    for session in tried_sessions(1 if chain.deterministic else tries):
        folder = _place(workplace, corpus, f"{what}, {session}", own)
        made.append(protect_corpus(corpus, folder, one, key=own, key_session=session).corpus)
    return tuple(made)


def _means(safeguard: GivenSafeguard, key: GivenKey | None) -> tuple[Chain, Key | None, str]:
    """What an attacker protects with, and what that is called."""
    chain = a_chain(safeguard)
    if key is None and not chain.deterministic:
        raise UsageError("`attacker_safeguard` needs the attacker's own key: `attacker_key`.")
    what = safeguard if isinstance(safeguard, str) else json.dumps(chain.to_dict(), sort_keys=True)
    return chain, key_of(key), what


def _place(workplace: Path, corpus: Corpus, what: str, own: Key | None) -> Path:
    who = f"{corpus.fingerprint()} {what} {own.identifier if own else ''}"
    return workplace / hashlib.sha256(who.encode()).hexdigest()[:16]
