"""Requests to `serve`, as bytes on a socket: the guard, the folders, the forms, the answers."""

from __future__ import annotations

import atexit
import json
import os
import socket
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import soundfile  # type: ignore[import-untyped, unused-ignore]

from fuzz.target import Target
from fuzz.watch import allow, unwatched
from pseudovoice.errors import InputError
from pseudovoice.serve.dropped import check_parts
from pseudovoice.serve.handler import Handler
from pseudovoice.serve.readable import ReadableFolders
from pseudovoice.serve.server import Loopback
from pseudovoice.serve.tasks import safeguards_offered

_PATIENCE = 2.0
_NOT_SPOKEN = (501, 505)
"""Another method or another HTTP."""

_SERVER: list[tuple[Loopback, str]] = []


def _server() -> tuple[Loopback, str]:
    """One server that is never started, and a folder that was dropped onto it.

    Its runs are closed, so that nothing is begun; every request is still read to its end.
    """
    if not _SERVER:
        folder = Path(tempfile.mkdtemp(prefix="fuzz-serve-"))
        (folder / "speech" / "anna").mkdir(parents=True)
        (folder / "out").mkdir()
        soundfile.write(folder / "speech" / "talk.wav", np.zeros(800), 8000)
        (folder / "out" / "report.html").write_text("<title>R</title>", encoding="utf-8")
        server = Loopback(
            ReadableFolders.at(folder / "out", [folder / "speech"]), port=0, patience=_PATIENCE
        )
        server.runs.close()
        safeguards_offered()  # what they import opens libraries
        allow(server.dropped.root)
        allow(server.readable.roots[0])  # turns are saved beside the recording
        atexit.register(server.server_close)
        _SERVER.append((server, server.dropped.begin()))
    return _SERVER[0]


def _request(folder: Path, data: bytes) -> None:
    del folder
    with unwatched():
        server, place = _server()
        talk = server.recordings.open(server.readable.roots[0] / "talk.wav").id
    for name, value in (
        (b"TOKEN", server.guard.token.encode()),
        (b"HOST", server.guard.host.encode()),
        (b"PLACE", place.encode()),
        (b"TALK", talk.encode()),
    ):
        data = data.replace(name, value)
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.sendall(data)
        theirs.shutdown(socket.SHUT_WR)
        Handler(ours, ("127.0.0.1", 1), server)
        ours.close()
        answer = b""
        while part := theirs.recv(1 << 16):
            answer += part
    if not answer.startswith(b"HTTP/"):
        return  # whoever does not speak HTTP/1 gets a body without a head, or nothing
    head, _, body = answer.partition(b"\r\n\r\n")
    status = int(head.split()[1])
    assert status < 500 or status in _NOT_SPOKEN, answer[:300]
    if status >= 400:
        assert json.loads(body)["error"].strip()
    _SERVER[0] = (
        server,
        place if (server.dropped.root / place).is_dir() else server.dropped.begin(),
    )


def _written(method: str, path: str, body: bytes = b"", **more: str) -> bytes:
    heads = {"Host": "HOST", "Origin": "http://HOST", **more}
    if body:
        heads |= {"Content-Type": "application/json", "Content-Length": str(len(body))}
    lines = [f"{method} /TOKEN/{path} HTTP/1.0", *(f"{k}: {v}" for k, v in heads.items()), "", ""]
    return "\r\n".join(lines).encode() + body


def _request_seeds(folder: Path) -> Sequence[bytes]:
    del folder
    saved = {"id": "TALK", "version": "", "turns": [[0, 0.05, "Anna"], [0.05, 1e3, "Ben"]]}
    options = {"low": 0.6, "level": "speaker"}
    protect = {"id": "TALK", "safeguard": "mcadams-random", "options": options, "by_turns": True}
    plan = {"original": "anna", "protected": {"dropped": "PLACE"}, "replicates": 10}
    return [
        *(_written("GET", path) for path in ("", "home.js", "settings", "report-list", "events")),
        *(_written("GET", path) for path in ("folders?path=anna", "report/report.html")),
        _written("POST", "run/start", json.dumps(plan).encode()),
        _written("POST", "run/resume", b'{"name": "report"}'),
        _written("POST", "run/cancel", b"{}"),
        _written("POST", "drop", b"{}"),
        _written("POST", "recording/open", b'{"path": "talk.wav"}'),
        _written("POST", "recording/open", b'{"dropped": "PLACE"}'),
        _written("POST", "recording/turns", json.dumps(saved).encode()),
        _written("POST", "recording/decision", b'{"id": "TALK", "take": "t", "risk": "measures"}'),
        _written("POST", "run/diarise", b'{"id": "TALK", "people": 2}'),
        _written("POST", "run/compare", b'{"id": "TALK", "take": "a"}'),
        _written("POST", "run/protect", json.dumps(protect).encode()),
        *(
            _written("GET", f"recording/{part}")
            for part in (
                "state?id=TALK",
                "sound?id=TALK&from=0&to=1e1",
                "turns?id=TALK",
                "file?id=TALK&take=a&as=b",
                "release?id=TALK&take=a",
            )
        ),
        _written("PUT", "drop/PLACE/anna/a.wav", b"RIFF"),
    ]


def _wish(folder: Path, data: bytes) -> None:
    """A path that a page asks for; nothing outside the root is ever granted."""
    (folder / "root" / "inner").mkdir(parents=True)
    (folder / "outer").mkdir()
    (folder / "root" / "away").symlink_to(folder / "outer")
    readable = ReadableFolders.at(folder / "out", [folder / "root"])
    wish = os.fsdecode(data).replace("FOLDER", str(folder))
    found = readable.listing(wish)
    assert found.path.is_relative_to(os.path.realpath(folder / "root")), found


def _parts(folder: Path, data: bytes) -> None:
    """The path of a dropped file; what is allowed lies inside and can be made."""
    parts = data.decode("utf-8", "surrogateescape").split("/")
    check_parts(parts)
    target = folder.joinpath(*parts)
    assert Path(os.path.normpath(target)) == target
    assert target.is_relative_to(folder)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(b"")
    except OSError as error:
        raise InputError(f"cannot be written ({error.strerror})") from None


TARGETS = (
    Target(
        "requests",
        _request,
        _request_seeds,
        (
            *(b"GET /TOKEN/", b"PUT /TOKEN/drop/PLACE/", b"POST /TOKEN/run/start", b"HOST"),
            *(b"Origin: http://HOST\r\n", b"Content-Length: ", b"Content-Type: application/json"),
            *(b"Transfer-Encoding: chunked", b"Sec-Fetch-Site: ", b"Sec-Fetch-Mode: navigate"),
            *(
                b"%2e%2e",
                b"%00",
                b"%ff",
                b"//",
                b"..",
                b"\r\n\r\n",
                b"\xff",
                b"?path=",
                b"HTTP/1.1",
            ),
        ),
        longest=2048,
        smoke=200,
    ),
    Target(
        "wishes",
        _wish,
        lambda _: [b"inner", b"FOLDER/root/inner/..", b"away", b"~root", b"../outer"],
        (b"../", b"~", b"FOLDER", b"/", b"\0", b"\xff", b"away/"),
        longest=512,
    ),
    Target(
        "dropped",
        _parts,
        lambda _: [b"anna/session 1/a.wav", "grüße/ü.flac".encode()],
        (b"..", b"/", b"\\", b"\0", b"~", b":", b"\xff"),
        longest=512,
    ),
)
