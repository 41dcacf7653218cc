"""What a caller may give in several forms, in the one that the rooms below take."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pseudovoice.corpus import Corpus, read_corpus
from pseudovoice.corpus.shard import Shard, parse_shard
from pseudovoice.encoders import Encoder, load_encoder
from pseudovoice.errors import Problem, UsageError
from pseudovoice.keys import Key, key_at, key_beside, read_key
from pseudovoice.safeguards import Chain, Safeguard, parse_chain
from pseudovoice.safeguards.registry import chain_of
from pseudovoice.safeguards.safeguard import LastStep
from pseudovoice.storage import near

if TYPE_CHECKING:
    from pseudovoice.alignment import Aligner

Place = str | Path
GivenCorpus = Corpus | Place
GivenKey = Key | Place
GivenSafeguard = str | Safeguard | LastStep | Chain
GivenEncoder = str | Encoder
GivenShard = str | Shard


def a_path(place: Place | None) -> Path | None:
    return None if place is None else Path(place)


def a_corpus(
    given: GivenCorpus,
    *,
    layout: str = "auto",
    allow_commands: bool = False,
    speaker_from: str | None = None,
) -> Corpus:
    """The corpus, read if it is a path."""
    if isinstance(given, Corpus):
        return given
    return read_corpus(
        near(given), layout=layout, allow_commands=allow_commands, speaker_from=speaker_from
    )


def a_chain(given: GivenSafeguard) -> Chain:
    """The chain that a text, a safeguard or a chain stands for."""
    return parse_chain(given) if isinstance(given, str) else chain_of(given)


def chain_text(given: GivenSafeguard) -> str:
    """A chain as ``name:param=value,…+name``, which a plan can hold and anybody can repeat."""
    if isinstance(given, str):
        parse_chain(given)  # a misspelt safeguard must not be found out after an hour
        return given
    chain = chain_of(given)
    text = "+".join(_step_text(step) for step in chain.steps)
    try:
        same = parse_chain(text) == chain
    except UsageError:
        same = False
    if not same:
        raise UsageError(
            f"{chain.name}: a study is run from its plan, and {text!r} does not give this "
            "safeguard there; install it by entry point (pseudovoice.safeguards), or put "
            "@register of pseudovoice.safeguards.registry before its class."
        )
    return text


def _step_text(step: Any) -> str:
    changed = [
        f"{f.name}={str(value).lower() if isinstance(value, bool) else value}"
        for f in fields(step)
        if (value := getattr(step, f.name)) != f.default
    ]
    name: str = step.name
    return name + (f":{','.join(changed)}" if changed else "")


def encoders_of(given: GivenEncoder | Iterable[GivenEncoder]) -> list[Encoder]:
    """Encoders by name or as they are; one need not stand in a list."""
    every = several(given)
    return [load_encoder(one) if isinstance(one, str) else one for one in every]


def several(given: Any) -> Sequence[Any]:
    """One or many as many."""
    if isinstance(given, str | Path) or not isinstance(given, Iterable):
        return (given,)
    return tuple(given)


def key_of(given: GivenKey | None) -> Key | None:
    """The key, read if it is a file."""
    return given if given is None or isinstance(given, Key) else read_key(given)


def key_for(
    out: Path, given: GivenKey | None, say: Callable[[Path], None] | None
) -> tuple[Key, Path | None]:
    """The key of speech that is written to ``out``, and its file.

    Where none is given it lies beside ``out``; ``say`` hears where it was made.
    """
    if isinstance(given, Key):
        return given, None
    if given is None:
        place = key_beside(out)
        key, new = key_at(place)
        if new and say is not None:
            say(place)
        return key, place
    place = Path(given)
    if place.resolve().is_relative_to(out.resolve()):
        raise UsageError(f"{place}: a key must not lie in the folder of the speech it protects.")
    return read_key(place), place


def shard_of(given: GivenShard | None) -> Shard | None:
    """The shard, read if it is a text."""
    return parse_shard(given) if isinstance(given, str) else given


def check_table(undo_table: Place | None) -> None:
    """Refuse a table of a share: half of it would undo half of the slices."""
    if undo_table is not None:
        raise UsageError(
            "The table that undoes slices is written when shards are merged; leave out "
            "`undo_table`, and name it there."
        )


def aligner_of(
    alignments: Place | None, check_words: bool = False
) -> tuple[Aligner, tuple[Problem, ...]]:
    """The embedded aligner, or word times made elsewhere and what could not be read of them.

    With ``check_words`` a recogniser listens whether the words are those that are said.
    """
    from pseudovoice.alignment import SphinxAligner, read_alignments

    aligner: Aligner = SphinxAligner()
    problems: tuple[Problem, ...] = ()
    if alignments is not None:
        aligner = read = read_alignments(Path(alignments))
        problems = tuple(read.problems)
    if check_words:
        from pseudovoice.alignment.heard import listening

        aligner = listening(aligner)
    return aligner, problems
