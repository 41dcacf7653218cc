"""The formats of score and key files, by name."""

from __future__ import annotations

TEXT_FORMATS: dict[str, tuple[str, ...]] = {
    "scores": ("enrol", "trial", "score"),
    "wespeaker": ("enrol", "trial", "score", "label"),
    "score-label": ("score", "label"),
    "label-score": ("label", "score"),
    "kaldi-key": ("enrol", "trial", "label"),
    "voxceleb-key": ("label", "enrol", "trial"),
}
"""Text formats by name: what each column holds."""

FORMATS = (*TEXT_FORMATS, "csv", "tsv", "parquet", "bosaris")
