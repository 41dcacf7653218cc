"""`pseudovoice`: the verbs, the exit codes, and how errors reach a person."""

from __future__ import annotations

import sys
from importlib import import_module

import click

from pseudovoice import __version__
from pseudovoice.errors import PseudovoiceError

VERBS = {
    "assess": (
        "pseudovoice.cli.assess",
        "Assess how well a safeguard protects, from scores or embeddings.",
    ),
    "inspect": ("pseudovoice.cli.inspect", "Say what a corpus holds and what is wrong with it."),
    "models": ("pseudovoice.cli.models", "List, fetch and verify the recognisers' weights."),
    "explain": ("pseudovoice.cli.explain", "Say what a metric or a term means."),
    "demo": ("pseudovoice.cli.demo", "Assess three artificial safeguards and draw everything."),
}

EPILOG = "Exit codes: 0 done; 1 done, with bad items listed; 2 wrong use or unusable input."


class Verbs(click.Group):
    """Verbs that are imported when they are used: `--help` and `explain` start at once."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        del ctx
        return list(VERBS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        del ctx
        if name not in VERBS:
            return None
        command: click.Command = import_module(VERBS[name][0]).command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl([(name, short) for name, (_, short) in VERBS.items()])


@click.group(cls=Verbs, epilog=EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="pseudovoice")
def app() -> None:
    """Give every speaker a pseudo-voice, and prove how well it protects them."""


def main() -> None:
    """Run the command line; an error of ours is one sentence on stderr and exit code 2."""
    try:
        app()
    except PseudovoiceError as error:
        click.echo(f"pseudovoice: {error}", err=True)
        sys.exit(2)
    except BrokenPipeError:  # the reader of our output has gone, as with `| head`
        sys.stderr.close()
        sys.exit(0)
