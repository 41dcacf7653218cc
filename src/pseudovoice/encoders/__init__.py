"""Speaker encoders: one small interface over networks that onnxruntime runs on the CPU.

``load_encoder("resnet34-lm").embed(waveforms)`` gives one embedding per waveform.
"""

from pseudovoice.encoders.encoder import Encoder
from pseudovoice.encoders.fusion import FusedEncoder
from pseudovoice.encoders.hub import load_hub
from pseudovoice.encoders.onnx_declaration import Declaration
from pseudovoice.encoders.onnx_file import load_onnx
from pseudovoice.encoders.registry import (
    DEFAULT_ENCODER,
    ENCODER_NAMES,
    encoder_names,
    load_encoder,
)

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
