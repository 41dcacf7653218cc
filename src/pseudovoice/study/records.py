"""Records of results as JSON and back, exactly.

Numbers keep every digit, also those that are none (``NaN``, ``Infinity``), and arrays their bytes.
Reading goes by the types that the dataclasses declare: what a file holds is data and can become
nothing else.
"""

from __future__ import annotations

import base64
import io
import json
from dataclasses import fields, is_dataclass
from typing import Any, TypeVar, get_origin

import msgspec
import numpy as np
from numpy.typing import NDArray

from pseudovoice.json_tree import json_tree

T = TypeVar("T")


def to_json(record: Any) -> str:
    """A record, whatever records, tuples, mappings and arrays it holds, as one line of JSON."""
    # Not by msgspec, which writes numbers that are none as null.
    return json.dumps(record, default=_plain, ensure_ascii=True)


def from_json(text: str, kind: type[T]) -> T:
    """The record again; ValueError where the text is not one."""
    return from_tree(json_tree(text), kind)


def from_tree(tree: Any, kind: type[T]) -> T:
    """The record in what JSON held; ValueError where there is none."""
    try:
        return msgspec.convert(tree, kind, dec_hook=_array)
    except msgspec.ValidationError as error:
        raise ValueError(str(error)) from None


def _plain(value: Any) -> Any:
    """What JSON has no word for, one level of it."""
    if is_dataclass(value):
        # Not what is only at hand while a result is made.
        kept = [f.name for f in fields(value) if f.metadata.get("kept", True)]
        return {name: getattr(value, name) for name in kept}
    if isinstance(value, np.ndarray):
        out = io.BytesIO()
        np.lib.format.write_array(out, value, allow_pickle=False)
        return base64.b64encode(out.getvalue()).decode("ascii")
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{type(value)} is no part of a record")


def _array(kind: Any, value: Any) -> NDArray[Any]:
    if get_origin(kind) is not np.ndarray:
        raise TypeError(f"{kind} is no part of a record")
    array: NDArray[Any] = np.lib.format.read_array(
        io.BytesIO(base64.b64decode(value, validate=True)), allow_pickle=False
    )
    return array
