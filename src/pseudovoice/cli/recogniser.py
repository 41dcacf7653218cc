"""Who writes down words, and in which language, as the verbs that measure them ask."""

from __future__ import annotations

from typing import Any

import click

from pseudovoice.asr.languages import DETECT
from pseudovoice.asr.registry import DEFAULT_RECOGNISER, RECOGNISER_NAMES
from pseudovoice.cli.common import Option

recogniser_option: Option[Any] = click.option(
    "--recogniser",
    default=DEFAULT_RECOGNISER,
    show_default=True,
    help=f"Whose word errors are counted: {', '.join(RECOGNISER_NAMES)}, or ctc:FOLDER, one of "
    "`train-asr`.",
)

language_option: Option[Any] = click.option(
    "--language",
    default=DETECT,
    show_default=True,
    metavar="CODE",
    help="What is spoken, such as de or German; auto listens. Words of a language that the "
    "recogniser does not know are not counted.",
)
