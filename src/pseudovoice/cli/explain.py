"""``pseudovoice explain [NAME…]``: what a metric, condition or word means."""

from __future__ import annotations

import json
import shutil
import sys
import textwrap

import click

from pseudovoice.cli.printable import printable
from pseudovoice.errors import InputError
from pseudovoice.glossary import TERMS, Term, find
from pseudovoice.glossary.term import NONE

FIELDS = ("what", "unit", "range", "direction", "good", "equation", "reference")


@click.command("explain")
@click.argument("names", metavar="[NAME]...", nargs=-1)
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
def command(names: tuple[str, ...], as_json: bool) -> None:
    """Explain a metric, a condition or a word; without NAME, list all of them.

    Case, hyphens and underscores do not matter: D_ECE, d-ece and dece are the same.
    """
    terms, unknown = _wanted(names) if names else (TERMS, ())
    if as_json:
        listed = {"terms": [term.to_dict() for term in terms]}
        click.echo(json.dumps(listed, indent=2, ensure_ascii=False))
    elif names:
        click.echo("\n\n".join(_entry(term) for term in terms))
    else:
        width = max(len(term.name) for term in terms)
        click.echo("\n".join(f"{term.name:{width}}  {term.title}" for term in terms))
    for sentence in unknown:
        click.echo(printable(sentence), err=True)
    if unknown:
        sys.exit(1)


def _wanted(names: tuple[str, ...]) -> tuple[tuple[Term, ...], tuple[str, ...]]:
    """The terms asked for, and a sentence on each that is none.

    Words of one name may stand unquoted: ``explain zoo plot``.
    """
    found: list[Term] = []
    unknown: list[InputError] = []
    for name in names:
        try:
            found.append(find(name))
        except InputError as error:
            unknown.append(error)
    if unknown:
        try:
            return (find(" ".join(names)),), ()
        except InputError:
            if not found:
                raise unknown[0] from None
    return tuple(dict.fromkeys(found)), tuple(map(str, unknown))


def _entry(term: Term) -> str:
    """A term as plain text, which needs no colour: a heading and labelled paragraphs."""
    room = min(max(shutil.get_terminal_size().columns, 40), 88) - 14
    lines = [f"{term.name}: {term.title}"]
    for field in FIELDS:
        value = getattr(term, field)
        if value == NONE:
            continue
        # Formulas are laid out by hand; only prose is wrapped.
        kept = (
            value.split("\n")
            if field == "equation"
            else textwrap.wrap(value, room, break_on_hyphens=False)
        )
        lines += [f"  {'' if k else field:<11}{line}" for k, line in enumerate(kept)]
    return "\n".join(lines)
