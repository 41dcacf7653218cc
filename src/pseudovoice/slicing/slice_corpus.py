"""A corpus in, its slices out: parallel, resumable, one bad file never stops the run."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pseudovoice.alignment import Aligner, SphinxAligner
from pseudovoice.atomic import check_there, write_atomic
from pseudovoice.corpus import (
    AudioError,
    Corpus,
    Utterance,
    audio_hash,
    hashed_ahead,
    write_audiofolder,
)
from pseudovoice.engines import Lost, in_parallel, worker_lost
from pseudovoice.errors import InputError, Problem, UsageError, few
from pseudovoice.json_tree import json_tree
from pseudovoice.keys import Key
from pseudovoice.release.account import strangers
from pseudovoice.release.part import Share, check_part
from pseudovoice.release.publish import at_one_time
from pseudovoice.release.record import RECORD as PROTECTION
from pseudovoice.slicing.cut_one import CutOne, CutTask, Cutting
from pseudovoice.slicing.names import SliceNamer
from pseudovoice.slicing.rows import part_rows
from pseudovoice.slicing.settings import Slicing
from pseudovoice.slicing.staging import SUFFIX, Staging, place_of
from pseudovoice.slicing.summary import SliceTally, Summary, summarise
from pseudovoice.slicing.table import Origin, check_place, write_table
from pseudovoice.storage import check_reach, lies_in
from pseudovoice.text.transcript import words_of
from pseudovoice.version import __version__

RECORD = "slicing.json"
METADATA = "metadata.csv"


@dataclass(frozen=True)
class Sliced:
    """What a run did: the public slices, what was left out, and how it adds up.

    ``resumed`` counts utterances that an earlier run had done; ``key`` is the identifier of the
    key.
    """

    corpus: Corpus
    summary: Summary
    problems: tuple[Problem, ...]
    resumed: int
    key: str | None = None


def slice_corpus(
    corpus: Corpus,
    out: Path,
    slicing: Slicing | None = None,
    *,
    key: Key,
    key_session: str = "default",
    aligner: Aligner | None = None,
    table: Path | None = None,
    workers: int | None = None,
    progress: Callable[[int], None] | None = None,
    speech: Corpus | None = None,
    align_speech: bool = False,
    protection: Mapping[str, Any] | None = None,
    complete: bool = True,
    share: Share | None = None,
) -> Sliced:
    """Cut every utterance into slices and write them into ``out``.

    A slice has audio and words, and a name that without the key tells neither utterance nor order;
    no speaker, session or source goes with it. ``table`` is a file outside ``out`` for what undoes
    this; without it, it is written nowhere. Utterances that cannot be aligned are problems.

    With ``speech``, the same utterances in other voices, that is what is cut; words are still found
    in ``corpus``, which aligners know better, or with ``align_speech`` in ``speech``.
    ``protection`` says how it was made and gives the slices other names than those of the clear
    speech. Slices that lack an utterance can be completed by a later run; ``complete`` says that
    nothing was left out before.

    ``corpus`` may be a ``share`` of another: what merges it with the others is kept beside ``out``.
    """
    slicing = slicing or Slicing()
    named = SliceNamer(key, key_session, slicing, protection)
    cut_from = _CutFrom(speech, align_speech)
    aligner = aligner or SphinxAligner()
    work = _Work(corpus, out.resolve(), slicing, key, key_session, aligner, named, cut_from)
    _check_places(corpus, work.staging.out, table)
    with work.staging.held():
        return _sliced(work, corpus, slicing, table, workers, progress, complete, share)


def _sliced(
    work: _Work,
    corpus: Corpus,
    slicing: Slicing,
    table: Path | None,
    workers: int | None,
    progress: Callable[[int], None] | None,
    complete: bool,
    share: Share | None,
) -> Sliced:
    out = work.staging.out
    check_part(out, None if share is None else share.shard, begun=(out / RECORD).exists())
    marks, problems = work.marks()
    record = {**work.record, "input": input_mark(marks.values())}
    check_folder(work.staging, record)
    if share is not None:
        share = replace(share, settings={**share.settings, "slices": work.record})
        share.begin(out)
    work.staging.open(record)
    say = progress or (lambda _: None)
    tallies: dict[str, SliceTally] = {}
    todo = []
    for utterance in corpus:
        before = work.resume(utterance, marks.get(utterance.id))
        if before is not None:
            tallies[utterance.id] = before
        if before is not None or utterance.id not in marks:
            say(1)
        else:
            todo.append(utterance)
    resumed = len(tallies)

    tasks = (CutTask(u, work.twin(u), marks[u.id]) for u in todo)
    for task, done in in_parallel(work.cutting, tasks, workers, _lost):
        name = task.utterance.id
        if done.tally is not None:
            work.note(task, done)
            tallies[name] = done.tally
        if done.problem is not None:
            problems[name] = done.problem
        say(1)
    origins, contents = work.origins(tallies, marks)
    _check_others(work.staging, contents)
    listed = tuple(problems[u.id] for u in corpus if u.id in problems)
    if not origins and share is None:
        first = f"the first reason: {listed[0]}" if listed else "no utterance is long enough."
        raise InputError(f"{corpus.root}: gives no slice of {slicing.duration:g} s; {first}")
    record["complete"] = complete and not (corpus.problems or listed)
    public, left = publish_slices(work.staging, origins, contents, record, table)
    if share is not None:
        rows = part_rows(corpus, tallies, marks, origins, contents, share.position)
        share.end(out, rows, problems, marks=sorted(marks.values()))
    ordered = [tallies[u.id] for u in corpus if u.id in tallies]
    return Sliced(
        public,
        summarise(ordered, len(corpus) - len(ordered)),
        (*corpus.problems, *listed, *left),
        resumed,
        work.key,
    )


@dataclass(frozen=True)
class _CutFrom:
    """What is cut: the corpus itself, or the same utterances in other voices."""

    speech: Corpus | None
    align_speech: bool

    def twin(self, utterance: Utterance) -> Utterance:
        return utterance if self.speech is None else self.speech.by_id[utterance.id]

    def content(self, utterance: Utterance) -> str:
        """Mark of the audio that slices depend on."""
        if self.speech is None:
            return audio_hash(utterance)
        heard = "" if self.align_speech else audio_hash(utterance)
        return f"{audio_hash(self.twin(utterance))} {heard}"


class _Work:
    """One run: what each utterance becomes, and where it goes."""

    def __init__(
        self,
        corpus: Corpus,
        out: Path,
        slicing: Slicing,
        key: Key,
        key_session: str,
        aligner: Aligner,
        names: SliceNamer,
        cut_from: _CutFrom,
    ) -> None:
        self._corpus, self._slicing, self._aligner = corpus, slicing, aligner
        self._names, self._cut_from = names, cut_from
        self._key, self._session = key, key_session
        self.staging = Staging(out)

    @property
    def key(self) -> str:
        return self._key.identifier

    def marks(self) -> tuple[dict[str, str], dict[str, Problem]]:
        """A keyed mark of everything that goes into an utterance's slices."""
        marks: dict[str, str] = {}
        problems: dict[str, Problem] = {}
        how = self._aligner.identity
        both = (self._cut_from.twin(u) for u in self._corpus)
        for utterance, _ in zip(hashed_ahead(self._corpus), hashed_ahead(both), strict=True):
            try:
                content = f"{self._cut_from.content(utterance)}\0{utterance.transcript}\0{how}"
            except AudioError as error:
                problems[utterance.id] = error.problem
            else:
                marks[utterance.id] = self._names.mark(utterance, content)
        return marks, problems

    @property
    def record(self) -> dict[str, Any]:
        """What may be known of the slices besides what they were cut from."""
        return slices_record(self._slicing, self._key, self._session)

    def names(self, utterance: Utterance, tally: SliceTally) -> list[str]:
        return [self._names.slice(utterance, k) for k in range(len(tally.slices))]

    def resume(self, utterance: Utterance, mark: str | None) -> SliceTally | None:
        """What an earlier run made of an utterance, if it is all there."""
        tally = None if mark is None else self.staging.tally(mark)
        if mark is None or tally is None:
            return None
        return tally if self.staging.stands(mark, self.names(utterance, tally)) else None

    def twin(self, utterance: Utterance) -> Utterance:
        return self._cut_from.twin(utterance)

    @property
    def cutting(self) -> Cutting:
        twins = self._cut_from
        alike = twins.speech is None or twins.align_speech
        return Cutting(self._slicing, self._aligner, alike, self.staging.folder)

    def note(self, task: CutTask, done: CutOne) -> None:
        """Give the slices of an utterance their names."""
        assert done.tally is not None
        names = self.names(task.utterance, done.tally)
        self.staging.note(task.mark, done.tally, names, done.contents)

    def origins(
        self, tallies: dict[str, SliceTally], marks: dict[str, str]
    ) -> tuple[list[Origin], dict[str, str]]:
        """Every slice with where it comes from, and the hash of each."""
        found = []
        contents: dict[str, str] = {}
        for utterance in self._corpus:
            if utterance.id not in tallies:
                continue
            written = words_of(utterance.transcript or "")
            tally = tallies[utterance.id]
            names = self.names(utterance, tally)
            contents |= self.staging.contents(marks[utterance.id], names)
            for position, (name, piece) in enumerate(zip(names, tally.slices, strict=True)):
                text = " ".join(written[piece.first : piece.last])
                times = round(piece.start, 6), round(piece.end, 6)
                who = utterance.speaker, utterance.session or ""
                found.append(Origin(name, utterance.id, position, *times, *who, text))
        return found, contents


