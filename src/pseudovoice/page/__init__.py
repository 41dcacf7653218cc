"""The page: one self-contained HTML file that shows a study to whoever has to judge it."""

from pseudovoice.page.gather import Findings, gather
from pseudovoice.page.html import page_html, write_page
from pseudovoice.page.study import Clip, CorpusFacts, Study

__all__ = ["Clip", "CorpusFacts", "Findings", "Study", "gather", "page_html", "write_page"]
