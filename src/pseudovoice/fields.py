"""What a file holds as values of the types that are declared; every wrong one becomes a sentence.

msgspec decides whether a value is of a type, and stops at the first that is not. What it refuses
is gone through part by part, since whoever corrects a file wants to hear of all faults at once.
The words come from the types: the title of a ``Meta`` says what a value is.
"""

from __future__ import annotations

import reprlib
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from difflib import get_close_matches
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import msgspec

ABSENT = object()
"""In place of a value that was wrong."""
_LARGEST = 1 << 63
_LONGEST = 100


@dataclass
class Faults:
    """Sentences about a file, in the order in which they were found."""

    file: str
    found: list[str] = field(default_factory=list)

    def say(self, path: str, what: str, allowed: str) -> None:
        self.found.append(f"{self.file}: {path}: {what}; {allowed}.")


def read_value(value: Any, kind: Any, path: str, faults: Faults) -> Any:
    """The value at ``path`` as what is declared, without what is wrong of it; perhaps `ABSENT`."""
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError:
        said = len(faults.found)
    read: Any = ABSENT
    for one in _kinds(kind):
        if isinstance(value, dict) and _is_record(one):
            good = read_fields(value, one, path, faults)
            needed = {f.name for f in msgspec.structs.fields(one) if f.required}
            read = one(**good) if needed <= good.keys() else ABSENT
        elif isinstance(value, dict) and get_origin(one) is dict:
            inner = get_args(one)[1]
            parts = {n: read_value(v, inner, _at(path, n), faults) for n, v in value.items()}
            read = {name: part for name, part in parts.items() if part is not ABSENT}
        elif isinstance(value, list) and get_origin(one) is tuple:
            inner = get_args(one)[0]
            read = tuple(read_value(v, inner, f"{path}[{k}]", faults) for k, v in enumerate(value))
    if len(faults.found) == said:
        faults.say(path or "the file", *fault_of(value, kind))
        return ABSENT
    return read


def read_fields(
    value: Any, record: type[msgspec.Struct], path: str, faults: Faults
) -> dict[str, Any]:
    """The fields of a mapping that are right, by name."""
    if not isinstance(value, dict):
        faults.say(path or "the file", *fault_of(value, record))
        return {}
    known = {one.name: one for one in msgspec.structs.fields(record)}
    for name in value:
        if name not in known:
            hint = _hint(name, known, "there are")
            faults.say(_at(path, name), "there is no such field", hint)
    good = {}
    for name, one in known.items():
        if one.required and value.get(name) is None:
            faults.say(_at(path, name), "is missing", f"write {_what(one.type)}")
        elif name in value:
            good[name] = read_value(value[name], one.type, _at(path, name), faults)
    return {name: one for name, one in good.items() if one is not ABSENT}


def fault_of(value: Any, kind: Any) -> tuple[str, str]:
    """What is wrong with a value, and what is allowed."""
    kinds, what = _kinds(kind), _what(kind)
    names = [name for one in kinds if get_origin(one) is Literal for name in get_args(one)]
    examples = [name for meta in _metas(kind) for name in meta.examples or ()]
    records = [one for one in kinds if _is_record(one)]
    if records and not what:
        known = [one.name for one in msgspec.structs.fields(records[0])]
        return f"{shown(value)} is not a mapping", f"it has {', '.join(known)}"
    by_name = examples or not what
    allowed = _hint(value, examples or names, "choose from") if by_name else f"write {what}"
    if isinstance(value, list | dict) and not value:
        return "is empty", allowed
    if any(get_origin(one) is dict for one in kinds):
        what = "a mapping"
    return f"{shown(value)} is not {what}" if what else f"there is no {shown(value)}", allowed


def _kinds(kind: Any) -> list[Any]:
    """What a type allows, each alone and bare of its description."""
    bare = get_args(kind)[0] if get_origin(kind) is Annotated else kind
    if get_origin(bare) in (Union, UnionType):
        return [one for inner in get_args(bare) for one in _kinds(inner) if one is not NoneType]
    return [bare]


def _metas(kind: Any) -> Iterator[msgspec.Meta]:
    """Descriptions of a type, the outermost first, then those of what it allows."""
    bare, *described = get_args(kind) if get_origin(kind) is Annotated else (kind,)
    yield from reversed(described)
    if get_origin(bare) in (Union, UnionType):
        for one in get_args(bare):
            yield from _metas(one)


def _what(kind: Any) -> str:
    return next((meta.title for meta in _metas(kind) if meta.title), "")


def _is_record(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, msgspec.Struct)


def _at(path: str, name: Any) -> str:
    """The path of a field, for a sentence."""
    name = name if isinstance(name, str) and len(name) <= _LONGEST else shown(name)
    return f"{path}.{name}" if path else str(name)


def shown(value: Any) -> str:
    """A value for a sentence, short whatever the file holds."""
    if isinstance(value, int) and abs(value) >= _LARGEST:
        return "a huge number"  # which Python refuses to write out
    return "nothing" if value is None else reprlib.repr(value)


def _hint(value: Any, known: Collection[str], listed: str) -> str:
    """The name that was meant, if any, and all there are."""
    # Only of a text: a list that holds itself has no end.
    near = get_close_matches(value[:_LONGEST], known, 1, 0.6) if isinstance(value, str) else []
    there = f"{listed} {', '.join(known)}"
    return f"did you mean {near[0]}? {there[0].upper()}{there[1:]}" if near else there
