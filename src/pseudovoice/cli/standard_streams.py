"""``-`` for a recording on standard input, and for its protected twin on standard output."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pseudovoice.errors import InputError, PseudovoiceError, UsageError
from pseudovoice.private import TemporaryFolder

STREAM = Path("-")
STDIN, STDOUT = "stdin.wav", "stdout.wav"


def check_streams(
    corpus: Path, out: Path, *, named: bool, keyed: bool, drawn: bool, diarised: bool
) -> None:
    """Refuse what a stream cannot give or hold, before it is read.

    ``named`` is whether it was said who speaks, ``keyed`` whether a key was named, ``drawn``
    whether one is needed, ``diarised`` whether turns are to be found.
    """
    if corpus == STREAM and sys.stdin.isatty():
        raise UsageError("Standard input is the keyboard; pipe a recording into it.")
    if corpus == STREAM and drawn and not named:
        raise UsageError(
            "Whose voice is it? Everybody has one of their own, and a stream has no name; name "
            "whoever speaks with `speaker_from`."
        )
    if out != STREAM:
        return
    if corpus != STREAM and corpus.is_dir():
        raise UsageError(f"{corpus}: is a folder, and standard output takes one recording.")
    if drawn and not keyed:
        raise UsageError(
            "A new key would lie beside OUT, and standard output has no place beside it; make one "
            "(pseudovoice key new) and name it with `key`."
        )
    if diarised:
        raise UsageError(
            "What is found would be kept beside OUT, and standard output has no place beside it; "
            "find it first (pseudovoice diarise), and name the file with `turns`."
        )


@contextmanager
def as_files(corpus: Path, out: Path) -> Iterator[tuple[Path, Path]]:
    """The two as files: private ones, which are gone at the end, in place of streams.

    What was written is copied to standard output once it is whole. Sentences name the streams.
    """
    if STREAM not in (corpus, out):
        yield corpus, out
        return
    with TemporaryFolder("stream") as folder:
        source, made = corpus, out
        if corpus == STREAM:
            source = folder / STDIN
            with source.open("xb") as file:
                shutil.copyfileobj(sys.stdin.buffer, file)
        if out == STREAM:
            made = folder / STDOUT
        try:
            yield source, made
        except PseudovoiceError as error:
            raise InputError(
                str(error)
                .replace(str(folder / STDIN), "standard input")
                .replace(str(folder / STDOUT), "standard output")
            ) from None
        if out == STREAM:
            with made.open("rb") as file:
                shutil.copyfileobj(file, sys.stdout.buffer)
            sys.stdout.buffer.flush()
