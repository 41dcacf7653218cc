"""Renamed files go into the release together, in the order of their new names.

What a run writes one after the other lies next to each other: in times, in inode numbers, in the
order of a careless listing. So renamed files are made in the owner's folder, and when all are there
they are copied in the order of their names and bear one and the same time. Whatever is added to a
release later brings all of it in anew: nothing tells the files of one run from those of another.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from pseudovoice.atomic import naming, replacing
from pseudovoice.errors import Problem
from pseudovoice.models.cache import sha256_of
from pseudovoice.release.seal import ONE_TIME
from pseudovoice.storage.near import present


def publish(places: Mapping[str, str], staged: Path, out: Path) -> list[Problem]:
    """Copy what is staged into ``out``, together with what lies there already.

    ``places`` are all that belong there with the hash of each; a copy of anything else is not left.
    It is a problem if what was staged cannot be removed.
    """
    if not staged.is_dir():
        return []
    for place in places:
        here, there = staged / place, out / place
        if here.exists():
            there.unlink(missing_ok=True)
        elif there.exists():
            here.parent.mkdir(parents=True, exist_ok=True)
            with present(there) as whole:
                if whole != there:  # sent before, and back for this
                    shutil.copyfile(whole, here)
                    there.unlink()
                else:
                    shutil.move(there, here)
    remove_empty_folders(out)
    for place in sorted(places):
        try:
            with (staged / place).open("rb") as source, replacing(out / place) as stream:
                shutil.copyfileobj(source, stream, 1 << 20)
        except FileNotFoundError:
            continue  # taken away meanwhile: found missing when everything is looked at
        with naming(out / place):  # utime tells no name
            os.utime(out / place, (ONE_TIME, ONE_TIME))
        if sha256_of(out / place) != places[place]:
            (out / place).unlink()
    # Not before: inodes that become free are given to the next file, in the order of the originals.
    try:
        shutil.rmtree(staged)
    except OSError as error:
        what = f"holds files in the order of the originals and cannot be removed ({error.strerror})"
        return [Problem(str(staged), what, "remove it, or start again")]
    return []


def at_one_time(out: Path) -> None:
    """Listings, record and folders bear the same time as the speech."""
    found = [out]
    for folder, folders, files in os.walk(out):
        found += (Path(folder) / name for name in (*folders, *files))
    # By name, and nothing that has the time already: setting it is a change with a time of its own.
    for path in sorted(found):
        if not path.is_symlink() and path.stat().st_mtime_ns != ONE_TIME * 10**9:
            with naming(path):
                os.utime(path, (ONE_TIME, ONE_TIME))


def remove_empty_folders(out: Path) -> None:
    """Remove folders below ``out`` that hold nothing."""
    for folder, _, _ in os.walk(out, topdown=False):
        if Path(folder) != out and not any(Path(folder).iterdir()):
            Path(folder).rmdir()
