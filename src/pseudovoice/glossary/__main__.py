"""``python -m pseudovoice.glossary`` prints the page docs/glossary.md."""

from pseudovoice.glossary.markdown import as_markdown

print(as_markdown(), end="")
