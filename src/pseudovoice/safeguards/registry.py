"""Safeguards by name: ours by decorator, those of other packages by entry point."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields
from importlib import import_module
from typing import Any, TypeVar

from pseudovoice.errors import InputError, PseudovoiceError, UsageError
from pseudovoice.packages import installed, reason, why_not
from pseudovoice.safeguards.safeguard import Chain, LastStep, Safeguard

ENTRY_POINTS = "pseudovoice.safeguards"

_REGISTERED: dict[str, Any] = {}

T = TypeVar("T")


def register(cls: type[T]) -> type[T]:
    """Class decorator: the safeguard can be named on the command line from now on."""
    _REGISTERED[cls.name] = cls  # type: ignore[attr-defined]
    return cls


def available() -> dict[str, Callable[..., Safeguard | LastStep]]:
    """All safeguards that are installed, by name; ours win over others of the same name."""
    # Not with the package: slicing needs the package's keys, and would come before they do.
    import_module("pseudovoice.safeguards.slice")
    others = dict(installed(ENTRY_POINTS, "safeguard", lambda other: str(other.name)))
    return {**others, **_REGISTERED}


def parse_chain(text: str) -> Chain:
    """``name:param=value,…+name`` as a chain of safeguards."""
    return _chain([_parse(part) for part in text.split("+")])


def chain_of(safeguard: Safeguard | LastStep | Chain) -> Chain:
    """A chain of one, or the chain itself."""
    return safeguard if isinstance(safeguard, Chain) else _chain([safeguard])


def _chain(steps: Sequence[Safeguard | LastStep]) -> Chain:
    *before, end = steps
    links = [step for step in (*before, end) if not isinstance(step, LastStep)]
    for step in before:
        if isinstance(step, LastStep):
            raise UsageError(
                f"{step.name} must be the last of a chain, since what follows it would no longer "
                f"know whose speech it is; write {'+'.join([*(s.name for s in links), step.name])}."
            )
    return Chain(tuple(links), end if isinstance(end, LastStep) else None)


def _parse(text: str) -> Safeguard | LastStep:
    name, _, rest = text.strip().partition(":")
    known = available()
    if name not in known:
        broken = why_not(ENTRY_POINTS, "safeguard", name)
        if broken is not None:
            raise InputError(broken)
        raise UsageError(f"There is no safeguard {name!r}; choose from {', '.join(sorted(known))}.")
    cls: Any = known[name]
    if not hasattr(cls, "__dataclass_fields__"):
        raise InputError(
            f"The safeguard {name!r} is no dataclass, so nobody knows its parameters; ask whoever "
            "made the package."
        )
    types = {f.name: f for f in fields(cls)}
    given: dict[str, Any] = {}
    for item in filter(None, rest.split(",")):
        parameter, equals, value = item.partition("=")
        if not equals or parameter not in types:
            raise UsageError(
                f"{item!r} is no parameter of {name}; it has {', '.join(types) or 'none'}, "
                "written as parameter=value."
            )
        given[parameter] = _value(value, types[parameter].default, f"{name}:{parameter}")
    try:
        made = cls(**given)
    except PseudovoiceError:
        raise
    except Exception as error:  # somebody else's code
        raise UsageError(
            f"{text.strip()}: the safeguard {name!r} cannot be made so ({reason(error)}); try "
            "other parameters, or ask whoever made the package."
        ) from error
    if not isinstance(made, Safeguard | LastStep):
        raise InputError(
            f"The safeguard {name!r} lacks a part of pseudovoice.safeguards.Safeguard; ask whoever "
            "made the package."
        )
    return made


def _value(text: str, default: Any, where: str) -> Any:
    """A parameter's value in the type of its default."""
    if isinstance(default, str):
        return text
    if isinstance(default, bool):
        if text.lower() not in ("true", "false"):
            raise UsageError(f"{where} must be true or false, not {text!r}.")
        return text.lower() == "true"
    try:
        return type(default)(text)
    except ValueError:
        kind = "a whole number" if isinstance(default, int) else "a number"
        raise UsageError(f"{where} must be {kind}, not {text!r}.") from None
