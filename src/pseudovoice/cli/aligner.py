"""The options for word times made elsewhere, and for words that are listened for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click


def alignments_option(when: str = "") -> Callable[[Any], Any]:
    """``--alignments`` and ``--check-words``; ``when`` says first where they count."""
    elsewhere = click.option(
        "--alignments",
        type=click.Path(path_type=Path),
        help=f"{when}Word times made elsewhere: TextGrid, CTM, JSON, MFA or LibriSpeech; a file or "
        "a folder.",
    )
    return lambda command: elsewhere(check_words_option(when)(command))


def check_words_option(when: str = "") -> Callable[[Any], Any]:
    """``--check-words``; ``when`` says first where it counts."""
    return click.option(
        "--check-words",
        is_flag=True,
        help=f"{when}Listen to everything with moonshine-base (English; about a third of the "
        "speaking time of a core), and leave out utterances that surely have other words than "
        "their transcript.",
    )
