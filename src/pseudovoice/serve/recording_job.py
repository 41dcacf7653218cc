"""Work on one recording in a process of its own: who speaks when, and everybody's pseudo-voice."""

from __future__ import annotations

from pathlib import Path

from pseudovoice.corpus.naming import shown
from pseudovoice.diarisation import Turns
from pseudovoice.diarisation.formats import read_turns, write_turns
from pseudovoice.diarisation.formats.names import plain
from pseudovoice.errors import InputError
from pseudovoice.keys import key_at
from pseudovoice.library.diarise import diarise
from pseudovoice.library.protect import protect
from pseudovoice.protection.one_file import record_of
from pseudovoice.protection.releasing import Protected
from pseudovoice.release.record import RECORD
from pseudovoice.safeguards import parse_chain
from pseudovoice.serve.decision import pack
from pseudovoice.serve.events import Say, tell_problems
from pseudovoice.serve.kept_turns import write_kept
from pseudovoice.serve.pace import Pace
from pseudovoice.serve.takes import SOUND, SPEECH, Take, read_take
from pseudovoice.serve.takes import TURNS as TURNS_FILE
from pseudovoice.serve.tasks import Diarise, Protect, Release

KEEP = "Whoever has it can find out who is who; keep it, and keep it to yourself."


def find_turns(task: Diarise, say: Say, pace: Pace, workers: int | None) -> None:
    """Listen to a recording, and keep who speaks when beside it."""
    path = Path(task.recording)
    pace("listening for speech")
    found = diarise(path, people=task.people, match=False, workers=workers, progress=pace)
    (turns,) = found.turns.values()
    write_kept(Path(task.turns), turns)
    write_kept(Path(task.found), turns)
    tell_problems(found.problems, say)
    number = len(turns.people)
    if not number:
        says = "Nobody was heard speaking. Add turns by hand, or check the recording."
    else:
        people = "1 person was heard" if number == 1 else f"{number} people were heard"
        says = f"{people}, in {len(turns.turns)} turns. Listen to some of them, and correct them."
    say({"event": "done", "headline": says})


def make_take(task: Protect, folder: Path, say: Say, pace: Pace, workers: int | None) -> None:
    """Protect a recording into a new folder, by the turns as they are now."""
    path = Path(task.recording)
    turns = None if task.turns is None else _turns(Path(task.turns), path)
    secret = None
    if not parse_chain(task.safeguard).deterministic:
        secret = Path(task.key)
        if key_at(secret)[1]:
            text = f"A secret key was made: {shown(secret)}. {KEEP}"
            say({"event": "problem", "text": text})
    pace("protecting")
    sound = folder / SPEECH / SOUND
    sound.parent.mkdir()
    done = protect(
        path,
        sound,
        task.safeguard,
        key=secret,
        turns=None if turns is None else {turns.recording: turns},
        overlap=task.overlap,
        workers=workers,
        progress=pace,
    )
    record_of(sound).rename(sound.with_name(RECORD))  # that of the folder, as in every release
    if turns is not None:
        write_turns([turns], folder / TURNS_FILE)
    tell_problems(done.problems, say)
    says = _says(done, task.overlap)
    Take(
        folder,
        task.identity,
        task.safeguard,
        None if turns is None else task.overlap,
        () if turns is None else turns.people,
        says,
    ).write()
    say({"event": "done", "headline": says})


def pack_take(task: Release, folder: Path, say: Say, pace: Pace) -> None:
    """Look at all of a take that is to go out, and at the original beside it, and pack it."""
    take = read_take(folder)
    if take is None:
        raise InputError("There is no such protected recording any more; protect it again.")
    pace("looking for what would undo the protection")
    for sentence in pack(take, task, pace).unchecked:
        say({"event": "problem", "text": sentence})
    headline = "The release is ready: nothing was found in it that would undo the protection."
    say({"event": "done", "headline": headline})


def _turns(file: Path, recording: Path) -> Turns:
    every = read_turns(file)
    name = plain(recording.stem)
    # As the page shows them: of one recording alone, whatever its name is in the file.
    found = every.get(name) or (next(iter(every.values())) if len(every) == 1 else None)
    if found is None or not found.turns:
        raise InputError(
            f"{shown(file)}: says nothing of who speaks in {recording.name}; find the turns, or "
            "say that one person speaks."
        )
    return found


def _says(done: Protected, overlap: str) -> str:
    """What became of a recording, for whoever hears it next."""
    covered = done.coverage
    if covered is None:
        return "The recording was protected as one person's, from beginning to end."
    number = len(done.people)
    people = "1 person has" if number == 1 else f"{number} people have"
    at_once = "silent" if overlap == "mute" else "in a voice of its own"
    left = (
        f" {covered.speech_outside:.1f} s of speech belong to nobody's turn; they are in another "
        "voice. If that is more than a few seconds, correct the turns."
        if covered.speech_outside >= 1.0
        else ""
    )
    several = (
        f" {covered.overlap:.1f} s in which several speak at once are {at_once}."
        if covered.overlap >= 0.05
        else ""
    )
    beyond = (
        f" {covered.beyond:.1f} s of the turns lie after its end: see whether they are those of "
        "another recording."
        if covered.too_long
        else ""
    )
    return f"{people} a new voice in {covered.alone:.1f} s of speech.{several}{left}{beyond}"
