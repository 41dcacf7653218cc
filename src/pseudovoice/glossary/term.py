"""What a glossary entry says."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

NONE = "—"
"""What stands in a field that does not apply: a definition has no unit."""

EVIDENCE = (
    "Higher means speakers are told apart better. OP and PQ: lower protects better. "
    "PP: higher keeps pseudo-voices apart. OO: the yardstick, neither good nor bad."
)
CONFUSION = (
    "Higher means speakers are told apart worse. OP and PQ: higher protects better. "
    "PP: lower keeps pseudo-voices apart. OO: the yardstick, neither good nor bad."
)


@dataclass(frozen=True)
class Term:
    """One entry: a metric, a condition or a definition.

    ``name`` is the stable name in tables, JSON and the Python API where there is one. Fields
    that do not apply hold a dash. ``equation`` is plain text, one formula per line.
    """

    name: str
    aliases: tuple[str, ...]
    title: str
    what: str
    unit: str = NONE
    range: str = NONE
    direction: str = NONE
    good: str = NONE
    equation: str = NONE
    reference: str = NONE

    def to_dict(self) -> dict[str, Any]:
        return {**asdict(self), "aliases": list(self.aliases)}
