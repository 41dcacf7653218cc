"""Whether a transcript is what is said: a recogniser listens, and other words are weighed.

A search over the words of the transcript finds each of them somewhere, and its confidence is an
average: an exchanged word is one bad word among many. So a recogniser writes what it hears. If that
is not the transcript it listens once more, with quiet around the sound: where speech begins or ends
abruptly it may have lost the thread, or made up a word. Where either text differs from the
transcript it may still be the recogniser that errs, and two witnesses are asked how much better its
words explain the sound there:

- the recogniser itself, whose decoder gives any text a probability: that of what it heard, less
  that of the same text with the transcript's words at this one place, in nats;
- the search, by the log-likelihoods of its best paths through the transcript as it is and with the
  words that were heard at this one place.

The first knows language, and at a cut in the middle of a sentence too much of it; the second knows
sounds alone, and where the words that were heard fit it worse they are not believed. Where they fit
it no worse, the weighted sum of both is the evidence against the transcript; see :data:`BOUND`.

Conventions
-----------
- Both texts are brought to one form (:mod:`pseudovoice.text.normalise`) before they are compared.
  Words that differ in their blanks alone (*some time*, *sometime*) do not differ.
- The transcript's words are tried in lower case, with capitals and as they are written, with and
  without the punctuation that was heard there, and the likeliest form counts: how a recogniser
  writes is no evidence.
- How a word outside the dictionary is pronounced was a guess: that others fit better does not count
  there.
- An utterance longer than the recogniser takes at once is heard in parts, cut at its longest
  pauses.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from functools import cache, partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pseudovoice.alignment.sphinx import SphinxAligner, waveform
from pseudovoice.alignment.word import AlignmentError, Word
from pseudovoice.asr.recogniser import Hearing, SpeechRecogniser, Weighing
from pseudovoice.corpus import Sound, Utterance
from pseudovoice.errors import Problem, UsageError
from pseudovoice.text.normalise import normalise

if TYPE_CHECKING:
    from pseudovoice.alignment.align import Aligner

BOUND = 10.5
"""Evidence from which on a transcript is refused. Set, with what follows, on stretches of 2 to 3 s
of other people than it was reported on: of 112 with their own words one is refused there."""
SEARCH = 0.1
"""What a nat of the search counts: its frames are taken for independent, and are not."""
SUSPECT = -2.0
"""Nats of the recogniser from which on the search is asked."""
QUIET = 0.4
"""Seconds of quiet before and after, when it listens again."""

_PUNCTUATION = re.compile(r"[.,;:!?]*$")


@dataclass(frozen=True)
class Difference:
    """Words [first, last) of the transcript, and [begin, end) of what was heard in their place."""

    begin: int
    end: int
    first: int
    last: int


class Listening:
    """An aligner, and a recogniser that listens whether what it aligned is what is said."""

    def __init__(self, aligner: Aligner, recogniser: SpeechRecogniser) -> None:
        if not isinstance(recogniser, Weighing):
            raise UsageError(
                f"The recogniser {recogniser.name} cannot say how likely other words are; take "
                "moonshine-base."
            )
        self._aligner, self._recogniser = aligner, recogniser
        self._ear: Weighing = recogniser
        self._search = SphinxAligner()

    def __reduce__(self) -> tuple[Any, ...]:
        return Listening, (self._aligner, self._recogniser)

    @property
    def name(self) -> str:
        return self._aligner.name

    @property
    def identity(self) -> str:
        marks = " ".join(mark[:12] for _, mark in sorted(self._recogniser.sha256s.items()))
        rule = f"{BOUND:g} {SEARCH:g} {SUSPECT:g} {QUIET:g}"
        return f"{self._aligner.identity}, heard by {self._recogniser.name} {marks}, rule {rule}"

    def __call__(
        self, utterance: Utterance, sound: Sound, written: tuple[str, ...]
    ) -> tuple[Word, ...]:
        words = self._aligner(utterance, sound, written)
        if len(words) == len(written):  # else the caller refuses it
            for first, last, part in self._parts(utterance, sound, words):
                self._check(utterance, part, written, first, last)
        return words

    def _parts(
        self, utterance: Utterance, sound: Sound, words: tuple[Word, ...]
    ) -> Iterator[tuple[int, int, Sound]]:
        """The words [first, last) of each part, and how it sounds."""
        samples = waveform(utterance, sound, self._recogniser.sample_rate)
        rate = self._recogniser.sample_rate
        cuts = parts(words, sound.duration, self._ear.longest - 2 * QUIET)
        for (first, begin), (last, end) in pairwise(cuts):
            piece = samples[round(begin * rate) : round(end * rate), None]
            yield first, last, Sound(piece, rate, sound.subtype)

    def _check(
        self, utterance: Utterance, part: Sound, written: tuple[str, ...], first: int, last: int
    ) -> None:
        said, samples = written[first:last], part.samples[:, 0]
        hearing = self._ear.hearing(samples)
        if not differences(hearing.text.split(), said):
            return
        again = self._ear.hearing(_with_quiet(samples, part.sample_rate))
        fits = cache(partial(self._search.likelier, utterance, part, than=said))
        for text in dict.fromkeys((hearing.text, again.text)):  # often it hears the same
            heard = text.split()
            for one in differences(heard, said):
                instead = (*said[: one.first], *heard[one.begin : one.end], *said[one.last :])
                nats = likelier(replace(hearing, text=text), said, one)
                if nats < SUSPECT or not instead:
                    continue
                fitting = fits(instead)
                if fitting is None or fitting < 0:
                    continue
                if not all(map(self._search.knows, said[one.first : one.last])):
                    fitting = 0.0
                if nats + SEARCH * fitting >= BOUND:
                    raise _refused(utterance, heard, written, one, first)


def listening(aligner: Aligner | None = None) -> Listening:
    """An aligner, the embedded one if none is named, and the recogniser of the word errors."""
    from pseudovoice.asr.registry import load_recogniser

    return Listening(aligner or SphinxAligner(), load_recogniser())


def differences(heard: Sequence[str], written: Sequence[str]) -> list[Difference]:
    """Where the words of two texts differ, once both are in one form.

    A place begins and ends where a word does in both texts: what is heard as *$5* is one word, and
    stands for both of *four dollars*.
    """
    ours, theirs = _forms(heard), _forms(written)
    matched = SequenceMatcher(None, [w for w, _ in ours], [w for w, _ in theirs], autojunk=False)
    cuts = [(0, 0)]
    for a, c, size in matched.get_matching_blocks():
        for k in range(size + 1):
            if _begins(ours, a + k) and _begins(theirs, c + k):
                cuts.append((_word(ours, a + k, heard), _word(theirs, c + k, written)))
    found = []
    for (begin, first), (end, last) in pairwise(cuts):
        other = written[first:last]
        # In its place once more: of *two hundred and five* the *and* is no word of its own.
        if _spoken(heard[begin:end]) != _spoken(other) and _spoken(heard) != _spoken(
            [*heard[:begin], *other, *heard[end:]]
        ):
            found.append(Difference(begin, end, first, last))
    return found


def likelier(hearing: Hearing, written: Sequence[str], where: Difference) -> float:
    """By how many nats what was heard is likelier than the transcript's words in one place."""
    texts = dict.fromkeys(_with(hearing.text.split(), written, where))
    return hearing.log_probability(hearing.text) - max(map(hearing.log_probability, texts))


