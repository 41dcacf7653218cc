"""SpeechBrain's ECAPA-TDNN, of the strength of the default and of another family."""

from __future__ import annotations

from pathlib import Path

from pseudovoice.encoders.frame_encoder import FrameEncoder
from pseudovoice.models import fetch, read_tensors
from pseudovoice.models.graph_cache import written_graph
from pseudovoice.models.session import as_function, open_session
from pseudovoice.signal.fbank_speechbrain import RATE, speechbrain_fbank

_GRAPH_VERSION = 1
_DIMENSION = 192


def load_ecapa(*, threads: int = 1) -> FrameEncoder:
    """The encoder ``ecapa``."""
    weights = fetch("ecapa")
    item = weights.artefact
    path = written_graph("ecapa", item.sha256, _GRAPH_VERSION, lambda: _write(weights.path))
    return FrameEncoder(
        name=item.name,
        sample_rate=RATE,
        dimension=_DIMENSION,
        licence=item.licence,
        sha256=item.sha256,
        features=speechbrain_fbank,
        network=as_function(open_session(path, threads=threads)),
    )


def _write(checkpoint: Path) -> bytes:
    # onnx is slow to import and needed only this once.
    from pseudovoice.encoders.ecapa_graph import ecapa_graph

    return ecapa_graph(read_tensors(checkpoint))
