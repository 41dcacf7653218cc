"""ARPA files: the text form in which back-off language models are exchanged."""

from __future__ import annotations

import gzip
import io
import re
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO

import numpy as np

from pseudovoice.atomic import replacing
from pseudovoice.errors import InputError
from pseudovoice.text.ngram import NEVER, Level, NGram
from pseudovoice.text.tokens import BEGIN, END, UNKNOWN

# As many digits as any count has; int() refuses thousands of them with an error of its own.
_COUNT = re.compile(r"ngram\s+(\d{1,12})\s*=\s*(\d{1,12})")
_SECTION = re.compile(r"\\(\d{1,12})-grams:")
_MOST = 1 << 31
_HIGHEST_ORDER = 3

Entry = tuple[tuple[int, ...], float, float]


def write_arpa(model: NGram, path: Path) -> None:
    """Write a model, gzipped if the name ends in ``.gz``."""
    with replacing(path) as stream:
        if path.suffix == ".gz":
            # No name and no time in the header: the same model gives the same bytes.
            with gzip.GzipFile(fileobj=stream, mode="wb", filename="", mtime=0) as packed:
                _write(model, io.TextIOWrapper(packed, encoding="utf-8", newline="\n"))
        else:
            _write(model, io.TextIOWrapper(stream, encoding="utf-8", newline="\n"))


def _write(model: NGram, out: io.TextIOWrapper) -> None:
    levels = [level for level in (model.bigrams, model.trigrams) if len(level)]
    out.write("\\data\\\n")
    for n, size in enumerate((len(model.words), *map(len, levels)), 1):
        out.write(f"ngram {n}={size}\n")
    out.write("\n\\1-grams:\n")
    for word, log10, backoff in zip(model.words, model.log10, model.backoff, strict=True):
        out.write(_line(log10, (word,), backoff))
    contexts: list[tuple[str, ...]] = [(word,) for word in model.words]
    for n, level in enumerate(levels, 2):
        out.write(f"\n\\{n}-grams:\n")
        owners = np.repeat(np.arange(level.start.size - 1), np.diff(level.start))
        named = [
            (*contexts[owner], model.words[word])
            for owner, word in zip(owners, level.word, strict=True)
        ]
        for words, log10, backoff in zip(named, level.log10, level.backoff, strict=True):
            out.write(_line(log10, words, backoff))
        contexts = named
    out.write("\n\\end\\\n")
    out.flush()
    out.detach()


def _line(log10: float, words: Sequence[str], backoff: float) -> str:
    value = "-99" if log10 <= NEVER else f"{log10:.9g}"
    line = f"{value}\t{' '.join(words)}"
    # A weight of 1 is what a missing weight means.
    return line + (f"\t{backoff:.9g}\n" if backoff else "\n")


def read_arpa(path: Path) -> NGram:
    """Read a model of up to three words; what is wrong is said with its line."""
    try:
        with path.open("rb") as stream:
            packed = stream.read(2) == b"\x1f\x8b"
            stream.seek(0)
            source: IO[bytes] = gzip.GzipFile(fileobj=stream) if packed else stream  # type: ignore[assignment, unused-ignore]
            text = io.TextIOWrapper(source, encoding="utf-8", errors="replace")
            return _Reader(path).read(enumerate(text, 1))
    except FileNotFoundError:
        raise InputError(f"{path}: there is no such language model.") from None
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"{path}: the language model cannot be read ({error}).") from None


