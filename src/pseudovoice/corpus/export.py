"""Write a corpus as a Kaldi data directory, an AudioFolder or a table.

Only the listing is written; the audio stays where the utterances say it is. What a layout cannot
hold raises InputError instead of being changed.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from string import ascii_uppercase

from ..atomic import replacing, write_atomic
from ..cells import as_cell, as_path_cell
from ..errors import InputError, few
from .corpus import Corpus, Utterance
from .labels import NAMES
from .naming import quoted, shown

_Source = tuple[Path, str | None, int | None]
"""Where the audio of a recording comes from: its file, its command and its channel."""


def write_table(corpus: Corpus, path: Path) -> None:
    """Write a ``.csv`` or ``.parquet`` table; files below its folder get relative paths."""
    path = path.resolve()
    suffix = path.suffix.lower()
    if suffix not in (".csv", ".parquet"):
        raise InputError(f"{shown(path)}: a table is written as .csv or .parquet; rename it.")
    _refuse(corpus, path, "are made by a command", lambda u: u.command is not None)
    _refuse(corpus, path, "are one channel of a recording", lambda u: u.channel is not None)
    _refuse(corpus, path, "have a path that is not UTF-8", lambda u: not _is_utf8(str(u.path)))
    told = _told(corpus)
    rows = [
        {
            "utt": u.id,
            "path": _relative(u.path, path.parent) or str(u.path),
            **_described(u, told),
        }
        for u in corpus
    ]
    if suffix == ".csv":
        _write_csv(path, rows)
        return
    import pyarrow.parquet  # 30 MB, for those who want such tables

    texts, times = pyarrow.string(), pyarrow.float64()
    schema = pyarrow.schema(
        [(name, times if name in ("start", "end") else texts) for name in rows[0]]
        if rows
        else [("utt", texts), ("path", texts), ("speaker", texts)]
    )
    with replacing(path) as stream:
        pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows, schema=schema), stream)


def write_audiofolder(corpus: Corpus, folder: Path) -> None:
    """Write ``metadata.csv`` into ``folder``, below which all audio must lie."""
    folder = folder.resolve()
    _refuse(corpus, folder, "are made by a command", lambda u: u.command is not None)
    _refuse(corpus, folder, "are one channel of a recording", lambda u: u.channel is not None)
    _refuse(corpus, folder, "lie outside it", lambda u: _relative(u.path, folder) is None)
    rows, told = [], _told(corpus)
    for utterance in corpus:
        described = _described(utterance, told)
        # The name that Hugging Face datasets use for it.
        described["transcription"] = described.pop("transcript")
        rows.append(
            {"file_name": _relative(utterance.path, folder), "id": utterance.id, **described}
        )
    _write_csv(folder / "metadata.csv", rows)


def write_kaldi(corpus: Corpus, folder: Path) -> None:
    """Write wav.scp, utt2spk, spk2utt and, where known, segments, spk2gender and text.

    The channel of an utterance becomes the side of its recording in ``reco2file_and_channel``.

    Paths are absolute. Line breaks in transcripts become spaces; sessions are kept as recording
    names where ``segments`` is written and cannot be written otherwise.
    """
    _refuse(
        corpus,
        folder,
        "have a space in the id or speaker, which Kaldi cannot hold",
        lambda u: any(character.isspace() for character in u.id + u.speaker),
    )
    _refuse(
        corpus,
        folder,
        "have a path that wav.scp cannot hold",
        lambda u: not str(u.path).isprintable() or str(u.path) != str(u.path).strip().rstrip("|"),
    )
    _refuse(
        corpus,
        folder,
        "are on a channel beyond the 26th",
        lambda u: u.channel is not None and u.channel >= len(ascii_uppercase),
    )
    recordings = _recordings(corpus)
    segmented = any(u.start is not None or u.end is not None for u in corpus)
    scp, sides = {}, {}
    for utterance in corpus:
        source = f"{utterance.command} |" if utterance.command else str(utterance.path.absolute())
        name = recordings[utterance.id] if segmented else utterance.id
        scp[name] = source
        if utterance.channel is not None:
            sides[name] = f"{name} {ascii_uppercase[utterance.channel]}"
    _write_pairs(folder / "wav.scp", scp)
    if sides:
        _write_pairs(folder / "reco2file_and_channel", sides)
    if segmented:
        _write_pairs(
            folder / "segments",
            {u.id: f"{recordings[u.id]} {u.start or 0.0!r} {_end(u)}" for u in corpus},
        )
    _write_pairs(folder / "utt2spk", {u.id: u.speaker for u in corpus})
    _write_pairs(
        folder / "spk2utt",
        {
            speaker: " ".join(sorted((u.id for u in group), key=str.encode))
            for speaker, group in corpus.speakers.items()
        },
    )
    genders = {speaker: word for speaker, word in corpus.genders.items() if word is not None}
    if genders:
        _write_pairs(folder / "spk2gender", genders)
    texts = {u.id: " ".join(u.transcript.split()) for u in corpus if u.transcript}
    if texts:
        _write_pairs(folder / "text", texts)


def _recordings(corpus: Corpus) -> dict[str, str]:
    """A recording name for each utterance: its session where that names one source, else an id."""
    groups: dict[_Source, list[Utterance]] = {}
    for utterance in corpus:
        source = (utterance.path, utterance.command, utterance.channel)
        groups.setdefault(source, []).append(utterance)
    sources_of: dict[str | None, set[_Source]] = {}
    for source, group in groups.items():
        for utterance in group:
            sources_of.setdefault(utterance.session, set()).add(source)
    names = {}
    for group in groups.values():
        session = group[0].session
        alone = len({u.session for u in group}) == 1 and len(sources_of[session]) == 1
        usable = session and alone and session.isprintable() and " " not in session
        # Sessions and ids share the file, so a session may not look like somebody else's id.
        usable = usable and (session not in corpus.by_id)
        name = session if usable and session else min(u.id for u in group)
        names.update({utterance.id: name for utterance in group})
    return names


def _end(utterance: Utterance) -> str:
    return "-1" if utterance.end is None else repr(utterance.end)


def _told(corpus: Corpus) -> list[str]:
    """The labels that somebody has: a column of nothing is none."""
    present = {name for utterance in corpus for name, _ in utterance.labels}
    return [name for name in NAMES if name in present]


def _described(utterance: Utterance, told: Sequence[str]) -> dict[str, object]:
    return {
        "speaker": utterance.speaker,
        "session": utterance.session,
        "gender": utterance.gender,
        "transcript": utterance.transcript,
        "start": utterance.start,
        "end": utterance.end,
        **{name: getattr(utterance.labels, name) for name in told},
    }


def _is_utf8(text: str) -> bool:
    return text.isascii() or not any("\ud800" <= c <= "\udfff" for c in text)


def _relative(path: Path, folder: Path) -> str | None:
    return path.relative_to(folder).as_posix() if path.is_relative_to(folder) else None


def _refuse(corpus: Corpus, target: Path, what: str, bad: Callable[[Utterance], bool]) -> None:
    found = [quoted(utterance.id) for utterance in corpus if bad(utterance)]
    if found:
        raise InputError(
            f"{shown(target)}: cannot be written with utterances that {what} "
            f"({len(found)} of {len(corpus)}: {few(found)}); "
            "leave them out or write another layout."
        )


def _write_csv(path: Path, rows: Sequence[Mapping[str, object]]) -> None:
    buffer = io.StringIO(newline="")
    writer = csv.DictWriter(buffer, fieldnames=list(rows[0]) if rows else ["utt", "path"])
    writer.writeheader()
    for row in rows:
        writer.writerow({name: _cell(name, value) for name, value in row.items()})
    write_atomic(path, buffer.getvalue())


def _cell(column: str, value: object) -> object:
    if not isinstance(value, str):
        return value
    return as_path_cell(value) if column in ("path", "file_name") else as_cell(value)


def _write_pairs(path: Path, pairs: Mapping[str, str]) -> None:
    # Kaldi wants the order of LC_ALL=C, which is that of the bytes.
    lines = [f"{name} {pairs[name]}\n" for name in sorted(pairs, key=str.encode)]
    write_atomic(path, "".join(lines))
