"""Embeddings of original and protected segments from npz files, paired by utterance."""

from __future__ import annotations

import zipfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pseudovoice.atomic import replacing
from pseudovoice.embeddings.embeddings import Embeddings
from pseudovoice.errors import InputError, Problem, few
from pseudovoice.plain_arrays import plain_arrays
from pseudovoice.scores.embeddings import has_direction
from pseudovoice.scores.formats.lines import check_file
from pseudovoice.scores.read import describe
from pseudovoice.scores.speakers import read_utt2spk


@dataclass(frozen=True)
class EmbeddingPair:
    """Original and protected embeddings of the same utterances, row by row."""

    original: Embeddings
    protected: Embeddings
    problems: tuple[Problem, ...]
    notes: tuple[str, ...]
    files: dict[str, Any]


def read_embeddings(
    original: str | Path,
    protected: str | Path | None = None,
    utt2spk: str | Path | None = None,
) -> EmbeddingPair:
    """Read and pair embeddings; an utterance missing on either side, without a speaker or with a
    vector that is not finite is listed and left out."""
    if protected is None:
        o, p = _read_both(Path(original))
        files = {"embeddings": describe(original, "npz", len(o.ids))}
    else:
        o, p = _read_one(Path(original)), _read_one(Path(protected))
        files = {
            "original": describe(original, "npz", len(o.ids)),
            "protected": describe(protected, "npz", len(p.ids)),
        }
    if o.vectors.shape[1] != p.vectors.shape[1]:
        raise InputError(
            f"{p.source}: the vectors have {p.vectors.shape[1]} dimensions but those of "
            f"{o.source} {o.vectors.shape[1]}; use one encoder for both."
        )
    problems: list[Problem] = []
    at_o, at_p = (_index(e, problems) for e in (o, p))
    for here, there, e in ((at_o, at_p, o), (at_p, at_o, p)):
        if lost := [u for u in here if u not in there]:
            problems.append(
                Problem(
                    e.source,
                    f"{len(lost)} utterance(s) have no counterpart in the other file ({few(lost)})",
                    "they are left out",
                )
            )
    people = _speakers(o, utt2spk, problems, files)
    utt = [u for u in at_o if u in at_p]
    if nobody := [u for u in utt if u not in people]:
        problems.append(
            Problem(
                str(utt2spk or o.source),
                f"the speaker of {len(nobody)} utterance(s) is not known ({few(nobody)})",
                "they are left out; add them",
            )
        )
    utt = [u for u in utt if u in people]
    a, b = o.vectors[[at_o[u] for u in utt]], p.vectors[[at_p[u] for u in utt]]
    keep = np.ones(len(utt), bool)
    for vectors, e in ((a, o), (b, p)):
        usable = has_direction(vectors)
        if not usable.all():
            who = [u for u, is_usable in zip(utt, usable, strict=True) if not is_usable]
            problems.append(
                Problem(
                    e.source,
                    f"{len(who)} vector(s) are zero or not finite ({few(who)})",
                    "they are left out; embed them again",
                )
            )
            keep &= usable
    a, b, utt = a[keep], b[keep], [u for u, kept in zip(utt, keep, strict=True) if kept]
    segments = Counter(people[u] for u in utt)
    left_out = f" Left out: {problems[0]}" if problems else ""
    if len(segments) < 2:
        raise InputError(
            f"{o.source}: fewer than two speakers are left with both original and "
            f"protected utterances; nothing can be compared.{left_out}"
        )
    if max(segments.values()) < 2:
        raise InputError(
            f"{o.source}: every speaker has one utterance only, so no two of them are mated; "
            f"embed at least two utterances of a speaker.{left_out}"
        )
    names, speakers = tuple(utt), tuple(people[u] for u in utt)
    return EmbeddingPair(
        Embeddings(a, names, speakers, source=o.source),
        Embeddings(b, names, speakers, source=p.source),
        tuple(problems),
        (),
        files,
    )


