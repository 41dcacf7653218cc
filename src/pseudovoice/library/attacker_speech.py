"""The speech of informed attackers, made on the spot with a key of their own."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pseudovoice import __version__
from pseudovoice.corpus import Corpus
from pseudovoice.errors import UsageError
from pseudovoice.keys import Key
from pseudovoice.library.given import GivenKey, GivenSafeguard, a_chain, a_path, key_of
from pseudovoice.models.cache import private_cache
from pseudovoice.private import TemporaryFolder
from pseudovoice.protection.known_pairs import fitted_to
from pseudovoice.protection.protect import protect_corpus
from pseudovoice.safeguards import Chain
from pseudovoice.safeguards.draws import draws
from pseudovoice.safeguards.fitted import can_be_fitted


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
    made = []
    for one in draws(chain, tries):
        folder = _place(workplace, corpus, f"{what}, {one.session}", own)
        made.append(
            protect_corpus(corpus, folder, one.chain, key=own, key_session=one.session).corpus
        )
    return tuple(made)


def undo_voices(
    protected: Corpus,
    safeguard: GivenSafeguard,
    key: GivenKey | None,
    tries: int,
    workplace: Path,
) -> tuple[Corpus, ...]:
    """The protected speech once for each voice that the attacker takes away; none if it cannot."""
    chain, own, what = _means(safeguard, key)
    made = []
    for one in draws(chain, tries):
        if one.inverse is not None:
            folder = _place(workplace, protected, f"{what}, {one.session}, undone", own)
            made.append(
                protect_corpus(
                    protected, folder, one.inverse, key=own, key_session=one.session
                ).corpus
            )
    return tuple(made)


def fit_voices(
    original: Corpus,
    protected: Corpus,
    safeguard: GivenSafeguard,
    key: GivenKey | None,
    tries: int,
    known: frozenset[str],
    workplace: Path,
) -> Corpus:
    """The originals under the mappings that the ``known`` utterances tell."""
    chain = a_chain(safeguard)
    if key is None and not can_be_fitted(chain):
        raise UsageError(
            f"{chain.name} cannot be told from pairs alone: voices are tried on them, which are "
            "drawn with the attacker's own key, `attacker_key`."
        )
    own = key_of(key)
    enrolled, found = fitted_to(original, protected, chain, known=known, key=own, tries=tries)
    # What was found depends on every sample of the pairs.
    pairs = protected.subset(ids=[u.id for u in protected if u.id in known])
    what = f"{json.dumps(found.to_dict(), sort_keys=True)} {pairs.fingerprint(content=True)}"
    folder = _place(workplace, enrolled, what, own)
    return protect_corpus(enrolled, folder, found, key=None).corpus


def _means(safeguard: GivenSafeguard, key: GivenKey | None) -> tuple[Chain, Key | None, str]:
    """What an attacker protects with, and what that is called."""
    chain = a_chain(safeguard)
    if key is None and not chain.deterministic:
        raise UsageError("`attacker_safeguard` needs the attacker's own key: `attacker_key`.")
    return chain, key_of(key), json.dumps(chain.to_dict(), sort_keys=True)


def _place(workplace: Path, corpus: Corpus, what: str, own: Key | None) -> Path:
    # The version, too: a folder that another one filled would be refused.
    who = f"{__version__} {corpus.fingerprint()} {what} {own.identifier if own else ''}"
    return workplace / hashlib.sha256(who.encode()).hexdigest()[:16]
