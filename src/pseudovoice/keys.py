"""Secret keys, and every random draw as a function of them.

A draw is HMAC-SHA-256 of (session, purpose, name) under the key: it does not depend on the order of
files, on the shard or on the platform. Who does not have the key cannot repeat it; another
session is another, unlinkable draw.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import os
import secrets
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn, Protocol

from pseudovoice.atomic import naming
from pseudovoice.errors import InputError, UsageError
from pseudovoice.private import check_private, open_plain
from pseudovoice.private.irreplaceable import KEY_HEADER
from pseudovoice.storage import address_of, is_outgoing

SIZE = 32
MOST_BYTES = 1024
"""A key file is one short line."""


@dataclass(frozen=True)
class Key:
    """A secret; it never appears in logs, reports, names or outputs. Its identifier may."""

    secret: bytes = field(repr=False)

    @property
    def identifier(self) -> str:
        """Eight hex digits that tell keys apart and give nothing of the secret away."""
        return hmac.new(self.secret, b"identifier", hashlib.sha256).hexdigest()[:8]

    def identifier_in(self, session: str) -> str:
        """The same for one session alone, for what is released: two sessions must not be linked."""
        return self.derive(session, "identifier", "").hex()[:8]

    def derive(self, session: str, purpose: str, name: str) -> bytes:
        """32 bytes for a purpose and a name; fields carry their length, so none runs on."""
        message = b"".join(
            len(part).to_bytes(8, "big") + part
            for part in (text.encode("utf-8") for text in (session, purpose, name))
        )
        return hmac.new(self.secret, message, hashlib.sha256).digest()

    def uniform(self, session: str, purpose: str, name: str) -> float:
        """A number in [0, 1), the same on every platform."""
        return as_uniform(self.derive(session, purpose, name))

    def __reduce__(self) -> NoReturn:
        """A key stays in the process that read it; others get what they need derived of it."""
        raise TypeError("a secret key is never pickled")


Which = tuple[str, str, str]
"""Session, purpose and name of something derived."""


class NotDrawnError(BaseException):
    """Something was asked for that was not derived beforehand.

    No ``Exception``: a safeguard that goes on after one would speak with another voice.
    """

    def __init__(self, which: Which) -> None:
        super().__init__("was not derived")
        self.which = which


@dataclass(frozen=True)
class Drawn:
    """What was derived of a key, where the key itself must not be."""

    known: Mapping[Which, bytes] = field(repr=False)

    def derive(self, session: str, purpose: str, name: str) -> bytes:
        """See :meth:`Key.derive`; raises :class:`NotDrawnError` for all that is not known."""
        try:
            return self.known[session, purpose, name]
        except KeyError:
            raise NotDrawnError((session, purpose, name)) from None

    def uniform(self, session: str, purpose: str, name: str) -> float:
        """See :meth:`Key.uniform`."""
        return as_uniform(self.derive(session, purpose, name))


class Draws(Protocol):
    """A key, or what stands for it."""

    def derive(self, session: str, purpose: str, name: str) -> bytes: ...
    def uniform(self, session: str, purpose: str, name: str) -> float: ...


def as_uniform(derived: bytes) -> float:
    """A number in [0, 1) of something derived."""
    return int.from_bytes(derived[:7], "big") / 2.0**56


def new_key(path: str | Path | None = None) -> Key:
    """A new key, written into a file of its own if one is named."""
    key = Key(secrets.token_bytes(SIZE))
    if path is not None:
        write_key(key, path)
    return key


def write_key(key: Key, path: str | Path) -> None:
    """Write a new key file that only its owner can read; never over an existing file."""
    path = Path(path)
    text = KEY_HEADER + base64.b64encode(key.secret).decode("ascii") + "\n"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _put(text.encode("ascii"), path)
    except FileExistsError:
        raise UsageError(
            f"{path}: there is a file already; a key is never overwritten, since what it "
            "protected could not be protected alike again."
        ) from None
    except OSError as error:
        raise InputError(f"{path}: the key cannot be written ({error.strerror}).") from None


def _put(data: bytes, path: Path) -> None:
    """Make a private file, whole at once: another run may look for the key at the same time."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        try:
            os.link(temporary, path)  # unlike a rename it takes no file's place
        except OSError as error:
            if isinstance(error, FileExistsError):
                raise
            # A file system without links: whole or not is left to the next read.
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(handle, "wb") as file:
                file.write(data)
    finally:
        Path(temporary).unlink(missing_ok=True)


def key_beside(out: Path) -> Path:
    """Where the key of what is written to ``out`` lies unless another is named."""
    if address_of(out) is not None or is_outgoing(out):
        raise UsageError(
            "What goes elsewhere has its key here: make one with `pseudovoice key new FILE`, and "
            "name it with `key`."
        )
    whole = out.resolve()
    return whole.with_name(whole.name + ".key")


def key_at(path: Path) -> tuple[Key, bool]:
    """The key in a file, and whether it was made just now because there was none."""
    if not os.path.lexists(path):
        try:
            new_key(path)
        except UsageError:  # another run has just made it
            return read_key(path), False
        return read_key(path), True
    return read_key(path), False


def read_key(path: str | Path) -> Key:
    """Read a key file; the sentences about a bad one never quote it."""
    path = Path(path)
    try:
        handle = open_plain(path, os.O_RDONLY, largest=MOST_BYTES)
    except FileNotFoundError:
        raise InputError(
            f"{path}: there is no such key file; make one with: pseudovoice key new {path}"
        ) from None
    except OSError as error:
        raise InputError(
            f"{path}: the key cannot be read ({error.strerror}); check the path."
        ) from None
    with naming(path), os.fdopen(handle, "rb") as file:
        key = _key_in(file.read(), path)
        check_private(file.fileno(), path)
    return key


def _key_in(data: bytes, path: Path) -> Key:
    try:
        text = data.decode("ascii").strip()
        if not text.startswith(KEY_HEADER):
            raise ValueError
        secret = base64.b64decode(text.removeprefix(KEY_HEADER), validate=True)
        if len(secret) != SIZE:
            raise ValueError
    except (ValueError, binascii.Error):
        raise InputError(
            f"{path}: this is no key file; make one with: pseudovoice key new FILE."
        ) from None
    return Key(secret)
