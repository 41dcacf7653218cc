"""WeSpeaker's ResNet34, the default encoder: the strongest light one that installs by name."""

from __future__ import annotations

from pseudovoice.encoders.frame_encoder import FrameEncoder
from pseudovoice.models import fetch
from pseudovoice.models.session import as_function, open_session
from pseudovoice.signal.fbank import utterance_fbank

_DIMENSION = 256


def load_resnet34(name: str = "resnet34-lm", *, threads: int = 1) -> FrameEncoder:
    """``resnet34-lm`` (large-margin fine-tuned) or ``resnet34``; its name says what was found.

    If the wanted weights are not to be had, those of the same family are taken with a warning.
    """
    weights = fetch(name)
    return FrameEncoder(
        name=weights.artefact.name,
        sample_rate=16_000,
        dimension=_DIMENSION,
        licence=weights.artefact.licence,
        sha256=weights.artefact.sha256,
        features=utterance_fbank,
        network=as_function(open_session(weights.path, threads=threads)),
    )
