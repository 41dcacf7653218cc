"""Who speaks when, as others wrote it: RTTM, Audacity's labels, lhotse's supervisions, ELAN."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from fuzz.target import DEEP, Target, choosing, chosen
from pseudovoice.diarisation import Turn, Turns
from pseudovoice.diarisation.formats import FORMATS, read_turns

SUFFIXES = tuple(one.suffix for one in FORMATS.values())
_TOLD = Turns.of("a", [Turn(0.5, 2.0, "anna"), Turn(1.5, 3.0, "Müller")])


def _read(folder: Path, data: bytes) -> None:
    suffix, rest = chosen(data, SUFFIXES)
    (folder / f"a{suffix}").write_bytes(rest)
    found = read_turns(folder if len(rest) % 2 else folder / f"a{suffix}")
    for turns in found.values():
        strips = turns.strips(turns.end)
        assert all(strip.end > strip.start for strip in strips) or not turns.turns
        assert {p for strip in strips for p in strip.people} == set(turns.people)
        # What was read can be kept and read again; turns of less than a millisecond are lost.
        again = FORMATS["rttm"].read(FORMATS["rttm"].write([turns]), "a")
        assert all(one.recording == turns.recording for one in again)


def _seeds(_folder: Path) -> Sequence[bytes]:
    told = [(one.suffix, one.write([_TOLD]).encode()) for one in FORMATS.values()]
    more = [
        (".rttm", b";; by hand\nSPKR-INFO a 1 - - - unknown b -\nSPEAKER a 1 0 1 - - b -\n"),
        (".txt", b"0,5\t1\tA\n\\\t100\t200\n"),
        (".jsonl", DEEP),
    ]
    return [choosing(suffix, SUFFIXES, text) for suffix, text in (*told, *more)]


TARGETS = (
    Target(
        "turns",
        _read,
        _seeds,
        (
            *(b"SPEAKER", b"<NA>", b"TIME_VALUE", b"TIER_ID", b"1e308", b"-1", b"nan", b"\t"),
            *(b"<!DOCTYPE", b"encoding='utf-16'", b"\\ud800", b"\xe2\x80\xa8", b"9" * 400),
        ),
        smoke=300,
    ),
)
