"""What protecting leaves behind: keys, the voices of a session, records, journals, undo tables."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from fuzz.target import DEEP, Target, joined, parted
from pseudovoice.errors import InputError
from pseudovoice.keys import Key, read_key, write_key
from pseudovoice.protection.settings import Settings
from pseudovoice.release.journal import Made, opened
from pseudovoice.release.pseudonyms import Pseudonyms
from pseudovoice.release.record import RECORD, check_record, read_record, write_record
from pseudovoice.safeguards import parse_chain
from pseudovoice.safeguards.given import SessionState, read_state
from pseudovoice.safeguards.persona.pseudovoice import PseudoVoice, draw
from pseudovoice.serve.protection import read_protection
from pseudovoice.slicing.staging import Staging
from pseudovoice.slicing.table import Origin, read_table, write_table

_KEY = Key(bytes(range(32)))


def _key(folder: Path, data: bytes) -> None:
    (folder / "key").touch(0o600)
    (folder / "key").write_bytes(data)
    try:
        key = read_key(folder / "key")
    except InputError as error:
        secret = data.decode("ascii", "ignore").strip().partition(":")[2]
        if len(secret) > 24 and secret in str(error):
            raise AssertionError("the sentence quotes the key") from None
        raise
    write_key(key, folder / "again")
    assert read_key(folder / "again") == key


def _key_seeds(folder: Path) -> Sequence[bytes]:
    write_key(_KEY, folder / "key")
    return [(folder / "key").read_bytes()]


def _state(folder: Path, data: bytes) -> None:
    path = folder / "state"
    path.touch(0o600)
    path.write_bytes(data)
    state = read_state(path, PseudoVoice.from_dict)
    again = SessionState(folder / "again", PseudoVoice.from_dict)
    with again.alone():
        for tag, voice in state.voices.items():
            again.give(tag, voice, state.places[tag])
    reread = read_state(folder / "again", PseudoVoice.from_dict)
    assert reread.voices == state.voices
    for tag, place in state.places.items():
        for name, row in place.items():
            assert np.allclose(reread.places[tag][name], row, atol=2e-5, equal_nan=True)


def _state_seeds(folder: Path) -> Sequence[bytes]:
    state = SessionState(folder / "state", PseudoVoice.from_dict)
    with state.alone():
        for name, pitch in (("1" * 24, 110.0), ("a" * 24, 210.0)):
            voice = draw(pitch, True, 1.0, "any", lambda purpose: len(purpose) % 7 / 7)
            state.give(name, voice, {"resnet34-lm": np.array([0.6, -0.8], np.float32)})
    whole = (folder / "state").read_bytes()
    return [whole, whole[:-20], DEEP + b"\n"]


def _record(folder: Path, data: bytes) -> None:
    (folder / RECORD).write_bytes(data)
    read_record(folder)
    read_protection(folder)
    check_record(folder, Settings(parse_chain("mcadams"), _KEY).record())


def _record_seeds(folder: Path) -> Sequence[bytes]:
    seeds = []
    for chain in ("mcadams", "mcadams:alpha=0.7+mcadams-random"):
        write_record(folder, Settings(parse_chain(chain), _KEY, names=Pseudonyms(_KEY)).record())
        seeds.append((folder / RECORD).read_bytes())
    return [json.dumps(Settings(parse_chain("mcadams"), _KEY).record()).encode(), *seeds, DEEP]


def _journal(folder: Path, data: bytes) -> None:
    (folder / "journal.sqlite").write_bytes(data)
    with opened(folder / "journal.sqlite") as journal:
        for place in list(journal.places()):
            made = journal.get(place)
            assert made is not None
            journal.put(place, made)
            assert journal.get(place) == made


def _journal_seeds(folder: Path) -> Sequence[bytes]:
    with opened(folder / "journal.sqlite") as journal:
        for place in ("anna/a1.wav", "ben/b1.wav"):
            journal.put(place, Made("0" * 32, 16044, "f" * 64, 1_700_000_000, 8000, 16000))
    return [(folder / "journal.sqlite").read_bytes()]


def _slices(folder: Path, data: bytes) -> None:
    (folder / "undo.csv").write_bytes(data)
    origins = read_table(folder / "undo.csv")
    write_table(origins, folder / "again.csv")
    reread = read_table(folder / "again.csv")
    assert sorted(map(repr, reread)) == sorted(map(repr, origins))


def _slice_seeds(folder: Path) -> Sequence[bytes]:
    origins = [
        Origin("s1", "anna-1", 0, 0.0, 1.25, "anna", "call", 'he said "no", twice'),
        Origin("s2", "anna-1", 1, 1.25, 2.5, "anna", "call", "grüße\nund"),
    ]
    write_table(origins, folder / "undo.csv")
    return [(folder / "undo.csv").read_bytes()]


def _staging(folder: Path, data: bytes) -> None:
    """What a killed slicing left."""
    settings, journal = parted(data, 2)
    staging = Staging(folder / "out")
    with staging.held():
        (staging.folder / "settings.json").write_bytes(settings)
        (staging.folder / "journal.jsonl").write_bytes(journal)
        staging.open(staging.settings())
        for mark in ("m", "n"):
            if staging.tally(mark) is not None:
                staging.stands(mark, ["s1"])


_STAGING = joined(b'{"duration": 1.0}', b'["m", [["s1", 0, 0.0, 1.0, "so"]], 1.5, 2, ["00"]]\n')
_JSON = (b'"', b"[", b"{", b"null", b"true", b"NaN", b"1e400", b"-1", b"\\ud800", b"\n", b"\x1c")

TARGETS = (
    Target("key", _key, _key_seeds, (b"pseudovoice-key-1:", b"=", b"\n"), smoke=300),
    Target("persona-state", _state, _state_seeds, (*_JSON, b'"voice"', b'"place"', b'"tilt"')),
    Target("protection", _record, _record_seeds, (*_JSON, b'"chain"', b'"safeguard"'), smoke=100),
    Target("protection-journal", _journal, _journal_seeds, (b"SQLite format 3", b"made"), smoke=60),
    Target("undo-table", _slices, _slice_seeds, (b",", b'""', b"\r\n", b"1e400", b"nan")),
    Target("staging", _staging, lambda _: [_STAGING, DEEP, joined(b"", DEEP)], _JSON, smoke=100),
)
