"""The option for word times made elsewhere, and the aligner it stands for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from pseudovoice.alignment import Aligner
    from pseudovoice.errors import Problem


def alignments_option(when: str = "") -> Callable[[Any], Any]:
    """``--alignments``; ``when`` says first where it counts."""
    return click.option(
        "--alignments",
        type=click.Path(path_type=Path),
        help=f"{when}Word times made elsewhere: TextGrid, CTM, JSON, MFA or LibriSpeech; a file or "
        "a folder.",
    )


def aligner_for(alignments: Path | None) -> tuple[Aligner, list[Problem]]:
    """The embedded aligner, or the times that are there and what could not be read of them."""
    from pseudovoice.alignment import SphinxAligner, read_alignments

    if alignments is None:
        return SphinxAligner(), []
    read = read_alignments(alignments)
    return read, read.problems
