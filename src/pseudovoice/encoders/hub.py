"""An ONNX model of the Hugging Face Hub by its id: ``hf:org/name[@revision][/folder/file.onnx]``.

It is trusted on first use (:mod:`pseudovoice.models.hub`). Without a file name the usual two are
tried.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from pseudovoice.encoders.frame_encoder import FrameEncoder
from pseudovoice.encoders.onnx_file import load_onnx
from pseudovoice.errors import InputError, UsageError
from pseudovoice.models.download import DownloadError
from pseudovoice.models.hub import REPOSITORY, WORD, HubRepository

_USUAL_FILES = ("model.onnx", "onnx/model.onnx")
_FORM = re.compile(rf"{REPOSITORY}(?:/(?P<file>(?:{WORD}/)*{WORD}\.onnx))?")


@dataclass(frozen=True)
class HubModel:
    """A parsed id; ``files`` are the names to try."""

    repository: HubRepository
    files: tuple[str, ...]

    @classmethod
    def parse(cls, identifier: str, endpoint: str | None = None) -> HubModel:
        """Read ``hf:org/name[@revision][/file.onnx]``; no part may point elsewhere."""
        match = _FORM.fullmatch(identifier)
        if match is None:
            raise UsageError(
                f"{identifier!r} is no model id; write hf:org/name or hf:org/name/file.onnx."
            )
        files = (match["file"],) if match["file"] else _USUAL_FILES
        return cls(HubRepository(match["repo"], match["revision"] or "main", endpoint), files)


def load_hub(identifier: str, *, endpoint: str | None = None, threads: int = 1) -> FrameEncoder:
    """The encoder of that id. ``endpoint`` (or ``$HF_ENDPOINT``) names a mirror of the Hub."""
    return load_onnx(_fetch(HubModel.parse(identifier, endpoint)), name=identifier, threads=threads)


def _fetch(model: HubModel) -> Path:
    try:
        return model.repository.first_of(model.files)
    except DownloadError as error:
        raise InputError(
            f"The model {model.repository.repo} cannot be fetched: {error}. Check its name and the "
            f"network, or download its ONNX file elsewhere and name it onnx:PATH."
        ) from None
