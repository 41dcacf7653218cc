"""Who is who in a release: the options of those who ask the key, and the answer."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pseudovoice.cli.common import Option
from pseudovoice.cli.option_names import with_options
from pseudovoice.cli.printable import printable
from pseudovoice.cli.reading import reading_options

if TYPE_CHECKING:
    from pseudovoice.errors import Problem
    from pseudovoice.release.pseudonyms import Named


def asking_options(corpus: str) -> Option[Any]:
    """Key, session and originals of a release whose names are asked for."""
    options = (
        click.option(
            "--key-file",
            required=True,
            type=click.Path(dir_okay=False, path_type=Path),
            help="The secret key of the release.",
        ),
        click.option(
            "--session",
            "key_session",
            default="default",
            show_default=True,
            help="The session of the key that the release was made with.",
        ),
        click.option("--corpus", type=click.Path(path_type=Path), help=corpus),
        reading_options(),
        click.option("--json", "as_json", is_flag=True, help="Print as JSON."),
    )

    def with_all(function: Any) -> Any:
        for option in reversed(options):
            function = option(function)
        return function

    return with_all


def show_named(
    found: Sequence[Named], problems: Sequence[Problem], as_json: bool, *, pseudonym_first: bool
) -> None:
    from pseudovoice.cli.show import show_problems

    if as_json:
        facts = {
            "found": [
                {
                    "pseudonym": one.pseudonym,
                    "kind": one.kind,
                    "speaker": one.speaker,
                    "name": one.name,
                    "path": None if one.path is None else str(one.path),
                }
                for one in found
            ],
            "problems": list(problems),
        }
        click.echo(json.dumps(with_options(facts), indent=1, ensure_ascii=False))
    else:
        for one in found:
            name = one.name if one.kind == "speaker" else f"{one.kind} {one.name} of {one.speaker}"
            pair = (one.pseudonym, name) if pseudonym_first else (name, one.pseudonym)
            click.echo("\t".join(map(printable, pair)))
    show_problems(problems)
    sys.exit(1 if problems else 0)
