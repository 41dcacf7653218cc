"""Clients that send too much, too slowly or too often."""

from __future__ import annotations

import json
import socket
import time
from typing import Any

import pytest
from loopback_client import Client, until_closed

from pseudovoice.serve import dropped as dropped_module
from pseudovoice.serve.answerer import MOST_JSON
from pseudovoice.serve.server import MOST_CONNECTIONS


def test_a_body_that_is_too_long_is_not_read(serve: Any) -> None:
    client: Client = serve()
    long = {"title": "x" * MOST_JSON}
    answer = client.post("run/start", long)
    assert answer.status == 413
    assert "bytes" in answer.sentence
    head = {"Origin": client.origin, "Content-Type": "application/json"}
    for said in ("9" * 5000, str(1 << 40)):
        answer = client.send("POST", "run/start", b"", {**head, "Content-Length": said})
        assert answer.status == 413
    for said in ("-1", "1e3", "٣", "+5"):
        raw = f"POST /{client.token}/run/start HTTP/1.1\r\nHost: 127.0.0.1:{client.port}\r\n"
        raw += f"Origin: {client.origin}\r\nContent-Type: application/json\r\n"
        answer_bytes = client.raw(f"{raw}Content-Length: {said}\r\n\r\n".encode())
        assert answer_bytes.startswith(b"HTTP/1.0 400"), said


def test_a_body_without_one_clear_length_is_not_read(serve: Any) -> None:
    client: Client = serve()
    raw = f"POST /{client.token}/run/cancel HTTP/1.1\r\nHost: 127.0.0.1:{client.port}\r\n"
    raw += f"Origin: {client.origin}\r\nContent-Type: application/json\r\n"
    chunked = "Transfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n2\r\n{}\r\n0\r\n\r\n"
    twice = "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{} "
    for rest in ("\r\n", chunked, twice):
        assert client.raw(f"{raw}{rest}".encode()).startswith(b"HTTP/1.0 411"), rest


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b'"x"', b"\xff", b"[" * 60_000, b'{"a": NaN}', b"null"]
)
def test_what_is_no_json_object_gets_a_sentence(serve: Any, body: bytes) -> None:
    client: Client = serve()
    head = {"Origin": client.origin, "Content-Type": "application/json"}
    answer = client.send("POST", "run/start", body, head)
    assert answer.status in (400, 422)
    assert answer.sentence.endswith(".")


def test_a_file_that_is_too_large_is_refused_before_it_is_sent(
    serve: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dropped_module, "MOST_BYTES", 1000)
    client: Client = serve()
    place = client.post("drop", {}).tree["id"]
    answer = client.put(f"drop/{place}/a/b.wav", b"x" * 1001)
    assert answer.status == 413
    assert "larger than" in answer.sentence
    assert client.put(f"drop/{place}/a/b.wav", b"x" * 1000).status == 201


def test_a_full_disk_is_said(serve: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    client: Client = serve()
    place = client.post("drop", {}).tree["id"]
    monkeypatch.setattr(dropped_module, "SPARE", 1 << 60)
    answer = client.put(f"drop/{place}/a/b.wav", b"x")
    assert answer.status == 413
    assert "is full" in answer.sentence


@pytest.mark.parametrize("drip", [False, True], ids=["silent", "dripping"])
def test_a_slow_head_is_hung_up_on(serve: Any, *, drip: bool) -> None:
    client: Client = serve(patience=1.0)
    with socket.create_connection(("127.0.0.1", client.port), 30) as slow:
        slow.sendall(f"GET /{client.token}/ HTTP/1.1\r\nX: ".encode())
        assert client.get("").status == 200  # others are served meanwhile
        if drip:
            # A byte now and then must not buy more time.
            assert hung_up_on(slow)
        else:
            assert until_closed(slow) == b""


def hung_up_on(connection: socket.socket) -> bool:
    """Whether a connection breaks while it drips, within a long while."""
    end = time.monotonic() + 30
    try:
        while time.monotonic() < end:
            connection.sendall(b"x")
            time.sleep(0.1)
    except OSError:  # a reset or a broken pipe, as it comes
        return True
    return False


def test_a_slow_body_is_told_so(serve: Any) -> None:
    client: Client = serve(patience=1.0)
    raw = f"POST /{client.token}/run/start HTTP/1.1\r\nHost: 127.0.0.1:{client.port}\r\n"
    raw += f"Origin: {client.origin}\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n"
    answer = client.raw(f"{raw}{{".encode())
    assert answer.startswith(b"HTTP/1.0 408")
    assert json.loads(answer.partition(b"\r\n\r\n")[2])["error"] == "The request came too slowly."


def test_too_many_connections_are_closed_and_the_server_lives_on(serve: Any) -> None:
    client: Client = serve(patience=30.0)
    idle = [
        socket.create_connection(("127.0.0.1", client.port), 30) for _ in range(MOST_CONNECTIONS)
    ]
    try:
        with socket.create_connection(("127.0.0.1", client.port), 30) as one_more:
            assert until_closed(one_more) == b""
    finally:
        for connection in idle:
            connection.close()
    end = time.monotonic() + 30
    while True:
        try:
            assert client.get("").status == 200
            break
        except OSError:  # their threads have not noticed yet
            assert time.monotonic() < end
            time.sleep(0.05)
