"""Lines of a text file that others wrote: each bad line loses only itself."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO

from ..errors import PassingProblem, Problem
from .naming import shown
from .register import Register

UTF8, EXCEL = "utf-8", "cp1252"
"""What text is written in, and what Excel calls CSV where Western Europe's letters are at home."""

_UTF8_BOM = b"\xef\xbb\xbf"
_UTF16_BOMS = (b"\xff\xfe", b"\xfe\xff")


# A speaker's line in a spk2utt with a hundred thousand utterances has 3 MB. A compressed file of as
# much may hold a line that no memory does.
LONGEST_LINE = 1 << 24


def numbered_lines(
    path: Path, register: Register, *, blank: bool = False, encoding: str = UTF8
) -> Iterator[tuple[int, str]]:
    """Line numbers (from 1) and lines without their end; blank lines only if asked for.

    UTF-8 with or without a byte-order mark, or as ``encoding`` says, or UTF-16 with its mark; with
    LF or CR LF, plain or ``.gz``. A line that is not such text or too long, and whatever follows
    the damaged spot of a compressed file, becomes a problem.
    """
    try:
        with gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb") as stream:
            # Only \n ends a line: str.splitlines would also split at \x85 or \u2028 inside a text.
            for number, raw in enumerate(_bounded(_as_utf8(stream)), start=1):
                if raw is None:
                    register.problem(
                        shown(path, number),
                        f"the line is longer than {LONGEST_LINE >> 20} MB",
                        "write one entry a line; this line is left out",
                    )
                    continue
                if number == 1:
                    raw = raw.removeprefix(_UTF8_BOM)
                raw = raw.removesuffix(b"\n").removesuffix(b"\r")
                if not blank and not raw.strip():
                    continue
                try:
                    yield number, raw.decode(encoding)
                except UnicodeDecodeError:
                    register.problem(
                        shown(path, number),
                        "the line is not UTF-8 text",
                        "save the file as UTF-8; this line is left out",
                    )
    except (OSError, EOFError, UnicodeDecodeError, zlib.error) as error:
        # strerror is empty for a damaged .gz
        reason = getattr(error, "strerror", None) or str(error)
        damaged = not isinstance(error, OSError) or isinstance(error, gzip.BadGzipFile)
        register.problems.append(
            (Problem if damaged else PassingProblem)(
                shown(path),
                f"cannot be read to its end ({reason})",
                "restore the file; what follows is left out",
            )
        )


def encoding_of(path: Path) -> str:
    """UTF8, or EXCEL for a text with letters beyond ASCII none of whose lines is UTF-8.

    One line of UTF-8 settles it: hardly any other text happens to be some.
    """
    other = False
    try:
        with path.open("rb") as stream:
            for raw in _bounded(_as_utf8(stream)):
                if raw is None or raw.isascii():
                    continue
                try:
                    raw.decode(UTF8)
                except UnicodeDecodeError:
                    other = True
                else:
                    return UTF8
    except (OSError, UnicodeDecodeError):
        return UTF8  # whoever reads it says so
    return EXCEL if other else UTF8


def as_text(data: bytes) -> str:
    """All of a short text: UTF-8, UTF-16 with its mark, or else what Excel writes.

    Raises UnicodeDecodeError for what is none of them.
    """
    if data.startswith(_UTF16_BOMS):
        return data.decode("utf-16")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode(EXCEL)


class _Utf16:
    """The lines of a file of UTF-16, in UTF-8."""

    def __init__(self, stream: IO[bytes] | gzip.GzipFile) -> None:
        self._text = io.TextIOWrapper(stream, "utf-16", newline="\n")

    def __del__(self) -> None:
        # The file is somebody else's to close, and may be closed.
        with suppress(ValueError):
            self._text.detach()

    def readline(self, size: int) -> bytes:
        return self._text.readline(size).encode(UTF8, "surrogatepass")


_Lines = IO[bytes] | gzip.GzipFile | _Utf16


def _as_utf8(stream: IO[bytes] | gzip.GzipFile) -> _Lines:
    marked = stream.read(2) in _UTF16_BOMS
    stream.seek(0)
    return _Utf16(stream) if marked else stream


def _bounded(stream: _Lines) -> Iterator[bytes | None]:
    """Lines with their ends; None in place of one that is too long, which is never held whole."""
    while raw := stream.readline(LONGEST_LINE):
        if len(raw) < LONGEST_LINE or raw.endswith(b"\n"):
            yield raw
            continue
        while raw and not raw.endswith(b"\n"):
            raw = stream.readline(LONGEST_LINE)
        yield None
