"""Options that several verbs have, each written once: cores, draws, keys."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from pseudovoice.choices import KNOWN_PAIRS, TRIES

F = TypeVar("F", bound=Callable[..., Any])
Option = Callable[[F], F]

workers_option: Option[Any] = click.option(
    "--workers", type=click.IntRange(1), help="Cores to use; all by default."
)


def _chosen(context: click.Context, _: click.Parameter, given: str | None) -> None:
    if given is not None:
        from pseudovoice.engines import using

        context.with_resource(using(given))


engine_option: Option[Any] = click.option(
    "--engine",
    metavar="ray[:ADDRESS]",
    expose_value=False,  # nobody between here and the items has to know
    callback=_chosen,
    help="Do the work on a Ray cluster (pip install 'pseudovoice[ray]'); without an address on a "
    "Ray of this machine alone.",
)

tries_option: Option[Any] = click.option(
    "--tries",
    type=click.IntRange(min=1),
    default=TRIES,
    show_default=True,
    help="Voices that the attackers adaptive and gathering try on everybody, and take away again "
    "where the safeguard can be undone.",
)

known_pairs_option: Option[Any] = click.option(
    "--known-pairs",
    type=click.IntRange(min=1),
    default=KNOWN_PAIRS,
    show_default=True,
    help="Utterances of everybody that the attacker known-pairs has in clear.",
)

sessions_option: Option[Any] = click.option(
    "--sessions",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="Releases of the same people, each under other voices, that the attackers gathering and "
    "known-sessions have.",
)

resume_option: Option[Any] = click.option(
    "--restart",
    "resume",
    is_flag=True,
    callback=lambda _context, _option, restart: not restart,
    help="Begin anew instead of resuming.",
)


shard_option: Option[Any] = click.option(
    "--shard",
    metavar="K/N",
    help="Make only the K-th of N shares of CORPUS, which `pseudovoice merge` puts together.",
)

people_option: Option[Any] = click.option(
    "--people",
    type=click.IntRange(min=1),
    help="How many speak in each recording; found by ear if it is not given.",
)


def replicates_option(default: int) -> Option[Any]:
    return click.option(
        "--replicates",
        type=click.IntRange(0),
        default=default,
        show_default=True,
        help="Speaker-bootstrap replicates for the intervals; 0 for none.",
    )


def permutations_option(default: int) -> Option[Any]:
    return click.option(
        "--permutations",
        type=click.IntRange(0),
        default=default,
        show_default=True,
        help="Speaker permutations for the null levels; 0 for none.",
    )


def seed_option(promise: str, default: int = 0) -> Option[Any]:
    """``promise``: what the same seed gives."""
    return click.option(
        "--seed", type=click.IntRange(0), default=default, show_default=True, help=promise
    )


def key_options(key: str, another_session: str) -> Option[Any]:
    """The secret key and its namespace: --key-file and --session."""
    key_file = click.option("--key-file", type=click.Path(dir_okay=False, path_type=Path), help=key)
    session = click.option(
        "--session",
        "key_session",
        default="default",
        show_default=True,
        help=f"Namespace of the key: another session gives {another_session}.",
    )
    return lambda function: key_file(session(function))


def plan_options(output: str) -> Option[Any]:
    """Where a study from a plan goes, and what the plan leaves open: -o, --path and --key-file."""
    options = (
        click.option(
            "-o", "--output", type=click.Path(file_okay=False, path_type=Path), help=output
        ),
        click.option(
            "--path",
            "paths",
            multiple=True,
            metavar="NAME=FOLDER",
            help="Fill in a path that the plan leaves open; repeat it for several.",
        ),
        click.option(
            "--key-file",
            type=click.Path(dir_okay=False, path_type=Path),
            help="The secret key to use.",
        ),
    )

    def with_options(function: Any) -> Any:
        for option in reversed(options):
            function = option(function)
        return function

    return with_options
