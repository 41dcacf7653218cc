"""Verbs that are imported when they are used, so that `--help` and `explain` start at once."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import ClassVar

import click

from pseudovoice.cli.option_names import remember
from pseudovoice.cli.talk import talk_options


class Verbs(click.Group):
    """A group whose commands are modules with an object ``command``, each with a short line."""

    verbs: ClassVar[Mapping[str, tuple[str, str]]] = {}

    @classmethod
    def of(cls, verbs: Mapping[str, tuple[str, str]]) -> type[Verbs]:
        """A group of these verbs: name to (module, short help)."""
        return type("SomeVerbs", (cls,), {"verbs": verbs})

    def list_commands(self, ctx: click.Context) -> list[str]:
        del ctx
        return list(self.verbs)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        del ctx
        if cmd_name not in self.verbs:
            return None
        command: click.Command = import_module(self.verbs[cmd_name][0]).command
        _let_talk(command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name, command, rest = super().resolve_command(ctx, args)
        remember(ctx, command)
        return name, command, rest

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl([(name, short) for name, (_, short) in self.verbs.items()])


def _let_talk(command: click.Command) -> None:
    """Let a verb, or those of a group, take what the program takes before it: -q, -v, --log."""
    if isinstance(command, Verbs):
        return  # which does so itself
    if isinstance(command, click.Group):
        for inner in command.commands.values():
            _let_talk(inner)
    elif not any(option.name == "log" for option in command.params):
        command.params += talk_options(hidden=True)
