"""Hugging Face ids, against a hub on this machine."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from pseudovoice.encoders import load_encoder, load_hub, load_onnx
from pseudovoice.encoders.hub import HubModel
from pseudovoice.errors import InputError, UsageError

Float32 = NDArray[np.float32]


class _Handler(SimpleHTTPRequestHandler):
    def do_GET(self) -> None:
        if self.path.startswith("/elsewhere/"):
            self.send_response(302)
            self.send_header("Location", "http://example.org/model.onnx")
            self.end_headers()
        else:
            super().do_GET()

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder that the hub serves; the cache is empty."""
    folder = tmp_path / "hub"
    folder.mkdir()
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Handler, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{server.server_address[1]}/")
    monkeypatch.setenv("PSEUDOVOICE_CACHE", str(tmp_path / "cache"))
    yield folder
    server.shutdown()
    server.server_close()
    thread.join()


def publish(hub: Path, model: Path, path: str) -> Path:
    target = hub / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(model.read_bytes())
    return target


@pytest.mark.parametrize(
    ("identifier", "path"),
    [
        ("hf:org/name", "org/name/resolve/main/model.onnx"),
        ("hf:org/name", "org/name/resolve/main/onnx/model.onnx"),
        ("hf:org/name/deep/er/own.onnx", "org/name/resolve/main/deep/er/own.onnx"),
        ("hf:org/name@v1.0/own.onnx", "org/name/resolve/v1.0/own.onnx"),
    ],
)
def test_model_of_the_hub(
    hub: Path, fbank_model: Path, voices: list[Float32], identifier: str, path: str
) -> None:
    publish(hub, fbank_model, path)
    encoder = load_encoder(identifier)
    here = load_onnx(fbank_model)
    assert encoder.name == identifier
    assert encoder.sha256 == here.sha256
    np.testing.assert_array_equal(encoder.embed(voices), here.embed(voices))


def test_first_use_is_remembered(hub: Path, fbank_model: Path, waveform_model: Path) -> None:
    target = publish(hub, fbank_model, "org/name/resolve/main/model.onnx")
    first = load_hub("hf:org/name")
    target.write_bytes(waveform_model.read_bytes())
    assert load_hub("hf:org/name").sha256 == first.sha256, "the hub's change went unnoticed"
    target.unlink()
    assert load_hub("hf:org/name").sha256 == first.sha256, "the cache was not used"
    cached = HubModel.parse("hf:org/name").repository.cached("model.onnx")
    cached.write_bytes(waveform_model.read_bytes())
    with pytest.raises(InputError, match="not the file that was first fetched"):
        load_hub("hf:org/name")


@pytest.mark.usefixtures("hub")
def test_failures_are_sentences() -> None:
    with pytest.raises(InputError, match=r"org/none cannot be fetched: .*404.*onnx:PATH"):
        load_hub("hf:org/none")
    with pytest.raises(InputError, match=r"example\.org/model\.onnx is not an https address"):
        load_hub("hf:elsewhere/name")
    with pytest.raises(InputError, match="cannot be reached"):
        load_hub("hf:org/name", endpoint="http://127.0.0.1:9")


@pytest.mark.parametrize(
    "identifier",
    [
        "hf:name",
        "hf:org/name/model.bin",
        "hf:../../x",
        "hf:org/..",
        "hf:org/name/../x.onnx",
        "hf:org/name@a/b/../c.onnx",
        "hf:https://x/y",
        "hf:org/na me",
        "hf:",
    ],
)
def test_ids_that_are_none(identifier: str) -> None:
    with pytest.raises(UsageError, match="is no model id"):
        load_encoder(identifier)
