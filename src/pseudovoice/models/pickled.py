"""What a torch checkpoint's pickle says about its tensors, read without unpickling anything.

A pickle is a program that may call any function. Here its opcodes are walked with the standard
library's disassembler and acted on by a stack machine that knows containers, numbers, strings and
the few torch names of a state dict; no object of the file's choosing is ever made and nothing is
ever called. Any other opcode or name ends the reading.
"""

from __future__ import annotations

import pickletools
from dataclasses import dataclass
from typing import IO, TypeVar

from pseudovoice.errors import InputError

_STORAGES = {
    "DoubleStorage": "<f8",
    "FloatStorage": "<f4",
    "HalfStorage": "<f2",
    "LongStorage": "<i8",
    "IntStorage": "<i4",
    "ShortStorage": "<i2",
    "CharStorage": "<i1",
    "ByteStorage": "<u1",
    "BoolStorage": "?",
}
_NAMES = {
    ("collections", "OrderedDict"),
    ("torch._utils", "_rebuild_tensor_v2"),
    ("torch._utils", "_rebuild_parameter"),
} | {("torch", storage) for storage in _STORAGES}

_T = TypeVar("_T")
_CONSTANTS: dict[str, object] = {"NONE": None, "NEWTRUE": True, "NEWFALSE": False}
_LITERALS = {"BININT", "BININT1", "BININT2", "LONG1", "LONG4", "BINFLOAT"} | {
    "SHORT_BINUNICODE",
    "BINUNICODE",
    "BINUNICODE8",
}
_LARGEST = 1 << 63
_TUPLES = {"EMPTY_TUPLE": 0, "TUPLE1": 1, "TUPLE2": 2, "TUPLE3": 3}


@dataclass(frozen=True)
class Storage:
    """A run of ``count`` numbers kept outside the pickle under ``key``."""

    dtype: str
    key: str
    count: int


@dataclass(frozen=True)
class Tensor:
    """A view of a storage; offset and strides count elements. Not yet checked for sense."""

    storage: Storage
    offset: object
    shape: object
    strides: object


@dataclass(frozen=True)
class _Name:
    """One of the admitted names: a mark on the stack, not the thing it names."""

    module: str
    name: str


class _Mark:
    pass


def read_pickle(stream: IO[bytes], where: str) -> object:
    """Read one pickle: dicts, lists, tuples, numbers and strings, with :class:`Tensor` leaves.

    The stream is left after it. Whatever is not of that kind raises :class:`InputError`.
    """
    machine = _Machine(where)
    try:
        for opcode, argument, _ in pickletools.genops(stream):
            if opcode.name == "STOP":
                return machine.stack.pop()
            machine.step(opcode.name, argument)
    except InputError:
        raise
    # A crafted or cut file can trip any of these; all mean the same to the user.
    except (
        ArithmeticError,
        AttributeError,
        LookupError,
        MemoryError,
        RecursionError,
        TypeError,
        ValueError,
    ) as error:
        raise InputError(
            f"{where} is not a readable checkpoint ({error}); it may be cut short or not be one: "
            f"download it again."
        ) from error
    raise InputError(f"{where} ends in the middle of a pickle; download it again.")


