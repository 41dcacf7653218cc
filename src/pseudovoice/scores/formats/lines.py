"""Text files as Arrow can read them: UTF-8 checked, line ends and white space made uniform."""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import Any, BinaryIO

from pseudovoice.errors import InputError

BLOCK = 1 << 23
"""Bytes read at a time, and the longest line that is taken for one."""

HEAD = 1 << 18
BOM = b"\xef\xbb\xbf"
_RUNS = re.compile(rb" {2,}")
_EDGES = re.compile(rb"^ | $", re.MULTILINE)
_TO_SPACE = bytes.maketrans(b"\t\v\f", b"   ")


def check_file(path: Path) -> None:
    """Say what is wrong with a path that is no file one can read twice."""
    if not path.exists():
        raise InputError(f"{path}: there is no such file; check the path.")
    if path.is_dir():
        raise InputError(f"{path}: this is a folder; name the file in it.")
    if not path.is_file():
        raise InputError(f"{path}: this is a pipe or a device; save it to a file first.")


class CleanLines(io.RawIOBase):
    """A text file with ``\\n`` for every line end and, if ``squeeze``, one space between fields.

    Arrow splits at one delimiter character; Kaldi files use whatever white space they like.
    Arrow also speaks of broken text without naming the place, so it is looked for here.
    """

    def __init__(self, raw: BinaryIO, path: Path, *, squeeze: bool) -> None:
        self._raw, self._path, self._squeeze = raw, path, squeeze
        self._ready, self._rest, self._first, self._line = memoryview(b""), b"", True, 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._ready:
            block = self._raw.read(BLOCK)
            if self._first:
                block, self._first = block.removeprefix(BOM), False
            whole = self._rest + block
            if not whole:
                return 0
            end = whole.find(b"\n")
            if (len(whole) if end < 0 else end) > BLOCK:
                raise InputError(
                    f"{self._path}:{self._line + 1}: this line is longer than {BLOCK:,} bytes; "
                    "the file is no list of trials, or its line ends are lost."
                )
            cut = len(whole) if not block else whole.rfind(b"\n") + 1
            self._rest = whole[cut:] if block else b""
            self._ready = memoryview(self._clean(whole[:cut]))
        n = min(len(buffer), len(self._ready))
        buffer[:n], self._ready = self._ready[:n], self._ready[n:]
        return n

    def _clean(self, text: bytes) -> bytes:
        text = _plain_line_ends(text)
        wrong = text.find(b"\0")
        try:
            if not text.isascii():
                text.decode("utf-8")
        except UnicodeDecodeError as error:
            wrong = error.start if wrong < 0 else min(wrong, error.start)
        if wrong >= 0:
            line = self._line + text.count(b"\n", 0, wrong) + 1
            raise InputError(
                f"{self._path}:{line}: this is not UTF-8 text; convert the file to UTF-8."
            )
        self._line += text.count(b"\n")
        return _single_spaced(text) if self._squeeze else text


def _plain_line_ends(text: bytes) -> bytes:
    if b"\r" not in text:
        return text
    return text.replace(b"\r\r\n", b"\n").replace(b"\r\n", b"\n").replace(b"\r", b"\n")


def _single_spaced(text: bytes) -> bytes:
    text = text.translate(_TO_SPACE)
    if b"  " in text:
        text = _RUNS.sub(b" ", text)
    if b" \n" in text or b"\n " in text or text[:1] == b" " or text[-1:] == b" ":
        text = _EDGES.sub(b"", text)
    return text


def first_lines(path: Path, lines: int = 1000) -> list[str]:
    """The first lines that are not blank, line ends off, to tell the format by."""
    with path.open("rb") as raw:
        head = raw.read(HEAD)
    text = _plain_line_ends(head.removeprefix(BOM))
    if b"\0" in text:
        raise InputError(
            f"{path}: this is a binary file of no known format; give scores as UTF-8 text, "
            "CSV, Parquet or BOSARIS HDF5."
        )
    cut = len(head) == HEAD
    try:
        whole = text.decode("utf-8", errors="ignore" if cut else "strict")
    except UnicodeDecodeError as error:
        line = text.count(b"\n", 0, error.start) + 1
        raise InputError(
            f"{path}:{line}: this is not UTF-8 text; convert the file to UTF-8."
        ) from None
    found = [line for line in whole.split("\n") if line.strip(" \t\v\f")]
    if not found:
        raise InputError(f"{path}: the file is empty; there is nothing to read.")
    return (found[:-1] or found if cut else found)[:lines]  # the last one may be cut in two


def fields(line: str) -> list[str]:
    """The fields of a line, at the white space that `CleanLines` turns into one space.

    Not ``str.split()``, which also splits at a no-break space inside an id.
    """
    return [part for part in re.split(r"[ \t\v\f]+", line) if part]
