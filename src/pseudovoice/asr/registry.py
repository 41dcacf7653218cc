"""Speech recognisers by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from pseudovoice.errors import UsageError

if TYPE_CHECKING:  # recognisers can be named without loading what runs them
    from pseudovoice.asr.recogniser import SpeechRecogniser

DEFAULT_RECOGNISER = "moonshine-base"
TRAINED = "ctc:"
"""Before the folder of a recogniser of one's own."""


def _moonshine(*, threads: int) -> SpeechRecogniser:
    from pseudovoice.asr.moonshine import load_moonshine

    return load_moonshine(threads=threads)


def _whisper(size: str) -> Callable[..., SpeechRecogniser]:
    def load(*, threads: int) -> SpeechRecogniser:
        from pseudovoice.asr.whisper import load_whisper

        return load_whisper(f"whisper-{size}", threads=threads)

    return load


_LOADERS: dict[str, Callable[..., SpeechRecogniser]] = {
    "moonshine-base": _moonshine,
    "whisper-base": _whisper("base"),
    "whisper-small": _whisper("small"),
}

RECOGNISER_NAMES: tuple[str, ...] = tuple(_LOADERS)


def load_recogniser(name: str = DEFAULT_RECOGNISER, *, threads: int = 1) -> SpeechRecogniser:
    """Load a recogniser, fetching its weights into the user's cache the first time.

    ``ctc:FOLDER`` is what ``pseudovoice train-asr`` left in a folder. Any other object of the
    shape :class:`SpeechRecogniser` can be used in its place.
    """
    if name.startswith(TRAINED):
        # Imported here: its search is compiled, which nobody else should wait for.
        from pseudovoice.asr.ctc import load_ctc

        return load_ctc(name.removeprefix(TRAINED), threads=threads)
    try:
        loader = _LOADERS[name]
    except KeyError:
        raise UsageError(
            f"There is no speech recogniser {name!r}; name {', '.join(RECOGNISER_NAMES)} or "
            f"{TRAINED}FOLDER, or pass an object with the shape of SpeechRecogniser."
        ) from None
    return loader(threads=threads)
