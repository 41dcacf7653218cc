"""Speech into pseudo-voices: a whole corpus, or samples in memory."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pseudovoice.corpus import AudioError, Corpus, Utterance, write_audio
from pseudovoice.corpus.flat import is_recording
from pseudovoice.corpus.shard import Shard
from pseudovoice.diarisation import Turns
from pseudovoice.diarisation.formats import read_turns, write_turns
from pseudovoice.diarisation.formats.names import plain
from pseudovoice.engines import GivenEngine, on_engine
from pseudovoice.errors import InputError, UsageError
from pseudovoice.keys import Key
from pseudovoice.library.cut import read_speech
from pseudovoice.library.diarise import GivenTurns, turns_of
from pseudovoice.library.diarise import diarise as find_turns
from pseudovoice.library.given import (
    GivenCorpus,
    GivenKey,
    GivenSafeguard,
    GivenShard,
    Place,
    a_chain,
    a_path,
    aligner_of,
    check_table,
    key_for,
    key_of,
    shard_of,
)
from pseudovoice.memory import give_back
from pseudovoice.private import TemporaryFolder
from pseudovoice.progress import Progress, counter
from pseudovoice.protection.apply import prepared, protect_channel, voices_for
from pseudovoice.protection.by_turns import ByTurns, Overlap, matched_turns
from pseudovoice.protection.protect import LengthGrid, Protected, protect_corpus, unseen
from pseudovoice.safeguards.channel import Channel, whole
from pseudovoice.safeguards.safeguard import Chain, Searching
from pseudovoice.storage import is_outgoing, lies_in, near, sending


@sending
@on_engine
def protect(
    corpus: GivenCorpus,
    out: Place,
    safeguard: GivenSafeguard,
    *,
    key: GivenKey | None = None,
    key_session: str = "default",
    rename: bool = False,
    pad: float | None = None,
    trim: float | None = None,
    prune: bool = False,
    verify: bool = False,
    undo_table: Place | None = None,
    alignments: Place | None = None,
    check_words: bool = False,
    turns: GivenTurns | None = None,
    diarise: bool = False,
    people: int | None = None,
    overlap: Overlap = "voice",
    speaker_from: str | None = None,
    layout: str = "auto",
    allow_commands: bool = False,
    shard: GivenShard | None = None,
    workers: int | None = None,
    engine: GivenEngine | None = None,
    progress: Progress | None = None,
    on_new_key: Callable[[Path], None] | None = None,
    on_turns: Callable[[Path, bool], None] | None = None,
) -> Protected:
    """Write a protected copy of a corpus into the folder ``out``.

    ``corpus`` may be a single file of audio as well, of one person; ``out`` is then a file, or a
    folder if it has no extension. A file with a picture keeps it if ``out`` is made for pictures
    (.mp4, .mov, .mkv, .webm). A folder of files without a listing needs ``speaker_from``: "name"
    is whoever a file's name begins with, "file" a person for each file, and any other text the
    person who speaks in all of them.

    Recordings of several people need to be told who speaks when: ``turns`` is a file or folder of
    that (RTTM, Audacity, lhotse, ELAN). With ``diarise`` it is found, by ear, with ``people`` in
    each recording if that is known, and kept beside ``out`` (``OUT.rttm``) to be corrected; if that
    file is there, it is taken. ``on_turns`` is called with its place and whether it was. Everybody
    gets a pseudo-voice; where several speak at once, that has a voice of its own, or is silent with
    ``overlap="mute"``; and so has whatever lies outside all turns.

    ``key`` is a key or its file; where one is needed and none is given, it is made beside ``out``
    (``OUT.key``) and ``on_new_key`` is called with its place. ``pad`` or ``trim`` bring lengths to
    a multiple of so many seconds. ``undo_table``, ``alignments`` and ``check_words`` are for
    chains that end in slice. ``shard`` is ``"2/3"`` for the second of three shares of the corpus,
    each made into a place of its own and then merged (:func:`pseudovoice.library.merge.merge`).
    Everything else is as in :func:`pseudovoice.protection.protect.protect_corpus`.

    ``engine`` says where the work is done: ``ray``, ``ray:ADDRESS`` or an executor of
    ``concurrent.futures``; in threads of this process by default.
    """
    del engine  # the decorator has it
    chain, out = a_chain(safeguard), Path(out)
    grid = _grid(pad, trim)
    several = turns is not None or diarise
    corpus = corpus if isinstance(corpus, Corpus) else near(corpus)
    alone = not isinstance(corpus, Corpus) and is_recording(corpus)
    source = read_speech(
        corpus,
        several=several,
        layout=layout,
        allow_commands=allow_commands,
        speaker_from=speaker_from,
    )
    one_file = alone and bool(out.suffix) and not out.is_dir()
    if one_file and is_outgoing(out):
        raise UsageError(
            "A single recording becomes a file of this machine, or a folder elsewhere; leave out "
            "the extension."
        )
    if alone and out.resolve() == source.utterances[0].path:
        raise UsageError(f"{out}: is the recording itself, which stays as it is; name another.")
    if not alone and lies_in(out, source.root):
        raise UsageError(f"{out}: protected speech cannot lie inside the corpus it comes from.")
    share = shard_of(shard)
    if share is not None:
        _check_shard(share, alone, diarise, undo_table)
    secret: Key | None = None
    file: Path | None = None
    if share is not None and key is None and (rename or pad is not None or not chain.deterministic):
        raise UsageError(
            "All shards draw from one secret key; make one with `pseudovoice key new FILE`, and "
            "name it with `key`."
        )
    if key is not None or rename or pad is not None or not chain.deterministic:
        secret, file = key_for(out, key, on_new_key)
    by_turns = None
    if several:
        found = _turns(source, out, turns, diarise, people, workers, progress, on_turns)
        by_turns = ByTurns(found, overlap)
    timed = alignments is not None or check_words
    aligner, unread = aligner_of(alignments, check_words) if timed else (None, ())
    done = protect_corpus(
        source,
        out,
        chain,
        key=secret,
        key_session=key_session,
        rename=rename,
        grid=grid,
        prune=prune,
        verify=verify,
        workers=workers,
        progress=counter(
            progress,
            f"protecting {source.name}",
            len(source if share is None else share.part(source)),
        ),
        key_file=file,
        stage=lambda title, size: counter(progress, title, size),
        undo_table=a_path(undo_table),
        aligner=aligner,
        turns=by_turns,
        one_file=one_file,
        shard=share,
    )
    if by_turns is not None:
        done = _covered(done, source if share is None else share.part(source), by_turns)
    return replace(
        done,
        problems=(*unread, *done.problems),
        key=None if secret is None else secret.identifier,
    )


def _check_shard(shard: Shard, alone: bool, diarise: bool, undo_table: Place | None) -> None:
    """Refuse what belongs to the whole and not to a share of it."""
    if alone:
        raise UsageError(f"A single recording has no shard {shard}; leave out `shard`.")
    if diarise:
        raise UsageError(
            "Who speaks when is found once for all shards: find it with `pseudovoice diarise`, and "
            "name it with `turns`."
        )
    check_table(undo_table)


def _turns(
    corpus: Corpus,
    out: Path,
    given: GivenTurns | None,
    find: bool,
    people: int | None,
    workers: int | None,
    progress: Progress | None,
    say: Callable[[Path, bool], None] | None,
) -> dict[str, Turns]:
    """Who speaks when in each recording: as given, as kept by an earlier run, or found."""
    if given is not None:
        if find:
            raise UsageError("Turns are either given or found; name one of `turns` and `diarise`.")
        return matched_turns(corpus, turns_of(given))
    kept = out.resolve().with_name(f"{out.resolve().name}.rttm")
    there = kept.exists()
    if not there:
        heard = find_turns(corpus, people=people, workers=workers, progress=progress)
        write_turns(list(heard.turns.values()), kept)
        give_back()  # what its networks took, before those of the safeguard are opened
    if say is not None:
        say(kept, there)
    silent = {plain(u.id): Turns(plain(u.id), ()) for u in corpus}  # of whom no line can tell
    return matched_turns(corpus, {**silent, **read_turns(kept)})


def _covered(done: Protected, corpus: Corpus, by_turns: ByTurns) -> Protected:
    """With how much of the recordings was given to whom."""
    from pseudovoice.diarisation.activity import load_activity
    from pseudovoice.diarisation.coverage import Coverage, coverage

    activity, total = load_activity(), Coverage()
    for utterance in corpus:
        try:
            total += coverage(utterance, by_turns.turns[utterance.id], activity)
        except AudioError:
            continue  # it is listed among those that could not be protected
    people = dict.fromkeys(p for turns in by_turns.turns.values() for p in turns.people)
    return replace(done, people=tuple(people), coverage=total)


def _grid(pad: float | None, trim: float | None) -> LengthGrid | None:
    if pad is not None and trim is not None:
        raise UsageError("`pad` and `trim` bring lengths to a grid from two sides; name one.")
    if pad is not None:
        return LengthGrid(pad, "pad")
    return None if trim is None else LengthGrid(trim, "trim")


def protect_samples(
    samples: NDArray[Any],
    sample_rate: int,
    safeguard: GivenSafeguard,
    *,
    key: GivenKey | None = None,
    key_session: str = "default",
    speaker: str = "",
    utterance: str = "",
    recording_session: str = "",
) -> NDArray[np.float64]:
    """Protect samples in memory, floats in ±1: mono, or (samples, channels).

    They get the voice that the same speaker has in a corpus under the same key and session, and
    are as loud as they were. ``utterance`` and ``recording_session`` count for safeguards that draw
    a voice for each of these. A safeguard that searches for voices, such as persona, keeps them
    beside the key's file; without a file it searches anew each time, among these samples alone.
    """
    chain, secret = a_chain(safeguard), key_of(key)
    if chain.last is not None:
        raise UsageError(
            f"{chain.name}: {chain.last.name} makes a corpus of a corpus; use protect for it, or "
            "leave it out."
        )
    if secret is None and not chain.deterministic:
        raise UsageError(f"{chain.name} draws from a secret key; name one with `key`.")
    if secret is not None and not chain.deterministic and not speaker:
        raise UsageError("Whose voice is it? Every speaker has one; name them with `speaker`.")
    sound = _checked(samples, sample_rate)
    with TemporaryFolder("samples") as folder:
        said = Utterance(
            utterance or speaker or "samples",
            speaker or "speaker",
            folder / "samples.wav",
            session=recording_session or None,
        )
        if secret is not None and any(isinstance(link, Searching) for link in chain.links):
            file = None if isinstance(key, Key) else a_path(key)
            chain = _searched(chain, said, sound, sample_rate, secret, key_session, file)
        voices = voices_for(chain, said, secret, key_session)
        channels = [
            whole(
                protect_channel(Channel(None, [column]), sample_rate, chain, voices, said.speaker)
            )
            for column in sound.T
        ]
    made: NDArray[np.float64] = np.stack(channels, axis=1)
    return made[:, 0] if np.ndim(samples) == 1 else made


def _checked(samples: NDArray[Any], sample_rate: int) -> NDArray[np.float64]:
    """As (samples, channels) in float64."""
    given = np.asarray(samples)
    if given.dtype.kind != "f" or given.ndim not in (1, 2) or not given.size:
        raise InputError(
            f"The samples have the shape {given.shape} and are {given.dtype}; give floats in ±1, "
            "mono or as (samples, channels), and divide 16-bit samples by 32768 first."
        )
    if sample_rate <= 0:
        raise InputError(f"The sample rate is {sample_rate}; it is a number of samples a second.")
    sound: NDArray[np.float64] = np.asarray(given, np.float64)
    if not np.isfinite(sound).all():
        raise InputError("The samples are not all finite numbers; repair or drop them.")
    return sound[:, None] if sound.ndim == 1 else sound


def _searched(
    chain: Chain,
    said: Utterance,
    sound: NDArray[np.float64],
    sample_rate: int,
    key: Key,
    key_session: str,
    file: Path | None,
) -> Chain:
    """The chain with its voices at hand: those of the key's file, or found in these samples."""
    write_audio(said.path, sound, sample_rate, subtype="FLOAT")
    alone = Corpus("samples", said.path.parent, (said,))
    return prepared(chain, alone, key, key_session, file, None, unseen)
