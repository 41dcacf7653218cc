"""A trained network, its front end and its search as one recogniser; torch has no part in it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from pseudovoice.asr.ctc.decoder import Decoder
from pseudovoice.asr.ctc.front_end import FRONT_ENDS, RATE, FrontEnd, load_front_end
from pseudovoice.asr.ctc.units import UNITS
from pseudovoice.asr.recogniser import Float32, admit
from pseudovoice.errors import InputError
from pseudovoice.json_tree import json_tree
from pseudovoice.models.cache import sha256_of
from pseudovoice.models.once import mark_of, once
from pseudovoice.models.one_file import open_own
from pseudovoice.models.session import as_function
from pseudovoice.text.arpa import read_arpa
from pseudovoice.text.ngram import NGram

MODEL_FILE = "model.onnx"
DECLARATION_FILE = "model.json"
LANGUAGE_FILE = "language.arpa.gz"
_LANGUAGE_FILES = (LANGUAGE_FILE, "language.arpa")
_OWN = "that of the speech it was trained on"


@dataclass(frozen=True)
class CtcRecogniser:
    """A :class:`SpeechRecogniser`; the session is shared by all threads that call it."""

    name: str
    licence: str
    sha256s: dict[str, str]
    front_end: FrontEnd
    decoder: Decoder = field(repr=False)
    network: Callable[[Float32], Float32] = field(repr=False)
    sample_rate: int = RATE
    folder: str | None = None
    """Where all of it lies; None where a part was given in memory."""

    def __reduce__(self) -> tuple[Any, ...]:
        if self.folder is None:
            raise TypeError("a recogniser with parts of one's own has no place to be read from")
        return once, (load_ctc, self.folder, mark_of(self))

    @property
    def decoding(self) -> str:
        return self.decoder.said

    def hear(self, samples: NDArray[Any]) -> Float32:
        """ln P of each unit in each frame, [T, units]."""
        heard: Float32 = self.network(self.front_end(admit(samples, self.name))[None])[0]
        return heard

    def transcribe(self, samples: NDArray[Any]) -> str:
        """See :meth:`SpeechRecogniser.transcribe`."""
        return self.decoder(self.hear(samples)).text


def load_ctc(
    folder: Path | str,
    *,
    threads: int = 1,
    language: NGram | None = None,
    front_end: FrontEnd | None = None,
    **search: Any,
) -> CtcRecogniser:
    """What ``pseudovoice train-asr`` left in a folder.

    The language model is ``language`` or the ARPA file in the folder; without either the search
    goes without. ``front_end`` spares loading one that the caller has. ``search`` are choices of
    :class:`Decoder`.
    """
    folder = Path(folder)
    whole = language is None and front_end is None and not search
    said = _declaration(folder / DECLARATION_FILE)
    front_end = front_end or load_front_end(said["front_end"], threads=threads)
    if front_end.identity != said["identity"]:
        raise InputError(
            f"{folder}: the network was trained on frames of another version of "
            f"{said['front_end']}; train it again."
        )
    model = folder / MODEL_FILE
    sha256s = {"network": sha256_of(model), **front_end.sha256s}
    if language is not None:
        sha256s["language"] = _identity(language)
    else:
        for name in _LANGUAGE_FILES:
            if (folder / name).is_file():
                language = read_arpa(folder / name)
                sha256s["language"] = sha256_of(folder / name)
                break
    return CtcRecogniser(
        name=f"ctc:{said['recipe']} {sha256s['network'][:8]}",
        licence=" and ".join(filter(None, (front_end.licence, _OWN))),
        sha256s=sha256s,
        front_end=front_end,
        decoder=Decoder(language, **search),
        network=as_function(open_own(model, threads=threads)),
        folder=str(folder.resolve()) if whole else None,
    )


def _identity(language: NGram) -> str:
    digest = hashlib.sha256("\n".join(language.words).encode())
    for array in language.arrays:
        digest.update(array.tobytes())
    return digest.hexdigest()


def _declaration(path: Path) -> dict[str, str]:
    try:
        said = json_tree(path.read_text(encoding="utf-8"))
        known = said["front_end"] in FRONT_ENDS and tuple(said["units"]) == UNITS
        wanted = {name: str(said[name]) for name in ("recipe", "front_end", "identity")}
    except OSError:
        raise InputError(
            f"{path} does not exist; name a folder that `pseudovoice train-asr` has written."
        ) from None
    except (ValueError, KeyError, TypeError):
        known = False
    if not known:
        raise InputError(f"{path} is not of a network that can be used here; train it again.")
    return wanted
