"""`pseudovoice key pseudonym`: what people are called in a release."""

from __future__ import annotations

from pathlib import Path

import click

from pseudovoice.cli.who import asking_options, show_named


@click.command("pseudonym")
@click.argument("names", metavar="NAME...", nargs=-1, required=True)
@asking_options("The originals: lists all recordings of these people as well.")
def command(
    names: tuple[str, ...],
    key_file: Path,
    key_session: str,
    corpus: Path | None,
    speaker_from: str | None,
    layout: str,
    allow_commands: bool,
    as_json: bool,
) -> None:
    """Say what the people NAME are called in a release that was made with --rename.

    For withdrawal and access requests: no table of who is who is kept, the key alone tells.
    """
    from pseudovoice.library.who import pseudonyms_of

    found, problems = pseudonyms_of(
        names,
        key=key_file,
        key_session=key_session,
        corpus=corpus,
        layout=layout,
        allow_commands=allow_commands,
        speaker_from=speaker_from,
    )
    show_named(found, problems, as_json, pseudonym_first=False)
