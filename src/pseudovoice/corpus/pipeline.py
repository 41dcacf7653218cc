"""Run a ``sox … | sph2pipe … |`` entry of ``wav.scp`` without ever starting a shell.

A command in a data file is somebody else's program. It runs only when the user allowed it, and
only as a row of programs joined by pipes: nothing in it is expanded, redirected or substituted.
It works in the current folder, as in a Kaldi recipe, since its paths are relative to that.
"""

from __future__ import annotations

import shlex
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from typing import IO

from .. import child
from ..errors import Problem
from .faults import AudioError, ItemFault
from .naming import quoted

TIMEOUT = 600.0  # seconds; decoding the longest recording takes far less
# A program whose reader had enough is ended by SIGPIPE, where there is one; that is no failure.
_GOOD_ENDS = (0, -signal.SIGPIPE) if hasattr(signal, "SIGPIPE") else (0,)


def stages(command: str) -> list[list[str]]:
    """The programs of a pipeline, each with its arguments.

    Raises :class:`ItemFault` for anything that only a shell could do: such a character would
    otherwise reach the program as a strange argument and give strange audio.
    """
    found = []
    for part in _split_at_pipes(command):
        try:
            words = shlex.split(part)
        except ValueError:
            words = []
        if not words:
            raise ItemFault(
                f"the command {quoted(command)} is incomplete", "correct the quotes and the pipes"
            )
        found.append(words)
    return found


def _split_at_pipes(command: str) -> list[str]:
    parts, begin, quote, escaped = [], 0, "", False
    for position, character in enumerate(command):
        if escaped:
            escaped = False
        elif character == "\\" and quote != "'":
            escaped = True
        elif quote:
            if character == quote:
                quote = ""
            elif quote == '"' and character in "$`":
                raise _needs_shell(command, character)
        elif character in "'\"":
            quote = character
        elif character == "|":
            parts.append(command[begin:position])
            begin = position + 1
        elif character in "$`<>;&\n":
            raise _needs_shell(command, character)
    return [*parts, command[begin:]]


def _needs_shell(command: str, character: str) -> ItemFault:
    return ItemFault(
        f"the command {quoted(command)} uses {character!r}, which needs a shell",
        "write it as programs joined by | only; commands never go through a shell",
    )


def run(command: str, output: IO[bytes], where: str) -> None:
    """Write what the pipeline prints into ``output``; raises AudioError if any program fails.

    The output goes to a file, not to memory: a program that never stops must not take the
    machine with it before the time limit does.
    """
    programs = stages(command)
    given = child.environment()
    started: list[subprocess.Popen[bytes]] = []
    deadline = time.monotonic() + TIMEOUT
    with tempfile.TemporaryFile() as complaints:
        try:
            for number, arguments in enumerate(programs):
                previous = started[-1].stdout if started else None
                last = number == len(programs) - 1
                started.append(
                    child.start(
                        arguments,
                        Path.cwd(),
                        given,
                        stdin=previous or subprocess.DEVNULL,
                        stdout=output if last else subprocess.PIPE,
                        stderr=complaints,
                    )
                )
                if previous is not None:
                    # Only the next program may hold it, or the writer never learns of its end.
                    previous.close()
            codes = [program.wait(max(0.0, deadline - time.monotonic())) for program in started]
        except OSError as error:
            reason = f"the program {arguments[0]!r} cannot be started ({error.strerror})"
            raise _failed(where, reason, "install it or correct the command") from None
        except subprocess.TimeoutExpired:
            reason = f"the command {quoted(command)} took longer than {TIMEOUT:g} s"
            raise _failed(where, reason, "run it by hand to see why") from None
        finally:
            for program in started:
                if program.stdout is not None:
                    program.stdout.close()
                if program.poll() is None:
                    program.kill()
                    program.wait()
        for arguments, code in zip(programs, codes, strict=True):
            if code not in _GOOD_ENDS:
                complaints.seek(0)
                last_line = complaints.read(65536).decode(errors="replace").strip()[-200:]
                said = f": {quoted(last_line, 200)}" if last_line else ""
                raise _failed(
                    where,
                    f"the program {arguments[0]!r} of the command ended with code {code}{said}",
                    "run the command by hand to see why",
                )


def _failed(where: str, what: str, remedy: str) -> AudioError:
    return AudioError("command", Problem(where, what, remedy))
