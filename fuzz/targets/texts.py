"""Words: transcripts made comparable, numbers and spelling, how words are said, file names."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from fuzz.target import Target
from pseudovoice.alignment.g2p import _TENSORS, GraphemeToPhoneme
from pseudovoice.alignment.pronounce import Pronunciation, Unpronounceable, pronunciations
from pseudovoice.asr.ctc.units import spelt
from pseudovoice.report.filename import harmless_name
from pseudovoice.text.normalise import normalise
from pseudovoice.text.transcript import same_word, words_of
from pseudovoice.utility.words import word_errors

_TEXTS = (
    "Mr. Quilter, on the 3rd of May 1839, paid $5.50 & £1,000,000 — 50% more than in the 1840s!",
    "don’t ’tis the boys' R&B; Twenty-one 105 007 12345678901234 café naïve ﬁne ½ ² ٣ Ⅷ",
    "realised neighbourhood theatre to day any one travelled",
)
_WORDS = tuple(
    word.encode() for word in ("$", "£", "st", "th", "'s", "0s", ".", ",", "²", "٣", "½", "ǅ", "ß")
)


def _normalise(folder: Path, data: bytes) -> None:
    del folder
    text = data.decode("utf-8", "surrogateescape")
    words = normalise(text)
    assert not set(words) & set("0123456789"), words
    assert words == " ".join(words.split())
    spelt(words)
    if words:
        assert word_errors(words, words).errors == 0


def _pronounce(folder: Path, data: bytes) -> None:
    del folder
    text = data.decode("utf-8", "surrogateescape")
    words = words_of(text)
    assert "".join(" ".join(words).split()) in ("", "".join(text.split()))
    network = _network()
    for word in words:
        assert same_word(word, word.upper()) or not word.isascii()
        assert all(network(word[:20]))
        pronunciations(word, _lookup)


def _lookup(word: str) -> list[Pronunciation]:
    """A dictionary of all words of plain letters, some with two ways to say them.

    What it lacks is asked of the network, whose weights would have to be fetched.
    """
    if word.endswith("'s") or not word or not (set(word) <= set("abcdefghijklmnopqrstuvwxyz'")):
        return []
    return [("AH",), ("EY",)] if len(word) % 2 else [("S",)]


def _network(width: int = 4) -> GraphemeToPhoneme:
    """The network with weights drawn at random: its arithmetic, not its English."""
    if not _NETWORK:
        draw = np.random.default_rng(0)
        shapes = {"emb": (80, width), "w_ih": (3 * width, width), "w_hh": (3 * width, width)}
        shapes |= {"b_ih": (3 * width,), "b_hh": (3 * width,), "w": (74, width), "b": (74,)}
        _NETWORK.append(
            GraphemeToPhoneme(
                {
                    name: draw.standard_normal(shapes[name.partition("_")[2]]).astype(np.float32)
                    for name in sorted(_TENSORS)
                }
            )
        )
    return _NETWORK[0]


_NETWORK: list[GraphemeToPhoneme] = []


def _filename(folder: Path, data: bytes) -> None:
    name = harmless_name(data.decode("utf-8", "surrogateescape"))
    assert len(name) <= 60
    assert name.isascii()
    # One file in this very folder, whatever was asked for.
    assert (folder / f"{name}.html").parent == folder
    (folder / f"{name}.html").write_bytes(b"")


def _seeds(folder: Path) -> Sequence[bytes]:
    del folder
    return [text.encode() for text in _TEXTS]


TARGETS = (
    Target("normalise", _normalise, _seeds, _WORDS, longest=1024),
    Target(
        "pronounce",
        _pronounce,
        _seeds,
        (*_WORDS, b"-", b"a-b-c-d-e-f-g-h-"),
        refusals=(Unpronounceable,),
        longest=1024,
        smoke=100,
    ),
    Target("file-name", _filename, _seeds, (b"../", b"\0", b"CON", b"\\", b"/"), longest=512),
)
