"""What a shard keeps for whoever merges it: which share it is, of what, and all that it made.

It lies in the owner's folder beside what the shard wrote (``OUT.pseudovoice/part.json``): merging
then needs neither the corpus nor the key. Marks are keyed where there is a key, and what is renamed
stands there under its new names only; of slices it tells which belong together, as the key does.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from pseudovoice.atomic import write_atomic
from pseudovoice.corpus import Corpus
from pseudovoice.corpus.shard import Shard, listing_hash
from pseudovoice.errors import InputError, Problem, UsageError, few
from pseudovoice.json_tree import json_tree
from pseudovoice.private import private_folder
from pseudovoice.release.state import SUFFIX, OwnerState

PART = "part.json"

Mark = Callable[[str], str]
"""A keyed mark of a text, or a plain hash where there is no key."""


@dataclass(frozen=True)
class Part:
    """One shard's share.

    ``settings`` are the same in all shards of one whole, and so are ``corpus``, the mark of all
    that is listed, and ``utterances``, how many. ``rows`` are what the verb made of its utterances.
    A problem stands with its utterance's place in the corpus' order; ``unread`` are the problems of
    the corpus' listing, which every shard meets. ``done`` is whether the shard came to its end.
    """

    verb: str
    shard: Shard
    corpus: str
    utterances: int
    layout: str
    settings: dict[str, Any]
    rows: tuple[tuple[Any, ...], ...] = ()
    problems: tuple[tuple[int, Problem], ...] = ()
    unread: tuple[Problem, ...] = ()
    more: dict[str, Any] = field(default_factory=dict)
    done: bool = False


@dataclass(frozen=True)
class Share:
    """A shard at work: ``corpus`` is the whole of which it makes its part, ``before`` what went
    wrong in an earlier step, and ``more`` what that step keeps."""

    verb: str
    shard: Shard
    corpus: Corpus
    settings: dict[str, Any]
    mark: Mark
    before: tuple[tuple[int, Problem], ...] = ()
    more: dict[str, Any] = field(default_factory=dict)

    @cached_property
    def position(self) -> dict[str, int]:
        """The place of every utterance, by id, in the corpus' order."""
        return {u.id: k for k, u in enumerate(self.corpus)}

    @cached_property
    def _begun(self) -> Part:
        return Part(
            self.verb,
            self.shard,
            self.mark(listing_hash(self.corpus)),
            len(self.corpus),
            self.corpus.layout,
            self.settings,
            unread=self.corpus.problems,
        )

    def begin(self, out: Path) -> None:
        """Say beside ``out`` whose share it is to hold."""
        private_folder(OwnerState(out).folder)
        _write(out, self._begun)

    def end(
        self,
        out: Path,
        rows: Sequence[tuple[Any, ...]],
        problems: Mapping[str, Problem],
        **more: Any,
    ) -> None:
        """Say that it is done; ``problems`` are by the utterance's id."""
        told = dict(self.before)
        told |= {self.position[name]: problem for name, problem in problems.items()}
        _write(
            out,
            replace(
                self._begun,
                rows=tuple(rows),
                problems=tuple(sorted(told.items(), key=lambda one: one[0])),
                more={**self.more, **more},
                done=True,
            ),
        )


def check_part(out: Path, shard: Shard | None, *, begun: bool) -> None:
    """Refuse to mix shards, or a shard and a whole; ``begun`` is whether ``out`` holds anything."""
    place = OwnerState(out).folder / PART
    if not place.exists():
        if begun and shard is not None:
            raise UsageError(
                f"{out}: holds what was made without `shard`; choose another place for {shard}."
            )
        return
    there = read_part(out).shard
    if there != shard:
        wanted = "all of a corpus" if shard is None else f"shard {shard}"
        raise UsageError(
            f"{out}: holds shard {there}, and nothing else goes with it; choose another place for "
            f"{wanted}."
        )


def _write(out: Path, part: Part) -> None:
    what = {
        **asdict(part),
        "shard": [part.shard.number, part.shard.of],
        "problems": [[at, p.where, p.what, p.remedy] for at, p in part.problems],
        "unread": [[p.where, p.what, p.remedy] for p in part.unread],
    }
    write_atomic(OwnerState(out).folder / PART, json.dumps(what) + "\n", private=True)


def read_part(out: Path) -> Part:
    """What the shard at ``out`` keeps; InputError where nothing of a shard is there."""
    place = OwnerState(out).folder / PART
    try:
        found = json_tree(place.read_text(encoding="utf-8"))
        return Part(
            **{
                **found,
                "shard": Shard(*found["shard"]),
                "rows": tuple(tuple(row) for row in found["rows"]),
                "problems": tuple((at, Problem(*told)) for at, *told in found["problems"]),
                "unread": tuple(Problem(*told) for told in found["unread"]),
            }
        )
    except FileNotFoundError:
        raise InputError(
            f"{out}: is no shard, or {place.parent.name}, which lies beside it, was not brought "
            "along; name what a run with `shard` wrote."
        ) from None
    except (OSError, ValueError, TypeError, KeyError, UsageError) as error:
        raise InputError(
            f"{place}: cannot be read ({error}); run that shard again, and it resumes."
        ) from None


def whole_of(places: Sequence[Path]) -> list[tuple[Path, Part]]:
    """The shards at these places in their order, if they are all of one whole and each once.

    The owner's folders among the places, which a pattern such as ``parts/*`` finds too, are passed
    over.
    """
    given = [place.resolve() for place in places if not place.name.endswith(SUFFIX)]
    if not given:
        raise UsageError("There is nothing to merge; name what each shard wrote.")
    parts = [(place, read_part(place)) for place in given]
    first_place, first = parts[0]
    by_number: dict[int, Path] = {}
    for place, part in parts:
        for what, here, there in (
            ("was made by another verb", part.verb, first.verb),
            ("is one of another number of shards", part.shard.of, first.shard.of),
            ("was made with another key, session, version or parameters",
             part.settings, first.settings),
            ("is a share of another corpus, or of the same before it was changed",
             (part.corpus, part.utterances, part.layout),
             (first.corpus, first.utterances, first.layout)),
        ):  # fmt: skip
            if here != there:
                raise InputError(
                    f"{place}: {what} than {first_place}; merge the shards of one run, and run "
                    "again what does not belong to it."
                )
        if not part.done:
            raise InputError(
                f"{place}: shard {part.shard} has not come to its end; run it again, and it "
                "resumes."
            )
        if part.shard.number in by_number:
            raise InputError(
                f"{place}: is shard {part.shard}, and so is {by_number[part.shard.number]}; name "
                "each shard once."
            )
        by_number[part.shard.number] = place
    missing = [f"{k}/{first.shard.of}" for k in range(1, first.shard.of + 1) if k not in by_number]
    if missing:
        are = "is" if len(missing) == 1 else "are"
        raise InputError(
            f"{len(missing):,} of {first.shard.of:,} shards {are} missing ({few(missing)}); run "
            "and name what is missing."
        )
    return sorted(parts, key=lambda one: one[1].shard.number)


def problems_of(parts: Sequence[Part]) -> tuple[Problem, ...]:
    """What the whole would have told: what its listing lacks, then its utterances in order."""
    found = sorted((one for part in parts for one in part.problems), key=lambda one: one[0])
    return (*parts[0].unread, *(problem for _, problem in found))
