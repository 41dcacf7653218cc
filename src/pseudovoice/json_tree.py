"""JSON that somebody else wrote: whatever is wrong with it is a ValueError."""

from __future__ import annotations

import json
from typing import Any


def json_tree(text: str | bytes) -> Any:
    """What a JSON text says; ValueError also where it is nested deeper than Python can go."""
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deep") from None
