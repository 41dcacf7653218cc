"""Speaker encoders: one small interface over networks that onnxruntime runs on the CPU.

``load_encoder("resnet34-lm").embed(waveforms)`` gives one embedding per waveform. What runs them is
loaded when it is first used: encoders can be named without it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pseudovoice.encoders.registry import (
    DEFAULT_ENCODER,
    ENCODER_NAMES,
    encoder_names,
    load_encoder,
)
from pseudovoice.lazy_names import lazy_names

if TYPE_CHECKING:
    from pseudovoice.encoders.encoder import Encoder
    from pseudovoice.encoders.fusion import FusedEncoder
    from pseudovoice.encoders.hub import load_hub
    from pseudovoice.encoders.onnx_declaration import Declaration
    from pseudovoice.encoders.onnx_file import load_onnx

__all__ = [
    "DEFAULT_ENCODER",
    "ENCODER_NAMES",
    "Declaration",
    "Encoder",
    "FusedEncoder",
    "encoder_names",
    "load_encoder",
    "load_hub",
    "load_onnx",
]

__getattr__ = lazy_names(
    __name__,
    {
        "Declaration": "pseudovoice.encoders.onnx_declaration",
        "Encoder": "pseudovoice.encoders.encoder",
        "FusedEncoder": "pseudovoice.encoders.fusion",
        "load_hub": "pseudovoice.encoders.hub",
        "load_onnx": "pseudovoice.encoders.onnx_file",
    },
)
