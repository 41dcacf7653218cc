"""Which folders the page may read: those named at the start, and nothing that leads out of them.

A name that arrives over HTTP is a wish. It is resolved to the end, links and ``..`` included, and
granted only where the real place lies inside one of the roots.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pseudovoice.corpus import Corpus
from pseudovoice.corpus.flat import is_recording
from pseudovoice.corpus.naming import quoted, shown
from pseudovoice.corpus.paths import AUDIO
from pseudovoice.errors import InputError, Problem, UsageError
from pseudovoice.storage import address_of

MOST_LISTED = 1000
"""Folders of one listing; whoever has more types the name."""


@dataclass(frozen=True)
class Listing:
    """One folder as a person looks for speech in it.

    ``up`` is the folder above, None at a root. ``outside`` counts folders that are links to
    elsewhere, ``more`` those beyond the first `MOST_LISTED`. ``files`` are the first recordings.
    """

    path: Path
    up: Path | None
    folders: tuple[str, ...]
    files: tuple[str, ...]
    recordings: int
    outside: int
    more: int


@dataclass(frozen=True)
class ReadableFolders:
    """The folder of results, and the roots below which speech may be read; all are resolved."""

    out: Path
    roots: tuple[Path, ...]

    @classmethod
    def at(cls, out: Path, roots: Sequence[Path]) -> ReadableFolders:
        """Make the folder of results if need be; without roots the current folder is one."""
        for place in (out, *roots):
            if (address := address_of(place)) is not None:
                raise UsageError(
                    f"{address}: the page is for folders of this machine; name one, and use "
                    "`pseudovoice protect`, `assess audio` or `compare` for what lies elsewhere."
                )
        if out.exists() and not out.is_dir():
            raise UsageError(f"{shown(out)}: is a file; name the folder of the results.")
        out.mkdir(parents=True, exist_ok=True)
        real = []
        for root in roots or (Path.cwd(),):
            if not root.is_dir():
                raise UsageError(f"{shown(root)}: is not a folder; `roots` names one that exists.")
            real.append(Path(os.path.realpath(root)))
        return cls(Path(os.path.realpath(out)), tuple(dict.fromkeys(real)))

    def chosen(self, wish: str) -> Path:
        """The real folder that ``wish`` names: an absolute path, or one from the first root.

        Raises InputError where it lies outside, does not exist or is no folder. What lies outside
        gets the same sentence whether it exists or not.
        """
        real = self._granted(wish, "folder")
        if not real.is_dir():
            what = "is a file, not a folder" if real.exists() else "does not exist"
            raise InputError(f"{quoted(wish, 200)}: {what}; name the folder of the speech.")
        return real

    def recording(self, wish: str) -> Path:
        """The real file of a recording, granted like a folder."""
        real = self._granted(wish, "recording")
        if not is_recording(real):
            what = (
                "is a folder, not a recording"
                if real.is_dir()
                else "is no recording that can be read"
                if real.exists()
                else "does not exist"
            )
            raise InputError(f"{quoted(wish, 200)}: {what}; name a file of audio.")
        return real

    def _granted(self, wish: str, what: str) -> Path:
        if not wish.strip():
            raise InputError(f"No {what} is named; choose one, or type its path.")
        if "\0" in wish:
            raise InputError(f"{quoted(wish)}: contains a NUL character; correct the path.")
        try:
            real = Path(os.path.realpath(self.roots[0] / Path(wish).expanduser()))
            if not inside(real, self.roots):
                listed = " and ".join(shown(root) for root in self.roots)
                raise InputError(
                    f"{quoted(wish, 200)}: lies outside {listed}; drop it onto the page, or start "
                    "`pseudovoice serve --root FOLDER` with a folder that holds it."
                )
            real.exists()  # some names cannot even be asked for
        except (OSError, RuntimeError, UnicodeError) as error:
            reason = getattr(error, "strerror", None) or error
            raise InputError(
                f"{quoted(wish)}: cannot be used ({reason}); correct the path."
            ) from None
        return real

    def listing(self, wish: str) -> Listing:
        """What is in a folder, for the eyes of whoever looks for speech."""
        path = self.chosen(wish)
        folders: list[str] = []
        files: list[str] = []
        outside = 0
        try:
            with os.scandir(path) as entries:
                for entry in entries:
                    if entry.name.startswith("."):
                        continue
                    # Not entry.is_dir(), which raises where a link leads back to itself.
                    if os.path.isdir(entry.path):  # noqa: PTH112
                        real = Path(os.path.realpath(entry.path))
                        if inside(real, self.roots):
                            folders.append(entry.name)
                        else:
                            outside += 1
                    elif Path(entry.name).suffix.lower() in AUDIO:
                        files.append(entry.name)
        except OSError as error:
            raise InputError(
                f"{shown(path)}: cannot be read ({error.strerror}); check its permissions."
            ) from None
        folders.sort(key=str.casefold)
        files.sort(key=str.casefold)
        return Listing(
            path=path,
            up=path.parent if inside(path.parent, self.roots) else None,
            folders=tuple(folders[:MOST_LISTED]),
            files=tuple(files[:MOST_LISTED]),
            recordings=len(files),
            outside=outside,
            more=max(0, len(folders) - MOST_LISTED),
        )


def inside(real: Path, roots: Iterable[Path]) -> bool:
    """Whether a resolved path is one of the resolved roots or lies below one."""
    return any(real.is_relative_to(root) for root in roots)


def check_links(folder: Path, roots: Sequence[Path]) -> None:
    """Raise InputError if a listing, or a folder, in this folder is a link to elsewhere.

    What cannot be understood in a listing is quoted in a sentence, so one that is really somebody's
    diary must not be opened. Links to recordings are left to the readers, which list them.
    """
    for above, folders, files in os.walk(folder):
        for name in (*folders, *files):
            path = Path(above, name)
            if path.suffix.lower() in AUDIO or not path.is_symlink():
                continue
            if not inside(Path(os.path.realpath(path)), roots):
                raise InputError(
                    f"{shown(path)}: is a link that leaves the folders that may be read; put the "
                    "file itself there, or remove the link."
                )


def confined(corpus: Corpus, roots: Sequence[Path]) -> Corpus:
    """The utterances whose audio lies inside; the others become problems.

    Tables and Kaldi listings may name any file of the machine. On the command line that is the
    user's own doing; a folder chosen in a page is not read before it is chosen.
    """
    kept, problems = [], []
    for utterance in corpus:
        if inside(Path(os.path.realpath(utterance.path)), roots):
            kept.append(utterance)
        else:
            problems.append(
                Problem(
                    utterance.place,
                    "lies outside the folders that may be read",
                    "start `pseudovoice serve --root FOLDER` with a folder that holds it",
                )
            )
    if not kept:
        raise InputError(
            f"{shown(corpus.root)}: no recording is left; the first reason: {problems[0]}"
        )
    return replace(corpus, utterances=tuple(kept), problems=(*corpus.problems, *problems))
