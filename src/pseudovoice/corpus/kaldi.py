"""Read a Kaldi data directory: wav.scp, segments, utt2spk, spk2utt, spk2gender, text.

Labels of speakers and of utterances are in ``spk2age``, ``utt2lang``, ``spk2accent``,
``utt2emotion`` and their like, where there are such files.

With ``segments`` every utterance is a part of a recording, and the recording is its session.
``reco2file_and_channel`` and the fifth field of ``segments`` tell its channel.
Relative paths are looked for from the current folder, as Kaldi does, then from the data folder.
An entry of ``wav.scp`` that is a command is refused unless the user allows commands.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ..errors import InputError
from .columns import gender, label
from .corpus import Corpus, Utterance
from .faults import ItemFault
from .kaldi_channels import Channels
from .labels import NAMES, Labels
from .lines import numbered_lines
from .naming import quoted, shown
from .paths import as_spelt
from .pipeline import stages
from .register import Register

# With or without an offset, a range or compression: x.ark, x.ark:123[0:9], x.ark.gz.
_ARCHIVE = re.compile(r"\.ark(\.gz)?(:\d+)?(\[[^\]]*\])?$")


@dataclass(frozen=True, slots=True)
class KaldiSource:
    """Where the audio of a recording comes from: a file, or a command listed in ``path``."""

    place: str
    path: Path
    command: str | None = None

    @property
    def file(self) -> Path | None:
        """The audio file; None for a command."""
        return self.path if self.command is None else None


@dataclass(frozen=True, slots=True)
class Extent:
    """The part of a recording that an utterance is."""

    session: str | None = None
    start: float | None = None
    end: float | None = None
    channel: int | None = None


def read_kaldi(root: Path, *, allow_commands: bool = False) -> Corpus:
    """The corpus in a Kaldi data directory; ``utt2spk`` decides who speaks."""
    root = root.resolve()
    if not (root / "wav.scp").is_file():
        raise InputError(f"{shown(root)}: has no wav.scp; give the Kaldi data folder itself.")
    register = Register(root, "kaldi")
    speakers = _speakers(root, register)
    genders = dict(_pairs(root / "spk2gender", register))
    texts = dict(_pairs(root / "text", register, may_be_empty=True))
    labels = {name: _labels(root, name, register) for name in NAMES}
    sources = _sources(root, register, allow_commands)
    without_speaker = []
    used: set[str] = set()
    for where, name, source, extent in _utterances(root, sources, register):
        used.add(name)
        if name not in speakers:
            without_speaker.append(name)
            continue
        who = speakers[name]
        utterance = Utterance(
            id=name,
            speaker=who,
            path=source.path,
            start=extent.start,
            end=extent.end,
            session=extent.session,
            gender=gender(genders.get(who)),
            transcript=texts.get(name) or None,
            command=source.command,
            channel=extent.channel,
            labels=Labels(**{n: of.get(name) or of.get(who) for n, of in labels.items()}),
        )
        register.add(utterance, where)
    register.problem_of_many(
        shown(root / "utt2spk"),
        without_speaker,
        "utterance has no speaker here",
        "utterances have no speaker here",
        "add a line for each",
    )
    without_audio = [name for name in speakers if name not in used]
    register.problem_of_many(
        shown(root / "utt2spk"),
        without_audio,
        "utterance has no usable audio in wav.scp and segments",
        "utterances have no usable audio in wav.scp and segments",
        "add the audio or remove the lines",
    )
    return register.corpus(nothing="wav.scp lists nothing")


def _labels(root: Path, name: str, register: Register) -> dict[str, str | None]:
    """One label by utterance and by speaker; Kaldi's own word for a language is ``lang``."""
    told: dict[str, str | None] = {}
    for of in ("spk2", "utt2"):
        for word in (name, *(("lang",) if name == "language" else ())):
            pairs = _pairs(root / f"{of}{word}", register)
            told |= {key: label(value) for key, value in pairs}
    return told


def find(root: Path, name: str) -> Path:
    """A file named in a manifest: from the current folder if it is there, else from ``root``."""
    path = Path(name)
    if path.is_absolute():
        return as_spelt(path)
    here = as_spelt(Path.cwd() / path)
    # Not Path.exists(): it raises for a name that is too long, and one bad line must not.
    return here if os.path.exists(here) else as_spelt(root / path)  # noqa: PTH110


def command_source(command: str, place: str, listing: Path, allowed: bool) -> KaldiSource:
    """A source that is a command; raises :class:`ItemFault` if it may not or cannot be run."""
    if not allowed:
        raise ItemFault(
            f"the audio is the output of the command {quoted(command)}, which is not run",
            "pass `allow_commands=True` if you trust whoever wrote it",
        )
    stages(command)
    return KaldiSource(place, listing, command)


