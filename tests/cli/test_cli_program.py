"""The installed program: streams, exit codes, encodings, pipes, and how fast it starts."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from cliruns import PROGRAM, QUICK, options, program, run, write_set

from pseudovoice.cli.main import FAULT, Outermost
from pseudovoice.cli.talk import talk_options

HEAVY = (
    *("numpy", "scipy", "numba", "pyarrow", "matplotlib", "rich", "yaml", "sqlite3"),
    *("soundfile", "soxr", "pyworld", "onnx", "onnxruntime", "pocketsphinx", "jiwer", "torch"),
)
"""What computes, hears, draws or stores: not for importing the package, nor for any --help."""


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return write_set(tmp_path_factory.mktemp("set"))


def assess(files: dict[str, Path], *names: str) -> tuple[str, ...]:
    return ("assess", "scores", *options(files, *names, "trials"), *QUICK)


def test_results_go_to_stdout_and_talk_to_stderr(files: dict[str, Path]) -> None:
    ran = program(*assess(files, "op"), "--json")
    assert ran.returncode == 0
    assert json.loads(ran.stdout)["rows"][0]["condition"] == "op"
    assert ran.stderr == b"read trials (kaldi-key, 144), op.scores (scores, 144)\n"


def test_exit_code_1_lists_bad_items_after_the_result(
    files: dict[str, Path], tmp_path: Path
) -> None:
    bad = tmp_path / "bad"
    bad.write_text(files["op"].read_text() + "100 nobody 1\n")
    colours = {"TERM": "xterm-256color", "COLORTERM": "truecolor"}
    arguments = ("assess", "scores", "--op", bad, "--trials", files["trials"], *QUICK)
    ran = program(*arguments, env=colours)
    assert ran.returncode == 1
    assert b"\x1b" not in ran.stdout + ran.stderr  # pipes are no terminals
    assert b"OP: original against protected" in ran.stdout
    assert b"nobody" not in ran.stdout
    assert ran.stderr.splitlines()[-1].startswith(b"- ")
    assert b"1 problem(s); what they concern was left out:" in ran.stderr


def test_exit_code_2_is_one_sentence(tmp_path: Path) -> None:
    ran = program("assess", "scores", "--op", tmp_path / "gone")
    assert (ran.returncode, ran.stdout) == (2, b"")
    assert ran.stderr.decode() == (
        f"pseudovoice: {tmp_path / 'gone'}: there is no such file; check the path.\n"
    )


FAULTY = """
import click

