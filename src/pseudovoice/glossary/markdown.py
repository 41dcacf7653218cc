"""The glossary as the page docs/reference/glossary.md."""

from __future__ import annotations

from pseudovoice.glossary.lookup import SECTIONS
from pseudovoice.glossary.term import NONE, Term

FIELDS = (
    ("unit", "Unit"),
    ("range", "Range"),
    ("direction", "Direction"),
    ("good", "A good value"),
    ("reference", "Reference"),
)

HEAD = """\
# Glossary

<!-- Generated from src/pseudovoice/glossary by `make reference`. Do not edit. -->

What every number and word means. `pseudovoice explain NAME` prints the same entries in the
terminal. Conditions are written OO, OP, PP and PQ; σ is the sigmoid, ⟨·⟩ a mean.

The papers are quoted by short names: *noe2020*, Speech pseudonymisation assessment using voice
similarity matrices (Interspeech 2020); *noe2022*, Towards a unified assessment framework of
speech pseudonymisation (Computer Speech & Language 72); *maouche2022*, Enhancing speech privacy
with slicing (Interspeech 2022).
"""


def as_markdown() -> str:
    """The whole glossary as one Markdown page, a heading per term."""
    parts = [HEAD]
    for section, terms in SECTIONS.items():
        parts.append(f"## {section}\n")
        parts += [_entry(term) for term in terms]
    return "\n".join(parts)


def _entry(term: Term) -> str:
    lines = [f"### {term.name}\n", f"**{term.title}.** {term.what}\n"]
    if term.equation != NONE:
        lines.append(f"```text\n{term.equation}\n```\n")
    facts = [(label, getattr(term, field)) for field, label in FIELDS]
    lines += [f"- {label}: {_plain(value)}" for label, value in facts if value != NONE]
    if term.aliases:
        lines.append(f"- Also found as: {', '.join(f'`{alias}`' for alias in term.aliases)}")
    return "\n".join(lines) + "\n"


def _plain(text: str) -> str:
    """Keep Markdown from reading markup into a value."""
    return text.replace("<", "&lt;").replace("*", "\\*")
