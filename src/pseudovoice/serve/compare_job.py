"""How well a take hides who speaks, and what is still understood: a report is written.

People have numbers here instead of their names, and so has the recording: the report may become
part of a release.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from pseudovoice.choices import Measure
from pseudovoice.corpus import Corpus
from pseudovoice.corpus.recordings import read_recordings
from pseudovoice.diarisation import Turns
from pseudovoice.diarisation.error_rate import errors_of, said_error
from pseudovoice.diarisation.formats import read_turns
from pseudovoice.errors import InputError
from pseudovoice.library.assess import assess, assess_utility
from pseudovoice.page import Findings, gather, write_page
from pseudovoice.page.clips import make_clips
from pseudovoice.pieces import cut_by_turns
from pseudovoice.report.audio_folder import write_audio_folder
from pseudovoice.safeguards import parse_chain
from pseudovoice.serve.events import Say, tell_problems
from pseudovoice.serve.pace import Pace
from pseudovoice.serve.protection import read_record
from pseudovoice.serve.reports import PAGE
from pseudovoice.serve.takes import Take, read_take
from pseudovoice.serve.tasks import Compare

MEASURED: tuple[Measure, ...] = ("words",)
WORDS_OF = 20
"""Utterances of each person whose words are counted: more take long, and tell little more."""

NAME = "recording"
TITLE = "A protected recording, assessed"


def compare_take(task: Compare, folder: Path, say: Say, pace: Pace, workers: int | None) -> None:
    """Assess a take against its recording, by the turns it was made by; report and tables."""
    take = read_take(folder)
    if take is None or not take.turns.is_file():
        raise InputError(
            "One person alone cannot be taken for somebody else: how well they are hidden cannot "
            "be measured in one recording. Assess recordings of several people as two folders."
        )
    pace("reading both recordings")
    turns = _numbered(take)
    before, after = (_nameless(Path(path), name) for path, name in _both(task, take))
    found = assess(
        before,
        after,
        encoders=list(task.encoders),
        turns={NAME: turns},
        replicates=task.replicates,
        permutations=task.replicates,
        workers=workers,
        progress=pace,
    )
    pace("listening for words")
    words = assess_utility(
        before,
        after,
        turns={NAME: turns},
        measures=MEASURED,
        limit_per_speaker=WORDS_OF,
        workers=workers,
        progress=pace,
    )
    pace("writing the report")
    write_audio_folder(found, folder, set_name=NAME, system=task.safeguard, figures=False)
    cutting = cut_by_turns(before, {NAME: turns})
    known = read_record(take.record)
    tested = Findings(
        task.safeguard,
        found,
        {} if known is None else known.parameters,
        deterministic=known is not None and known.key is None,
        key=None if known is None else known.key,
        utility=words.rows,
        notes=words.notes,
        caution=parse_chain(take.safeguard).caution,
    )
    clips = make_clips(cutting.of(after), task.safeguard)
    note = " ".join((*cutting.notes, how_right(task, turns)))
    study = gather(TITLE, cutting.utterances, [tested], clips=clips, note=note)
    write_page(folder / PAGE, study)
    tell_problems((*found.problems, *words.problems), say)
    say({"event": "done", "headline": study.safeguards[0].headline})


def how_right(task: Compare, turns: Turns) -> str:
    """How wrong it is who was found to speak when, as far as anybody can say."""
    heard, truth = (_one(file) for file in (task.found, task.reference))
    if truth is not None:
        used = f"Who speaks when, measured against a reference: {said_error([(truth, turns)])}."
        if heard is None or said_error([(truth, heard)]) == said_error([(truth, turns)]):
            return used
        return f"{used} As it was found by ear, before it was corrected: " + (
            f"{said_error([(truth, heard)])}."
        )
    if heard is None:
        return "Who speaks when was given, and how right that is is not known."
    if not any(error.rate for error in errors_of([(turns, heard)]).values()):
        return (
            "Who speaks when was found by ear, and nobody has corrected it: its error rate (DER) "
            "is not known."
        )
    return (
        "Who speaks when was found by ear, and then corrected by hand. What was found, measured "
        f"against the corrected turns: {said_error([(turns, heard)])}."
    )


def _one(file: str | None) -> Turns | None:
    """The turns of the one recording of a file, if it is there."""
    if file is None or not Path(file).is_file():
        return None
    (turns,) = read_turns(Path(file)).values()
    return turns


def _both(task: Compare, take: Take) -> tuple[tuple[str, str], tuple[str, str]]:
    return (task.recording, NAME), (str(take.sound), f"{NAME} (protected)")


def _numbered(take: Take) -> Turns:
    (turns,) = read_turns(take.turns).values()
    people = {name: f"person-{k}" for k, name in enumerate(turns.people, 1)}
    return Turns(NAME, turns.renamed(people).turns)


def _nameless(path: Path, name: str) -> Corpus:
    """One recording under a name that tells nothing."""
    corpus = read_recordings(path)
    (one,) = corpus
    return replace(corpus, name=name, utterances=(replace(one, id=NAME, speaker=NAME),))
