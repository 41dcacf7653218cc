"""File names from users' words."""

from __future__ import annotations

from unicodedata import combining, normalize


def harmless_name(name: str) -> str:
    """A name that is harmless as a file name on any system; it may not be unique.

    Letters lose their marks, so that a German name can still be read.
    """
    letters = normalize("NFKD", name.replace("ß", "ss"))
    kept = (c for c in letters if not combining(c))
    return "".join(c if c.isascii() and (c.isalnum() or c in "-_") else "-" for c in kept)[:60]
