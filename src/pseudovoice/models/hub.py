"""Files of a repository of the Hugging Face Hub, trusted on first use.

Nobody has pinned their hashes: what came first is recorded beside each file, and from then on only
the very same bytes are accepted.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from pseudovoice.errors import InputError
from pseudovoice.json_tree import json_tree
from pseudovoice.models.cache import cache_directory, sha256_of, store, workspace
from pseudovoice.models.download import DownloadError, from_url

WORD = r"[A-Za-z0-9_][A-Za-z0-9._-]*"
REPOSITORY = rf"hf:(?P<repo>{WORD}/{WORD})(?:@(?P<revision>{WORD}))?"
"""How one is named: ``hf:org/name[@revision]``; no part may point elsewhere."""

_HUB = "https://huggingface.co"
_LARGEST = 2_000_000_000


@dataclass(frozen=True)
class HubRepository:
    """``org/name`` at a revision; ``endpoint`` (or ``$HF_ENDPOINT``) names a mirror of the Hub."""

    repo: str
    revision: str = "main"
    endpoint: str | None = None

    def cached(self, file: str) -> Path:
        """Where that file lies in the cache, whether or not it is there."""
        folder = f"{self.repo.replace('/', '--')}@{self.revision}"
        return cache_directory() / "hub" / folder / file.replace("/", "--")

    def kept(self, file: str) -> Path | None:
        """That file if it came before; an InputError if it has changed since."""
        path = self.cached(file)
        if not path.is_file() or not _record(path).is_file():
            return None
        _check(path)
        return path

    def fetched(self, file: str) -> Path:
        """That file, from the cache or the Hub; a DownloadError if neither has it."""
        if (kept := self.kept(file)) is not None:
            return kept
        path = self.cached(file)
        base = (self.endpoint or os.environ.get("HF_ENDPOINT") or _HUB).rstrip("/")
        url = f"{base}/{self.repo}/resolve/{self.revision}/{file}"
        with workspace(path.parent) as folder:
            partial = folder / "file"
            from_url(url, partial, largest=_LARGEST)
            note = {"url": url, "sha256": sha256_of(partial), "size": partial.stat().st_size}
            partial.replace(path)
        # Written last: a file without its record counts as never fetched.
        store(json.dumps(note, indent=1).encode(), _record(path))
        return path

    def first_of(self, files: Iterable[str]) -> Path:
        """The first of these files that is kept, else the first that the Hub has.

        A DownloadError with all that was said if it has none.
        """
        names = tuple(files)
        kept = next((path for name in names if (path := self.kept(name)) is not None), None)
        if kept is not None:
            return kept
        failures = []
        for name in names:
            try:
                return self.fetched(name)
            except DownloadError as error:
                failures.append(str(error))
        raise DownloadError("; ".join(failures))


def _record(path: Path) -> Path:
    return path.with_name(path.name + ".first-use")


def _check(path: Path) -> None:
    try:
        recorded = json_tree(_record(path).read_text(encoding="utf-8"))["sha256"]
    except (OSError, ValueError, KeyError, TypeError):
        recorded = None
    if sha256_of(path) != recorded:
        raise InputError(
            f"{path} is not the file that was first fetched (another sha256): remove the folder "
            f"{path.parent} to fetch it again."
        )
