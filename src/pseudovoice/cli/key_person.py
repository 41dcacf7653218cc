"""`pseudovoice key person`: whom a pseudonym stands for."""

from __future__ import annotations

from pathlib import Path

import click

from pseudovoice.cli.who import asking_options, show_named


@click.command("person")
@click.argument("pseudonyms", metavar="PSEUDONYM...", nargs=-1, required=True)
@asking_options("The originals, among which to look.")
@click.option(
    "--names",
    type=click.Path(dir_okay=False, path_type=Path),
    help="File of people's names, one a line, among which to look.",
)
def command(
    pseudonyms: tuple[str, ...],
    key_file: Path,
    key_session: str,
    corpus: Path | None,
    names: Path | None,
    speaker_from: str | None,
    layout: str,
    allow_commands: bool,
    as_json: bool,
) -> None:
    """Say whom PSEUDONYM (spk-…, ses-…, utt-… or a file of the release) stands for.

    The names of --corpus or --names are tried with the key: a pseudonym holds nothing of a name.
    """
    from pseudovoice.library.who import people_of

    found, problems = people_of(
        pseudonyms,
        key=key_file,
        key_session=key_session,
        corpus=corpus,
        names=names,
        layout=layout,
        allow_commands=allow_commands,
        speaker_from=speaker_from,
    )
    show_named(found, problems, as_json, pseudonym_first=True)
