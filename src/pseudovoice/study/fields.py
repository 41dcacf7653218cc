"""The fields of a mapping, taken one by one; every wrong one becomes a sentence.

Nothing stops at the first fault: whoever corrects a plan wants to hear of all of them at once.
"""

from __future__ import annotations

import reprlib
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

ABSENT = object()
_LARGEST = 1 << 63
_LONGEST = 100


@dataclass
class Faults:
    """Sentences about a file, in the order in which they were found."""

    file: str
    found: list[str] = field(default_factory=list)

    def say(self, path: str, what: str, allowed: str) -> None:
        self.found.append(f"{self.file}: {path}: {what}; {allowed}.")


class Fields:
    """A mapping of a file at ``path``, such as ``sets.dev``; its getters check and remember."""

    def __init__(self, value: Any, path: str, faults: Faults, known: Sequence[str]) -> None:
        self.path, self._faults, self._known = path, faults, tuple(known)
        self._values: dict[Any, Any] = {}
        if isinstance(value, dict):
            self._values = value
        else:
            faults.say(path or "the file", _not(value, "a mapping"), f"it has {_listed(known)}")
        for name in self._values:
            if name not in self._known:
                self._unknown(name)

    def _unknown(self, name: Any) -> None:
        near = _near(name, self._known)
        hint = f"did you mean {near[0]}? T" if near else "t"
        self._faults.say(
            self.at(name if isinstance(name, str) else _shown(name)),
            "there is no such field",
            f"{hint}here are {_listed(self._known)}",
        )

    def at(self, name: str) -> str:
        """The path of a field, for a sentence."""
        return f"{self.path}.{name}" if self.path else name

    def __contains__(self, name: str) -> bool:
        return self._values.get(name) is not None

    def raw(self, name: str) -> Any:
        return self._values.get(name)

    def wrong(self, name: str, what: str, allowed: str) -> None:
        self._faults.say(self.at(name), what, allowed)

    def text(self, name: str, default: Any = ABSENT, *, what: str = "a text") -> str:
        value = self._values.get(name)
        if value is None:
            return self._missing(name, default, what, "")
        # A number where a name is meant, such as a set called 2020, is as good as its text.
        if isinstance(value, int | float) and not isinstance(value, bool):
            value = str(value) if abs(value) < _LARGEST else value
        if not isinstance(value, str) or not value.strip():
            self.wrong(name, _not(value, what), f"write {what}")
            return "" if default is ABSENT else str(default)
        return value

    def flag(self, name: str, default: bool) -> bool:
        value = self._values.get(name, default)
        if not isinstance(value, bool):
            self.wrong(name, _not(value, "true or false"), "write true or false")
            return default
        return value

    def whole(self, name: str, default: int | None, least: int = 0) -> int | None:
        value = self._values.get(name, default)
        if value is default:
            return default
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            what = f"a whole number of at least {least}"
            self.wrong(name, _not(value, what), f"write {what}")
            return default
        return value

    def number(self, name: str, default: int, least: int = 0) -> int:
        value = self.whole(name, default, least)
        return default if value is None else value

    def choice(self, name: str, default: str, allowed: Sequence[str]) -> str:
        value = self._values.get(name, default)
        if value not in allowed:
            self.wrong(name, f"there is no {_shown(value)}", _one_of(value, allowed))
            return default
        return str(value)

    def names(self, name: str, default: Sequence[str], allowed: Collection[str]) -> tuple[str, ...]:
        """A list of some of the names that are allowed; any text if none are given."""
        found = []
        for k, value in enumerate(self.items(name, default)):
            if not isinstance(value, str) or (allowed and value not in allowed):
                there = _one_of(value, sorted(allowed)) if allowed else "write names"
                self.wrong(f"{name}[{k}]", f"there is no {_shown(value)}", there)
            elif value in found:
                self.wrong(f"{name}[{k}]", f"{value} is listed twice", "name each once")
            else:
                found.append(value)
        return tuple(found)

    def items(self, name: str, default: Sequence[Any] = ()) -> list[Any]:
        """A list; a single text counts as a list of one."""
        value = self._values.get(name)
        if value is None:
            return list(default)
        if isinstance(value, str):
            return [value]
        if not isinstance(value, list) or not value:
            self.wrong(name, _not(value, "a list"), "write a list with at least one entry")
            return []
        return value

    def _missing(self, name: str, default: Any, what: str, instead: str) -> str:
        if default is ABSENT:
            self.wrong(name, "is missing", f"write {what}")
            return instead
        return str(default)


def _not(value: Any, what: str) -> str:
    return f"{_shown(value)} is not {what}"


def _shown(value: Any) -> str:
    """A value for a sentence, short whatever the file holds."""
    if isinstance(value, int) and abs(value) >= _LARGEST:
        return "a huge number"  # which Python refuses to write out
    return "nothing" if value is None else reprlib.repr(value)


def _near(value: Any, known: Collection[str]) -> list[str]:
    """The name that was meant, if any. Only of a text: a list that holds itself has no end."""
    return get_close_matches(value[:_LONGEST], known, 1, 0.6) if isinstance(value, str) else []


def _listed(names: Collection[str]) -> str:
    return ", ".join(names)


def _one_of(value: Any, allowed: Sequence[str]) -> str:
    near = _near(value, allowed)
    hint = f"did you mean {near[0]}? C" if near else "c"
    return f"{hint}hoose from {_listed(allowed)}"