class _Machine:
    def __init__(self, where: str) -> None:
        self.where = where
        self.stack: list[object] = []
        self.memo: dict[int, object] = {}

    def step(self, code: str, argument: object) -> None:
        stack = self.stack
        if code in ("PROTO", "FRAME"):
            return
        if code in _LITERALS:
            stack.append(argument)
        elif code in _CONSTANTS:
            stack.append(_CONSTANTS[code])
        elif code == "MARK":
            stack.append(_Mark())
        elif code == "EMPTY_DICT":
            stack.append({})
        elif code == "EMPTY_LIST":
            stack.append([])
        elif code in _TUPLES:
            count = _TUPLES[code]
            stack.append(tuple(self._pop() for _ in range(count))[::-1])
        elif code == "TUPLE":
            stack.append(tuple(self._to_mark()))
        elif code in ("APPEND", "APPENDS"):
            items = [self._pop()] if code == "APPEND" else self._to_mark()
            self._top(list).extend(items)
        elif code in ("SETITEM", "SETITEMS"):
            items = [self._pop(), self._pop()][::-1] if code == "SETITEM" else self._to_mark()
            names = [_plain(name) for name in items[::2]]
            self._top(dict).update(zip(names, items[1::2], strict=True))
        elif code in ("BINPUT", "LONG_BINPUT"):
            self.memo[_whole(argument)] = stack[-1]
        elif code == "MEMOIZE":
            self.memo[len(self.memo)] = stack[-1]
        elif code in ("BINGET", "LONG_BINGET"):
            stack.append(self.memo[_whole(argument)])
        elif code == "GLOBAL":
            package, _, name = str(argument).partition(" ")
            stack.append(self._name(package, name))
        elif code == "STACK_GLOBAL":
            symbol, module = self._pop(), self._pop()
            stack.append(self._name(_plain(module), _plain(symbol)))
        elif code == "BINPERSID":
            stack.append(self._storage(self._pop()))
        elif code == "REDUCE":
            arguments, name_ = self._pop(), self._pop()
            stack.append(self._rebuild(name_, arguments))
        elif code == "BUILD":
            # torch hangs a table of module versions on the dict; nobody needs it.
            self._pop()
            self._top(dict)
        else:
            raise self._refusal(f"the pickle instruction {code}")

    def _pop(self) -> object:
        item = self.stack.pop()
        if isinstance(item, _Mark):
            raise ValueError("a value is missing")
        return item

    def _to_mark(self) -> list[object]:
        items: list[object] = []
        while not isinstance(item := self.stack.pop(), _Mark):
            items.append(item)
        return items[::-1]

    def _top(self, kind: type[_T]) -> _T:
        top = self.stack[-1]
        if not isinstance(top, kind):
            raise self._refusal(f"an instruction that changes a {type(top).__name__}")
        return top

    def _name(self, module: str | int, name: str | int) -> _Name:
        if (module, name) not in _NAMES:
            raise self._refusal(f"{module}.{name}")
        return _Name(str(module), str(name))

    def _storage(self, identity: object) -> Storage:
        if not isinstance(identity, tuple) or len(identity) not in (5, 6):
            raise self._refusal("a storage of unknown form")
        label, kind, key, _device, count, *view = identity
        if label != "storage" or not isinstance(kind, _Name) or any(v is not None for v in view):
            raise self._refusal("a storage of unknown form")
        return Storage(_STORAGES[kind.name], str(_plain(key)), _whole(count))

    def _rebuild(self, name: object, arguments: object) -> object:
        known = name.name if isinstance(name, _Name) else None
        if known == "OrderedDict" and arguments == ():
            return {}
        if isinstance(arguments, tuple):
            if known == "_rebuild_tensor_v2" and isinstance(arguments[0], Storage):
                return Tensor(arguments[0], *arguments[1:4])
            if known == "_rebuild_parameter" and isinstance(arguments[0], Tensor):
                return arguments[0]
        raise self._refusal(f"a call of {known or 'something that is no name'}")

    def _refusal(self, what: str) -> InputError:
        return InputError(
            f"{self.where} holds {what}, which is not a tensor: only plain state dicts are read, "
            f"because anything else in a pickle can run code. Save the state dict alone."
        )


def _whole(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise ValueError("there is something else where a count should be")
    return value


def _plain(name: object) -> str | int:
    """What names a thing: never a tuple.

    One nested a million deep overflows Python's own stack when it is hashed; one that holds the
    next one twice, sixty deep, is never done being hashed or written out.
    """
    if type(name) is str or (type(name) is int and abs(name) < _LARGEST):
        return name
    raise ValueError("there is something else where a name should be")
