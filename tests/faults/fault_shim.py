"""The shim that makes a file operation fail, built from its C source where there is a compiler."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

SOURCE = Path(__file__).with_name("shim.c")

KINDS = {"full": 1, "broken": 2, "denied": 3, "killed": 4, "vanished": 5}
"""What happens at the n-th operation, in the numbers of the shim: the disk is full from there on
(ENOSPC), the device fails once (EIO), permission is refused once (EACCES), the process is killed
(SIGKILL; a write gets half done first), or what is opened goes away, or the folder of what is made.
"""


def why_not() -> str | None:
    """Why there can be no shim here; None if there can."""
    if not sys.platform.startswith("linux"):
        return "faults are injected with LD_PRELOAD, which Linux has"
    if compiler() is None:
        return "there is no C compiler to build the shim that injects faults"
    return None


def compiler() -> str | None:
    return shutil.which("gcc") or shutil.which("cc")


def build(folder: Path) -> Path:
    """The shared library to preload."""
    library = folder / "shim.so"
    program = compiler()
    assert program is not None
    subprocess.run(
        [program, "-shared", "-fPIC", "-O1", "-o", library, SOURCE, "-ldl", "-lpthread"],
        check=True,
        capture_output=True,
    )
    return library
