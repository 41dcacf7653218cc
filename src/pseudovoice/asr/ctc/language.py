"""The language model of the search, from text that holds none of the sentences it is tested on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from pseudovoice.errors import InputError
from pseudovoice.text.disjoint import without
from pseudovoice.text.kneser_ney import train
from pseudovoice.text.ngram import NGram
from pseudovoice.text.normalise import normalise


def learn_language(
    files: Sequence[Path],
    *,
    tested: Iterable[str] = (),
    normaliser: Callable[[str], str] = normalise,
) -> NGram:
    """A 3-gram model with modified Kneser–Ney smoothing of the sentences in ``files``, one a line.

    Sentences that share six words in a row with a ``tested`` one, or are one if shorter, are left
    out. Words are those of ``normaliser``, as in the texts that errors are counted in.
    """
    said = (tuple(normaliser(line).split()) for path in files for line in _lines(path))
    kept = without((words for words in said if words), (normaliser(t).split() for t in tested))
    return train(kept)


def _lines(path: Path) -> Iterator[str]:
    try:
        with path.open(encoding="utf-8-sig", errors="replace") as stream:
            yield from stream
    except OSError as error:
        raise InputError(
            f"{path}: the text for the language model cannot be read ({error.strerror})."
        ) from None
