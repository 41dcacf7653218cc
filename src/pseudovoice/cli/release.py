"""`pseudovoice release`: protected speech and what belongs to it as one archive."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from pseudovoice.cli.option_names import as_options, came_before, with_options
from pseudovoice.cli.printable import printable
from pseudovoice.cli.reading import reading_options

REFUSED = 3


@click.command(name="release")
@click.argument("speech", type=click.Path(path_type=Path))
@click.argument("archive", type=click.Path(dir_okay=False, path_type=Path))
@click.option(
    "--study",
    type=click.Path(path_type=Path),
    help="Folder of `compare`: page, tables, figures and provenance go along.",
)
@click.option(
    "--annex",
    "annexes",
    multiple=True,
    type=click.Path(dir_okay=False, path_type=Path),
    help="Another file, such as the signed page; repeat it for several.",
)
@click.option(
    "--originals",
    type=click.Path(path_type=Path),
    help="The originals, whose names and speech must not go out.",
)
@click.option(
    "--key-file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The secret key, which must not go out.",
)
@click.option(
    "--names-are-codes",
    is_flag=True,
    help="The names of the originals tell nobody anything, and may stay.",
)
@reading_options("the originals are")
@click.option("--json", "as_json", is_flag=True, help="Print what was packed as JSON.")
def command(
    speech: Path,
    archive: Path,
    study: Path | None,
    annexes: tuple[Path, ...],
    originals: Path | None,
    key_file: Path | None,
    names_are_codes: bool,
    speaker_from: str | None,
    layout: str,
    allow_commands: bool,
    as_json: bool,
) -> None:
    """Pack SPEECH, a folder that `protect` wrote, into the ZIP file ARCHIVE.

    Journal, key and work stay behind. If anything that is to go out would undo the protection,
    all of it is listed, nothing is packed, and the exit code is 3.
    """
    from pseudovoice.cli.compare import command as compare
    from pseudovoice.cli.progress import Reporter, progress_bar
    from pseudovoice.cli.protect import command as protect
    from pseudovoice.library.release import pack_release
    from pseudovoice.release.pack import ReleaseRefusedError

    came_before(click.get_current_context(), compare, protect)  # which make what is packed
    try:
        with progress_bar() as bar:
            done = pack_release(
                speech,
                archive,
                study=study,
                annex=annexes,
                originals=originals,
                key=key_file,
                names_are_codes=names_are_codes,
                layout=layout,
                allow_commands=allow_commands,
                speaker_from=speaker_from,
                progress=Reporter(bar),
            )
    except ReleaseRefusedError as refused:
        if as_json:
            facts = {"refused": True, "problems": list(refused.problems)}
            click.echo(json.dumps(with_options(facts), indent=1, ensure_ascii=False))
        for problem in refused.problems:
            click.echo(printable(as_options(problem)), err=True)
        click.echo("pseudovoice: Nothing was packed: it would undo the protection.", err=True)
        sys.exit(REFUSED)
    unchecked = [as_options(one) for one in done.unchecked]
    if as_json:
        facts = {
            "archive": str(done.path),
            "sha256": done.sha256,
            "files": done.files,
            "recordings": done.recordings,
            "unchecked": unchecked,
        }
        click.echo(json.dumps(facts, indent=1, ensure_ascii=False))
        return
    recordings = "1 recording" if done.recordings == 1 else f"{done.recordings:,} recordings"
    click.echo(
        printable(
            f"{recordings} and {done.files - done.recordings:,} other files are in {done.path}, "
            f"sha256 {done.sha256}"
        )
    )
    for sentence in unchecked:
        click.echo(sentence, err=True)
