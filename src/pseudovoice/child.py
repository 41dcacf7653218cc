"""Other programs: the one place that starts them.

A child gets the variables it needs and no others, so nothing in the user's environment makes it
load code of somebody else's choice. Python children take no module from the folder they work in,
and ours work in a private one: the current folder may be full of files that came with recordings.
"""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any
from weakref import WeakSet

from pseudovoice.private import TemporaryFolder

_BASE = (
    *("HOME", "LOGNAME", "USER", "LANG", "LANGUAGE", "LC_*", "TZ"),
    *("TMPDIR", "TEMP", "TMP"),
    *("PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"),
    # Without these no program starts on Windows, or it does not find its user.
    *("SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "USERPROFILE", "USERNAME"),
    *("HOMEDRIVE", "HOMEPATH", "APPDATA", "LOCALAPPDATA", "PROGRAMDATA"),
)
# An entry of these that is not absolute means the current folder, whatever that is by then.
_SEARCHED = ("PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
_PLACES = ("TMPDIR", "TEMP", "TMP")

NETWORK = (
    *("http_proxy", "https_proxy", "all_proxy", "no_proxy"),
    *("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"),
    *("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"),
)
PIP = (*NETWORK, "PIP_*", "NETRC", "XDG_CONFIG_HOME", "XDG_CONFIG_DIRS", "XDG_CACHE_HOME")
"""What pip listens to: the user's index, proxy and certificates hold in a child as well."""

NPM = (*NETWORK, "npm_config_*", "NPM_CONFIG_*", "NODE_EXTRA_CA_CERTS")
"""What npm listens to, likewise; not NODE_OPTIONS, which can load code."""

COMPUTING = (
    *("OMP_*", "KMP_*", "GOMP_*", "OPENBLAS_*", "MKL_*", "BLIS_*", "NUMBA_*"),
    *("CUDA_*", "MPLCONFIGDIR", "PSEUDOVOICE_*", "HF_ENDPOINT"),
)
"""What the libraries listen to that we compute with."""

DESKTOP = (
    *("DISPLAY", "XAUTHORITY", "WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS", "XDG_*"),
    *("DESKTOP_SESSION", "KDE_*", "GNOME_*", "BROWSER", "TERM"),
)
"""What a browser needs to find the screen."""

_STARTED: WeakSet[subprocess.Popen[bytes]] = WeakSet()


def environment(*more: str) -> dict[str, str]:
    """The variables of this process that a child gets; a name in ``more`` may end in ``*``."""
    wanted = (*_BASE, *more)
    exact = {name for name in wanted if not name.endswith("*")}
    beginnings = tuple(name[:-1] for name in wanted if name.endswith("*"))
    given = {
        name: value
        for name, value in os.environ.items()
        if name in exact or name.startswith(beginnings)
    }
    for name in _SEARCHED:
        if name in given:
            parts = given[name].split(os.pathsep)
            given[name] = os.pathsep.join(part for part in parts if Path(part).is_absolute())
    for name in _PLACES:
        if name in given and not Path(given[name]).is_absolute():
            del given[name]
    # Also for a Python that a child starts: no module out of the folder it works in.
    return {**given, "PYTHONSAFEPATH": "1"}


def python(module: str, *arguments: str) -> list[str]:
    """The command that runs a module with the Python that runs us."""
    # Not -I: whoever installed us for one user alone has us in the user's own site-packages.
    flags = ["-I"] if sys.flags.isolated else ["-P", *(["-s"] if sys.flags.no_user_site else [])]
    return [sys.executable, *flags, "-m", module, *arguments]


def start(
    command: list[str], folder: Path, given: dict[str, str], **streams: Any
) -> subprocess.Popen[bytes]:
    """Start a program that works in ``folder``; ``streams`` are those of Popen."""
    started = subprocess.Popen(command, cwd=folder, env=given, **streams)
    _STARTED.add(started)
    return started


def kill_all() -> None:
    """End every child at once, for a program that ends without waiting for its threads."""
    for started in list(_STARTED):
        with suppress(OSError):
            started.kill()


def run(
    command: list[str], given: dict[str, str], *, timeout: float
) -> subprocess.CompletedProcess[str]:
    """Run a program in a private folder and wait for its end, with what it said as text."""
    quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with (
        TemporaryFolder("child") as folder,
        start(command, folder, given, **quiet) as started,
    ):
        try:
            out, err = started.communicate(timeout=timeout)
        except BaseException:
            started.kill()
            raise
    texts = (said.decode("utf-8", "replace") for said in (out, err))
    return subprocess.CompletedProcess(command, started.returncode, *texts)
