"""What shards made, put together as if one run had made it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from pseudovoice.errors import UsageError
from pseudovoice.library.embed import Embedded, merge_embeddings
from pseudovoice.library.given import Place, a_path
from pseudovoice.progress import Progress, counter
from pseudovoice.protection.merge import merge_protected_slices, merge_releases
from pseudovoice.protection.releasing import Protected
from pseudovoice.release.part import whole_of
from pseudovoice.slicing import Sliced
from pseudovoice.slicing.merge import merge_slices
from pseudovoice.storage import sending


@sending
def merge(
    parts: Iterable[Place],
    out: Place,
    *,
    undo_table: Place | None = None,
    progress: Progress | None = None,
) -> Protected | Sliced | Embedded:
    """Put together what all shards of one run made, into ``out``, byte for byte as without shards.

    ``parts`` are their places in any order. A shard that is missing, named twice or unfinished, or
    that belongs to another key, setting or corpus, is an error before anything is written. Neither
    corpus nor key is needed. The parts stay as they are; a merge that was killed resumes.
    ``undo_table`` is a file outside ``out`` for the table that undoes slices.
    """
    place, table = Path(out).resolve(), a_path(undo_table)
    whole = whole_of([Path(part) for part in parts])
    for one, _ in whole:
        if place.is_relative_to(one) or one.is_relative_to(place):
            raise UsageError(f"{place}: lies with the shard {one}; choose another place.")
    first = whole[0][1]
    if table is not None and first.verb != "slice":
        raise UsageError("Only slices have a table that undoes them; leave out `undo_table`.")
    items = len(whole) if first.verb == "embed" else sum(len(part.rows) for _, part in whole)
    step = counter(progress, f"merging {len(whole)} shards", items)
    if first.verb == "embed":
        return merge_embeddings(whole, place, progress=step)
    if first.verb == "slice" and "protection" in first.settings:
        return merge_protected_slices(whole, place, table=table, progress=step)
    if first.verb == "slice":
        return merge_slices(whole, place, table=table, progress=step)
    return merge_releases(whole, place, progress=step)
