"""Whether recordings have to be cut, and whether anybody can be recognised in what there is."""

from __future__ import annotations

from collections.abc import Mapping

from pseudovoice.choices import Cut
from pseudovoice.corpus import Corpus
from pseudovoice.diarisation.turns import Turns
from pseudovoice.errors import InputError
from pseudovoice.pieces.cut import Cutting
from pseudovoice.pieces.listen import cut_by_turns, cut_recordings

LEAST_SPEAKERS = 2
"""Whoever is alone cannot be taken for somebody else."""


def one_each(corpus: Corpus) -> bool:
    """Whether fewer than two people have a second utterance, by which they could be recognised."""
    several = sum(len(own) > 1 for own in corpus.speakers.values())
    return several < min(LEAST_SPEAKERS, len(corpus.speakers))


def cutting_of(corpus: Corpus, cut: Cut, turns: Mapping[str, Turns] | None) -> Cutting | None:
    """Where a corpus is cut; None where it is taken as it is.

    With ``turns`` it always is. Else ``auto`` cuts at pauses where people have one recording each.
    """
    if turns is not None:
        return cut_by_turns(corpus, turns)
    if cut == "always" or (cut == "auto" and one_each(corpus)):
        return cut_recordings(corpus)
    return None


def check_recognisable(corpus: Corpus, cutting: Cutting | None) -> None:
    """Raise InputError where nobody could be recognised, before anything is made."""
    where = corpus.root
    if len(corpus.speakers) < LEAST_SPEAKERS:
        who = next(iter(corpus.speakers), None)
        if who is None:
            raise InputError(f"{where}: {_no_utterances(cutting)}")
        raise InputError(
            f"{where}: {who!r} is the only speaker, and whoever is alone cannot be taken for "
            "somebody else: how well one person is hidden cannot be measured, only what is left of "
            "words and quality (`pseudovoice assess utility`). Add recordings of other people; or, "
            "if several people speak in the recording, find out who speaks when with `pseudovoice "
            "diarise` and name the file with `turns`."
        )
    if max(len(own) for own in corpus.speakers.values()) < 2:
        raise InputError(
            f"{where}: everybody has one utterance only, so that nobody can be recognised by "
            f"another. {_no_second(cutting)}"
        )


def _no_utterances(cutting: Cutting | None) -> str:
    if cutting is None:
        return "there are no utterances; add some."
    first = next(iter(cutting.problems), "they hold no speech")
    return f"none of the recordings gave an utterance; the first reason: {first}"


def _no_second(cutting: Cutting | None) -> str:
    if cutting is None:
        return 'Add recordings, or let them be cut at pauses with `cut="auto"`.'
    return (
        "Their recordings were cut at pauses and did not give two of 3 to 8 seconds each: add "
        "longer recordings, or others of the same people."
    )