def slices_record(slicing: Slicing, key: Key, key_session: str) -> dict[str, Any]:
    """How slices were made, as they say it of themselves."""
    return {
        "pseudovoice": __version__,
        "slicing": slicing.to_dict(),
        "key": key.identifier_in(key_session),
        "key_session": key_session,
    }


def input_mark(marks: Iterable[str]) -> str:
    """What slices say of their input: nothing, to whoever lacks the key of the marks."""
    return hashlib.sha256("".join(sorted(marks)).encode()).hexdigest()[:20]


def publish_slices(
    staging: Staging,
    origins: Sequence[Origin],
    contents: Mapping[str, str],
    record: dict[str, Any],
    table: Path | None,
) -> tuple[Corpus, list[Problem]]:
    """Put the slices into their folder by name and list them; what else stays is a problem."""
    out = staging.out
    texts = {origin.slice: origin.text for origin in origins}
    if len(texts) < len(origins):
        raise InputError("Two slices have one name; slice with another key or session.")
    staging.publish(contents)
    # Whoever shared a speaker's name would be linked by it: each slice is its own.
    utterances = tuple(
        Utterance(name, name, out / place_of(name), transcript=texts[name] or None)
        for name in sorted(texts)
    )
    public = Corpus(out.name, out, utterances, layout="audiofolder")
    write_audiofolder(public, out)
    write_atomic(out / RECORD, json.dumps(record, indent=1, sort_keys=True) + "\n")
    at_one_time(out)
    left = staging.close()
    written = [*(u.path for u in public), out / METADATA, out / RECORD]
    if table is not None:
        write_table(origins, table)
        written.append(table)
    check_there(written)
    return public, [*_strangers(public), *left]


