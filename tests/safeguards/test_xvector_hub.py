"""Neural voices of others: from a hub on this machine, and as a content encoder with a vocoder."""

from __future__ import annotations

import hashlib
import json
import shutil
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from pseudovoice.encoders.graph import Graph
from pseudovoice.errors import InputError, UsageError
from pseudovoice.keys import Key
from pseudovoice.safeguards import Voice, XVector, parse_chain
from pseudovoice.safeguards.safeguard import Samples
from pseudovoice.safeguards.xvector import targets
from pseudovoice.safeguards.xvector.declaration import (
    CONTENT_FILE,
    DECLARATION_FILE,
    POOL_FILE,
    VOCODER_FILE,
)
from pseudovoice.safeguards.xvector.frames import RATE, pitch_of
from pseudovoice.safeguards.xvector.neural_voice import ABOUT_FILE, GRAPH_FILE

KEY = Key(bytes(range(32)))
WEIGHTS = Path(targets.__file__).parent / "weights"
STEP, PITCH_STEP = 320, 80


@pytest.fixture(scope="module")
def speech(shared: Path) -> Samples:
    """Three seconds of a man."""
    file = min((shared / "speech" / "dev" / "1272").rglob("*.flac"))
    samples: Samples = soundfile.read(file)[0][: 3 * RATE]
    return samples


def _voice(name: str = "ann") -> Voice:
    return Voice(KEY, "s", name)


