"""Who is let in: the token, the name of the host, the origin; and nobody else."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Any

import pytest
from loopback_client import Client

HEAD = "GET {target} HTTP/1.1\r\nHost: {host}\r\n\r\n"


@pytest.fixture
def client(serve: Any) -> Client:
    return serve()


def status(answer: bytes) -> int:
    return int(answer.split(b" ", 2)[1])


@pytest.mark.parametrize("path", ["", "settings", "events", "report/report.html", "recording.js"])
def test_nothing_is_told_without_the_token(client: Client, path: str) -> None:
    wrong = ["x", "", client.token[:-1], client.token + "x", client.token.swapcase(), "%00", "é"]
    for token in wrong:
        answer = client.raw(
            HEAD.format(target=f"/{token}/{path}", host=f"127.0.0.1:{client.port}").encode()
        )
        assert status(answer) == 403, token
        assert client.token.encode() not in answer
    assert (
        status(client.raw(HEAD.format(target="/", host=f"127.0.0.1:{client.port}").encode())) == 403
    )


def test_tokens_are_long_and_never_the_same(serve: Any) -> None:
    tokens = {serve().token for _ in range(3)}
    assert len(tokens) == 3
    assert all(len(token) >= 43 for token in tokens)  # 256 bit


def test_with_the_token_the_page_is_there(client: Client) -> None:
    answer = client.get("")
    assert answer.status == 200
    assert b"Protect a recording" in answer.body
    assert client.send("GET", "", token=client.token).status == 200
    short = client.raw(
        HEAD.format(target=f"/{client.token}", host=f"127.0.0.1:{client.port}").encode()
    )
    assert status(short) == 308


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:{port}", "localhost:{port}", "127.0.0.1", "127.0.0.1:1", ""],
)
def test_a_name_made_to_point_here_is_not_our_address(client: Client, host: str) -> None:
    asked = HEAD.format(target=f"/{client.token}/", host=host.format(port=client.port))
    assert status(client.raw(asked.encode())) == 403


def test_one_host_and_only_one(client: Client) -> None:
    ours = f"Host: 127.0.0.1:{client.port}\r\n"
    line = f"GET /{client.token}/ HTTP/1.1\r\n"
    assert status(client.raw(f"{line}{ours}\r\n".encode())) == 200
    assert status(client.raw(f"{line}\r\n".encode())) == 403
    assert status(client.raw(f"{line}{ours}Host: evil.example\r\n\r\n".encode())) == 403


@pytest.mark.parametrize("target", ["http://127.0.0.1:{port}/{token}/", "//x/{token}/", "*"])
def test_other_forms_of_address_are_refused(client: Client, target: str) -> None:
    full = target.format(port=client.port, token=client.token)
    asked = HEAD.format(target=full, host=f"127.0.0.1:{client.port}")
    assert status(client.raw(asked.encode())) in (400, 403)


@pytest.mark.parametrize(
    "origin",
    [None, "null", "http://evil.example", "http://127.0.0.1", "http://127.0.0.1:1", "https://{us}"],
)
@pytest.mark.parametrize(
    "path", ["run/start", "run/cancel", "run/resume", "run/protect", "drop", "recording/open"]
)
def test_nothing_is_done_for_another_page(client: Client, origin: str | None, path: str) -> None:
    headers = {"Content-Type": "application/json"}
    if origin is not None:
        headers["Origin"] = origin.format(us=f"127.0.0.1:{client.port}")
    assert client.send("POST", path, b"{}", headers).status == 403
    assert client.send("PUT", "drop/x/y", b"", headers).status == 403
    assert list(client.server.dropped.root.iterdir()) == []


def test_for_its_own_page_it_is_done(client: Client) -> None:
    assert client.post("run/cancel", {}).tree == {"running": False}
    assert client.post("drop", {}).status == 201


def test_a_form_of_another_site_cannot_pass_for_json(client: Client) -> None:
    for kind in ("text/plain", "application/x-www-form-urlencoded", ""):
        answer = client.send(
            "POST", "run/cancel", b"{}", {"Origin": client.origin, "Content-Type": kind}
        )
        assert answer.status == 415


def test_other_sites_may_link_here_but_read_nothing(client: Client) -> None:
    foreign = {"Sec-Fetch-Site": "cross-site"}
    link = {**foreign, "Sec-Fetch-Mode": "navigate"}
    assert client.send("GET", "", headers=link).status == 200
    closed = ("settings", "report-list", "events", "recording.js", "folders?path=.", "safeguards")
    for path in (*closed, "recording/sound?id=x&from=0&to=1", "recording/state?id=x"):
        assert client.send("GET", path, headers=foreign).status == 403, path
        assert client.send("GET", path, headers={"Origin": "http://evil.example"}).status == 403
    assert client.send("GET", "settings", headers={"Sec-Fetch-Site": "same-origin"}).status == 200


def test_every_answer_carries_a_policy(client: Client, tmp_path: Path) -> None:
    (tmp_path / "out" / "report.html").write_text("<title>x</title>", encoding="utf-8")
    for path in (
        "",
        "recording.js",
        "settings",
        "report/report.html",
        "nowhere",
        "../../etc/passwd",
    ):
        headers = client.get(path).headers
        assert "default-src 'none'" in headers["Content-Security-Policy"], path
        assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Referrer-Policy"] == "no-referrer"
        assert headers["Cache-Control"] == "no-store"
        assert headers["Access-Control-Allow-Origin"] is None
        assert "Python" not in headers["Server"]
    assert "unsafe" not in client.get("").headers["Content-Security-Policy"]
    # A report may come from elsewhere: an origin of its own.
    policy = client.get("report/report.html").headers["Content-Security-Policy"]
    assert policy.startswith("sandbox allow-scripts")
    assert "allow-same-origin" not in policy


def test_only_loopback_listens(client: Client) -> None:
    assert client.server.socket.getsockname()[0] == "127.0.0.1"
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # sends nothing; only says which address would be ours
        except OSError:
            pytest.skip("this machine has no address but loopback")
        other = probe.getsockname()[0]
    if other.startswith("127."):
        pytest.skip("this machine has no address but loopback")
    with pytest.raises(OSError, match=r"refused|timed out"):
        socket.create_connection((other, client.port), 5).close()


@pytest.mark.parametrize("method", ["DELETE", "OPTIONS", "TRACE", "HEAD", "CONNECT"])
def test_other_methods_are_not_known(client: Client, method: str) -> None:
    asked = f"{method} /{client.token}/ HTTP/1.1\r\nHost: 127.0.0.1:{client.port}\r\n\r\n"
    assert status(client.raw(asked.encode())) == 501


@pytest.mark.parametrize(
    "bytes_", [b"\x16\x03\x01\x02\x00", b"\r\n\r\n", b"GET\r\n\r\n", b"\0" * 99]
)
def test_what_is_no_http_harms_nobody(client: Client, bytes_: bytes) -> None:
    with socket.create_connection(("127.0.0.1", client.port), 20) as connection:
        connection.sendall(bytes_)
        connection.shutdown(socket.SHUT_WR)
        connection.recv(4096)
    assert client.get("").status == 200
