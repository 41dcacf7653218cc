"""A few seconds of each speaker to listen to, small enough for a page."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Sequence

import numpy as np
import soundfile
from numpy.typing import NDArray

from pseudovoice.corpus import AudioError, Corpus, Utterance, load
from pseudovoice.errors import PassingProblem, Problem
from pseudovoice.page.spectrogram import spectrogram_png
from pseudovoice.page.study import Clip

RATE = 16_000
SECONDS = 4.0
MOST_BYTES = 800_000
"""Of the clips of one safeguard, some forty speakers; base64 adds a third."""

MIME = "audio/mpeg"
"""MP3: the one compressed format that every browser plays."""


def make_clips(
    corpus: Corpus,
    safeguard: str | None,
    *,
    speakers: Sequence[str] | None = None,
    seconds: float = SECONDS,
    most_bytes: int = MOST_BYTES,
    unread: Callable[[Problem], None] = lambda _: None,
) -> list[Clip]:
    """One clip per speaker, in the order of ``speakers``, until ``most_bytes`` are spent.

    Parameters
    ----------
    corpus : protected speech; or the original, with ``safeguard`` None
    safeguard : its name on the page
    speakers : who matters most first, such as the worst protected; everybody by default
    seconds : the length of a clip, at most
    unread : called with the problem of a recording that was there and cannot be read now

    Every corpus of the same utterances gives the same stretch of the same utterance, so that
    voices can be compared. A recording that cannot be read is passed over.
    """
    made: list[Clip] = []
    spent = 0
    for name in corpus.speakers if speakers is None else speakers:
        clip = next(_clips_of(corpus, name, safeguard, seconds, unread), None)
        if clip is None:
            continue
        spent += len(clip.audio) + len(clip.spectrogram)
        if spent > most_bytes:
            break
        made.append(clip)
    return made


def _clips_of(
    corpus: Corpus,
    speaker: str,
    safeguard: str | None,
    seconds: float,
    unread: Callable[[Problem], None],
) -> Iterator[Clip]:
    """Clips of a speaker's utterances by id, for the first that can be read."""
    for utterance in sorted(corpus.speakers.get(speaker, ()), key=lambda u: u.id):
        try:
            samples = load(utterance, sample_rate=RATE)
        except AudioError as error:
            # What is wrong with the recording itself, the stages before have said.
            if isinstance(error.problem, PassingProblem):
                unread(error.problem)
            continue
        yield clip_of(utterance, samples[: int(seconds * RATE)], safeguard)


def clip_of(utterance: Utterance, samples: NDArray[np.floating], safeguard: str | None) -> Clip:
    """Samples at `RATE` as a clip with its picture, the ends faded so that they do not click."""
    faded = np.array(samples, np.float64)
    ramp = np.linspace(0.0, 1.0, min(faded.size, RATE // 100))
    faded[: ramp.size] *= ramp
    faded[faded.size - ramp.size :] *= ramp[::-1]
    return Clip(
        speaker=utterance.speaker,
        safeguard=safeguard,
        utterance=utterance.id,
        seconds=faded.size / RATE,
        mime=MIME,
        audio=_mp3(faded),
        spectrogram=spectrogram_png(faded, RATE),
    )


def _mp3(samples: NDArray[np.float64]) -> bytes:
    out = io.BytesIO()
    with soundfile.SoundFile(
        out, "w", RATE, 1, "MPEG_LAYER_III", format="MP3", compression_level=0.8
    ) as file:
        file.write(samples)
    return out.getvalue()
