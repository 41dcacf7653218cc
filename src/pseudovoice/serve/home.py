"""The pages of the server: their markup, style and scripts, in the manner of the report."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from string import Template


@dataclass(frozen=True)
class Page:
    """What stands at the head of a page; the rest of it is in ``assets``, under its name.

    ``way`` is what other pages call it, ``first`` the section that its work begins with.
    """

    name: str
    way: str
    title: str
    facts: str
    first: tuple[str, str]


PAGES = {
    "": Page(
        "recording",
        "A recording",
        "Protect a recording",
        "Everybody in it gets a new voice. The recording is read and heard on this machine and "
        "goes nowhere else; it stays as it is.",
        ("choose", "the recording"),
    ),
    "assess": Page(
        "assess",
        "Two folders",
        "Assess protected speech",
        "Two folders in, a report out: the original recordings, and the same recordings after a "
        "safeguard. Speech is read and heard on this machine and goes nowhere else.",
        ("assess", "the two folders"),
    ),
}
"""By their addresses."""

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
def page(address: str) -> bytes:
    one = PAGES[address]
    here = ' aria-current="page"'
    ways = (
        f'    <a href="{to or "./"}"{here if to == address else ""}>{other.way}</a>'
        for to, other in PAGES.items()
    )
    frame = Template(_asset("serve", "frame.html")).substitute(
        title=one.title,
        script=f"{one.name}.js",
        first=one.first[0],
        first_is=one.first[1],
        facts=one.facts,
        ways="\n".join(ways),
        inside=_asset("serve", f"{one.name}.html").rstrip("\n"),
    )
    return frame.encode()


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
