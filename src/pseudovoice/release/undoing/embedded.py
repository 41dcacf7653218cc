"""Sound within a page: clips in base64, and whether some are of original voices."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from typing import Any

from pseudovoice.json_tree import json_tree

_BASE64 = re.compile(rb"[A-Za-z0-9+/]{400,}={0,2}")
_DATA = re.compile(r'<script type="application/json" id="data">(.*?)</script>', re.DOTALL)
_SOUND = (b"RIFF", b"FORM", b"fLaC", b"OggS", b"caff", b".snd", b"ID3")


def embedded_audio(data: bytes | memoryview) -> Iterator[bytes]:
    """Files of audio that a text holds in base64."""
    for found in _BASE64.finditer(data):
        text = bytes(found[0]).rstrip(b"=")
        whole = base64.b64decode(text[: len(text) - len(text) % 4])
        if whole.startswith(_SOUND) or (whole[0] == 0xFF and whole[1] & 0xE0 == 0xE0):
            yield whole


def shows_originals(text: str) -> bool:
    """Whether a page of ours says of a clip that it is the original voice."""
    for data in _DATA.findall(text):
        try:
            clips: Any = json_tree(data)["study"]["clips"]
        except (ValueError, KeyError, TypeError):
            continue
        if isinstance(clips, dict):  # records of one kind are stored as columns
            column = clips.get("columns", {}).get("safeguard", ())
            said = column.get("words", ()) if isinstance(column, dict) else column
        else:
            said = [one.get("safeguard") for one in clips]
        if None in said:
            return True
    return False
