"""Names of slices that reveal neither the utterance nor the order, except to whoever has the key.

A name is a keyed hash of speaker, utterance, position and how the corpus is protected and sliced:
the same speech in another voice, sliced in another way, or in another session of the key, gets
names that cannot be linked.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pseudovoice.corpus import Utterance
from pseudovoice.keys import Key
from pseudovoice.slicing.settings import Slicing

# 80 bits: among a hundred million slices two share a name with a chance below one in a hundred
# million.
_DIGITS = 20


class SliceNamer:
    """Gives slices their names and utterances a mark for resuming."""

    def __init__(
        self,
        key: Key,
        key_session: str,
        slicing: Slicing,
        protection: Mapping[str, Any] | None = None,
    ) -> None:
        self._key, self._session = key, key_session
        how = {**slicing.to_dict(), **({"protection": protection} if protection else {})}
        self._purpose = "slice/" + json.dumps(how, sort_keys=True)

    def slice(self, utterance: Utterance, position: int) -> str:
        """The public name of the slice at ``position``, counted from 0."""
        name = f"{utterance.speaker}\0{utterance.id}\0{position}"
        return f"slice-{self._digest('name', name)}"

    def mark(self, utterance: Utterance, content: str) -> str:
        """A mark of an utterance and what went into slicing it."""
        return self._digest("mark", f"{utterance.speaker}\0{utterance.id}\0{content}")

    def _digest(self, kind: str, name: str) -> str:
        return self._key.derive(self._session, f"{self._purpose}/{kind}", name).hex()[:_DIGITS]
