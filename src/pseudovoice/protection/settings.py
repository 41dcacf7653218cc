"""What one protection is: chain, key, session, names and lengths, fixed for a whole folder."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any

from pseudovoice.corpus import Utterance, audio_hash
from pseudovoice.errors import UsageError
from pseudovoice.keys import Key
from pseudovoice.protection.by_turns import ByTurns
from pseudovoice.protection.lengths import LengthGrid
from pseudovoice.release.pseudonyms import Renaming
from pseudovoice.safeguards.safeguard import Chain
from pseudovoice.version import __version__


@dataclass(frozen=True)
class Settings:
    """What decides every sample and every name of a protected corpus, besides its originals.

    ``names`` is None where everything is called as the originals are.
    """

    chain: Chain
    key: Key | None
    key_session: str = "default"
    names: Renaming | None = None
    grid: LengthGrid | None = None
    turns: ByTurns | None = None

    @property
    def renames(self) -> bool:
        return self.names is not None

    def check(self) -> None:
        """Refuse what cannot go together, before any work."""
        if self.key is None and not self.chain.deterministic:
            raise UsageError(f"{self.chain.name} draws from a secret key; name one with `key`.")
        if self.key is None and self.grid is not None and self.grid.keyed:
            raise UsageError("Padding draws from a secret key; name one with `key`.")
        if self.chain.last is not None and self.grid is not None:
            raise UsageError(
                f"{self.chain.last.name} has lengths of its own; leave out `pad` and `trim`."
            )
        if self.turns is not None:
            self.turns.check(self.chain)
            if self.grid is not None:
                raise UsageError(
                    "Turns say when somebody speaks, and `pad` and `trim` would move that; leave "
                    "them out."
                )

    def record(self) -> dict[str, Any]:
        """What the folder says of itself; nothing in it is the same in two sessions of a key."""
        several = {} if self.turns is None else {"turns": {"overlap": self.turns.overlap}}
        return {
            "pseudovoice": __version__,
            "safeguard": self.chain.to_dict(),
            "key": None if self.key is None else self.key.identifier_in(self.key_session),
            "key_session": self.key_session,
            "renamed": self.renames,
            "lengths": None if self.grid is None else self.grid.to_dict(),
            **several,
        }

    def stamp(self, utterance: Utterance) -> str:
        """Mark of all that one file depends on, so that what has changed is protected again.

        Keyed where there is a key, and another in each session: whoever sees two journals, or a
        journal and the originals, cannot tell what belongs together. Raises AudioError.
        """
        who: list[Any] = [
            utterance.speaker, utterance.session, utterance.id, audio_hash(utterance),
        ]  # fmt: skip
        if self.turns is not None:
            who.append(self.turns.stamp(utterance))
        return self.mark("journal", json.dumps([who, self.record()], sort_keys=True))

    def mark(self, purpose: str, what: str) -> str:
        """A mark of a text, keyed where there is a key."""
        if self.key is None:
            return hashlib.sha256(what.encode()).hexdigest()[:32]
        return self.key.derive(self.key_session, f"protect/{purpose}", what).hex()[:32]
