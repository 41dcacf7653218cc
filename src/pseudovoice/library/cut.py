"""Recordings cut into utterances: the original and its protected versions at the same places."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pseudovoice.choices import Cut
from pseudovoice.corpus import Corpus
from pseudovoice.corpus.detect import is_listed
from pseudovoice.corpus.flat import FLAT, RECORDINGS, is_recording
from pseudovoice.corpus.recordings import read_recordings
from pseudovoice.diarisation.error_rate import said_error
from pseudovoice.errors import UsageError
from pseudovoice.library.diarise import GivenTurns, turns_of
from pseudovoice.library.given import GivenCorpus, Place, a_corpus
from pseudovoice.pieces import Cutting
from pseudovoice.pieces.listen import as_long
from pseudovoice.pieces.need import cutting_of
from pseudovoice.protection.by_turns import matched_turns
from pseudovoice.storage import near


@dataclass(frozen=True)
class CutSpeech:
    """The originals as they are assessed, and how other versions of them come to be the same.

    ``cutting`` is None where nothing is cut. ``notes`` are what a reader has to know of it.
    """

    original: Corpus
    cutting: Cutting | None = None
    notes: tuple[str, ...] = ()

    def version(self, corpus: Corpus) -> Corpus:
        """Another version of the recordings, cut at the same places.

        Where there is one recording only, it may be called otherwise.
        """
        originals = self.original if self.cutting is None else self.cutting.recordings
        unlisted = {originals.layout, corpus.layout} <= {RECORDINGS, FLAT}
        if len(originals) == len(corpus) == 1 and unlisted:
            (one,) = originals
            alike = replace(corpus.utterances[0], id=one.id, speaker=one.speaker)
            corpus = replace(corpus, utterances=(alike,))
        return corpus if self.cutting is None else self.cutting.of(as_long(corpus, originals))


def read_speech(
    given: GivenCorpus,
    *,
    several: bool,
    layout: str = "auto",
    allow_commands: bool = False,
    speaker_from: str | None = None,
) -> Corpus:
    """A corpus; or recordings, where it is a single file or ``several`` speak in each."""
    if several and speaker_from is not None:
        raise UsageError("Turns say who speaks; leave out `speaker_from`.")
    given = given if isinstance(given, Corpus) else near(given)
    unsaid = speaker_from is None and not isinstance(given, Corpus) and is_recording(given)
    if not isinstance(given, Corpus) and (several or unsaid):
        return read_recordings(given, layout=layout, allow_commands=allow_commands)
    return a_corpus(given, layout=layout, allow_commands=allow_commands, speaker_from=speaker_from)


def read_version(given: GivenCorpus, *, speaker_from: str | None = None, **how: Any) -> Corpus:
    """Another version of speech, as of :func:`read_speech`; one that has a listing needs no more.

    `protect` writes one beside what had none.
    """
    if speaker_from is not None and not isinstance(given, Corpus):
        given = near(given)
        speaker_from = None if given.exists() and is_listed(given) else speaker_from
    return read_speech(given, speaker_from=speaker_from, **how)


def cut_speech(
    original: Corpus, cut: Cut, turns: GivenTurns | None, true_turns: GivenTurns | None = None
) -> CutSpeech:
    """Cut originals at pauses, or by ``turns``; see :class:`pseudovoice.pieces.Cutting`."""
    found = None if turns is None else matched_turns(original, turns_of(turns))
    cutting = cutting_of(original, cut, found)
    if cutting is None:
        return CutSpeech(original)
    notes = cutting.notes
    if found is not None and true_turns is not None:
        truth = matched_turns(original, turns_of(true_turns))
        error = said_error([(truth[name], found[name]) for name in found])
        notes = (*notes, f"Who speaks when: {error}.")
    return CutSpeech(cutting.utterances, cutting, notes)


def turns_beside(*places: Place) -> Path | None:
    """The file of turns that lies beside one of some recordings or folders, by its name.

    ``interview.rttm`` belongs to ``interview.wav``, and so does ``interview.wav.rttm``, which
    `protect` leaves where it finds the turns itself.
    """
    for place in places:
        whole = Path(place)
        for file in (whole.with_suffix(".rttm"), whole.with_name(f"{whole.name}.rttm")):
            if whole.name and file.is_file():
                return file
    return None
