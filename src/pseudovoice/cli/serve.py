"""`pseudovoice serve`: pages on this machine, to protect recordings and to assess folders."""

from __future__ import annotations

import signal
import sys
from pathlib import Path

import click

from pseudovoice.cli.printable import printable
from pseudovoice.cli.stopping import WATCH


@click.command(name="serve")
@click.argument("out", type=click.Path(file_okay=False, path_type=Path))
@click.option(
    "--root",
    "roots",
    multiple=True,
    type=click.Path(path_type=Path),
    help="A folder below which speech may be read; repeat it for several [default: this folder].",
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=0,
    show_default=True,
    help="Port on 127.0.0.1; 0 takes a free one.",
)
@click.option("--no-browser", is_flag=True, help="Only print the address.")
@click.option("--workers", type=click.IntRange(1), help="Cores a run may use; all by default.")
def command(
    out: Path, roots: tuple[Path, ...], port: int, no_browser: bool, workers: int | None
) -> None:
    """Protect a recording, or assess two folders, in the browser; OUT is the folder of results.

    The page is for this machine only, and nothing leaves it. Ctrl-C stops the server and the run
    under way, which can be resumed.
    """
    from pseudovoice.serve import Loopback, ReadableFolders
    from pseudovoice.serve.browser import open_browser

    server = Loopback(ReadableFolders.at(out, roots), port=port, workers=workers)
    # Whoever ends the program politely, or closes its terminal, gets the same clean end.
    WATCH.end()
    for name in ("SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), lambda *_: sys.exit(0))
    with server:
        click.echo(printable(f"The page is at {server.address} (Ctrl-C stops it)."))
        sys.stdout.flush()
        if not no_browser:
            open_browser(server.address, server.dropped.private)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            click.echo("Stopped.", err=True)
