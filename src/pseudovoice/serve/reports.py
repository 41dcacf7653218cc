"""The reports in a folder of results: its own, and those of the runs below it."""

from __future__ import annotations

import html
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

PAGE = "report.html"
"""The page of a run, or of a study of one corpus; a study of several has one for each."""

NAME = re.compile(r"report[A-Za-z0-9_-]*\.html")
HEAD = 16_384
"""Bytes in which a title is looked for."""

DESK = b'<div class="desk noprint">'


@dataclass(frozen=True)
class Report:
    """A page by its path below the folder of results; ``when`` is seconds since 1970."""

    parts: tuple[str, ...]
    title: str
    when: float


def reports(out: Path) -> list[Report]:
    """Every report, the folder's own first, then the newest first."""
    found = []
    for path in (*out.glob("report*.html"), *out.glob("*/report*.html")):
        parts = path.relative_to(out).parts
        try:
            with _open(out, parts) as page:
                when, title = os.fstat(page.fileno()).st_mtime, _title(page.read(HEAD))
        except OSError:
            continue
        found.append(Report(parts, title or parts[-1], when))
    return sorted(found, key=lambda report: (len(report.parts), -report.when, report.parts))


def read_report(out: Path, parts: Sequence[str], home: str) -> bytes | None:
    """The page at that path with a way back to ``home``; None where there is none."""
    try:
        with _open(out, parts) as page:
            text = page.read()
    except (OSError, ValueError):
        return None
    # Among the buttons on top. The mark is in the page's own head, before any word from data.
    link = f'{DESK.decode()}\n    <a href="{html.escape(home)}">To the start</a>'
    return text.replace(DESK, link.encode(), 1)


def _open(out: Path, parts: Sequence[str]) -> BinaryIO:
    """Open a report that is a plain file in the folder of results or in a folder there."""
    *folders, name = parts
    real = Path(os.path.realpath(out.joinpath(*parts)))
    if (
        len(folders) > 1
        or NAME.fullmatch(name) is None
        or any(folder != Path(folder).name for folder in folders)
        or not real.is_relative_to(out)
        or not real.is_file()
    ):
        raise FileNotFoundError(name)
    return real.open("rb")


def _title(head: bytes) -> str:
    found = re.search(r"<title>(.*?)</title>", head.decode("utf-8", "replace"), re.S)
    return html.unescape(found.group(1)).strip() if found else ""
