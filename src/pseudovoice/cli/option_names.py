"""The library's sentences name its parameters in backticks; here they become options.

By the options of the command that is running, each of which bears its parameter's name:

    `layout`                     --layout
    `layout="kaldi"`             --layout kaldi
    `resume=False`               --restart
    `paths={'vctk': 'FOLDER'}`   --path vctk=FOLDER
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from typing import Any

import click

from pseudovoice.storage.near import named

PARAMETER = re.compile(r"(?<!`)`([a-z][a-z0-9_]*)(?:=([^`]+))?`(?!`)")

CALLED_OTHERWISE = {"key": "key_file", "attacker_key": "attacker_key_file"}
"""Parameters that take more than an option can hold, and the options that stand for them."""

_RUNNING, _BEFORE = "pseudovoice.cli.running", "pseudovoice.cli.before"


def remember(context: click.Context, command: click.Command | None) -> None:
    """Which command runs: an error that has left it is told where only its groups are known."""
    context.meta[_RUNNING] = command


def came_before(context: click.Context, *commands: click.Command) -> None:
    """Whose options are meant as well: of commands to be run once more before this one."""
    context.meta[_BEFORE] = commands


def as_options(text: object) -> str:
    """A sentence of the library for whoever runs this command.

    What the command has no option for stays as it is, such as the field of a plan.
    """
    context = click.get_current_context(silent=True)
    text = named(str(text))
    if context is None:
        return text
    command = context.meta.get(_RUNNING) or context.command
    known = (*context.meta.get(_BEFORE, ()), command)
    options = {o.name: o for one in known for o in one.params if isinstance(o, click.Option)}

    def shown(match: re.Match[str]) -> str:
        name, given = match.groups()
        option = options.get(name) or options.get(CALLED_OTHERWISE.get(name, ""))
        if option is None:
            return match[0]
        called = next(o for o in option.opts if o.startswith("--"))
        if given is None or option.is_flag:
            return called
        try:
            return f"{called} {_as_typed(ast.literal_eval(given))}"
        except (ValueError, SyntaxError):
            return match[0]

    return PARAMETER.sub(shown, text)


def with_options(facts: Mapping[str, Any]) -> dict[str, Any]:
    """A result to be printed as JSON, its problems in the words in which they are listed."""
    told = {
        name: named(one)
        if isinstance(one, str)
        else [named(text) if isinstance(text, str) else text for text in one]
        if isinstance(one, list | tuple)
        else one
        for name, one in facts.items()
    }
    return {**told, "problems": [as_options(problem) for problem in facts["problems"]]}


def _as_typed(value: Any) -> str:
    if isinstance(value, dict):
        return " ".join(f"{name}={one}" for name, one in value.items())
    return str(value)