@click.command("share")
@click.argument("among", type=int)
def command(among):
    print(100 // among)
"""


def test_what_nobody_foresaw_has_an_exit_code_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sharing.py").write_text(FAULTY)
    monkeypatch.syspath_prepend(tmp_path)
    shares = Outermost.of({"share": ("sharing", "Share fairly.")})("p", params=talk_options())
    assert CliRunner().invoke(shares, ["share", "4"]).output == "25\n"
    ran = CliRunner().invoke(shares, ["--log", str(tmp_path / "log"), "share", "0"])
    assert (ran.exit_code, ran.stdout) == (FAULT, "")
    (sentence,) = ran.stderr.splitlines()
    assert sentence.startswith(
        "pseudovoice: A fault of pseudovoice's own: ZeroDivisionError: integer division or modulo "
        "by zero (sharing.py, line 7)."
    )
    assert "Traceback" in (tmp_path / "log").read_text()
    explained = CliRunner().invoke(shares, ["-v", "share", "0"])
    assert "print(100 // among)" in explained.stderr
    assert CliRunner().invoke(shares, ["share", "many"]).exit_code == 2


@pytest.mark.parametrize("arguments", [("asses",), ("assess", "score"), ("--jsn",)])
def test_wrong_use_has_exit_code_2(arguments: tuple[str, ...]) -> None:
    ran = run(*arguments)
    assert ran.code == 2
    assert ran.out == ""
    assert "Error: No such" in ran.err


def test_help_names_the_exit_codes() -> None:
    ran = run("--help")
    assert ran.code == 0
    assert "Exit codes: 0 done; 1 done, with bad items listed; 2 wrong use" in ran.out
    assert run("assess", "scores", "--help").code == 0
    assert re.fullmatch(r"pseudovoice, version \S+\n", run("--version").out)


def terminal(*arguments: str, env: dict[str, str]) -> str:
    """What a terminal of 80 columns receives."""
    ours, theirs = pty.openpty()
    import fcntl
    import struct
    import termios

    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    kept = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "COLUMNS", "FORCE_COLOR")}
    with subprocess.Popen(
        [PROGRAM, *arguments], stdout=theirs, stderr=theirs, stdin=theirs, env={**kept, **env}
    ) as running:
        os.close(theirs)
        got = b""
        while select.select([ours], [], [], 60)[0]:
            try:
                part = os.read(ours, 1 << 16)
            except OSError:
                break
            if not part:
                break
            got += part
        running.wait(60)
    os.close(ours)
    return got.decode().replace("\r\n", "\n")


def test_a_terminal_of_80_columns_cuts_no_number(files: dict[str, Path]) -> None:
    many = ("--replicates", "40", "--permutations", "40")
    arguments = (*assess(files, "oo", "op", "pp")[:-4], *many)
    shown = terminal(*arguments, env={"TERM": "xterm"})
    assert "\x1b[1m" in shown
    assert "…" not in shown
    plain = re.sub(r"\x1b\[[0-9;]*m", "", shown)
    rows = [line.split() for line in plain.splitlines() if line.startswith("d_ece ")]
    assert len(rows) == 3
    for row in rows:
        assert re.fullmatch(
            r"d_ece \S+ bit \[\S+, \S+\] \S+ \(\S+\)( (lower|higher))?( \*)?", " ".join(row)
        )
    assert max(map(len, plain.splitlines()[1:20])) <= 84


def test_no_color_is_honoured(files: dict[str, Path]) -> None:
    shown = terminal(*assess(files, "op"), env={"TERM": "xterm-256color", "NO_COLOR": "1"})
    assert not re.search(r"\x1b\[(3[0-7]|38|9[0-7]|4[0-7])", shown)


def test_a_reader_that_leaves_is_no_error(files: dict[str, Path]) -> None:
    for how in ((), ("--json",)):
        with subprocess.Popen(
            [PROGRAM, *assess(files, "oo", "op", "pp"), *how],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        ) as running:
            assert running.stdout is not None
            assert running.stderr is not None
            running.stdout.close()
            said = running.stderr.read().decode()
            assert running.wait(60) == 0, said
            assert len(said.splitlines()) == 1  # what was read, nothing else


@pytest.mark.parametrize(("encoding", "how"), [("cp1252", ["--json"]), ("ascii", [])])
def test_any_encoding_of_the_streams(encoding: str, how: list[str], files: dict[str, Path]) -> None:
    """JSON stays UTF-8; text shows what the encoding lacks by its code, and never fails."""
    env = {"PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"}
    ran = program(*assess(files, "oo", "op"), *how, env=env)
    assert ran.returncode == 0, ran.stderr
    if how:
        assert "−" in json.loads(ran.stdout.decode("utf-8"))["rows"][-1]["method"]
    assert b"Traceback" not in ran.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="names are bytes only on POSIX")
def test_a_file_name_that_is_no_utf8(files: dict[str, Path], tmp_path: Path) -> None:
    name = os.fsencode(tmp_path) + b"/o\xff.scores"
    Path(os.fsdecode(name)).write_bytes(files["op"].read_bytes())
    arguments = [PROGRAM, "assess", "scores", "--op", name, "--trials", files["trials"], *QUICK]
    out = os.fsencode(tmp_path) + b"/\xfe"
    ran = subprocess.run(
        [*arguments, "--json", "-o", out, "--no-figures", "--name", b"\xfd"],
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout)["provenance"]["inputs"]["op"]["file"] == r"o\udcff.scores"
    ran = subprocess.run([*arguments[:4], name + b"x"], capture_output=True, check=False)
    assert (ran.returncode, ran.stdout) == (2, b"")
    assert rb"o\udcff.scoresx: there is no such file" in ran.stderr


def test_importing_the_package_is_quick_and_light() -> None:
    """Under 0.3 s, and nothing that plots, reads audio, runs nets or crunches numbers."""
    code = "import pseudovoice, sys; print(*sorted(m.partition('.')[0] for m in sys.modules))"
    best = float("inf")
    for _ in range(3):
        ran = subprocess.run(
            [sys.executable, "-X", "importtime", "-c", code],
            capture_output=True,
            text=True,
            check=True,
            timeout=60,
        )
        line = next(x for x in ran.stderr.splitlines() if x.endswith("| pseudovoice"))
        best = min(best, int(line.split("|")[1]) / 1e6)
    assert best < 0.3
    assert not set(ran.stdout.split()) & set(HEAVY)


EVERY_HELP = """
import sys
import click
from pseudovoice.cli.main import app

def verbs(command, path=()):
    yield path
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            yield from verbs(command.get_command(context, name), (*path, name))

for arguments in [*((*path, "--help") for path in verbs(app)), ("explain", "D_ECE")]:
    app(arguments, standalone_mode=False)
    heavy = sorted({name.partition(".")[0] for name in sys.modules} & set(sys.argv[1:]))
    print("##", *arguments, file=sys.stderr)
    if heavy:
        sys.exit(f"{' '.join(arguments)} loads {', '.join(heavy)}")
"""


def test_no_help_loads_what_does_the_work() -> None:
    ran = subprocess.run(
        [sys.executable, "-c", EVERY_HELP, *HEAVY], capture_output=True, text=True, timeout=60
    )
    assert ran.returncode == 0, ran.stderr
    asked = {line.removeprefix("## ") for line in ran.stderr.splitlines()}
    assert {"--help", "assess audio --help", "models fetch --help", "demo --help"} <= asked
    assert ran.stdout.count("Usage: ") == len(asked) - 1  # `explain` shows no options
