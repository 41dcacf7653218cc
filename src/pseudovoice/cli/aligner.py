"""The option for word times made elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click


def alignments_option(when: str = "") -> Callable[[Any], Any]:
    """``--alignments``; ``when`` says first where it counts."""
    return click.option(
        "--alignments",
        type=click.Path(path_type=Path),
        help=f"{when}Word times made elsewhere: TextGrid, CTM, JSON, MFA or LibriSpeech; a file or "
        "a folder.",
    )
