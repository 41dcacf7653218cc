"""The page that assesses: its markup, style and script, in the manner of the report."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

STYLES = (("page", "tokens"), ("page", "page"), ("serve", "home"))
SCRIPTS = (
    ("page", "dom"),
    ("page", "words"),
    ("serve", "ask"),
    ("serve", "browse"),
    ("serve", "drop"),
    ("serve", "form"),
    ("serve", "watch"),
    ("serve", "report_list"),
    ("serve", "home"),
)
"""Rooms and files of their ``assets``, in the order in which they are joined."""


@cache
def page() -> bytes:
    return _asset("serve", "home.html").encode()


@cache
def asset(name: str) -> tuple[bytes, str]:
    """``home.css`` or ``home.js`` with its media type."""
    if name == "home.css":
        text = "\n".join(_asset(room, f"{stem}.css") for room, stem in STYLES)
        return text.encode(), "text/css; charset=utf-8"
    inside = "\n".join(_asset(room, f"{stem}.js") for room, stem in SCRIPTS)
    return (
        f'"use strict";\n(() => {{\n{inside}\n}})();\n'.encode(),
        "text/javascript; charset=utf-8",
    )


def _asset(room: str, name: str) -> str:
    return (files(f"pseudovoice.{room}") / "assets" / name).read_text(encoding="utf-8")
