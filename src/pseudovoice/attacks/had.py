"""How much an attacker had: what can be more or less, as numbers that a curve runs over."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Had:
    """What an attack was given; 0 is what does not count for it.

    Parameters
    ----------
    tries : voices that it tried on
    pairs : utterances of every speaker that it has in clear and protected
    enrolled : recordings of each person that it looks for
    tried : recordings of each pseudo-voice that it looks in
    sessions : releases of the same people that it looks in, each under another key
    known : other sessions of which it knows who spoke, each under another key
    """

    tries: int = 0
    pairs: int = 0
    enrolled: int = 0
    tried: int = 0
    sessions: int = 0
    known: int = 0

    def __str__(self) -> str:
        """As tables and the page say it: "2 utterances, 3 sessions"."""
        parts = [_count(self.tries, "try", "tries"), _count(self.pairs, "pair")]
        if self.enrolled == self.tried:
            parts.append(_count(self.enrolled, "utterance"))
        else:
            sides = {"person": self.enrolled, "voice": self.tried}
            parts += (f"{_count(n, 'utterance')} of a {of}" for of, n in sides.items() if n)
        if self.sessions > 1:
            parts.append(_count(self.sessions, "session"))
        parts.append(_count(self.known, "known session"))
        return ", ".join(part for part in parts if part)


NOTHING = Had()


def _count(n: int, one: str, several: str = "") -> str:
    return f"{n} {one if n == 1 else several or one + 's'}" if n else ""