class _Reader:
    def __init__(self, path: Path) -> None:
        self._path = path
        self._line = 0
        self._words: list[str] = []
        self._index: dict[str, int] = {}

    def read(self, lines: Iterator[tuple[int, str]]) -> NGram:
        counts = self._header(lines)
        sections: list[list[Entry]] = []
        for n in range(1, len(counts) + 1):
            sections.append(self._section(lines, n, counts[n - 1]))
        return self._model(sections)

    def _fault(self, what: str) -> InputError:
        return InputError(
            f"{self._path}:{self._line}: {what}, so it is no whole ARPA file; write it again."
        )

    def _header(self, lines: Iterator[tuple[int, str]]) -> list[int]:
        for self._line, line in lines:
            if line.strip() == "\\data\\":
                break
        else:
            raise self._fault("the line \\data\\ is missing")
        counts: list[int] = []
        for self._line, line in lines:
            text = line.strip()
            if found := _COUNT.fullmatch(text):
                if int(found[1]) != len(counts) + 1 or int(found[2]) > _MOST:
                    raise self._fault(f"{text!r} is out of order")
                counts.append(int(found[2]))
            elif text == "\\1-grams:":
                break
            elif text:
                raise self._fault(f"{text[:40]!r} is no count of n-grams")
        if not 1 <= len(counts) <= _HIGHEST_ORDER:
            raise self._fault(f"the order is {len(counts)} and not from 1 to {_HIGHEST_ORDER}")
        return counts

    def _section(self, lines: Iterator[tuple[int, str]], n: int, count: int) -> list[Entry]:
        """The entries up to the next heading, whose number is checked."""
        entries: list[Entry] = []
        for self._line, line in lines:
            text = line.strip()
            if text.startswith("\\"):
                after = _SECTION.fullmatch(text)
                if text != "\\end\\" and (after is None or int(after[1]) != n + 1):
                    raise self._fault(f"{text[:40]!r} stands where order {n + 1} should begin")
                break
            if text:
                entries.append(self._entry(text, n))
        if len(entries) != count:
            raise self._fault(f"there are {len(entries)} {n}-grams instead of {count}")
        return entries

    def _entry(self, text: str, n: int) -> Entry:
        log10, *words = text.split()
        backoff = words.pop() if len(words) == n + 1 else "0"
        if len(words) != n:
            raise self._fault(f"{text[:40]!r} is no {n}-gram")
        if n == 1:
            name = UNKNOWN if words[0].lower() == UNKNOWN else words[0]
            if name in self._index:
                raise self._fault(f"the word {name!r} stands there twice")
            self._index[name] = len(self._words)
            self._words.append(name)
            words = [name]
        try:
            numbers = tuple(self._index[UNKNOWN if w.lower() == UNKNOWN else w] for w in words)
            return numbers, float(log10), float(backoff)
        except KeyError as word:
            raise self._fault(f"the word {word} is not among the 1-grams") from None
        except ValueError:
            raise self._fault(f"{text[:40]!r} has no number where one should be") from None

    def _model(self, sections: list[list[Entry]]) -> NGram:
        missing = {UNKNOWN, BEGIN, END} - set(self._words)
        if missing == {UNKNOWN}:
            # A closed vocabulary: other words are as good as impossible.
            self._words.append(UNKNOWN)
            sections[0].append(((len(self._words) - 1,), NEVER, 0.0))
        elif missing:
            raise self._fault(f"there is no {min(missing)} among the 1-grams")
        log10 = np.array([entry[1] for entry in sections[0]])
        backoff = np.array([entry[2] for entry in sections[0]])
        contexts: dict[tuple[int, ...], int] = {
            (number,): number for number in range(len(self._words))
        }
        levels = []
        for n in (2, 3):
            entries = sorted(sections[n - 1]) if len(sections) >= n else []
            level = self._level(entries, contexts)
            contexts = {entry[0]: at for at, entry in enumerate(entries)}
            if len(contexts) < len(entries):
                raise self._fault(f"a {n}-gram stands there twice")
            levels.append(level)
        return NGram(tuple(self._words), log10, backoff, *levels)

    def _level(self, entries: list[Entry], contexts: dict[tuple[int, ...], int]) -> Level:
        try:
            owners = np.array([contexts[entry[0][:-1]] for entry in entries], dtype=np.int64)
        except KeyError as lost:
            words = " ".join(self._words[number] for number in lost.args[0])
            raise self._fault(f"the context {words!r} is no entry of its own") from None
        # Sorting by words is sorting by context, since contexts were numbered in that order.
        return Level(
            np.searchsorted(owners, np.arange(len(contexts) + 1)).astype(np.int64),
            np.array([entry[0][-1] for entry in entries], dtype=np.int64),
            np.array([entry[1] for entry in entries], dtype=np.float64),
            np.array([entry[2] for entry in entries], dtype=np.float64),
        )