def _index(e: Embeddings, problems: list[Problem]) -> dict[str, int]:
    """Row of each utterance; the first counts where an id stands twice."""
    at: dict[str, int] = {}
    twice = [u for k, u in enumerate(e.ids) if at.setdefault(u, k) != k]
    if twice:
        problems.append(
            Problem(
                e.source,
                f"{len(twice)} utterance id(s) stand twice ({few(twice)})",
                "the first is used; make ids unique",
            )
        )
    return at


def _speakers(
    o: Embeddings,
    utt2spk: str | Path | None,
    problems: list[Problem],
    files: dict[str, Any],
) -> dict[str, str]:
    if utt2spk is not None:
        people, said = read_utt2spk(utt2spk)
        problems += said
        files["utt2spk"] = describe(utt2spk, "utt2spk", len(people))
        return people
    if len(o.speakers) < len(o):
        raise InputError(
            f"{o.source}: the file names no speakers (no array 'spk'); give them with `utt2spk`."
        )
    # Backwards, so that the first counts where an id stands twice, as in `_index`.
    return dict(reversed(list(zip(o.ids, o.speakers, strict=True))))


def write_embeddings(embeddings: Embeddings, path: Path) -> None:
    """Write what :func:`read_embeddings` reads; for its owner alone, since it tells people apart.

    The same rows give the same bytes.
    """
    with replacing(path, private=True) as stream:
        np.savez(
            stream,
            utt=np.array(embeddings.ids, dtype=str),
            spk=np.array(embeddings.speakers, dtype=str),
            vectors=embeddings.vectors,
        )


def read_written(path: Path) -> Embeddings:
    """A file of one corpus' embeddings."""
    return _read_one(path)


ARRAYS = ("utt", "spk", "vectors", "original", "protected")


def _load(path: Path) -> dict[str, NDArray[Any]]:
    check_file(path)
    if not zipfile.is_zipfile(path):
        raise InputError(f"{path}: this is no npz file; save the arrays with numpy.savez.")
    try:
        return plain_arrays(path, ARRAYS)
    except (OSError, ValueError) as error:
        raise InputError(
            f"{path}: this is no npz file of plain arrays ({error}); save it with "
            "numpy.savez and without objects."
        ) from None


def _read_one(path: Path) -> Embeddings:
    arrays = _load(path)
    if not {"utt", "vectors"} <= arrays.keys():
        raise InputError(
            f"{path}: the file holds {few(sorted(arrays)) or 'nothing we know'}; expected the "
            "arrays 'utt' and 'vectors'."
        )
    return _check(path, arrays, "vectors")


def _read_both(path: Path) -> tuple[Embeddings, Embeddings]:
    arrays = _load(path)
    if not {"utt", "original", "protected"} <= arrays.keys():
        raise InputError(
            f"{path}: a single file must hold the arrays 'utt', 'original' and "
            f"'protected'; it holds {few(sorted(arrays)) or 'nothing we know'}. Or give two "
            "files with 'utt' and 'vectors'."
        )
    return _check(path, arrays, "original"), _check(path, arrays, "protected")


def _check(path: Path, arrays: dict[str, NDArray[Any]], name: str) -> Embeddings:
    utt, vectors = _texts(path, arrays["utt"]), arrays[name]
    if vectors.ndim != 2 or vectors.shape[0] != len(utt) or vectors.dtype.kind not in "fiu":
        raise InputError(
            f"{path}: '{name}' must be numbers of shape (utterances, dimensions); it is "
            f"{vectors.dtype} of shape {vectors.shape} for {len(utt)} utterances."
        )
    spk = _texts(path, arrays["spk"]) if "spk" in arrays else None
    if spk is not None and len(spk) != len(utt):
        raise InputError(
            f"{path}: there are {len(spk)} speakers for {len(utt)} utterances; 'spk' "
            "needs one for each."
        )
    return Embeddings(vectors, tuple(utt), tuple(spk or ()), source=str(path))


def _texts(path: Path, ids: NDArray[Any]) -> list[str]:
    """Ids as text, also where they were saved as bytes."""
    try:
        return [u.decode("utf-8") if isinstance(u, bytes) else str(u) for u in ids.ravel().tolist()]
    except UnicodeDecodeError:
        raise InputError(
            f"{path}: an id is not UTF-8 text; save ids as text, not as bytes."
        ) from None