def _sources(root: Path, register: Register, allow_commands: bool) -> dict[str, KaldiSource]:
    listing = root / "wav.scp"
    sources: dict[str, KaldiSource] = {}
    for place, name, value in _entries(listing, register):
        try:
            if name in sources:
                raise _duplicate(name, sources[name].place)
            if value.endswith("|"):
                command = value[:-1].strip()
                sources[name] = command_source(command, place, listing, allow_commands)
            elif _ARCHIVE.search(value) or value == "-":
                raise ItemFault(
                    f"{quoted(value)} is a Kaldi archive or standard input, which cannot be read",
                    "write the audio as WAV or FLAC files",
                )
            else:
                sources[name] = KaldiSource(place, find(root, value))
        except ItemFault as fault:
            register.fault(place, fault)
    return sources


def _utterances(
    root: Path, sources: dict[str, KaldiSource], register: Register
) -> Iterator[tuple[str, str, KaldiSource, Extent]]:
    """Place, id, source and extent of each utterance."""
    channels = Channels()
    sides = root / "reco2file_and_channel"
    if sides.is_file():
        entries = _entries(sides, register, may_be_empty=True)
        for recording in channels.read_sides(entries, register):
            sources.pop(recording, None)
    listing = root / "segments"
    if not listing.is_file():
        for name, source in sources.items():
            try:
                extent = _extent(None, None, None, channels.of(name, source.file))
            except ItemFault as fault:
                register.fault(source.place, fault)
                continue
            yield source.place, name, source, extent
        return
    for place, name, value in _entries(listing, register):
        cells = re.split(r"[ \t]+", value)
        try:
            if len(cells) not in (3, 4):
                raise ItemFault(
                    f"a segment needs 4 fields, this line has {len(cells) + 1}",
                    "write: utterance recording start end",
                )
            recording = cells[0]
            try:
                start, end = float(cells[1]), float(cells[2])
            except ValueError:
                raise ItemFault(
                    f"{quoted(cells[1])} and {quoted(cells[2])} are not two times", "give seconds"
                ) from None
            if recording not in sources:
                raise ItemFault(
                    f"the recording {quoted(recording)} is not in wav.scp or could not be used",
                    "add it or remove the segment",
                )
            source = sources[recording]
            channel = channels.of(recording, source.file, cells[3] if len(cells) == 4 else None)
        except ItemFault as fault:
            register.fault(place, fault)
            continue
        # Kaldi writes -1 for "to the end".
        whole = start == 0 and end == -1
        yield (
            place,
            name,
            source,
            _extent(recording, None if whole else start, None if end == -1 else end, channel),
        )


def _extent(
    session: str | None, start: float | None, end: float | None, channel: int | None
) -> Extent:
    # One channel of several is a part of the recording, even if it is all of its time.
    return Extent(session, 0.0 if start is None and channel is not None else start, end, channel)


def _speakers(root: Path, register: Register) -> dict[str, str]:
    utt2spk, spk2utt = root / "utt2spk", root / "spk2utt"
    if not utt2spk.is_file() and not spk2utt.is_file():
        raise InputError(
            f"{shown(root)}: has neither utt2spk nor spk2utt, so no speaker is known; add utt2spk."
        )
    reverse: dict[str, str] = {}
    if spk2utt.is_file():
        for place, speaker, names in _entries(spk2utt, register):
            for name in re.split(r"[ \t]+", names):
                if reverse.setdefault(name, speaker) != speaker:
                    register.problem(
                        place,
                        f"{quoted(name)} belongs to {quoted(reverse[name])} already",
                        "list every utterance under one speaker; the first counts",
                    )
    if not utt2spk.is_file():
        return reverse
    speakers = dict(_pairs(utt2spk, register))
    if reverse:
        register.problem_of_many(
            shown(spk2utt),
            [name for name, speaker in speakers.items() if reverse.get(name) != speaker]
            + [name for name in reverse if name not in speakers],
            "utterance is listed differently than in utt2spk",
            "utterances are listed differently than in utt2spk",
            "make it anew from utt2spk, which counts",
        )
    return speakers


def _pairs(
    path: Path, register: Register, *, may_be_empty: bool = False
) -> Iterator[tuple[str, str]]:
    """Keys and values of an optional file of two columns; the first of duplicate keys counts."""
    places: dict[str, str] = {}
    if not path.is_file():
        return
    for place, name, value in _entries(path, register, may_be_empty=may_be_empty):
        if name in places:
            register.fault(place, _duplicate(name, places[name]))
            continue
        places[name] = place
        yield name, value


def _entries(
    path: Path, register: Register, *, may_be_empty: bool = False
) -> Iterator[tuple[str, str, str]]:
    """Place, first word and rest of each line; a line of one word is a problem."""
    for number, line in numbered_lines(path, register):
        # Not str.split(): it would also split at control characters, which must be noticed.
        name, *rest = re.split(r"[ \t]+", line.strip(" \t"), maxsplit=1)
        value = rest[0] if rest else ""
        if value or may_be_empty:
            yield shown(path, number), name, value
        else:
            register.problem(
                shown(path, number),
                f"the line has only one field, {quoted(name)}",
                "write two fields with a space between them; this line is left out",
            )


def _duplicate(name: str, first: str) -> ItemFault:
    return ItemFault(
        f"{quoted(name)} is a duplicate of {first}", "keep one of the two; the first counts"
    )
