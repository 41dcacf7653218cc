"""`pseudovoice`: the verbs, the exit codes, and how errors reach a person."""

from __future__ import annotations

import io
import os
import sys
import traceback
import warnings
from pathlib import Path
from typing import IO, Any

import click

from pseudovoice.cli.option_names import as_options
from pseudovoice.cli.printable import printable
from pseudovoice.cli.stopping import WATCH, Stopped
from pseudovoice.cli.talk import LOG, TALK, talk_options
from pseudovoice.cli.verbs import Verbs
from pseudovoice.errors import PseudovoiceError
from pseudovoice.version import __version__

VERBS = {
    "assess": (
        "pseudovoice.cli.assess",
        "Assess how well a safeguard protects.",
    ),
    "compare": ("pseudovoice.cli.compare", "Compare safeguards and write a report."),
    "run": ("pseudovoice.cli.run", "Run the study that a plan describes."),
    "check": ("pseudovoice.cli.check", "Say what a plan would do, and about how long."),
    "protect": ("pseudovoice.cli.protect", "Give every speaker of a corpus a pseudo-voice."),
    "diarise": ("pseudovoice.cli.diarise", "Find who speaks when in a recording."),
    "slice": ("pseudovoice.cli.slice", "Cut a corpus into slices that nobody can order."),
    "embed": ("pseudovoice.cli.embed", "Write the speaker embeddings of a corpus."),
    "merge": ("pseudovoice.cli.merge", "Put together what shards of one run made."),
    "attack": ("pseudovoice.cli.attack", "Try to undo a protection as an adversary would."),
    "key": ("pseudovoice.cli.key", "Make a secret key, and ask it who is who."),
    "release": ("pseudovoice.cli.release", "Pack protected speech, or refuse to."),
    "list": ("pseudovoice.cli.list", "List safeguards and their parameters."),
    "inspect": ("pseudovoice.cli.inspect", "Say what a corpus holds and what is wrong with it."),
    "serve": ("pseudovoice.cli.serve", "Show reports on this machine, and assess while you watch."),
    "pool": ("pseudovoice.cli.pool", "Pools of voices, from which targets are made."),
    "train": ("pseudovoice.cli.train", "Train an encoder or a neural voice of one's own."),
    "train-asr": ("pseudovoice.cli.train_asr", "Train a speech recogniser of one's own."),
    "models": ("pseudovoice.cli.models", "List, fetch and verify the recognisers' weights."),
    "explain": ("pseudovoice.cli.explain", "Say what a metric or a term means."),
    "demo": ("pseudovoice.cli.demo", "Protect and assess speech that installs by name."),
}

EPILOG = (
    "Exit codes: 0 done; 1 done, with bad items listed; 2 wrong use or unusable input; "
    "3 done, but a requirement (--require) is not met, or a release refused since it would undo "
    "the protection; "
    "70 a fault of pseudovoice's own; "
    "130 stopped by Ctrl-C, 143 by SIGTERM, with what was done kept."
)

FAULT = 70
"""As sysexits.h has it: whoever reads exit codes must not take a fault for a run that is done."""


class Failure(click.ClickException):
    """An error of ours, or of the system, as click hands it to a person: one sentence."""

    exit_code = 2

    def show(self, file: IO[Any] | None = None) -> None:
        LOG.error("%s", printable(self.message))
        click.echo(f"pseudovoice: {printable(self.message)}", file=file, err=file is None)


class Fault(Failure):
    """What nobody foresaw: where it happened in one sentence, and all of it for who asks (-v)."""

    exit_code = FAULT

    def __init__(self, error: Exception) -> None:
        last = traceback.extract_tb(error.__traceback__)[-1]
        super().__init__(
            f"A fault of pseudovoice's own: {type(error).__name__}: {error} "
            f"({Path(last.filename).name}, line {last.lineno}). What was finished before is whole. "
            "The same command with -v says how it came to it; please report it with that."
        )
        self.history = "".join(traceback.format_exception(error)).rstrip()

    def show(self, file: IO[Any] | None = None) -> None:
        LOG.error("%s", printable(self.history))
        if TALK.verbose:
            click.echo(printable(self.history), file=file, err=file is None)
        super().show(file)


class Outermost(Verbs):
    """The outermost group: no error gets past it as a traceback."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        WATCH.verb, command, rest = super().resolve_command(ctx, args)
        return WATCH.verb, command, rest

    def main(self, *args: Any, **kwargs: Any) -> Any:
        TALK.begin()
        try:
            return super().main(*args, **kwargs)
        except SystemExit as end:
            TALK.ended(WATCH.verb, end.code)
            raise

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as reason:
            raise Stopped(reason) from None
        except PseudovoiceError as error:
            raise Failure(as_options(error)) from None
        except ModuleNotFoundError as error:
            from pseudovoice.packages import missing

            sentence = missing(error)
            raise (Fault(error) if sentence is None else Failure(sentence)) from None
        except BrokenPipeError:  # the reader of our output has gone, as with `| head`
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            ctx.exit(0)
        except OSError as error:
            where = f"{os.fsdecode(error.filename)}: " if error.filename else ""
            raise Failure(
                f"{where}{error.strerror or error}; check the path, its permissions and the "
                "space on the disk."
            ) from None
        except MemoryError as error:
            raise Failure(
                f"There is not enough memory ({error}); take fewer --replicates and "
                "--permutations, or smaller files."
            ) from None
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except Exception as error:
            raise Fault(error) from None


@click.group(
    cls=Outermost.of(VERBS),
    epilog=EPILOG,
    params=talk_options(),
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, prog_name="pseudovoice")
def app() -> None:
    """Give every speaker a pseudo-voice, and prove how well it protects them."""


def _warned(message: Warning | str, *_: Any) -> None:
    """A warning as a person reads it: the sentence, and no line of a program."""
    click.echo(f"pseudovoice: {printable(str(message))}", err=True)


def main() -> None:
    """Run the command line; what a stream's encoding cannot hold is shown by its code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    warnings.showwarning = _warned  # type: ignore[assignment]
    WATCH.begin()
    try:
        app()
    except SystemExit as end:
        WATCH.leave(end.code)
        raise
