"""A warmed-up interpreter with the shim loaded; each run is a fork of it, with one fault armed.

Importing and compiling take seconds, a run of the small study tenths: without this nobody would
try every operation. It reads one job a line (JSON) and answers with the exit code. A forked run
ends with the code, and if need be the traceback, that a process of its own would end with; only
the destructors of C++ libraries, whose threads did not come along, are left out.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import json
import os
import sys
import traceback
from pathlib import Path
from typing import Any

from pseudovoice.cli.main import main


def say(answer: object) -> None:
    os.write(1, (json.dumps(answer) + "\n").encode())


def as_program(job: dict[str, Any]) -> None:
    """Run the command of a job with its streams, folder and cache."""
    for number, name in ((1, "stdout"), (2, "stderr")):
        file = os.open(job[name], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        os.dup2(file, number)
        os.close(file)
    os.chdir(job["root"])
    os.environ["PSEUDOVOICE_CACHE"] = str(Path(job["root"]) / "cache")
    sys.argv = ["pseudovoice", *job["words"]]
    main()


def with_fault(job: dict[str, Any]) -> None:
    shim = ctypes.CDLL(job["shim"])
    report = os.open(job["report"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    root, away = (os.fsencode(job[name]) for name in ("root", "away"))
    shim.fault_arm(job["kind"], ctypes.c_long(job["nth"]), root, away, report)
    code = 1
    try:
        as_program(job)
    except SystemExit as ending:
        code = ending.code if isinstance(ending.code, int) else int(ending.code is not None)
    except BaseException:
        traceback.print_exc()
    finally:
        shim.fault_disarm()
        shim.fault_count.restype = ctypes.c_long
        counts = [shim.fault_count(kind) for kind in range(job["kinds"] + 1)]
        os.write(report, f"counts\t{json.dumps(counts)}\n".encode())
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        os._exit(code)


def warm_up(jobs: list[dict[str, Any]]) -> None:
    """Do everything once, here and elsewhere: what is loaded and compiled stays."""
    streams = os.dup(1), os.dup(2)
    for job in jobs:
        with contextlib.suppress(SystemExit):
            as_program(job)
    for number, stream in enumerate(streams, 1):
        os.dup2(stream, number)
        os.close(stream)
    gc.collect()
    gc.freeze()


def serve() -> dict[str, Any] | None:
    """Fork for each job; in the fork, the job is given back."""
    for line in sys.stdin:
        job = json.loads(line)
        child = os.fork()
        if child == 0:
            return dict(job)
        _, status = os.waitpid(child, 0)
        say(os.waitstatus_to_exitcode(status))
    return None


if __name__ == "__main__":
    warm_up(json.loads(sys.stdin.readline()))
    say("ready")
    if (mine := serve()) is not None:
        with_fault(mine)
