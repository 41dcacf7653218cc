"""The speech of a set: its corpora read as one, cut down to what its lists name."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path

from pseudovoice.backends import EnrolmentTrials, read_enrolment_trials
from pseudovoice.backends.enrolment_lists import trial_files
from pseudovoice.corpus import Corpus, Utterance, read_corpus
from pseudovoice.corpus.flat import is_recording
from pseudovoice.corpus.recordings import read_recordings
from pseudovoice.diarisation import Turns
from pseudovoice.diarisation.error_rate import said_error
from pseudovoice.diarisation.formats import read_turns
from pseudovoice.errors import InputError, Problem, few
from pseudovoice.pieces import Cutting
from pseudovoice.pieces.need import check_recognisable, cutting_of
from pseudovoice.protection.by_turns import matched_turns
from pseudovoice.release.pseudonyms import Pseudonyms
from pseudovoice.study.plan import SetPlan


@dataclass(frozen=True)
class SetSpeech:
    """What a set holds; ``lists`` is None where every utterance is compared with every other.

    ``lists_sha256`` is the hash of the lists' files, "" without. ``source`` is the speech as it was
    read, by whose names voices are given; ``corpus`` is what is assessed and shown, under
    pseudonyms where there are any. ``cutting`` is there where the utterances were cut out of
    recordings, and ``notes`` say what follows from that.
    """

    plan: SetPlan
    source: Corpus
    lists: EnrolmentTrials | None
    lists_sha256: str
    cutting: Cutting | None = None
    notes: tuple[str, ...] = ()
    names: Pseudonyms | None = None

    @cached_property
    def corpus(self) -> Corpus:
        return self.source if self.names is None else self.names.corpus(self.source)

    @property
    def name(self) -> str:
        return self.plan.name

    @property
    def recordings(self) -> Corpus:
        """The corpus before it was cut."""
        return self.source if self.cutting is None else self.cutting.recordings


def read_set(plan: SetPlan, *, allow_commands: bool = False) -> SetSpeech:
    """Read the corpora and the lists of a set."""
    parts = [_read(plan, path, allow_commands) for path in plan.corpus]
    corpus = _matching(replace(as_one(parts), name=plan.name), plan.only)
    if not plan.trials:
        return SetSpeech(plan, corpus, None, "")
    if plan.enrols is None:
        places = trial_files(plan.trials)
        from pseudovoice.scores.formats.detect import read_trials  # brings pyarrow, 25 MB

        keys = [read_trials(file, "label") for file in places]
        tried = {name for key in keys if key.trial is not None for name in key.trial.values}
        said = tuple(problem for key in keys for problem in key.problems)
        corpus = _only(corpus, tried, places, said)
        return SetSpeech(plan, corpus, None, _sha256(places))
    lists = read_enrolment_trials(plan.enrols, plan.trials)
    assert lists.key.enrol is not None
    wanted = set(lists.tried)
    for model in lists.key.enrol.values:
        wanted |= set(lists.models.get(model, ()))
    corpus = _only(corpus, wanted, plan.trials, ())
    files = [path for place in (plan.enrols, *plan.trials) for path in _files(place)]
    return SetSpeech(plan, corpus, lists, _sha256(tuple(files)))


def _read(plan: SetPlan, path: Path, allow_commands: bool) -> Corpus:
    if plan.speaker_from is None and (plan.turns is not None or is_recording(path)):
        return read_recordings(path, layout=plan.layout, allow_commands=allow_commands)
    return read_corpus(
        path,
        layout=plan.layout,
        allow_commands=allow_commands,
        speaker_from=plan.speaker_from,
    )


def cut_set(speech: SetSpeech) -> SetSpeech:
    """The set with its recordings cut into utterances, where that is asked for or needed.

    Raises InputError where nobody in it could be recognised, before anything is made of it.
    """
    if speech.lists is not None:
        return speech
    turns, notes = _turns(speech)
    cutting = cutting_of(speech.source, speech.plan.cut, turns)
    corpus = speech.source
    if cutting is not None:
        corpus, notes = cutting.utterances, (*cutting.notes, *notes)
    check_recognisable(corpus, cutting)
    return replace(speech, source=corpus, cutting=cutting, notes=notes)


def _turns(speech: SetSpeech) -> tuple[dict[str, Turns] | None, tuple[str, ...]]:
    """Who speaks when in each recording, and how wrong that is where it is known."""
    plan = speech.plan
    if plan.turns is None:
        return None, ()
    turns = matched_turns(speech.source, read_turns(plan.turns))
    if plan.true_turns is None:
        return turns, ()
    truth = matched_turns(speech.source, read_turns(plan.true_turns))
    return turns, (
        f"Who speaks when: {said_error([(truth[name], turns[name]) for name in turns])}.",
    )


def _matching(corpus: Corpus, pattern: str) -> Corpus:
    """The utterances whose ids match a pattern."""
    kept = [u.id for u in corpus if fnmatchcase(u.id, pattern)]
    if not kept:
        raise InputError(
            f"{corpus.root}: no utterance matches {pattern!r}; ids there are such as "
            f"{few(list(corpus.by_id), 3)}."
        )
    return corpus.subset(ids=kept)


def as_one(parts: list[Corpus]) -> Corpus:
    """Several corpora as one; an utterance that stands in two of them counts once."""
    if len(parts) == 1:
        return parts[0]
    found: dict[str, Utterance] = {}
    problems: list[Problem] = []
    for part in parts:
        problems += part.problems
        again = [u.id for u in part if u.id in found and found[u.id].path != u.path]
        if again:
            problems.append(
                Problem(
                    str(part.root),
                    f"{len(again)} utterance(s) have an id that another corpus of the set has "
                    f"({few(again)})",
                    "the first counts; give every utterance its own id",
                )
            )
        for utterance in part:
            found.setdefault(utterance.id, utterance)
    root = Path(os.path.commonpath([part.root.resolve() for part in parts]))
    return replace(parts[0], root=root, utterances=tuple(found.values()), problems=tuple(problems))


def _only(
    corpus: Corpus, wanted: set[str], files: tuple[Path, ...], said: tuple[Problem, ...]
) -> Corpus:
    file = " and ".join(map(str, files))
    kept = [u.id for u in corpus if u.id in wanted]
    if not kept:
        raise InputError(
            f"{file}: none of the {len(wanted)} utterances it names is in {corpus.root}; check "
            "that list and corpus belong together."
        )
    missing = sorted(wanted - set(kept))
    problems = [*corpus.problems, *said]
    if missing:
        problems.append(
            Problem(
                file,
                f"{len(missing)} utterance(s) that it names are not in the corpus ({few(missing)})",
                "add them; until then they are left out",
            )
        )
    return replace(corpus.subset(ids=kept), problems=tuple(problems))


def _files(place: Path) -> list[Path]:
    """A list's file, or those of its folder, that decide what is tried."""
    if place.is_file():
        return [place, *(p for p in [place.parent / "utt2spk"] if p.is_file())]
    names = ("enrolls", "spk2utt", "trials", "utt2spk")
    return [place / name for name in names if (place / name).is_file()]


def _sha256(files: tuple[Path, ...]) -> str:
    digest = hashlib.sha256()
    for file in files:
        digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()
