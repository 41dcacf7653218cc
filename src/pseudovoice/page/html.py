"""One HTML file from the skeleton, the styles, the scripts and the data.

The page fetches nothing and runs nothing but its own script: its policy names the script and the
style by their SHA-256 and allows pictures and sound only from within the file. Data stand in a
JSON block and reach the page as text nodes; the policy forbids turning strings into markup
(trusted types), so a speaker called ``<img onerror=…>`` is a name and nothing else.
"""

from __future__ import annotations

import base64
import hashlib
import re
from functools import cache
from html import escape
from importlib.resources import files
from pathlib import Path

from pseudovoice.atomic import write_atomic
from pseudovoice.page.encode import study_json
from pseudovoice.page.study import Study

STYLES = (
    "tokens",
    "page",
    "verdicts",
    "figures",
    "matrix",
    "people",
    "told",
    "papers",
    "annex",
    "narrow",
    "print",
)
SCRIPTS = (
    "dom",
    "data",
    "words",
    "choice",
    "parts",
    "save",
    "table",
    "axes",
    "points",
    "meter",
    "ladder",
    "thumbs",
    "verdicts",
    "map",
    "order",
    "matrix",
    "zoo",
    "profiles",
    "player",
    "speaker",
    "people",
    "utility",
    "sessions",
    "told",
    "papers",
    "slices",
    "annex",
    "method",
    "glossary",
    "theme",
    "reading",
    "start",
)
"""Files of ``assets`` in the order in which they are joined."""


def page_html(study: Study) -> str:
    """The page as text."""
    style = "\n".join(_asset(f"{name}.css") for name in STYLES)
    # One function around all files: they see each other's names, and nobody else does.
    inside = "\n".join(_asset(f"{name}.js") for name in SCRIPTS)
    script = f'"use strict";\n(() => {{\n{inside}\n}})();\n'
    parts = {
        "policy": policy(script, style),
        "title": escape(_printable(study.title)),
        "style": style,
        "script": script,
        "data": study_json(study),
    }
    # Cut before filling in: a title that contains "{{data}}" must stay a title.
    pieces = re.split(r"\{\{(\w+)\}\}", _asset("skeleton.html"))
    return "".join(parts[piece] if k % 2 else piece for k, piece in enumerate(pieces))


def write_page(path: Path, study: Study) -> None:
    """Write the page; whoever opens it needs a browser and nothing else."""
    write_atomic(path, page_html(study))


def policy(script: str, style: str) -> str:
    """The Content-Security-Policy of a page with this script and this style."""
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src '{_digest(script)}'",
            f"style-src '{_digest(style)}'",
            "img-src data:",
            "media-src data:",
            "base-uri 'none'",
            "form-action 'none'",
            "require-trusted-types-for 'script'",
            "trusted-types 'none'",
        )
    )


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode()


@cache
def _asset(name: str) -> str:
    return (files("pseudovoice.page") / "assets" / name).read_text(encoding="utf-8")


def _printable(text: str) -> str:
    """A title in one line, without what no file or title bar can hold."""
    return "".join(c if c.isprintable() else " " for c in text)
