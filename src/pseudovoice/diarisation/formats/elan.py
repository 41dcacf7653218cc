"""ELAN's .eaf: a tier for each person, whose annotations are the turns.

Written as version 3.0 of the format. Read are all tiers with times of their own; a person is the
tier's participant or, without one, the tier.
"""

from __future__ import annotations

from collections.abc import Iterable
from xml.etree import ElementTree as xml

from pseudovoice.diarisation.formats.faults import FormatFault, turn_of
from pseudovoice.diarisation.formats.names import plain
from pseudovoice.diarisation.turns import Turns

_KIND = "turn"


def read_elan(text: str, stem: str) -> list[Turns]:
    # A file of annotations declares no entities; one that does could grow without end.
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise FormatFault(None, "declares a document type, which no file of ELAN does")
    try:
        root = xml.fromstring(text.encode())
    except (xml.ParseError, ValueError, LookupError) as error:
        raise FormatFault(None, f"is no XML ({error})") from None
    if root.tag != "ANNOTATION_DOCUMENT":
        raise FormatFault(None, "is no document of annotations")
    slots = {slot.get("TIME_SLOT_ID"): slot.get("TIME_VALUE") for slot in root.iter("TIME_SLOT")}
    turns = []
    for tier in root.iter("TIER"):
        person = tier.get("PARTICIPANT") or tier.get("TIER_ID") or ""
        for annotation in tier.iter("ALIGNABLE_ANNOTATION"):
            start, end = (_seconds(slots.get(annotation.get(f"TIME_SLOT_REF{k}"))) for k in (1, 2))
            turns.append(turn_of(start, end, person, None))
    return [Turns.of(plain(stem), turns)]


def _seconds(milliseconds: str | None) -> float:
    if milliseconds is None or not milliseconds.isascii() or not milliseconds.isdigit():
        raise FormatFault(None, "has an annotation without times; align it in ELAN first")
    return int(milliseconds[:12]) / 1000


def write_elan(recordings: Iterable[Turns]) -> str:
    (one,) = recordings
    root = xml.Element(
        "ANNOTATION_DOCUMENT", AUTHOR="", DATE="1970-01-01T00:00:00+00:00", FORMAT="3.0",
        VERSION="3.0",
    )  # fmt: skip
    xml.SubElement(root, "HEADER", MEDIA_FILE="", TIME_UNITS="milliseconds")
    order = xml.SubElement(root, "TIME_ORDER")
    tiers = {
        person: xml.SubElement(
            root, "TIER", LINGUISTIC_TYPE_REF=_KIND, PARTICIPANT=person, TIER_ID=person
        )
        for person in one.people
    }
    for k, turn in enumerate(one.turns):
        for n, time in enumerate((turn.start, turn.end)):
            slot = f"ts{2 * k + n + 1}"
            xml.SubElement(
                order, "TIME_SLOT", TIME_SLOT_ID=slot, TIME_VALUE=str(round(1000 * time))
            )
        outer = xml.SubElement(tiers[turn.person], "ANNOTATION")
        inner = xml.SubElement(
            outer, "ALIGNABLE_ANNOTATION", ANNOTATION_ID=f"a{k + 1}",
            TIME_SLOT_REF1=f"ts{2 * k + 1}", TIME_SLOT_REF2=f"ts{2 * k + 2}",
        )  # fmt: skip
        xml.SubElement(inner, "ANNOTATION_VALUE").text = turn.person
    xml.SubElement(
        root, "LINGUISTIC_TYPE", GRAPHIC_REFERENCES="false", LINGUISTIC_TYPE_ID=_KIND,
        TIME_ALIGNABLE="true",
    )  # fmt: skip
    xml.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + xml.tostring(root, "unicode") + "\n"
