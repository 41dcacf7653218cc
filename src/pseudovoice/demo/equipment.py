"""The models the demo needs, fetched beforehand, and what it does without some of them."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass

from pseudovoice.choices import Measure
from pseudovoice.encoders.registry import DEFAULT_ENCODER
from pseudovoice.models import FallbackWarning, FetchError, artefact, cached_path, fetch

SEARCH_ENCODER = "ge2e"
"""persona's voices are searched through another recogniser than the attacker's: quicker than three,
and the attack is not on the very ear that chose them."""

CANDIDATES = 3
"""Of which persona takes the best for each speaker; by default it tries 12."""

_WORDS = ("moonshine-base-encoder", "moonshine-base-decoder", "moonshine-base-tokenizer")


@dataclass(frozen=True)
class Equipment:
    """Safeguards and measures that can be had; ``missing`` are sentences about what cannot."""

    safeguards: tuple[str, ...]
    measures: tuple[Measure, ...]
    missing: tuple[str, ...]


def equip(say: Callable[[str], None]) -> Equipment:
    """Fetch what is not in the cache; only without the attacker's recogniser nothing can be done.

    ``say`` gets a sentence before each download.
    """
    _fetch(DEFAULT_ENCODER, say)
    missing: list[str] = []

    def there(*names: str, without: str) -> bool:
        try:
            for name in names:
                _fetch(name, say)
        except FetchError as error:
            missing.append(f"{without} {error}")
            return False
        return True

    searching = there(
        SEARCH_ENCODER, without="The voices of persona are drawn and not searched for."
    )
    neural = there(
        _WORDS[0], without="The words of xvector cannot be heard; mcadams-random instead."
    )
    # The quality of speech is left out: its predictor takes longer than all attacks together.
    measures: list[Measure] = []
    if there(*_WORDS, without="No words are counted."):
        measures.append("words")
    measures.append("prosody")
    parameters = f"candidates={CANDIDATES},encoders={SEARCH_ENCODER}"
    persona = f"persona:{parameters if searching else 'candidates=1'}"
    safeguards = ("mcadams", persona, "xvector" if neural else "mcadams-random")
    return Equipment(safeguards, tuple(measures), tuple(missing))


def _fetch(name: str, say: Callable[[str], None]) -> None:
    item = artefact(name)
    if not cached_path(item).is_file():
        say(f"Fetching {item.name}, {item.size / 1e6:.0f} MB or more ({item.licence}).")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", FallbackWarning)
        fetch(item)
    for warning in caught:
        say(str(warning.message))
