"""Addresses such as ``s3://bucket/folder``, told from paths of this machine."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from pseudovoice.errors import UsageError

# A path takes two slashes for one; a letter alone is a drive of Windows.
_ADDRESS = re.compile(r"([a-z][a-z0-9+]{1,15}):/{1,2}([^/].*)", re.DOTALL)
_SPELT = re.compile(r"\b((?:s3a?|gc?s|abfss?|az|sftp|memory):/)(?=[^/])")


@dataclass(frozen=True)
class Address:
    """A place that ``protocol`` leads to; ``path`` begins with the bucket or the host."""

    protocol: str
    path: str

    def __str__(self) -> str:
        return f"{self.protocol}://{self.path}"

    def below(self, place: str) -> Address:
        return Address(self.protocol, f"{self.path}/{place}")

    @property
    def local(self) -> Path:
        """Where its stand-ins lie, below the folder of all stand-ins."""
        return Path(self.protocol, *PurePosixPath(self.path).parts)


def address_of(place: str | Path) -> Address | None:
    """The address that a place is; None for a path of this machine, which may look like one."""
    found = _ADDRESS.fullmatch(str(place))
    if found is None or Path(place).exists():
        return None
    protocol, path = found[1], found[2].rstrip("/")
    if "@" in path.split("/", 1)[0]:
        raise UsageError(
            f"{protocol}://…: a name and a password do not belong into an address, where others "
            "see them; give them in the way of the store's own programs."
        )
    if any(part in ("", ".", "..") for part in path.split("/")):
        raise UsageError(
            f"{protocol}://{path}: is no address of a folder; write it without .. and //."
        )
    return Address(protocol, path)


def spelt(text: str) -> str:
    """Addresses in a text with both of their slashes."""
    return _SPELT.sub(r"\1/", text)
