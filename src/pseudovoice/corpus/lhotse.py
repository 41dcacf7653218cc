"""Read lhotse manifests: recordings with supervisions, or simple cuts, as JSON lines.

Read directly with ``json``, so lhotse need not be installed. A supervision is an utterance; the
session is its recording. What would need lhotse itself (mixed cuts, transforms, audio in memory
or at an address) becomes a problem.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from ..errors import InputError
from .columns import gender, label
from .corpus import Corpus, Utterance
from .faults import ItemFault
from .kaldi import KaldiSource, command_source, find
from .labels import NAMES, Labels
from .naming import quoted, shown
from .register import Register
from .rows import json_records

# A supervision that ends this close to the end of its recording is the whole of it.
_SAME = 0.005


@dataclass(frozen=True, slots=True)
class LhotseRecording:
    """One recording of a manifest."""

    name: str
    source: KaldiSource
    duration: float
    channels: frozenset[int]


def manifests(root: Path, kind: str) -> list[Path]:
    """The ``.jsonl`` or ``.jsonl.gz`` files of a folder whose name contains ``kind``."""
    return sorted([*root.glob(f"*{kind}*.jsonl"), *root.glob(f"*{kind}*.jsonl.gz")])


def read_lhotse(root: Path, *, allow_commands: bool = False) -> Corpus:
    """The corpus of a folder of manifests, or of one manifest of cuts."""
    root = root.resolve()
    folder = root if root.is_dir() else root.parent
    cuts = [root] if root.is_file() else manifests(root, "cuts")
    recordings = [] if root.is_file() else manifests(root, "recordings")
    supervisions = [] if root.is_file() else manifests(root, "supervisions")
    register = Register(root, "lhotse")
    if recordings and supervisions:
        known: dict[str, LhotseRecording] = {}
        for place, record in _records(recordings, register):
            try:
                recording = _recording(record, place, folder, allow_commands)
                known.setdefault(recording.name, recording)
            except ItemFault as fault:
                register.fault(place, fault)
        for place, record in _records(supervisions, register):
            _add(register, place, record, known.get(_text(record, "recording_id") or ""), 0.0)
    elif cuts:
        for place, record in _records(cuts, register):
            _add_cut(register, place, record, folder, allow_commands)
    else:
        raise InputError(
            f"{shown(root)}: has neither recordings with supervisions nor cuts as .jsonl or "
            ".jsonl.gz; give the folder that holds the lhotse manifests."
        )
    return register.corpus(nothing="its manifests are empty")


def _records(paths: list[Path], register: Register) -> Iterator[tuple[str, Mapping[str, object]]]:
    for path in paths:
        yield from json_records(path, register)


def _recording(
    record: Mapping[str, object], place: str, folder: Path, allow_commands: bool
) -> LhotseRecording:
    name = _text(record, "id") or ""
    if record.get("transforms"):
        raise ItemFault("the recording has transforms", "save it as audio with lhotse first")
    sources = record.get("sources")
    if not isinstance(sources, list) or len(sources) != 1 or not isinstance(sources[0], dict):
        raise ItemFault("the recording has not exactly one source", "join its channels in one file")
    kind, where = sources[0].get("type"), sources[0].get("source")
    if not isinstance(where, str) or kind not in ("file", "command"):
        raise ItemFault(
            f"the source of type {quoted(str(kind))} cannot be read", "save the audio as a file"
        )
    if kind == "command":
        source = command_source(where.rstrip("| "), place, folder, allow_commands)
    else:
        source = KaldiSource(place, find(folder, where))
    channels = _channels(sources[0].get("channels", 0))
    return LhotseRecording(name, source, _number(record, "duration"), channels)


def _add_cut(
    register: Register,
    place: str,
    record: Mapping[str, object],
    folder: Path,
    allow_commands: bool,
) -> None:
    recording, supervisions = record.get("recording"), record.get("supervisions")
    try:
        if not isinstance(recording, dict) or not isinstance(supervisions, list):
            raise ItemFault(
                "the cut has no recording of its own (mixed, padded or without audio)",
                "save it as audio with lhotse first",
            )
        known = _recording(recording, place, folder, allow_commands)
        offset = _number(record, "start")
    except ItemFault as fault:
        register.fault(place, fault)
        return
    for supervision in supervisions:
        if isinstance(supervision, dict):
            # Within a cut, times count from the start of the cut.
            _add(register, place, supervision, known, offset)


def _add(
    register: Register,
    place: str,
    record: Mapping[str, object],
    recording: LhotseRecording | None,
    offset: float,
) -> None:
    """Register one supervision of a recording."""
    try:
        if recording is None:
            name = quoted(_text(record, "recording_id") or "")
            raise ItemFault(f"the recording {name} is unknown or unusable", "add it or correct it")
        wanted = _channels(record.get("channel", 0))
        if len(recording.channels) > 1 and wanted != recording.channels:
            # Their mean would mix the speakers of the two sides of a call.
            raise ItemFault(
                f"it is one of the {len(recording.channels)} channels of its recording",
                "save each channel as a file of its own",
            )
        start = offset + _number(record, "start")
        end = start + _number(record, "duration")
    except ItemFault as fault:
        register.fault(place, fault)
        return
    whole = start == 0 and abs(end - recording.duration) < _SAME
    utterance = Utterance(
        id=_text(record, "id") or "",
        speaker=_text(record, "speaker") or "",
        path=recording.source.path,
        start=None if whole else start,
        end=None if whole else end,
        session=recording.name or None,
        gender=gender(_text(record, "gender")),
        transcript=_text(record, "text"),
        command=recording.source.command,
        labels=_labels(record),
    )
    register.add(utterance, place)


def _labels(record: Mapping[str, object]) -> Labels:
    """The language stands in a supervision itself, everything else in its ``custom`` part."""
    custom = record.get("custom")
    told = {**(custom if isinstance(custom, dict) else {}), **record}
    return Labels(**{name: label(_text(told, name)) for name in NAMES})


def _channels(value: object) -> frozenset[int]:
    listed = value if isinstance(value, list) else [value]
    return frozenset(number for number in listed if isinstance(number, int))


def _text(record: Mapping[str, object], key: str) -> str | None:
    value = record.get(key)
    return None if value is None or isinstance(value, (dict, list)) else str(value)


def _number(record: Mapping[str, object], key: str) -> float:
    value = record.get(key)
    try:
        if not isinstance(value, bool) and isinstance(value, (int, float)):
            return float(value)
    except OverflowError:
        pass  # an integer of a thousand digits
    raise ItemFault(f"{key} is not a number of seconds", "correct the manifest")
