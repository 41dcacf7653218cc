"""`pseudovoice list`: what is installed."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Any

import click


@click.group(name="list")
def command() -> None:
    """List what can be named on the command line."""


@command.command(name="safeguards")
@click.option("--json", "as_json", is_flag=True, help="Print as JSON.")
def safeguards(as_json: bool) -> None:
    """Safeguards with their parameters, level, and where they come from."""
    from pseudovoice.safeguards import available

    found = []
    for name, cls in sorted(available().items()):
        made: Any = cls()
        parameters = {f.name: getattr(made, f.name) for f in fields(made)}
        found.append(
            {
                "name": name,
                "parameters": parameters,
                "level": made.level,
                "deterministic": made.deterministic,
                "reference": made.reference,
                "what": (cls.__doc__ or "").split("\n", 1)[0],
                "caution": getattr(made, "caution", None),
            }
        )
    if as_json:
        click.echo(json.dumps({"safeguards": found}, indent=1))
        return
    for one in found:
        shown = ",".join(f"{k}={v}" for k, v in one["parameters"].items())
        kind = "deterministic" if one["deterministic"] else "drawn with the key"
        click.echo(
            f"{one['name']}:{shown}\n  {one['what']}\n  per {one['level']}, {kind}; "
            f"{one['reference']}"
        )
        if one["caution"]:
            click.echo(f"  but {one['caution']}")
