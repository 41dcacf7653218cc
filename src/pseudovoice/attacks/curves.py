"""What an attack with less would have told, and the lines through it along one thing at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass, replace

from pseudovoice.assessment.estimate import Row
from pseudovoice.attacks.had import Had


@dataclass(frozen=True)
class Fewer:
    """What an attack with less than all it had would have told."""

    had: Had
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class Curve:
    """Figures of an attack over one thing it had, all else being equal.

    ``over`` says what ``n`` counts, ``beside`` what the rest was.
    """

    over: str
    beside: str
    n: tuple[int, ...]
    rows: tuple[tuple[Row, ...], ...]


_AXES: dict[str, tuple[str, ...]] = {
    "voices tried on": ("tries",),
    "recordings of the person": ("enrolled",),
    "recordings of the pseudo-voice": ("tried",),
    "recordings of both": ("enrolled", "tried"),
    "sessions looked in": ("sessions",),
    "sessions known": ("known",),
}
_ONE_SIDE = (("enrolled",), ("tried",))


def curves(points: Sequence[Fewer]) -> Iterator[Curve]:
    """Lines through the points along which one thing grows, the rest being at its least or most.

    Lines begin where there is one of it. Of recordings of both, the numbers are equal.
    """
    for over, fields in _AXES.items():
        lines: dict[Had, dict[int, tuple[Row, ...]]] = {}
        for point in points:
            n = getattr(point.had, fields[0])
            if n and all(getattr(point.had, name) == n for name in fields):
                rest = replace(point.had, **dict.fromkeys(fields, 0))
                lines.setdefault(rest, {})[n] = point.rows
        there = sorted(
            (line for line in lines.items() if len(line[1]) > 1 and 1 in line[1]),
            key=lambda line: astuple(line[0]),
        )
        if fields in _ONE_SIDE:  # of the other side one: more of both is a line of its own
            there = [line for line in there if line[0].enrolled + line[0].tried == 1]
        for rest, found in (*there[:1], *there[1:][-1:]):
            rows = tuple(found[n] for n in sorted(found))
            yield Curve(over, str(rest), tuple(sorted(found)), rows)
