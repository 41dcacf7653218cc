"""Listed trials, as the verbs that compare voices ask for them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from pseudovoice.cli.common import Option

_LIST = click.Path(path_type=Path)

trials_option: Option[Any] = click.option(
    "--trials",
    type=_LIST,
    multiple=True,
    help="Listed trials instead of all pairs (with --enrolls); repeat it for several lists that "
    "count as one.",
)

enrolls_option: Option[Any] = click.option(
    "--enrolls", type=_LIST, help="Enrolment list of the models in --trials."
)

all_pairs_option: Option[Any] = click.option(
    "--all-pairs",
    is_flag=True,
    help="With lists: similarity matrices, DeID, G_VD and zoo from all pairs of what is tried.",
)


def list_options(function: Any) -> Any:
    """All three."""
    return trials_option(enrolls_option(all_pairs_option(function)))
