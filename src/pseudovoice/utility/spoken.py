"""Which language is spoken in each utterance, and what follows for counting its words.

A recogniser writes down words of the languages it knows, whatever is said to it: of German an
English one makes English words, and their errors would mean nothing. So the language is given, or
it is listened to: of everybody in every session up to 30 s of the original, by Whisper base.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from pseudovoice import engines
from pseudovoice.asr.languages import DETECT, language_code, language_name, languages_of
from pseudovoice.asr.recogniser import SpeechRecogniser
from pseudovoice.corpus import AudioError, Channel, Utterance, audio_hash, hashed_ahead, load
from pseudovoice.engines import in_parallel
from pseudovoice.models import FetchError
from pseudovoice.utility.store import MeasureStore, measure_key

DETECTOR = "whisper-base"
SECONDS = 30.0
KEPT = 3
"""Languages of one voice that are kept, the likeliest first."""

POSSIBLE = 0.1
"""How probable the only language of a recogniser has to be to be taken for the one that is spoken:
accents and short utterances mislead the ear, and words that are left out cannot be got back."""

MULTILINGUAL = "whisper-base or whisper-small"


@runtime_checkable
class Multilingual(Protocol):
    """A recogniser that can be told in which language to write."""

    def in_language(self, code: str) -> SpeechRecogniser: ...


class LanguageEar(Protocol):
    """What hears which language is spoken."""

    @property
    def name(self) -> str: ...
    @property
    def sample_rate(self) -> int: ...
    @property
    def sha256s(self) -> dict[str, str]: ...

    def languages_heard(self, samples: NDArray[Any]) -> dict[str, float]: ...


@dataclass(frozen=True)
class Spoken:
    """The language of each utterance by its id, where it is known, and how it was told.

    ``by`` is who listened, "" where nobody did; ``unheard`` says why nobody could.
    """

    codes: Mapping[str, str] = field(default_factory=dict)
    by: str = ""
    unheard: str = ""

    def recogniser(self, utterance: Utterance, one: SpeechRecogniser) -> SpeechRecogniser | None:
        """Who writes down an utterance; None where the recogniser does not know its language."""
        code, known = self.codes.get(utterance.id), languages_of(one)
        if code is None or not known or code == known[0]:
            return one
        if code in known and isinstance(one, Multilingual):
            return one.in_language(code)
        return None

    def written(self, one: SpeechRecogniser, chosen: Sequence[Utterance]) -> str:
        """The languages that words are counted in, for a sentence; "" where nobody tells."""
        known = languages_of(one)
        codes = Counter(self.codes.get(u.id, known[0]) for u in chosen) if known else Counter()
        return " and ".join(language_name(code) for code in codes if code in known)

    def notes(self, one: SpeechRecogniser, chosen: Sequence[Utterance]) -> list[str]:
        """What a reader has to know, a sentence each."""
        known = languages_of(one)
        if not known:
            return []
        own = language_name(known[0])
        if self.unheard:
            return [
                f"Which language is spoken could not be heard ({self.unheard}): everything was "
                f"taken for {own}. If it is not, name the language with `language`."
            ]
        lost = Counter(
            self.codes[u.id] for u in chosen if u.id in self.codes and self.codes[u.id] not in known
        )
        if not lost:
            return []
        spoken = " and ".join(language_name(code) for code in lost)
        how = f"as {self.by} hears it" if self.by else "as was said"
        n = sum(lost.values())
        where = "Words are" if n == len(chosen) else f"Words of {n} of {len(chosen)} utterances are"
        return [
            f"{where} not measured: they are in {spoken} ({how}), and the recogniser {one.name} "
            f"knows {own} only. Choose {MULTILINGUAL} with `recogniser`, or name another language "
            "with `language`."
        ]

    def to_dict(self) -> dict[str, Any]:
        """For the provenance."""
        counted = Counter(self.codes.values())
        return {"utterances": dict(sorted(counted.items())), "heard_by": self.by or None}


def spoken_in(
    chosen: Sequence[Utterance],
    language: str,
    recogniser: SpeechRecogniser,
    ear: Callable[[], LanguageEar],
    channel: Channel,
    store: MeasureStore | None,
    workers: int | None = None,
) -> Spoken:
    """The language of utterances: as given, or as it is heard.

    ``ear`` is loaded only if it is needed. Nobody listens for a recogniser that does not tell
    which languages it knows.
    """
    code = language_code(language)
    if code != DETECT:
        return Spoken(dict.fromkeys((u.id for u in chosen), code))
    if not languages_of(recogniser):
        return Spoken()
    try:
        hearing = ear()
    except FetchError as error:
        return Spoken(unheard=str(error).rstrip("."))
    codes: dict[str, str] = {}
    voices: dict[tuple[str, str | None], list[Utterance]] = {}
    for utterance in chosen:
        voices.setdefault((utterance.speaker, utterance.session), []).append(utterance)
    keys: dict[tuple[str, str | None], str] = {}

    def take(voice: tuple[str, str | None], heard: Mapping[str, float]) -> None:
        if heard:
            code = _taken_for(heard, languages_of(recogniser))
            codes.update((u.id, code) for u in voices[voice])

    def todo() -> Iterator[_Voice]:
        for voice, mine in voices.items():
            try:
                keys[voice] = _key(list(hashed_ahead(mine)), hearing, channel)
            except AudioError:
                continue  # whoever measures it says so
            kept = {} if store is None else store.get([keys[voice]])
            if keys[voice] in kept:
                take(voice, kept[keys[voice]])
            else:
                yield voice, mine

    # The ear takes a third of a gigabyte while it listens: in this process one voice at a time.
    at_once = workers if engines.chosen().ships else 1
    work = partial(_heard, ear=hearing, channel=channel)
    for (voice, _), heard in in_parallel(work, todo(), at_once):
        if store is not None and heard is not None:
            store.put({keys[voice]: heard})
        take(voice, heard or {})
    return Spoken(codes, hearing.name)


def _taken_for(heard: Mapping[str, float], known: tuple[str, ...]) -> str:
    """The likeliest language; the only one that is known wherever it is possible at all."""
    if len(known) == 1 and heard.get(known[0], 0.0) >= POSSIBLE:
        return known[0]
    return max(heard, key=lambda code: heard[code])


_Voice = tuple[tuple[str, str | None], list[Utterance]]
"""Speaker and session, and all that is said there."""


def _key(mine: Sequence[Utterance], ear: LanguageEar, channel: Channel) -> str:
    models = [f"{name} {value}" for name, value in sorted(ear.sha256s.items())]
    hashes = [audio_hash(utterance) for utterance in mine]
    return measure_key("language", ear.name, *models, *hashes, str(channel))


def _heard(voice: _Voice, ear: LanguageEar, channel: Channel) -> dict[str, float] | None:
    """The likeliest languages of one voice; None where nothing can be listened to."""
    parts, seconds = [], 0.0
    for utterance in voice[1]:
        try:
            parts.append(load(utterance, sample_rate=ear.sample_rate, channel=channel))
        except AudioError:
            continue
        seconds += parts[-1].size / ear.sample_rate
        if seconds >= SECONDS:
            break
    if not parts:
        return None
    told = ear.languages_heard(np.concatenate(parts))
    return {code: told[code] for code in sorted(told, key=lambda code: -told[code])[:KEPT]}


def whisper_ear() -> LanguageEar:
    """The default ear, fetched the first time."""
    from pseudovoice.asr.whisper import load_whisper

    return load_whisper(DETECTOR)
