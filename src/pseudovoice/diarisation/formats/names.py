"""Names as files of turns can hold them: in one word."""

from __future__ import annotations

import unicodedata


def plain(name: str) -> str:
    """Without blanks, and accents spelt in one way whatever the file system does with them."""
    return "_".join(unicodedata.normalize("NFC", name).split()) or "recording"
