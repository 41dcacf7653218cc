"""A folder that came with recordings runs nothing, whoever works in it and whatever it holds."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
import soundfile

from pseudovoice import child
from pseudovoice.corpus import load, read_corpus
from pseudovoice.private import TemporaryFolder
from pseudovoice.serve.browser import open_browser

PROGRAM = [sys.executable, "-P", "-c", "from pseudovoice.cli.main import main; main()"]
NOISE = np.random.default_rng(1).normal(0, 0.1, 4000)


@pytest.fixture
def evil(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder: every module in it leaves the file ``ran`` behind."""
    folder = tmp_path / "evil"
    for name in ("pip", "multiprocessing", "sitecustomize", "numpy", "click", "webbrowser"):
        (folder / name).mkdir(parents=True)
        for file in ("__init__.py", "__main__.py"):
            marked = f"open({str(folder / 'ran')!r}, 'a').write({name!r})\n"
            (folder / name / file).write_text(marked, encoding="utf-8")
    monkeypatch.chdir(folder)
    return folder


def test_fetching_weights_runs_no_pip_of_the_current_folder(
    evil: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PSEUDOVOICE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    ran = subprocess.run(
        [*PROGRAM, "models", "fetch", "ge2e"], capture_output=True, text=True, check=False
    )
    assert "pip download" in ran.stderr, "the real pip was not asked"
    assert not (evil / "ran").exists()


def test_looking_at_many_files_imports_nothing_from_the_current_folder(
    evil: Path, tmp_path: Path
) -> None:
    for k in range(40):
        path = tmp_path / "speech" / f"anna{k % 2}" / f"{k}.wav"
        path.parent.mkdir(parents=True, exist_ok=True)
        soundfile.write(path, NOISE, 16000)
    # As a user starts it: without -P, which Python would hand on to processes it starts.
    code = f"import sys; sys.path.pop(0); {PROGRAM[-1]}"
    command = [sys.executable, "-c", code, "inspect", str(tmp_path / "speech")]
    ran = subprocess.run(command, capture_output=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert not (evil / "ran").exists()


def test_python_m_takes_what_we_need_from_elsewhere(evil: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "pseudovoice", "--version"], capture_output=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    assert not (evil / "ran").exists()


def test_settings_of_numba_in_the_current_folder_are_refused(evil: Path) -> None:
    (evil / ".numba_config.yaml").write_text("cache_dir: here\n", encoding="utf-8")
    code = "from pseudovoice.cli.main import main; main()"
    command = [sys.executable, "-P", "-c", code, "list", "safeguards"]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == 2
    assert ".numba_config.yaml: would make Numba load code that this folder chooses" in ran.stderr
    assert len(ran.stderr.splitlines()) == 1


def test_environment_of_a_child(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PYTHONPATH", "PYTHONSTARTUP", "LD_PRELOAD", "BASH_ENV", "A_TOKEN"):
        monkeypatch.setenv(name, "x")
    monkeypatch.setenv("PATH", os.pathsep.join(["", ".", "bin", "/usr/bin"]))
    monkeypatch.setenv("LD_LIBRARY_PATH", os.pathsep.join(["/opt/lib", ""]))
    monkeypatch.setenv("TMPDIR", "here")
    monkeypatch.setenv("PIP_INDEX_URL", "https://x")
    monkeypatch.setenv("https_proxy", "p")
    given = child.environment(*child.PIP)
    assert given["PATH"] == "/usr/bin"
    assert given["LD_LIBRARY_PATH"] == "/opt/lib"
    assert given["PIP_INDEX_URL"] == "https://x"
    assert given["https_proxy"] == "p"
    assert given["PYTHONSAFEPATH"] == "1"
    assert not {"PYTHONPATH", "PYTHONSTARTUP", "LD_PRELOAD", "BASH_ENV", "A_TOKEN", "TMPDIR"} & {
        *given
    }
    assert "PIP_INDEX_URL" not in child.environment()


def test_a_child_works_in_a_private_folder_that_goes(evil: Path) -> None:
    show = "import os; print(os.getcwd(), oct(os.stat('.').st_mode & 0o777))"
    done = child.run([sys.executable, "-c", show], child.environment(), timeout=60)
    where, mode = done.stdout.split()
    assert mode == "0o700"
    assert where != str(evil)
    assert not Path(where).exists()


def test_commands_keep_the_current_folder_but_not_its_modules(
    evil: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Paths in a Kaldi pipe are relative to the folder of the recipe; ``python -c`` is not."""
    monkeypatch.setenv("PYTHONPATH", str(evil))
    soundfile.write(evil / "here.wav", NOISE, 16000)
    data = tmp_path / "data"
    data.mkdir()
    code = "import sys,numpy; sys.stdout.buffer.write(sys.stdin.buffer.read())"
    command = f'cat here.wav | {sys.executable} -c "{code}"'
    (data / "wav.scp").write_text(f"a {command} |\n")
    (data / "utt2spk").write_text("a anna\n")
    corpus = read_corpus(data, allow_commands=True)
    assert len(load(corpus.by_id["a"], sample_rate=16000)) == len(NOISE)
    assert not (evil / "ran").exists()


def test_the_browser_starts_elsewhere_and_is_not_shown_the_token(
    evil: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = tmp_path / "seen"
    browser = tmp_path / "browser"
    browser.write_text(
        f'#!/bin/sh\nprintf "%s\\n" "$PWD" "$@" > {seen}.part; mv {seen}.part {seen}\n'
    )
    browser.chmod(0o700)
    monkeypatch.setenv("BROWSER", str(browser))
    with TemporaryFolder("test") as private:
        open_browser("http://127.0.0.1:1/secret/", private)
        path = private / "open.html"
        end = time.monotonic() + 30
        while not seen.exists() and time.monotonic() < end:
            time.sleep(0.05)
        assert seen.read_text().splitlines() == [str(private), path.as_uri()]
        assert path.stat().st_mode & 0o777 == 0o600
        assert "url=http://127.0.0.1:1/secret/" in path.read_text(encoding="utf-8")
        for thread in threading.enumerate():
            if thread is not threading.main_thread() and thread.daemon:
                thread.join(10)
    assert not (evil / "ran").exists()
