"""The language model of whoever reads slices, learnt from texts without what is tested."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pseudovoice.errors import InputError
from pseudovoice.slicing import Origin
from pseudovoice.text.disjoint import without
from pseudovoice.text.kneser_ney import train
from pseudovoice.text.ngram import NGram
from pseudovoice.text.tokens import tokens


@dataclass(frozen=True)
class Learnt:
    """A model; ``sentences`` it was learnt from, and those ``left_out`` since they are tested.

    Both are None for a model that was read from an ARPA file: nobody knows what it was learnt from.
    """

    model: NGram
    sentences: int | None
    left_out: int | None


def learn_from_texts(paths: Sequence[Path], origins: Sequence[Origin]) -> Learnt:
    """A model of the texts, less the sentences that share six words in a row with what is tested:
    an attacker who has the book needs no attack."""
    sentences = [
        words
        for path in paths
        for line in read_text(path).decode("utf-8-sig", errors="replace").splitlines()
        if (words := tokens(line))
    ]
    kept = list(without(sentences, _spoken(origins)))
    if not kept:
        raise InputError(
            f"{paths[0]}: no sentence is left for the language model once those that are tested "
            "are taken out; name other texts."
        )
    return Learnt(train(kept), len(kept), len(sentences) - len(kept))


def read_text(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise InputError(
            f"{path}: there is no such text for the language model; check the path."
        ) from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}); check the path.") from None


def _spoken(origins: Sequence[Origin]) -> list[tuple[str, ...]]:
    """The words of the tested utterances, put together again."""
    whole: dict[tuple[str, str], list[str]] = {}
    for origin in sorted(origins, key=lambda o: o.position):
        whole.setdefault((origin.speaker, origin.utterance), []).append(origin.text)
    return [tokens(" ".join(parts)) for parts in whole.values()]
