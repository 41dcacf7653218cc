"""Models travel by name: whoever is handed one opens its own copy, once in a process.

A network is larger than all that is done with it in a second, and a session cannot be pickled. What
is sent instead is how it was loaded and its hash; the weights come from the cache of the machine it
arrives at, which fetches them once.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import TypeVar

from pseudovoice.errors import InputError

Model = TypeVar("Model")


def once(load: Callable[[str], Model], name: str, mark: str) -> Model:
    """The model of a name, as this process has it; another than ``mark`` is an error."""
    model: Model = _opened(load, name)
    found = mark_of(model)
    if found != mark:
        raise InputError(
            f"{name}: this machine has other weights than the one that the work comes from "
            f"({found[:8]}, not {mark[:8]}); fetch or copy the same to all machines."
        )
    return model


def mark_of(model: object) -> str:
    """The hash of its weights, of all of its files if it has several."""
    several = getattr(model, "sha256s", None)
    if several is not None:
        return " ".join(f"{name} {value}" for name, value in sorted(several.items()))
    return str(getattr(model, "sha256", ""))


@lru_cache(maxsize=16)
def _opened(load: Callable[[str], Model], name: str) -> Model:
    return load(name)
