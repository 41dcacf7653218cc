"""The fine layers of DNSMOS: four convolutions at full size, in which nearly all of its work is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pseudovoice.asr.recogniser import Float32
from pseudovoice.models.convolution import Image, Keeping, Striding
from pseudovoice.models.session import as_function, open_session

POOLED = 2
"""Frames, and bins, that the first pooling makes one of."""

# Samples in frames, and their logarithmic spectrum; what follows it are the layers.
_FRAMED = "mos_estimator_logpow/concat:0"
_SPECTRUM = "mos_estimator_logpow/truediv:0"
_FIRST, *_OTHERS = (f"conv2d{which}/kernel:0" for which in ("", "_1", "_2", "_3"))


@dataclass(frozen=True)
class FineLayers:
    """Frames [n, frame, sample] to [n, channel, frame, bin] behind the first pooling."""

    spectrum: Callable[[Float32], Float32]
    first: Striding
    others: tuple[Keeping, ...]

    def __call__(self, frames: Float32) -> Float32:
        x = self.first(Image.of(self.spectrum(frames)[..., None]), relu=True)
        for layer in self.others:
            x = layer(x)
        rows, columns = x.rows // POOLED, x.columns // POOLED
        heard = x.inner[:, : POOLED * rows, : POOLED * columns]
        heard = np.maximum(heard[:, ::POOLED], heard[:, 1::POOLED])
        heard = np.maximum(heard[:, :, ::POOLED], heard[:, :, 1::POOLED])
        return np.ascontiguousarray(heard.transpose(0, 3, 1, 2))


def read_fine_layers(path: Path, threads: int) -> FineLayers:
    """Those of the file, whose hash is pinned."""
    import onnx  # slow to import

    graph = onnx.load(path).graph
    tensors = {tensor.name: tensor for tensor in graph.initializer}
    of = {name: node for node in graph.node for name in node.input if node.op_type == "Conv"}
    return FineLayers(
        as_function(open_session(path, threads=threads, behind=_FRAMED, only=_SPECTRUM)),
        Striding.read(of[_FIRST], tensors),
        tuple(Keeping.read(of[name], tensors) for name in _OTHERS),
    )