class _Handler(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder that the hub serves, with a cache that has only our own models."""
    from pseudovoice.models.cache import cache_directory

    folder, cache = tmp_path / "hub", tmp_path / "cache"
    folder.mkdir()
    cache.mkdir()
    (cache / "models").symlink_to(cache_directory() / "models")
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Handler, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{server.server_address[1]}/")
    monkeypatch.setenv("PSEUDOVOICE_CACHE", str(cache))
    _forget()
    yield folder
    _forget()
    server.shutdown()
    server.server_close()
    thread.join()


def _forget() -> None:
    for cached in (targets.voice_of, targets.pool_of, targets.chooser_of):
        cached.cache_clear()


def _publish(hub: Path, repository: str, folder: Path, revision: str = "main") -> Path:
    served = hub / repository / "resolve" / revision
    shutil.copytree(folder, served)
    return served


def test_a_voice_of_ours_speaks_from_the_hub_as_it_does_here(hub: Path, speech: Samples) -> None:
    served = _publish(hub, "org/voice", WEIGHTS, "v1")
    name = "xvector:voice=hf:org/voice@v1"
    (safeguard,) = parse_chain(name).links
    made = safeguard(speech, RATE, _voice())
    np.testing.assert_array_equal(made, XVector()(speech, RATE, _voice()))
    # Once fetched it is here, whatever becomes of the hub.
    shutil.rmtree(served)
    _forget()
    np.testing.assert_array_equal(made, safeguard(speech, RATE, _voice()))
    assert safeguard.to_dict()["voice"].startswith("hf:org/voice@v1/")


def test_another_file_than_the_first_is_refused(hub: Path, tmp_path: Path, speech: Samples) -> None:
    served = _publish(hub, "org/voice", WEIGHTS)
    (served / GRAPH_FILE).write_bytes(b"another network")
    with pytest.raises(InputError, match=f"is not the network that {ABOUT_FILE}"):
        XVector(voice="hf:org/voice")(speech, RATE, _voice())
    (cached,) = (tmp_path / "cache").rglob(ABOUT_FILE)
    cached.write_bytes(b"changed")
    with pytest.raises(InputError, match="is not the file that was first fetched"):
        XVector(voice="hf:org/voice")(speech, RATE, _voice())


@pytest.mark.usefixtures("hub")
def test_without_network_or_name_there_is_a_sentence(
    speech: Samples, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(InputError, match=r"voice org/none cannot be fetched: .*404.*voice=FOLDER"):
        XVector(voice="hf:org/none")(speech, RATE, _voice())
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(InputError, match=r"cannot be reached.*Check its name and the network"):
        XVector(voice="hf:org/voice")(speech, RATE, _voice())
    for wrong in ("hf:voice", "hf:../x", "hf:org/voice/file.onnx", "hf:org/voice@a/b"):
        with pytest.raises(UsageError, match="is no repository"):
            XVector(voice=wrong)(speech, RATE, _voice())


def _content_graph() -> bytes:
    """Root mean square of every 20 ms, as a network of one number would hear it."""
    net = Graph("content")
    power = net.op("Mul", "waveform", "waveform")
    power = net.op("Unsqueeze", power, net.integers(1))
    power = net.op("AveragePool", power, kernel_shape=[400], strides=[STEP])
    level = net.op("Sqrt", power)
    frames = net.op("Transpose", level, perm=[0, 2, 1])
    return net.model({"waveform": ["batch", "samples"]}, {frames: ["batch", "time", 1]})


def _vocoder_graph(size: int) -> bytes:
    """A source at the pitch with a second harmonic that the target sets, as loud as content."""
    net = Graph("vocoder")
    turn = net.constant(np.array(2 * np.pi / RATE, np.float32))

    def repeated(x: str, times: int) -> str:
        column = net.op("Unsqueeze", x, net.integers(2))
        return net.op(
            "Reshape", net.op("Tile", column, net.integers(1, 1, times)), net.integers(1, -1)
        )

    phase = net.op("CumSum", repeated("pitch", PITCH_STEP), net.integers(1))
    phase = net.op("Mul", phase, turn)
    weights = np.random.default_rng(0).standard_normal((size, 1)).astype(np.float32)
    share = net.op("Sigmoid", net.op("MatMul", "target", net.constant(4 * weights)))
    two = net.constant(np.array(2.0, np.float32))
    second = net.op("Mul", share, net.op("Sin", net.op("Mul", phase, two)))
    both = net.op("Add", net.op("Sin", phase), second)
    loud = repeated(net.op("Squeeze", "content", net.integers(2)), STEP)
    waveform = net.op("Mul", both, loud)
    return net.model(
        {
            "content": ["batch", "time", 1],
            "pitch": ["batch", "values"],
            "target": ["batch", size],
        },
        {waveform: ["batch", "samples"]},
    )


def _write(folder: Path, **changes: Any) -> Path:
    folder.mkdir()
    size = targets.shipped_pool().embeddings.shape[1]
    (folder / CONTENT_FILE).write_bytes(_content_graph())
    (folder / VOCODER_FILE).write_bytes(_vocoder_graph(size))
    shutil.copy(WEIGHTS / POOL_FILE, folder)
    names = (CONTENT_FILE, VOCODER_FILE, POOL_FILE)
    declared = {
        "format": 1,
        "encoder": "resnet34-lm",
        "content_step": STEP,
        "content_pad": 40,
        "pitch_step": PITCH_STEP,
        "sample_rate": RATE,
        "licence": "MIT",
        "source": "this test",
        "sha256": {n: hashlib.sha256((folder / n).read_bytes()).hexdigest() for n in names},
    }
    (folder / DECLARATION_FILE).write_text(json.dumps(declared | changes))
    return folder


def test_a_vocoder_of_others_says_content_at_the_targets_pitch(
    hub: Path, tmp_path: Path, speech: Samples
) -> None:
    folder = _write(tmp_path / "vocoder")
    safeguard = XVector(voice=str(folder), contour="keep")
    made = safeguard(speech, RATE, _voice())
    assert made.size == speech.size

    def loudness(x: Samples) -> Samples:
        return np.sqrt(np.square(x[: x.size // 800 * 800]).reshape(-1, 800).mean(axis=1))

    assert np.corrcoef(loudness(made), loudness(speech))[0, 1] > 0.8
    level = 10 * np.log10(np.square(made).mean() / np.square(speech).mean())
    assert abs(level) < 6
    chooser = targets.chooser_of("", str(folder), "synthetic", "any")

    def uniform(purpose: str) -> float:
        return _voice().uniform(f"xvector/{purpose}", 0.0, 1.0)

    target = chooser.target(None, chooser.sex(None, uniform), uniform)
    heard = pitch_of(made.astype(np.float32))
    assert np.median(heard[heard > 0]) == pytest.approx(target.pitch, rel=0.1)
    assert np.abs(safeguard(speech, RATE, _voice("bob")) - made).max() > 0.01
    # The same from the hub.
    _publish(hub, "org/vocoder", folder)
    from_hub = XVector(voice="hf:org/vocoder", contour="keep")
    np.testing.assert_array_equal(from_hub(speech, RATE, _voice()), made)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"format": 2}, "its format is not 1"),
        ({"pitch_step": 0}, "pitch_step must be a whole number from 16"),
        ({"norm": -1}, "norm must be a number greater than 0"),
        ({"encoder": ""}, "encoder must be a text"),
        ({"sha256": {}}, "sha256 must name content.onnx, vocoder.onnx"),
        ({"content_step": 640}, r"fails on one second of noise .*not about \[25, n\]"),
        ({"encoder": "ecapa"}, "build the pool with the encoder ecapa"),
    ],
)
def test_a_declaration_that_does_not_fit_is_a_sentence(
    tmp_path: Path, speech: Samples, changes: dict[str, Any], says: str
) -> None:
    folder = _write(tmp_path / "voice", **changes)
    with pytest.raises((InputError, UsageError), match=says):
        XVector(voice=str(folder))(speech, RATE, _voice())


def test_files_that_were_changed_or_have_other_inputs_are_refused(
    tmp_path: Path, speech: Samples
) -> None:
    folder = _write(tmp_path / "voice")
    (folder / VOCODER_FILE).write_bytes(_content_graph())
    with pytest.raises(InputError, match=r"vocoder\.onnx is not the file that voice\.json"):
        XVector(voice=str(folder))(speech, RATE, _voice())
    declared = json.loads((folder / DECLARATION_FILE).read_text())
    declared["sha256"][VOCODER_FILE] = hashlib.sha256(_content_graph()).hexdigest()
    (folder / DECLARATION_FILE).write_text(json.dumps(declared))
    with pytest.raises(InputError, match="takes waveform, and a voice is given content, pitch"):
        XVector(voice=str(folder))(speech, RATE, _voice())
