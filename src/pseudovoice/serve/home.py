"""The pages of the server: their markup, style and scripts, in the manner of the report."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

PAGES = {"": "recording.html", "assess": "assess.html"}
"""By their addresses: one recording, and two folders."""

STYLES = (
    ("page", "tokens"),
    ("page", "page"),
    ("serve", "home"),
    ("serve", "timeline"),
)
COMMON = (
    ("page", "dom"),
    ("page", "words"),
    ("serve", "ask"),
    ("page", "theme"),
    ("serve", "fields"),
    ("serve", "browse"),
    ("serve", "drop"),
    ("serve", "watch"),
    ("serve", "report_list"),
)
SCRIPTS = {
    "recording.js": (
        *COMMON,
        ("serve", "turns"),
        ("serve", "player"),
        ("serve", "timeline"),
        ("serve", "reference"),
        ("serve", "correcting"),
        ("serve", "choosing"),
        ("serve", "protecting"),
        ("serve", "takes"),
        ("serve", "recording"),
    ),
    "assess.js": (*COMMON, ("serve", "form"), ("serve", "assess")),
}
"""Rooms and files of their ``assets``, in the order in which they are joined."""

ASSETS = ("home.css", *SCRIPTS)


@cache
def page(name: str) -> bytes:
    return _asset("serve", PAGES[name]).encode()


@cache
def asset(name: str) -> tuple[bytes, str]:
    """The style or a script with its media type."""
    if name == "home.css":
        text = "\n".join(_asset(room, f"{stem}.css") for room, stem in STYLES)
        return text.encode(), "text/css; charset=utf-8"
    inside = "\n".join(_asset(room, f"{stem}.js") for room, stem in SCRIPTS[name])
    return (
        f'"use strict";\n(() => {{\n{inside}\n}})();\n'.encode(),
        "text/javascript; charset=utf-8",
    )


def _asset(room: str, name: str) -> str:
    return (files(f"pseudovoice.{room}") / "assets" / name).read_text(encoding="utf-8")
