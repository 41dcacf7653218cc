"""Who speaks when: found in recordings, or read from files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pseudovoice.cores import usable_cores
from pseudovoice.corpus import Corpus
from pseudovoice.corpus.recordings import read_recordings
from pseudovoice.diarisation import Diarised, Turns, diarise_corpus
from pseudovoice.diarisation.formats import read_turns
from pseudovoice.encoders import DEFAULT_ENCODER
from pseudovoice.errors import UsageError
from pseudovoice.library.given import GivenCorpus, GivenEncoder, Place, encoders_of
from pseudovoice.progress import Progress, counter
from pseudovoice.storage import near

GivenTurns = Place | Mapping[str, Turns]


def recordings_of(
    given: GivenCorpus, *, layout: str = "auto", allow_commands: bool = False
) -> Corpus:
    """The recordings: a file, all files of a folder, or a corpus."""
    if isinstance(given, Corpus):
        return given
    return read_recordings(near(given), layout=layout, allow_commands=allow_commands)


def turns_of(given: GivenTurns) -> Mapping[str, Turns]:
    """Turns by recording, read if they are a file or a folder of files."""
    return given if isinstance(given, Mapping) else read_turns(Path(given))


def diarise(
    recordings: GivenCorpus,
    *,
    people: int | None = None,
    match: bool = True,
    encoder: GivenEncoder = DEFAULT_ENCODER,
    layout: str = "auto",
    allow_commands: bool = False,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Diarised:
    """Find who speaks when in a recording, or in all recordings of a corpus.

    ``people`` is how many speak in each recording, found if none is given. With ``match`` whoever
    speaks in several recordings has one name in all of them.
    """
    if people is not None and people < 1:
        raise UsageError(
            f"`people` counts those who speak in a recording, from 1 up, not {people}."
        )
    (ear,) = encoders_of(encoder)
    return diarise_corpus(
        recordings_of(recordings, layout=layout, allow_commands=allow_commands),
        ear,
        people=people,
        match=match,
        workers=workers or usable_cores(),
        stage=lambda title, size: counter(progress, title, size),
    )
