"""An empty cache per test, a package index in a folder and a hub on this machine."""

from __future__ import annotations

import hashlib
import threading
import zipfile
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from pseudovoice.models import Artefact

CONTENT = b"weights " * 1000
MEMBER = "tinyvoice/model.onnx"


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PSEUDOVOICE_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only place where pip looks: a folder with the wheel tinyvoice 1.0."""
    folder = tmp_path / "index"
    folder.mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    info = "tinyvoice-1.0.dist-info"
    with zipfile.ZipFile(folder / "tinyvoice-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr(MEMBER, CONTENT)
        wheel.writestr("tinyvoice/__init__.py", "raise SystemExit('the package was run')\n")
        wheel.writestr(
            f"{info}/METADATA",
            "Metadata-Version: 2.1\nName: tinyvoice\nVersion: 1.0\nRequires-Python: >=3.99\n"
            "Requires-Dist: a-package-that-does-not-exist\n",
        )
        wheel.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        wheel.writestr(f"{info}/RECORD", "")
    return folder


@pytest.fixture
def tiny() -> Callable[..., Artefact]:
    """The artefact in that wheel, with changes."""

    def make(**changes: object) -> Artefact:
        facts: dict[str, object] = {
            "name": "tiny",
            "sha256": hashlib.sha256(CONTENT).hexdigest(),
            "size": len(CONTENT),
            "licence": "MIT",
            "source": "a test",
            "wheel": "tinyvoice",
            "version": "1.0",
            "member": MEMBER,
            "any_python": True,
        }
        return Artefact(**(facts | changes))  # type: ignore[arg-type]

    return make


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[Path, str]]:
    """A folder and the address under which this machine serves it."""
    folder = tmp_path / "served"
    folder.mkdir()
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield folder, f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()
    thread.join()
