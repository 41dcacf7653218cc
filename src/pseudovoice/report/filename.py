"""File names from users' words."""

from __future__ import annotations


def harmless_name(name: str) -> str:
    """A name that is harmless as a file name on any system; it may not be unique."""
    return "".join(c if c.isascii() and (c.isalnum() or c in "-_") else "-" for c in name)[:60]
