"""An ONNX model of the Hugging Face Hub by its id: ``hf:org/name[@revision][/folder/file.onnx]``.

Nobody has pinned its hash, so it is trusted on first use: what came then is recorded, and from then
on only the very same bytes are accepted. Without a file name the usual two are tried.
"""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass
from pathlib import Path

from pseudovoice.encoders.frame_encoder import FrameEncoder
from pseudovoice.encoders.onnx_file import load_onnx
from pseudovoice.errors import InputError, UsageError
from pseudovoice.json_tree import json_tree
from pseudovoice.models.cache import cache_directory, sha256_of, store, workspace
from pseudovoice.models.download import DownloadError, from_url

_HUB = "https://huggingface.co"
_USUAL_FILES = ("model.onnx", "onnx/model.onnx")
_LARGEST = 2_000_000_000
_WORD = r"[A-Za-z0-9_][A-Za-z0-9._-]*"
_FORM = re.compile(
    rf"hf:(?P<repo>{_WORD}/{_WORD})(?:@(?P<revision>{_WORD}))?(?:/(?P<file>(?:{_WORD}/)*{_WORD}\.onnx))?"
)


@dataclass(frozen=True)
class HubModel:
    """A parsed id; ``files`` are the names to try."""

    repo: str
    revision: str
    files: tuple[str, ...]

    @classmethod
    def parse(cls, identifier: str) -> HubModel:
        """Read ``hf:org/name[@revision][/file.onnx]``; no part may point elsewhere."""
        match = _FORM.fullmatch(identifier)
        if match is None:
            raise UsageError(
                f"{identifier!r} is no model id; write hf:org/name or hf:org/name/file.onnx."
            )
        files = (match["file"],) if match["file"] else _USUAL_FILES
        return cls(match["repo"], match["revision"] or "main", files)

    def cached(self, file: str) -> Path:
        """Where that file lies in the cache, whether or not it is there."""
        folder = f"{self.repo.replace('/', '--')}@{self.revision}"
        return cache_directory() / "hub" / folder / file.replace("/", "--")


def load_hub(identifier: str, *, endpoint: str | None = None, threads: int = 1) -> FrameEncoder:
    """The encoder of that id. ``endpoint`` (or ``$HF_ENDPOINT``) names a mirror of the Hub."""
    model = HubModel.parse(identifier)
    base = (endpoint or os.environ.get("HF_ENDPOINT") or _HUB).rstrip("/")
    return load_onnx(_fetch(model, base), name=identifier, threads=threads)


def _fetch(model: HubModel, base: str) -> Path:
    for file in model.files:
        path = model.cached(file)
        if path.is_file() and _record(path).is_file():
            _check(path)
            return path
    failures = []
    for file in model.files:
        path = model.cached(file)
        url = f"{base}/{model.repo}/resolve/{model.revision}/{file}"
        try:
            with workspace(path.parent) as folder:
                partial = folder / "model"
                from_url(url, partial, largest=_LARGEST)
                note = {"url": url, "sha256": sha256_of(partial), "size": partial.stat().st_size}
                partial.replace(path)
        except DownloadError as error:
            failures.append(str(error))
            continue
        # Written last: a model without its record counts as never fetched.
        store(json.dumps(note, indent=1).encode(), _record(path))
        return path
    raise InputError(
        f"The model {model.repo} cannot be fetched: {'; '.join(failures)}. Check its name and the "
        f"network, or download its ONNX file elsewhere and name it onnx:PATH."
    )


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
