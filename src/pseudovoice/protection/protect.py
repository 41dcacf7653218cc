"""A corpus in, its protected twin out: parallel, resumable, one bad file never stops the run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from pseudovoice.corpus import Corpus
from pseudovoice.corpus.shard import Shard
from pseudovoice.errors import UsageError
from pseudovoice.keys import Key
from pseudovoice.protection.apply import Stage
from pseudovoice.protection.by_turns import ByTurns
from pseudovoice.protection.lengths import LengthGrid
from pseudovoice.protection.one_file import to_file
from pseudovoice.protection.releasing import Protected, ReleaseRun, release
from pseudovoice.protection.settings import Settings
from pseudovoice.protection.to_slices import to_slices
from pseudovoice.release.pseudonyms import Pseudonyms, Renaming
from pseudovoice.safeguards.safeguard import Chain
from pseudovoice.storage import check_reach

if TYPE_CHECKING:
    from pseudovoice.alignment import Aligner

__all__ = ["LengthGrid", "Protected", "protect_corpus"]


def protect_corpus(
    corpus: Corpus,
    out: Path,
    chain: Chain,
    *,
    key: Key | None,
    key_session: str = "default",
    rename: bool | Renaming = False,
    grid: LengthGrid | None = None,
    prune: bool = False,
    verify: bool = False,
    workers: int | None = None,
    progress: Callable[[int], None] | None = None,
    key_file: Path | None = None,
    stage: Stage | None = None,
    undo_table: Path | None = None,
    aligner: Aligner | None = None,
    turns: ByTurns | None = None,
    one_file: bool = False,
    shard: Shard | None = None,
    whole: Protected | None = None,
) -> Protected:
    """Give every speaker a pseudo-voice and write the protected corpus into ``out``.

    Sample rate, channels, length and level of every recording are kept. The draw of a random
    safeguard depends only on key, session and name, so a subset, another order or a resumed run
    gives the same samples. With ``rename`` speakers and utterances get keyed pseudonyms, so that
    file names do not undo the voices, and files lie in their order: those of key and session, or
    others that it gives; with ``grid`` lengths are brought to a multiple of some seconds, so that
    they tell fewer apart.

    What only the owner needs lies beside ``out`` in ``OUT.pseudovoice``: it makes a second run
    resume. That run looks whether earlier files are what they were, by size and time, with
    ``verify`` by content. Files that no utterance accounts for are problems, or with ``prune``
    are removed.

    A safeguard that searches its voices keeps them beside ``key_file``; without one they are found
    anew each time. ``stage`` is called with the title and size of such work before it begins, and
    gives back what to call as it goes on.

    A chain that ends in ``slice`` writes slices, which have nobody's name; ``undo_table`` is a file
    for what undoes them, written nowhere if none is named, and ``aligner`` finds the words to cut
    between, by default the embedded one. ``whole`` is what the steps before it made of the same
    corpus with the same key and session; it is then cut, and not made once more.

    With ``turns`` the utterances are recordings of several people, each of whom gets a voice. With
    ``one_file`` the corpus has one utterance, and ``out`` is the file that it becomes. With
    ``shard`` only its share of the corpus is made, to be merged with the others: everybody has the
    voice and the name that they have in the whole.
    """
    settings = Settings(chain, key, key_session, _names(rename, key, key_session), grid, turns)
    settings.check()
    run = ReleaseRun(
        corpus,
        out.resolve(),
        settings,
        workers,
        progress or (lambda _: None),
        stage or unseen,
        key_file,
        prune,
        verify,
        shard,
    )
    if chain.last is not None:
        check_reach(run.out)
        if prune or verify:
            raise UsageError(
                "Slices belong together, and are looked at whenever they are made; leave out "
                "`prune` and `verify`, and slice what is left into a new folder."
            )
        return to_slices(run, undo_table, aligner, whole)
    if undo_table is not None:
        raise UsageError("Only slices have a table that undoes them; leave out `undo_table`.")
    assert whole is None, "only slices are cut out of what was protected before"
    if aligner is not None:
        raise UsageError(
            "Only slices are cut between words; leave out `alignments` and `check_words`."
        )
    return to_file(run) if one_file else release(run)


def _names(rename: bool | Renaming, key: Key | None, key_session: str) -> Renaming | None:
    if not isinstance(rename, bool):
        return rename
    if not rename:
        return None
    if key is None:
        raise UsageError("Pseudonyms are drawn from a secret key; name one with `key`.")
    return Pseudonyms(key, key_session)


def unseen(_title: str, _size: int) -> Callable[[int], None]:
    return lambda _: None