def parts(words: Sequence[Word], duration: float, longest: float) -> list[tuple[int, float]]:
    """Where to cut: before which word, and when; the beginning and the end of all are among them.

    What lasts too long is cut in the middle of its longest pause, the ends of it left alone.
    """
    cuts = [(0, 0.0), (len(words), duration)]
    while True:
        spans = [(a, b) for a, b in pairwise(cuts) if b[1] - a[1] > longest and b[0] - a[0] > 1]
        if not spans:
            return cuts
        (first, begin), (last, end) = spans[0]
        inner = range(first + 1, last)
        # Thirds, so that no part is a word or two.
        third = (end - begin) / 3
        middle = [k for k in inner if begin + third <= words[k].start <= end - third] or inner
        at = max(middle, key=lambda k: words[k].start - words[k - 1].end)
        cuts.append((at, (words[at - 1].end + words[at].start) / 2))
        cuts.sort()


def _with_quiet(samples: NDArray[Any], rate: int) -> NDArray[Any]:
    """Noise of −80 dB, as rooms have it: in digital silence recognisers make things up."""
    quiet = np.random.default_rng(0).normal(0, 1e-4, round(QUIET * rate)).astype(samples.dtype)
    return np.concatenate([quiet, samples, quiet])


def _forms(words: Sequence[str]) -> list[tuple[str, int]]:
    """Each word in the one form, in as many words as it takes, and which word it was."""
    return [(form, k) for k, word in enumerate(words) for form in normalise(word).split()]


def _begins(forms: Sequence[tuple[str, int]], at: int) -> bool:
    """Whether a word begins there, or all words are over."""
    return at in (0, len(forms)) or forms[at - 1][1] != forms[at][1]


def _word(forms: Sequence[tuple[str, int]], at: int, words: Sequence[str]) -> int:
    return forms[at][1] if at < len(forms) else len(words)


def _spoken(words: Sequence[str]) -> str:
    """The letters of all words in their one form: blanks are nothing that is heard."""
    return normalise(" ".join(words)).replace(" ", "")


def _with(heard: Sequence[str], written: Sequence[str], where: Difference) -> Iterator[str]:
    """What was heard, with the words of the transcript in one place, in every way to write them."""
    own = list(written[where.first : where.last])
    small = [word.lower() for word in own]
    mark = _PUNCTUATION.search(heard[where.end - 1]) if where.end > where.begin else None
    for words in (small, [w.capitalize() for w in small], _sentence(small), own):
        for tail in ("", mark[0] if mark else ""):
            told = [*words[:-1], words[-1] + tail] if words else []
            text = " ".join([*heard[: where.begin], *told, *heard[where.end :]])
            yield text
            yield text[:1].upper() + text[1:]


def _sentence(small: Sequence[str]) -> list[str]:
    return [word.capitalize() if k == 0 else word for k, word in enumerate(small)]


def _refused(
    utterance: Utterance, heard: Sequence[str], written: Sequence[str], where: Difference, at: int
) -> AlignmentError:
    first, last = at + where.first, at + where.last
    other = " ".join(heard[where.begin : where.end])
    if last == first:
        before = f"after word {first} ({written[first - 1]!r})" if first else "at the beginning"
        what = f"{before} {other!r} is heard, which the transcript lacks"
    else:
        which = f"word {first + 1}" if last - first == 1 else f"words {first + 1} to {last}"
        own = " ".join(written[first:last])
        what = f"{which} of the transcript ({own!r}) " + (
            f"sounds like {other!r}" if other else "is not heard"
        )
    return AlignmentError(
        "heard",
        Problem(
            f"{utterance.id} ({utterance.place})",
            what,
            "check that the transcript is what is said; it is left out",
        ),
    )
