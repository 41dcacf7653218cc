"""Loops compiled by Numba: kept between runs, and free of the interpreter's lock while they run."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

from pseudovoice.errors import InputError

# Numba takes settings from the current folder, among them the one that says where it keeps, and so
# loads, compiled code. A folder that came with recordings must not choose that.
_SETTINGS = Path(".numba_config.yaml")
if os.path.lexists(_SETTINGS):
    raise InputError(
        f"{_SETTINGS.absolute()}: would make Numba load code that this folder chooses; start "
        "pseudovoice in another folder, or remove the file and set NUMBA_ variables instead."
    )

from numba import njit  # noqa: E402 - after the look at what it would read
from numba.core import config  # noqa: E402

config._config_fname = os.devnull  # it looks again whenever it compiles

Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(function: Function) -> Function:
    """The same function in machine code; for the type checker nothing has changed."""
    return cast(Function, njit(cache=True, nogil=True)(function))
