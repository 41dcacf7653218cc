"""Words as a language model counts them: case, accents and punctuation make no difference."""

from __future__ import annotations

from pseudovoice.text.transcript import folded

UNKNOWN, BEGIN, END = "<unk>", "<s>", "</s>"
SPECIAL = (UNKNOWN, BEGIN, END)


def tokens(text: str) -> tuple[str, ...]:
    """The words of a sentence or a slice, in lower case; punctuation alone is none."""
    bare = ("".join(c for c in folded(piece) if c.isalnum() or c == "'") for piece in text.split())
    return tuple(word for word in bare if word.strip("'"))
