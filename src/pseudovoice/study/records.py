"""Records of results as JSON and back, exactly.

Numbers keep every digit, arrays their bytes. Reading goes by the types that the dataclasses
declare: what a file holds is data and can become nothing else.
"""

from __future__ import annotations

import base64
import io
import json
from dataclasses import Field, fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import numpy as np

from pseudovoice.json_tree import json_tree

T = TypeVar("T")


def to_json(record: Any) -> str:
    """A record, whatever records, tuples, mappings and arrays it holds, as one line of JSON."""
    return json.dumps(plain(record), ensure_ascii=True)


def from_json(text: str, kind: type[T]) -> T:
    """The record again; ValueError, KeyError or TypeError where the text is not one."""
    record: T = made(json_tree(text), kind)
    return record


def plain(value: Any) -> Any:
    """What JSON can hold of a record."""
    if is_dataclass(value):
        return {f.name: plain(getattr(value, f.name)) for f in _kept(value)}
    if isinstance(value, np.ndarray):
        out = io.BytesIO()
        np.save(out, value, allow_pickle=False)
        return base64.b64encode(out.getvalue()).decode("ascii")
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, dict):
        return {name: plain(inner) for name, inner in value.items()}
    if isinstance(value, tuple | list):
        return [plain(inner) for inner in value]
    return value


def _kept(record: Any) -> list[Field[Any]]:
    """The fields that go into a file: not what is only at hand while a result is made."""
    return [f for f in fields(record) if f.metadata.get("kept", True)]


@cache
def _types(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


def made(value: Any, kind: Any) -> Any:
    """The record of that kind again."""
    if kind is Any:
        return value
    if isinstance(kind, type) and is_dataclass(kind):
        return kind(**{f.name: made(value[f.name], _types(kind)[f.name]) for f in _kept(kind)})
    origin, inside = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        return _one_of(value, inside)
    if origin is Literal:
        return value
    if origin is tuple:
        if len(inside) == 2 and inside[1] is Ellipsis:
            return tuple(made(item, inside[0]) for item in value)
        return tuple(made(item, one) for item, one in zip(value, inside, strict=True))
    if origin is dict:
        return {name: made(item, inside[1]) for name, item in value.items()}
    if origin is np.ndarray:
        return np.load(io.BytesIO(base64.b64decode(value)), allow_pickle=False)
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        return value
    if not isinstance(value, kind):
        raise TypeError(f"{value!r:.40} is not {kind}")
    return value


def _one_of(value: Any, kinds: tuple[Any, ...]) -> Any:
    if value is None and NoneType in kinds:
        return None
    rest = [kind for kind in kinds if kind is not NoneType]
    if len(rest) == 1:
        return made(value, rest[0])
    if not isinstance(value, tuple(rest) + ((int,) if float in rest else ())):
        raise TypeError(f"{value!r:.40} is none of {rest}")
    return value
