"""A corpus in, its protected twin out: parallel, resumable, one bad file never stops the run."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pseudovoice import __version__
from pseudovoice.atomic import write_atomic
from pseudovoice.cores import usable_cores
from pseudovoice.corpus import (
    AudioError,
    Corpus,
    Utterance,
    audio_hash,
    decode,
    write_audio,
    write_audiofolder,
    write_kaldi,
    write_table,
)
from pseudovoice.errors import InputError, Problem, UsageError
from pseudovoice.parallel import in_parallel
from pseudovoice.safeguards.key import Key
from pseudovoice.safeguards.loudness import match_level
from pseudovoice.safeguards.safeguard import Chain, LastStep, Searching, Voice

if TYPE_CHECKING:
    from pseudovoice.alignment import Aligner
    from pseudovoice.slicing import Summary

RECORD = "protection.json"
JOURNAL = ".protected.jsonl"
Stage = Callable[[str, int], Callable[[int], None]]
WRITABLE = (".wav", ".flac", ".ogg", ".oga", ".opus", ".mp3", ".aiff", ".aif", ".au", ".caf")


@dataclass(frozen=True)
class Protected:
    """What a run did: the protected corpus, what was left out, and how many were done before.

    ``summary`` says what the slices kept and lost, where the chain ends in slices.
    """

    corpus: Corpus
    problems: tuple[Problem, ...]
    done: int
    resumed: int
    summary: Summary | None = None


def protect_corpus(
    corpus: Corpus,
    out: Path,
    chain: Chain,
    *,
    key: Key | None,
    key_session: str = "default",
    rename: bool = False,
    workers: int | None = None,
    progress: Callable[[int], None] | None = None,
    key_file: Path | None = None,
    stage: Stage | None = None,
    undo_table: Path | None = None,
    aligner: Aligner | None = None,
) -> Protected:
    """Give every speaker a pseudo-voice and write the protected corpus into ``out``.

    Sample rate, channels, length and level of every recording are kept. The draw of a random
    safeguard depends only on key, session and name, so a subset, another order or a resumed run
    gives the same samples. With ``rename`` speakers and utterances get keyed pseudonyms, so that
    file names do not undo the voices.

    A safeguard that searches its voices keeps them beside ``key_file``; without one they are found
    anew each time. ``stage`` is called with the title and size of such work before it begins, and
    gives back what to call as it goes on.

    A chain that ends in ``slice`` writes slices, which have nobody's name; ``undo_table`` is a file
    for what undoes them, written nowhere if none is named, and ``aligner`` finds the words to cut
    between, by default the embedded one.
    """
    if key is None and (rename or not chain.deterministic):
        raise UsageError(f"{chain.name} draws from a secret key; name one with --key-file.")
    out = out.resolve()
    if chain.last is not None:
        assert key is not None
        return _to_the_last_step(
            _Job(corpus, out, chain, key, key_session, workers, progress, key_file, stage, aligner),
            chain.last,
            undo_table,
        )
    if undo_table is not None:
        raise UsageError("Only slices have a table that undoes them; leave out --undo-table.")
    if aligner is not None:
        raise UsageError("Only slices are cut between words; leave out --alignments.")
    out.mkdir(parents=True, exist_ok=True)
    record = _record(chain, key, key_session, rename)
    _check_record(out, record)
    cores = workers or usable_cores()
    chain = _prepared(chain, corpus, key, key_session, key_file, cores, stage or _unseen)
    names = _Namer(corpus, out, key, key_session, rename)
    before = _journal(out)
    say = progress or (lambda _: None)
    targets = {u.id: names.target(u) for u in corpus}
    problems: dict[str, Problem] = {}
    resumed = 0
    with (out / JOURNAL).open("a", encoding="utf-8") as journal:
        todo = []
        for utterance in corpus:
            stamp = _stamp(utterance, key, problems)
            if stamp is None:
                say(1)
            elif (
                before.get(targets[utterance.id].id) == stamp
                and targets[utterance.id].path.exists()
            ):
                resumed += 1
                say(1)
            else:
                todo.append((utterance, targets[utterance.id], stamp))
        for (utterance, target, stamp), problem in _work(todo, chain, key, key_session, cores):
            if problem is not None:
                problems[utterance.id] = problem
            else:
                # The journal line follows the file: a killed run repeats at most what it lost.
                journal.write(json.dumps([target.id, stamp]) + "\n")
                journal.flush()
            say(1)
    kept = tuple(targets[u.id] for u in corpus if u.id not in problems)
    if not kept:
        raise InputError(
            f"{corpus.root}: none of the {len(corpus)} utterances could be protected; the first "
            f"reason: {next(iter(problems.values()), 'the corpus is empty')}"
        )
    done = replace(corpus, name=out.name, root=out, utterances=kept, problems=())
    _write_listing(done, corpus.layout, out, rename)
    return Protected(
        done,
        (*corpus.problems, *(problems[u.id] for u in corpus if u.id in problems)),
        len(kept) - resumed,
        resumed,
    )


@dataclass(frozen=True)
class _Job:
    """What a chain with a last step is asked for."""

    corpus: Corpus
    out: Path
    chain: Chain
    key: Key
    key_session: str
    workers: int | None
    progress: Callable[[int], None] | None
    key_file: Path | None
    stage: Stage | None
    aligner: Aligner | None

    @property
    def hidden(self) -> Path:
        """Where the protected speech is while there are no slices of it, out of the release."""
        return self.out.parent / f".{self.out.name}.protected"


def _to_the_last_step(job: _Job, last: LastStep, undo_table: Path | None) -> Protected:
    """Protect beside the output, cut what is there into it, and leave nothing else.

    The protected corpus bears the names that the slices are to lose, so it never lies in the
    output; a killed run finds it again.
    """
    corpus, out = job.corpus, job.out
    record = _record(job.chain, job.key, job.key_session, rename=False)
    _check_before(job, record, undo_table)
    speech, problems = None, corpus.problems
    say = job.progress
    if job.chain.links:
        job.hidden.mkdir(parents=True, exist_ok=True)
        job.hidden.chmod(0o700)
        first = protect_corpus(
            corpus,
            job.hidden,
            Chain(job.chain.links),
            key=job.key,
            key_session=job.key_session,
            workers=job.workers,
            progress=job.progress,
            key_file=job.key_file,
            stage=job.stage,
        )
        speech, problems = first.corpus, first.problems
        say = (job.stage or _unseen)(f"{last.name} {corpus.name}", len(speech))
        corpus = corpus.subset(ids=[u.id for u in speech])
    sliced = last.write(
        replace(corpus, problems=()),
        speech,
        out,
        key=job.key,
        key_session=job.key_session,
        protection=job.chain.to_dict(),
        align_speech=not job.chain.keeps_timing,
        aligner=job.aligner,
        table=undo_table,
        workers=job.workers,
        progress=say,
    )
    write_atomic(out / RECORD, json.dumps(record, indent=1, sort_keys=True) + "\n")
    shutil.rmtree(job.hidden, ignore_errors=True)
    return Protected(
        sliced.corpus,
        (*problems, *sliced.problems),
        sliced.summary.utterances - sliced.resumed,
        sliced.resumed,
        sliced.summary,
    )


def _check_before(job: _Job, record: dict[str, Any], undo_table: Path | None) -> None:
    """Refuse at once what the last step would refuse after all the work before it."""
    out = job.out
    if undo_table is not None and undo_table.resolve().is_relative_to(out):
        raise UsageError(f"{undo_table}: what undoes the slicing must not lie with the slices.")
    if (out / RECORD).exists():
        if _read_record(out) != record:
            raise _another_way(out)
    elif out.is_dir() and any(out.iterdir()) and not _begun(job):
        raise UsageError(f"{out}: the folder is not empty; choose a new one for protected speech.")
    if not job.hidden.is_dir():
        return
    there = _read_record(job.hidden)
    if there is None and any(job.hidden.iterdir()):
        raise UsageError(
            f"{job.hidden}: speech on its way to slices is kept in a folder of this name, but what "
            "lies there is something else; move it, or choose another output."
        )
    if there != _record(Chain(job.chain.links), job.key, job.key_session, rename=False):
        # Left by a run that was killed and asked for something else.
        shutil.rmtree(job.hidden)


def _begun(job: _Job) -> bool:
    """Whether an earlier run was killed while it filled the folder."""
    from pseudovoice.slicing.staging import Staging

    return Staging(job.out).exists or job.hidden.is_dir()


def _record(chain: Chain, key: Key | None, key_session: str, rename: bool) -> dict[str, Any]:
    return {
        "pseudovoice": __version__,
        "safeguard": chain.to_dict(),
        "key": None if key is None else key.identifier,
        "key_session": key_session,
        "renamed": rename,
    }


def _check_record(out: Path, record: dict[str, Any]) -> None:
    """One folder holds one protection: mixing two would mix two voices of a speaker."""
    path = out / RECORD
    if path.exists():
        if _read_record(out) != record:
            raise _another_way(out)
    elif any(name.name != JOURNAL for name in out.iterdir()):
        raise UsageError(f"{out}: the folder is not empty; choose a new one for protected speech.")
    write_atomic(path, json.dumps(record, indent=1, sort_keys=True) + "\n")


def _read_record(out: Path) -> Any:
    """What a folder says of itself; None if it says nothing that can be read."""
    try:
        return json.loads((out / RECORD).read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return None


def _another_way(out: Path) -> UsageError:
    return UsageError(
        f"{out}: this folder holds speech protected in another way (see {RECORD}); choose "
        "another folder, or remove it."
    )


def _journal(out: Path) -> dict[str, str]:
    """What was written before, by target id; a line cut short by a kill counts for nothing."""
    done: dict[str, str] = {}
    try:
        lines = (out / JOURNAL).read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return done
    for line in lines:
        try:
            name, stamp = json.loads(line)
            done[name] = stamp
        except ValueError:
            continue
    return done


def _stamp(utterance: Utterance, key: Key | None, problems: dict[str, Problem]) -> str | None:
    """Mark of the input, so that a changed recording is protected again.

    Keyed where there is a key: a plain hash in the output would tell whoever has the originals
    which recording a renamed file comes from.
    """
    try:
        content = audio_hash(utterance)
        if key is None:
            return hashlib.sha256(content.encode()).hexdigest()[:32]
        return key.derive("", "journal", content).hex()[:32]
    except AudioError as error:
        problems[utterance.id] = error.problem
        return None


class _Namer:
    """Where each protected utterance goes and what it is called."""

    def __init__(
        self, corpus: Corpus, out: Path, key: Key | None, key_session: str, rename: bool
    ) -> None:
        self._root, self._out = corpus.root.resolve(), out
        self._key, self._session, self._rename = key, key_session, rename

    def pseudonym(self, kind: str, name: str) -> str:
        assert self._key is not None
        return f"{kind}-{self._key.derive(self._session, f'name/{kind}', name).hex()[:12]}"

    def target(self, utterance: Utterance) -> Utterance:
        suffix = utterance.path.suffix.lower()
        suffix = suffix if suffix in WRITABLE and utterance.command is None else ".wav"
        whole = replace(utterance, start=None, end=None, command=None, channel=None)
        if self._rename:
            speaker = self.pseudonym("spk", utterance.speaker)
            name = self.pseudonym("utt", f"{utterance.speaker}\0{utterance.id}")
            session = utterance.session and self.pseudonym(
                "ses", f"{utterance.speaker}\0{utterance.session}"
            )
            return replace(
                whole,
                id=name,
                speaker=speaker,
                session=session,
                path=self._out / speaker / f"{name}{suffix}",
            )
        inside = utterance.path.is_relative_to(self._root) and utterance.command is None
        if inside and utterance.start is None and utterance.end is None:
            place = utterance.path.relative_to(self._root).with_suffix(suffix)
        else:  # a part of a longer recording, or one from elsewhere, becomes a file of its own
            place = Path("audio") / utterance.speaker / f"{utterance.id}{suffix}"
        return replace(whole, path=self._out / place)


def _unseen(_title: str, _size: int) -> Callable[[int], None]:
    return lambda _: None


def _prepared(
    chain: Chain,
    corpus: Corpus,
    key: Key | None,
    key_session: str,
    key_file: Path | None,
    workers: int,
    stage: Stage,
) -> Chain:
    """The chain with the voices at hand that its links have to search for beforehand."""
    links = list(chain.links)
    for k, link in enumerate(links):
        if key is not None and isinstance(link, Searching):
            links[k] = link.prepared(
                corpus, key, key_session, partial(_drawn_for, link=k), key_file, workers, stage
            )
    return Chain(tuple(links))


def _drawn_for(name: str, link: int) -> str:
    """Links after the first draw for themselves: the same safeguard twice is not the same draw."""
    return name + (f"\0link{link}" if link else "")


def _voices(chain: Chain, utterance: Utterance, key: Key | None, key_session: str) -> list[Voice]:
    names = {
        "speaker": utterance.speaker,
        "session": f"{utterance.speaker}\0{utterance.session or ''}",
        "utterance": f"{utterance.speaker}\0{utterance.id}",
    }
    return [
        Voice(key, key_session, _drawn_for(names[link.level], k))
        for k, link in enumerate(chain.links)
    ]


def _protect_one(
    utterance: Utterance, target: Utterance, chain: Chain, key: Key | None, key_session: str
) -> Problem | None:
    try:
        sound = decode(utterance)
        voices = _voices(chain, utterance, key, key_session)
        original = sound.samples.astype(np.float64)
        channels = [
            match_level(chain(channel, sound.sample_rate, voices), channel)
            for channel in original.T
        ]
        if not np.isfinite(channels).all():
            return Problem(
                utterance.place,
                f"{chain.name} gives samples that are not finite",
                "it is left out; try other parameters",
            )
        write_audio(
            target.path, np.stack(channels, axis=1), sound.sample_rate, subtype=sound.subtype
        )
    except AudioError as error:
        return error.problem
    except InputError as error:
        return Problem(utterance.place, str(error).rstrip("."), "it is left out")
    return None


Task = tuple[Utterance, Utterance, str]


def _work(
    todo: Sequence[Task], chain: Chain, key: Key | None, key_session: str, workers: int
) -> Iterator[tuple[Task, Problem | None]]:
    """Protect utterance by utterance; yields each as it is done."""
    yield from in_parallel(
        lambda task: _protect_one(task[0], task[1], chain, key, key_session), todo, workers
    )


def _write_listing(corpus: Corpus, layout: str, out: Path, rename: bool) -> None:
    """Names and metadata in the input's layout; a tree of folders needs a listing only for what
    its names do not say."""
    if layout == "kaldi":
        write_kaldi(replace(corpus, layout="kaldi"), out)
    elif layout == "table":
        write_table(corpus, out / "corpus.csv")
    elif layout in ("audiofolder", "lhotse") or rename:
        write_audiofolder(corpus, out)
    elif layout == "librispeech":
        _write_transcripts(corpus)
        _write_metadata(corpus, out)
    else:
        _write_metadata(corpus, out)


def _write_transcripts(corpus: Corpus) -> None:
    folders: dict[Path, list[str]] = {}
    for u in corpus:
        if u.transcript is not None:
            folders.setdefault(u.path.parent, []).append(f"{u.id} {' '.join(u.transcript.split())}")
    for folder, lines in folders.items():
        name = "-".join(lines[0].split(" ", 1)[0].split("-")[:-1]) or folder.name
        write_atomic(folder / f"{name}.trans.txt", "\n".join(sorted(lines)) + "\n")


def _write_metadata(corpus: Corpus, out: Path) -> None:
    """Gender and transcript of each utterance beside the tree, where they are known."""
    if not any(u.gender or u.transcript for u in corpus):
        return
    lines = ["utt\tspeaker\tgender\ttranscript"]
    for u in corpus:
        text = " ".join((u.transcript or "").split())
        lines.append("\t".join((u.id, u.speaker, u.gender or "", text)))
    write_atomic(out / "metadata.tsv", "\n".join(lines) + "\n")
