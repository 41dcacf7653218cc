"""How much is said beside results, and where: -q, -v and --log, before or after a verb.

Results go to stdout and are the verbs' own. What is said here is for whoever waits: remarks,
progress, and in a log also problems, errors and how it ended. No argument of a command is logged:
remarks, problems and errors name files and people, keys' secrets never.
"""

from __future__ import annotations

import logging
import os
import time
from io import TextIOWrapper
from pathlib import Path
from typing import Any

import click

from pseudovoice.cli.printable import printable
from pseudovoice.engines.failed import FAILED
from pseudovoice.version import __version__

LOG = logging.getLogger("pseudovoice.said")
LOG.propagate = False
LOG.setLevel(logging.INFO)


class _PrivateFile(logging.FileHandler):
    """A log that only its owner can read: it names people."""

    def _open(self) -> TextIOWrapper:
        return open(  # type: ignore[return-value]
            self.baseFilename,
            self.mode,
            encoding=self.encoding,
            errors=self.errors,
            opener=lambda path, flags: os.open(path, flags, 0o600),
        )


class Talk:
    """What one run of the program says; ``quiet`` and ``verbose`` are the reader's choice."""

    def __init__(self) -> None:
        self.quiet = self.verbose = False
        self.began = time.monotonic()

    def begin(self) -> None:
        """Forget the choices of a run before this, in the same process."""
        self.__init__()  # type: ignore[misc]
        FAILED.begin()
        self._close()

    def log_into(self, file: Path) -> None:
        """Append to a file; what is there stays."""
        handler = _PrivateFile(file, encoding="utf-8", errors="backslashreplace")
        shown = logging.Formatter("%(asctime)sZ %(levelname)s %(message)s", "%Y-%m-%dT%H:%M:%S")
        shown.converter = time.gmtime
        handler.setFormatter(shown)
        LOG.addHandler(handler)

    def remark(self, text: str) -> None:
        """Something to know while one waits, on stderr."""
        LOG.info("%s", printable(text))
        if not self.quiet:
            click.echo(printable(text), err=True)

    def ended(self, verb: str | None, code: object) -> None:
        """The last line of a log."""
        seconds = time.monotonic() - self.began
        LOG.info("%s: exit code %s after %.1f s", verb or "no verb", code or 0, seconds)
        self._close()

    def _close(self) -> None:
        for handler in LOG.handlers[:]:
            LOG.removeHandler(handler)
            handler.close()
        LOG.addHandler(logging.NullHandler())


TALK = Talk()
remark = TALK.remark


def _set(name: str) -> Any:
    def chosen(_context: click.Context, _option: click.Parameter, value: bool) -> None:
        if value:
            setattr(TALK, name, True)

    return chosen


def _log(_context: click.Context, _option: click.Parameter, file: Path | None) -> None:
    if file is not None:
        try:
            TALK.log_into(file)
        except OSError as error:
            raise click.BadParameter(
                f"{file}: {error.strerror or error}; name a file that can be written."
            ) from None
        LOG.info("pseudovoice %s begins", __version__)


def talk_options(*, hidden: bool = False) -> list[click.Option]:
    """The three options: shown with the program, taken by every verb too."""
    return [
        click.Option(
            ["-q", "--quiet"],
            is_flag=True,
            expose_value=False,
            hidden=hidden,
            callback=_set("quiet"),
            help="Say nothing but results, problems and errors.",
        ),
        click.Option(
            ["-v", "--verbose"],
            is_flag=True,
            expose_value=False,
            hidden=hidden,
            callback=_set("verbose"),
            help="Say each step as it begins and ends, with times.",
        ),
        click.Option(
            ["--log"],
            type=click.Path(dir_okay=False, path_type=Path),
            expose_value=False,
            hidden=hidden,
            callback=_log,
            help="Append what is said, problems, errors and the exit code to this file.",
        ),
    ]
