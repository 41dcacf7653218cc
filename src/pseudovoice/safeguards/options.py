"""What can be chosen of a safeguard: each parameter's words, choices and limits, said once.

A parameter is declared with :func:`option`; checks, and whoever shows a form, read what it says.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import Any

from pseudovoice.errors import UsageError

_ABOUT = "pseudovoice.option"


@dataclass(frozen=True)
class Option:
    """One parameter: what it is called and does, its default, and what it may be.

    ``choices`` maps each value to what it means; empty where any value between ``low`` and ``high``
    will do. ``path`` says that the value names a file of this machine.
    """

    name: str
    default: Any
    says: str = ""
    choices: tuple[tuple[str, str], ...] = ()
    low: float | None = None
    high: float | None = None
    path: bool = False

    def check(self, owner: str, value: Any) -> None:
        """Raise UsageError if a safeguard called ``owner`` cannot have this value."""
        names = [name for name, _ in self.choices]
        if names and value not in names:
            raise UsageError(f"{owner}: {self.name} is one of {', '.join(names)}, not {value!r}.")
        low, high = self.low, self.high
        if low is not None and high is not None and not low <= value <= high:
            raise UsageError(
                f"{owner}: {self.name} must lie between {low:g} and {high:g}, not {value}."
            )


def option(
    default: Any,
    says: str,
    *,
    choices: dict[str, str] | None = None,
    between: tuple[float, float] | None = None,
    path: bool = False,
) -> Any:
    """A field of a safeguard with what there is to know of it."""
    low, high = between or (None, None)
    about = Option("", default, says, tuple((choices or {}).items()), low, high, path)
    return field(default=default, metadata={_ABOUT: about})


def options_of(safeguard: Any) -> tuple[Option, ...]:
    """All parameters of a safeguard or its class; of one that says nothing, name and default."""
    found = []
    for one in fields(safeguard):
        about = one.metadata.get(_ABOUT, Option("", one.default))
        found.append(replace(about, name=one.name))
    return tuple(found)


def check_options(safeguard: Any) -> None:
    """Raise UsageError for the first parameter whose value it cannot have."""
    for one in options_of(safeguard):
        one.check(safeguard.name, getattr(safeguard, one.name))
