"""Speech recognisers by name."""

from __future__ import annotations

from collections.abc import Callable

from pseudovoice.errors import UsageError
from pseudovoice.utility.moonshine import load_moonshine
from pseudovoice.utility.recogniser import SpeechRecogniser

DEFAULT_RECOGNISER = "moonshine-base"

_LOADERS: dict[str, Callable[..., SpeechRecogniser]] = {"moonshine-base": load_moonshine}

RECOGNISER_NAMES: tuple[str, ...] = tuple(_LOADERS)


def load_recogniser(name: str = DEFAULT_RECOGNISER, *, threads: int = 1) -> SpeechRecogniser:
    """Load a recogniser, fetching its weights into the user's cache the first time.

    Any other object of the shape :class:`SpeechRecogniser` can be used in its place.
    """
    try:
        loader = _LOADERS[name]
    except KeyError:
        raise UsageError(
            f"There is no speech recogniser {name!r}; name {', '.join(RECOGNISER_NAMES)}, or pass "
            f"an object with the shape of SpeechRecogniser."
        ) from None
    return loader(threads=threads)