def _lost(task: CutTask, lost: Lost) -> CutOne:
    return CutOne(None, problem=worker_lost(task.utterance.place, lost))


def _strangers(public: Corpus) -> list[Problem]:
    """Files in the folder of the slices that are none."""
    ours = {place_of(u.id).as_posix() for u in public} | {RECORD, PROTECTION, METADATA}
    found = strangers(public.root, ours)
    if not found:
        return []
    what = "file is none" if len(found) == 1 else "files are none"
    what = f"{len(found):,} {what} of these slices ({few(found)})"
    return [Problem(str(public.root), what, "remove what does not belong there")]


def _check_places(corpus: Corpus, out: Path, table: Path | None) -> None:
    check_reach(out)
    if lies_in(out, corpus.root):
        raise UsageError(f"{out}: slices cannot lie inside the corpus they come from.")
    if table is not None:
        check_place(table, out)


def check_folder(staging: Staging, record: dict[str, Any]) -> None:
    """One folder holds one slicing, new, half done or done."""
    out = staging.out
    out.mkdir(parents=True, exist_ok=True)
    if (out / RECORD).exists():
        try:
            there = json_tree((out / RECORD).read_text(encoding="utf-8"))
        except ValueError:
            there = None
        if not _may_become(there, record):
            raise _other_slices(out)
    elif any(out.iterdir()) and staging.settings() != record:
        raise UsageError(f"{out}: the folder is not empty; choose a new one for slices.")


def _may_become(there: Any, record: dict[str, Any]) -> bool:
    """Whether slices are those asked for, or such as lack something and may be completed."""
    if not isinstance(there, dict):
        return False
    there = dict(there)
    whole = there.pop("complete", True)
    if whole:
        return bool(there == record)
    return all(there.get(name) == record[name] for name in record if name != "input")


def _check_others(staging: Staging, contents: Mapping[str, str]) -> None:
    """What is to be completed has to be a part of it: a corpus must not be mixed with another."""
    wanted = {place_of(name) for name in contents}
    there = (path.relative_to(staging.out) for path in staging.out.glob(f"slices/*/*{SUFFIX}"))
    if (staging.out / RECORD).exists() and not wanted.issuperset(there):
        raise _other_slices(staging.out)


def _other_slices(out: Path) -> UsageError:
    return UsageError(
        f"{out}: this folder holds other slices (see {RECORD}); choose another folder, or remove "
        "it."
    )
