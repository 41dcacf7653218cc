"""Alignments made elsewhere: TextGrid, CTM, JSON, tables of the MFA, LibriSpeech's own text."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from fuzz.target import DEEP, Target, choosing, chosen
from pseudovoice.alignment.readers import read_alignments

SUFFIXES = (".TextGrid", ".ctm", ".json", ".jsonl", ".csv", ".txt")
_GRID = """File type = "ooTextFile"
Object class = "TextGrid"

xmin = 0
xmax = 1.5
tiers? <exists>
size = 2
item []:
    item [1]:
        class = "IntervalTier"
        name = "anna - words"
        xmin = 0
        xmax = 1.5
        intervals: size = 2
        intervals [1]:
            xmin = 0
            xmax = 0.7
            text = "so ""it"" is"
        intervals [2]:
            xmin = 0.7
            xmax = 1.5
            text = ""
    item [2]:
        class = "TextTier"
        name = "clicks"
        xmin = 0
        xmax = 1.5
        points: size = 1
        points [1]:
            number = 0.5
            mark = "x"
"""
_SHORT = '"ooTextFile"\n"TextGrid"\n0\n1\n<exists>\n1\n"IntervalTier"\n"words"\n0 1\n1\n0 1 "é"\n'
_MFA = '{"start": 0, "end": 1, "tiers": {"words": {"type": "interval", "entries": [[0, 1, "so"]]}}}'
_JSON = (
    '{"words": [{"word": "so", "start": 0.1, "end": 0.5, "conf": 0.9}, ["it", 0.5, 0.7, 1]]}',
    '[{"id": "a", "segments": [{"words": [{"text": "so", "b": 0.1, "d": 0.4}]}]}]',
    '{"a": [["so", 0, 1]], "b": {"w": []}}',
    _MFA,
)
_CSV = b"Begin,End,Label,Type,Speaker\n0.0,0.5,so,words,anna\n0.5,0.6,S,phones,anna\n"
_TXT = b'84-121-0000 ",GO,,DO,YOU," "0.490,0.890,1.270,1.380,1.490,1.890"\n'
_CTM = b";; made by hand\na 1 0.10 0.40 so 0.9\na 1 0.50 0.20 it\nb A 0 1 <eps> NA\n"


def _read(folder: Path, data: bytes) -> None:
    suffix, rest = chosen(data, SUFFIXES)
    (folder / f"a{suffix}").write_bytes(rest)
    found = read_alignments(folder if len(rest) % 2 else folder / f"a{suffix}")
    assert found.identity
    for words in found.words.values():
        for word in words:
            assert isinstance(word.word, str)
            assert isinstance(word.start, float)


def _seeds(folder: Path) -> Sequence[bytes]:
    del folder
    texts = [
        *((".TextGrid", text.encode()) for text in (_GRID, _SHORT)),
        (".TextGrid", _SHORT.encode("utf-16")),
        *((".json", text.encode()) for text in _JSON),
        (".jsonl", (_JSON[0] + "\n" + _JSON[0]).encode()),
        *((".json", DEEP), (".jsonl", DEEP)),
        *((".csv", _CSV), (".txt", _TXT), (".ctm", _CTM)),
    ]
    return [choosing(suffix, SUFFIXES, text) for suffix, text in texts]


TARGETS = (
    Target(
        "alignments",
        _read,
        _seeds,
        (
            *(b'"IntervalTier"', b'"TextTier"', b"<exists>", b"<absent>", b'""', b"!", b"1e400"),
            *(b'"words"', b'"tiers"', b'"entries"', b'"id"', b"[", b"{", b"null", b"true", b"NaN"),
            *(b"<ALT", b";;", b"9" * 400, b"\xff\xfe", b"\\ud800", b",words,"),
        ),
        smoke=600,
    ),
)
