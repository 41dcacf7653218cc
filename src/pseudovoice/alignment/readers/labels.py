"""Labels that are no words: what aligners write for silence, noise and words they do not know."""

from __future__ import annotations

_SILENCES = """
sil sp <sil> <silence> <s> </s> <eps> <p:> <p> (pause) [pause] _ #
[noise] [speech] <noise> <nib> <usb> [laughter] [breath] {sl} {ns} {br} {cg} {ls} {lg}
"""
_SILENCE = frozenset(_SILENCES.split())
_UNKNOWN = frozenset({"<unk>", "[unk]", "spn", "<spn>", "<spoken_noise>", "<oov>"})


def is_silence(label: str) -> bool:
    """Whether an interval with this label holds no word of the transcript."""
    return not label.strip() or label.strip().lower() in _SILENCE


def is_unknown(label: str) -> bool:
    """Whether the label stands for some word that the aligner's dictionary lacks."""
    return label.strip().lower() in _UNKNOWN
