"""What every result can do: become a table, a picture, a piece of a notebook, a file.

Rooms above know how; they are loaded when one of these methods is first called, so that a result
itself needs neither pandas nor matplotlib.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes


class Result:
    """The methods that all results share."""

    def __repr__(self) -> str:
        """A line for a terminal: what there is, and how much of it."""
        sizes = (
            f"{len(value):,} {name}"
            for name, value in vars(self).items()
            if isinstance(value, tuple | list) and value
        )
        return f"<{type(self).__name__}: {', '.join(sizes)}>"

    def to_pandas(self, table: str | None = None) -> pandas.DataFrame:
        """One of the result's tables, by default the first, as a DataFrame.

        A name that is no table is an error that lists them.
        """
        return _above("tables").to_pandas(self, table)

    def figure(self, name: str, ax: Axes | None = None, **which: str) -> Axes:
        """Draw the figure ``name`` into ``ax``, by default into a new figure, and give it back.

        Names are those of `pseudovoice.figures`: ``zoo``, ``similarity``, ``map``, ``profiles``,
        ``speakers``, ``histograms`` and ``calibration``. ``which`` says of what, where a result
        holds several: ``condition``, ``attacker``, ``encoder``, ``group``, ``safeguard``, ``set``.
        """
        drawn: Axes = _above("figure").figure(self, name, ax, **which)
        return drawn

    def save(self, path: str | Path) -> Path:
        """Write the result into a file, every digit of it; `pseudovoice.load` reads it."""
        written: Path = _above("keep").save(self, path)
        return written

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        shown: str = _above("html").html(self)
        return shown


def _above(name: str) -> Any:
    return import_module(f"pseudovoice.library.{name}")
