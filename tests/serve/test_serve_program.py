"""`pseudovoice serve` as a program: one address, a clean end, sentences for what is wrong."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

from click.testing import CliRunner

from pseudovoice.cli.main import app

PROGRAM = [sys.executable, "-c", "from pseudovoice.cli.main import main; main()", "serve"]


def test_it_prints_its_address_once_and_stops_at_ctrl_c(tmp_path: Path) -> None:
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    child = subprocess.Popen(
        [*PROGRAM, "out", "--no-browser"],
        cwd=tmp_path,
        env={**os.environ, "TMPDIR": str(temporary)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert child.stdout is not None
    try:
        line = child.stdout.readline()
        found = re.fullmatch(
            r"The page is at (http://127\.0\.0\.1:\d+/[\w-]{43}/) \(Ctrl-C stops it\)\.\n", line
        )
        assert found is not None, line
        with urllib.request.urlopen(found.group(1), timeout=60) as answer:
            assert b"Protect a recording" in answer.read()
        assert len(list(temporary.glob("pseudovoice-dropped-*"))) == 1
    finally:
        child.send_signal(signal.SIGINT)
        rest, errors = child.communicate(timeout=60)
    assert (child.returncode, rest, errors) == (0, "", "Stopped.\n")
    assert list(temporary.glob("pseudovoice-*")) == []
    assert (tmp_path / "out").is_dir()


def test_a_folder_with_a_report_opens_there(tmp_path: Path) -> None:
    from pseudovoice.serve import Loopback, ReadableFolders

    with Loopback(ReadableFolders.at(tmp_path, [])) as server:
        assert server.address == f"{server.guard.origin}{server.home}"
        (tmp_path / "report.html").write_text("<title>x</title>", encoding="utf-8")
        assert server.address == f"{server.guard.origin}{server.home}report/report.html"


def test_wrong_use_gets_a_sentence(tmp_path: Path) -> None:
    out = str(tmp_path / "out")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        for arguments, says in (
            ([out, "--port", str(port)], f"Port {port} of 127.0.0.1 cannot be had"),
            ([out, "--root", str(tmp_path / "nowhere")], "is not a folder; --root names one"),
        ):
            done = CliRunner().invoke(app, ["serve", *arguments, "--no-browser"])
            assert done.exit_code == 2
            assert says in done.output
