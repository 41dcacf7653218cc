"""A release as one archive: what goes out, what must not, and the same bytes each time.

Every file is looked at before anything is written, and packed only if it is still what was looked
at. Places are in order, times are those of nobody's clock, nothing is compressed: the same speech
gives the same archive on every machine.
"""

from __future__ import annotations

import hashlib
import json
import os
import zipfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pseudovoice.atomic import replacing
from pseudovoice.corpus import Corpus
from pseudovoice.errors import InputError, Problem, PseudovoiceError, UsageError
from pseudovoice.keys import Key
from pseudovoice.models.cache import sha256_of
from pseudovoice.release.record import RECORD, read_record
from pseudovoice.release.undoing.look import SPEECH, Look, is_sound
from pseudovoice.version import __version__

SUMS, CONTENTS = "SHA256SUMS", "release.json"
REPORT, ANNEX = "report", "annex"
REPORT_FILES = ("report*.html", "provenance.json", "tables/*", "figures/**/*")
"""What of a study is for others: no speech, no plan, nothing of its work."""

_EARLIEST = (2000, 1, 1, 0, 0, 0)


class ReleaseRefusedError(PseudovoiceError):
    """What was to go out would undo the protection; ``problems`` say where and by what."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        count = len(problems)
        super().__init__(
            f"Nothing was packed: {count} {'thing' if count == 1 else 'things'} would undo the "
            f"protection, such as {problems[0]}"
        )
        self.problems = tuple(problems)


@dataclass(frozen=True)
class Released:
    """An archive: its hash, how many files it holds, and what nobody could look for."""

    path: Path
    sha256: str
    files: int
    recordings: int
    unchecked: tuple[str, ...]


@dataclass(frozen=True)
class Packing:
    """What to pack, and what is known of what it must not hold.

    ``names_are_codes`` says that the names of the originals tell nobody anything, and may stay.
    """

    speech: Path
    study: Path | None = None
    annexes: tuple[Path, ...] = ()
    originals: Corpus | None = None
    key: Key | None = None
    names_are_codes: bool = False
    progress: Callable[[int], None] = lambda _: None

    def write(self, archive: Path) -> Released:
        """Look at everything and pack it, or raise `ReleaseRefusedError`."""
        files = self.files()
        record = read_record(self.speech)
        if not isinstance(record, dict):
            raise UsageError(
                f"{self.speech}: there is no {RECORD} that says how this speech was protected; name"
                " a folder that `pseudovoice protect` wrote."
            )
        inside = [self.speech, *(() if self.study is None else (self.study,))]
        if any(archive.resolve().is_relative_to(folder.resolve()) for folder in inside):
            raise UsageError(f"{archive}: an archive cannot lie within what it packs.")
        look = Look(self.originals, self.key, names_are_codes=self.names_are_codes)
        problems = list(look.at_record(record))
        sums: dict[str, str] = {}
        for place, path in files.items():
            found, sums[place] = look.at(place, path)
            problems += found
            self.progress(1)
        if problems:
            raise ReleaseRefusedError(problems)
        sounds = sum(place.startswith(f"{SPEECH}/") and is_sound(place) for place in files)
        if not sounds:
            raise InputError(f"{self.speech}: holds no speech; protect some first.")
        contents = {
            "pseudovoice": __version__,
            "protection": record,
            "recordings": sounds,
            "looked_for": look.looked_for(),
        }
        _write(archive, files, sums, contents)
        digest = sha256_of(archive)
        unchecked = (*self.unchecked(), *look.unheard())
        return Released(archive, digest, len(files) + 2, sounds, unchecked)

    def files(self) -> dict[str, Path]:
        """Everything that is to go out, by its place in the archive, in order."""
        found: dict[str, Path] = {}
        if not self.speech.is_dir():
            raise InputError(f"{self.speech}: is no folder of protected speech; check the path.")
        for path in _below(self.speech):
            found[f"{SPEECH}/{path.relative_to(self.speech).as_posix()}"] = path
        if self.study is not None:
            wanted = [path for pattern in REPORT_FILES for path in self.study.glob(pattern)]
            if not any(path.suffix == ".html" for path in wanted):
                raise InputError(
                    f"{self.study}: there is no report.html; name a folder that "
                    "`pseudovoice compare` wrote."
                )
            for path in wanted:
                if not path.is_dir() or path.is_symlink():
                    found[f"{REPORT}/{path.relative_to(self.study).as_posix()}"] = path
        for path in self.annexes:
            place = f"{ANNEX}/{path.name}"
            if place in found:
                raise UsageError(f"{path}: two annexes are called {path.name}; rename one.")
            found[place] = path
        return dict(sorted(found.items()))

    def unchecked(self) -> Iterator[str]:
        """What could not be looked for, a sentence each."""
        if self.originals is None:
            yield (
                "Nobody looked for names of the originals or for original speech; name the "
                "originals with `originals`."
            )
        if self.key is None:
            yield "Nobody looked for the secret itself; name the key with `key`."
        if any(path.suffix.lower() not in (".html", ".txt", ".md") for path in self.annexes):
            yield "Of annexes only what is plain text was looked at; read them yourself."


def _below(folder: Path) -> Iterator[Path]:
    for where, folders, files in os.walk(folder):
        links = [name for name in folders if (Path(where) / name).is_symlink()]
        yield from (Path(where) / name for name in (*files, *links))


def _write(
    archive: Path, files: dict[str, Path], sums: dict[str, str], contents: dict[str, Any]
) -> None:
    told = json.dumps(contents, indent=1, sort_keys=True, ensure_ascii=False) + "\n"
    sums = {**sums, CONTENTS: hashlib.sha256(told.encode()).hexdigest()}
    lines = "".join(f"{sums[place]}  {place}\n" for place in sorted(sums))
    texts = {CONTENTS: told, SUMS: lines}
    with replacing(archive) as stream, zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED) as pack:
        for place in sorted((*files, *texts)):
            entry = zipfile.ZipInfo(place, _EARLIEST)
            entry.create_system, entry.external_attr = 3, 0o644 << 16
            if place in texts:
                pack.writestr(entry, texts[place])
                continue
            digest = hashlib.sha256()
            entry.file_size = files[place].stat().st_size
            with files[place].open("rb") as source, pack.open(entry, "w") as target:
                while block := source.read(1 << 20):
                    digest.update(block)
                    target.write(block)
            if digest.hexdigest() != sums[place]:
                raise InputError(
                    f"{files[place]}: was changed while it was being packed; see what did that, "
                    "and start again."
                )
