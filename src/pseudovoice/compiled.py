"""Loops compiled by Numba: kept between runs, and free of the interpreter's lock while they run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from numba import njit

Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(function: Function) -> Function:
    """The same function in machine code; for the type checker nothing has changed."""
    return cast(Function, njit(cache=True, nogil=True)(function))
