"""The LibriSpeech alignments in their condensed form, one line an utterance.

``84-121123-0000 ",GO,,DO,YOU,HEAR," "0.490,0.890,1.270,1.380,1.490,1.890,2.09"``: words and the
time at which each ends, silences as empty words. A word begins where the item before it ends.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from pseudovoice.alignment.readers.labels import is_silence
from pseudovoice.alignment.readers.textgrid import FormatFault
from pseudovoice.alignment.word import Word

LINE = re.compile(r'(?P<utterance>\S+)\s+"(?P<words>[^"]*)"\s+"(?P<ends>[-+\d.,eE]*)"\s*')


def read_librispeech(text: str) -> Iterator[tuple[str, int, tuple[Word, ...] | FormatFault]]:
    """Each line's utterance, number and words, or what is wrong with it."""
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        found = LINE.fullmatch(line)
        if found is None:
            yield line.split()[0], number, FormatFault('is not of the form ID "WORDS" "ENDS"')
        else:
            yield found["utterance"], number, _words(found["words"], found["ends"])


def _words(labels: str, ends: str) -> tuple[Word, ...] | FormatFault:
    names = labels.split(",")
    try:
        times = [float(end) for end in ends.split(",")]
    except ValueError:
        return FormatFault("has a time that is no number")
    if len(names) != len(times):
        return FormatFault(f"has {len(names)} words and silences but {len(times)} times")
    starts = [0.0, *times[:-1]]
    return tuple(
        Word(name, start, end)
        for name, start, end in zip(names, starts, times, strict=True)
        if not is_silence(name)
    )
