"""The voices of a safeguard, drawn one after the other: what an attacker has to try."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pseudovoice.safeguards.one_voice import with_one_voice
from pseudovoice.safeguards.safeguard import Chain
from pseudovoice.safeguards.undone import undone


@dataclass(frozen=True)
class Draw:
    """One voice for everybody: in this session of a key, ``chain`` puts it on.

    ``inverse`` takes it away again, None where a link of the chain cannot be undone.
    """

    session: str
    chain: Chain
    inverse: Chain | None


def draws(chain: Chain, count: int) -> Iterator[Draw]:
    """So many voices of a chain, each for everybody; a chain that draws nothing has but one."""
    one, inverse = with_one_voice(chain), undone(chain)
    for n in range(1, 1 + (1 if chain.deterministic else count)):
        yield Draw(f"attacker, try {n}", one, inverse)
