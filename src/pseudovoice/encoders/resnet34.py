"""WeSpeaker's ResNet34, the default encoder: the strongest light one that installs by name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from pseudovoice.encoders.frame_encoder import FrameEncoder
from pseudovoice.encoders.residual_trunk import read_trunk
from pseudovoice.memory import give_back
from pseudovoice.models import fetch
from pseudovoice.models.session import as_function, open_session
from pseudovoice.signal.fbank import utterance_fbank
from pseudovoice.signal.frames import Float32

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
        network=network_of(weights.path, threads=threads),
    )


def network_of(path: Path, *, threads: int) -> Callable[[Float32], Float32]:
    """Blocks by our own loops and the pooling by onnxruntime; a file of another build by it alone.

    Products of matrices take as many threads as BLAS is given.
    """
    trunk = read_trunk(path)
    if trunk is None:
        return as_function(open_session(path, threads=threads))
    pooling = as_function(open_session(path, threads=threads, only=trunk.output, behind=trunk.end))
    give_back()  # the file itself, which both have read
    return lambda features: pooling(trunk(features))
