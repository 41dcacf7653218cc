"""Language models: ARPA files, and the texts that models are learnt from."""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from fuzz.target import Target, choosing, chosen
from pseudovoice.asr.ctc.lexicon import lexicon_of
from pseudovoice.reassembly.language import learn_from_texts
from pseudovoice.slicing import Origin
from pseudovoice.text.arpa import read_arpa, write_arpa
from pseudovoice.text.kneser_ney import train

_SENTENCES = [("the", "cat", "sat"), ("the", "dog", "sat", "down"), ("a", "cat")]
_KINDS = ("plain", "gzip")


def _arpa(folder: Path, data: bytes) -> None:
    kind, rest = chosen(data, _KINDS)
    path = folder / "model.arpa"
    path.write_bytes(gzip.compress(rest, 1) if kind == "gzip" else rest)
    model = read_arpa(path)
    model.sentence(("the", "unheard", "cat"))
    lexicon_of(model)
    write_arpa(model, folder / "again.arpa")
    again = read_arpa(folder / "again.arpa")
    assert again.words == model.words
    for one, other in zip(again.arrays, model.arrays, strict=True):
        # What is as good as impossible is written as -99, and nine digits are written.
        assert np.allclose(np.maximum(one, -99), np.maximum(other, -99), equal_nan=True)


def _arpa_seeds(folder: Path) -> Sequence[bytes]:
    write_arpa(train(_SENTENCES), folder / "model.arpa")
    whole = (folder / "model.arpa").read_bytes()
    head, _, _ = whole.partition(b"\n\\2-grams:")
    unigrams = b"\n".join(line for line in head.split(b"\n") if b"ngram " not in line[:6])
    count = unigrams.count(b"\t") and sum(b"\t" in line for line in unigrams.split(b"\n"))
    small = unigrams.replace(b"\\data\\\n", b"\\data\\\nngram 1=%d\n" % count) + b"\n\\end\\\n"
    return [
        choosing("plain", _KINDS, whole),
        choosing("gzip", _KINDS, whole),
        choosing("plain", _KINDS, small),
        choosing("plain", _KINDS, gzip.compress(whole)),
    ]


def _texts(folder: Path, data: bytes) -> None:
    (folder / "book.txt").write_bytes(data)
    spoken = Origin("s", "u", 0, 0.0, 1.0, "anna", "", "a dog that nobody has ever seen here")
    learnt = learn_from_texts([folder / "book.txt"], [spoken])
    assert np.isfinite(learnt.model.log_probability("cat", ("the",)))


def _text_seeds(folder: Path) -> Sequence[bytes]:
    del folder
    text = "\n".join(" ".join(words) for words in _SENTENCES * 3)
    return [text.encode(), f"\ufeffDas «Grüßen»\r\n{text}".encode(), b"one\none two\none two three"]


TARGETS = (
    Target(
        "arpa",
        _arpa,
        _arpa_seeds,
        (
            *(b"\\data\\", b"ngram 1=", b"\\1-grams:", b"\\2-grams:", b"\\end\\", b"<unk>"),
            *(
                b"<UNK>",
                b"<s>",
                b"</s>",
                b"-99",
                b"nan",
                b"inf",
                b"1e400",
                b"\xc2\xa0",
                b"\x1f\x8b",
            ),
        ),
        smoke=100,
    ),
    Target("texts", _texts, _text_seeds, (b"<s>", b"</s>", b"<unk>", b"'", b"\n", b" "), smoke=150),
)
