"""A corpus into a file of its embeddings, whole or by shards."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from pseudovoice.corpus import Channel
from pseudovoice.embeddings.embed import embed_corpus
from pseudovoice.embeddings.embeddings import Embeddings
from pseudovoice.embeddings.store import EmbeddingStore
from pseudovoice.encoders import DEFAULT_ENCODER
from pseudovoice.errors import InputError, Problem, UsageError
from pseudovoice.library.given import (
    GivenCorpus,
    GivenEncoder,
    GivenShard,
    Place,
    a_corpus,
    encoders_of,
    shard_of,
)
from pseudovoice.models.cache import private_cache, sha256_of
from pseudovoice.one_run import one_run
from pseudovoice.progress import Progress, counter
from pseudovoice.release.part import Part, Share, check_part, problems_of
from pseudovoice.release.state import OwnerState
from pseudovoice.scores.npz import read_written, write_embeddings
from pseudovoice.storage import sending


@dataclass(frozen=True)
class Embedded:
    """What was written: embeddings, where, and what has none."""

    embeddings: Embeddings
    out: Path
    problems: tuple[Problem, ...]


@sending
def embed(
    corpus: GivenCorpus,
    out: Place,
    *,
    encoder: GivenEncoder = DEFAULT_ENCODER,
    channel: Channel = "mean",
    layout: str = "auto",
    allow_commands: bool = False,
    speaker_from: str | None = None,
    shard: GivenShard | None = None,
    cache: bool = True,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Embedded:
    """Write the embeddings of a corpus into the npz file ``out``, a row for each utterance.

    The file has the arrays ``utt``, ``spk`` and ``vectors``; it tells people apart, so only its
    owner may read it. ``shard`` is ``"2/3"`` for the second of three shares of the corpus, which
    :func:`pseudovoice.library.merge.merge` puts together. Without ``cache`` embeddings are neither
    looked up nor kept, and a killed run begins anew. ``speaker_from`` says who speaks in files
    without a listing: "name", "file" or somebody's name.
    """
    place = checked_file(Path(out))
    source = a_corpus(
        corpus, layout=layout, allow_commands=allow_commands, speaker_from=speaker_from
    )
    (ear,) = encoders_of(encoder)
    one = shard_of(shard)
    check_part(place, one, begun=place.exists())
    mine = source if one is None else one.part(source)
    with ExitStack() as until_written:
        share = None
        if one is not None:
            until_written.enter_context(one_run(OwnerState(place).folder, place))
            how = {"encoder": ear.name, "sha256": ear.sha256, "channel": str(channel)}
            share = Share("embed", one, source, how, _hashed)
            share.begin(place)
        store = None
        if cache:
            store = EmbeddingStore(private_cache() / "embeddings.sqlite")
            until_written.callback(store.close)
        made = embed_corpus(
            replace(mine, problems=()),
            ear,
            store,
            channel=channel,
            workers=workers,
            progress=counter(progress, f"embedding {source.name} with {ear.name}", len(mine)),
            may_be_empty=one is not None,
        )
        write_embeddings(made, place)
        if share is not None:
            there = {*made.ids}
            lost = [u.id for u in mine if u.id not in there]
            problems = dict(zip(lost, made.problems, strict=True))
            rows = [(share.position[name],) for name in made.ids]
            share.end(place, rows, problems, content=sha256_of(place))
    return Embedded(made, place, (*source.problems, *made.problems))


def merge_embeddings(
    parts: Sequence[tuple[Path, Part]], out: Path, *, progress: Callable[[int], None]
) -> Embedded:
    """The embeddings of all shards in one file, in the corpus' order."""
    checked_file(out)
    check_part(out, None, begun=False)
    positions: list[int] = []
    found: list[Embeddings] = []
    for place, part in parts:
        found.append(_read(place, part))
        positions += (position for (position,) in part.rows)
        progress(1)
    problems = problems_of([part for _, part in parts])
    if not positions:
        reason = problems[0] if problems else "the corpus is empty"
        raise InputError(f"{out}: the shards hold no embedding; the first reason: {reason}")
    together = Embeddings(
        np.concatenate([one.vectors for one in found]),
        tuple(name for one in found for name in one.ids),
        tuple(name for one in found for name in one.speakers),
        source=str(out),
    )
    whole = together.take(list(map(int, np.argsort(positions))))
    write_embeddings(whole, out)
    return Embedded(whole, out, problems)


def _read(place: Path, part: Part) -> Embeddings:
    if not place.is_file() or sha256_of(place) != part.more["content"]:
        raise InputError(
            f"{place}: has gone or was changed since shard {part.shard} made it; run that shard "
            "again, and it resumes."
        )
    return read_written(place)


def checked_file(out: Path) -> Path:
    """Where a file of embeddings may go: it is read by its name."""
    if out.suffix.lower() != ".npz":
        raise UsageError(f"{out}: embeddings are written as .npz; give the file that name.")
    return out.resolve()


def _hashed(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:32]
