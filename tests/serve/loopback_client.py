"""What a program says to the server, byte by byte where need be."""

from __future__ import annotations

import http.client
import json
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pseudovoice.serve import Loopback


@dataclass(frozen=True)
class Answer:
    status: int
    headers: http.client.HTTPMessage
    body: bytes

    @property
    def tree(self) -> Any:
        return json.loads(self.body)

    @property
    def sentence(self) -> str:
        return str(self.tree["error"])


class Client:
    """Speaks to one server, as its own page would unless told otherwise."""

    def __init__(self, server: Loopback) -> None:
        self.server = server
        self.port, self.token = server.guard.port, server.guard.token
        self.origin = f"http://127.0.0.1:{self.port}"
        self.home = f"{self.origin}/{self.token}/"
        self.assess = f"{self.home}assess"

    def send(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        headers: dict[str, str] | None = None,
        *,
        token: str | None = None,
    ) -> Answer:
        """Ask for a path below the token; no header is added but Host and Content-Length."""
        with_token = f"/{self.token if token is None else token}/{path}"
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request(method, with_token, body, headers or {})
            answer = connection.getresponse()
            return Answer(answer.status, answer.headers, answer.read())
        finally:
            connection.close()

    def get(self, path: str) -> Answer:
        return self.send("GET", path)

    def post(self, path: str, tree: object) -> Answer:
        said = {"Origin": self.origin, "Content-Type": "application/json"}
        return self.send("POST", path, json.dumps(tree).encode(), said)

    def put(self, path: str, body: bytes) -> Answer:
        return self.send("PUT", path, body, {"Origin": self.origin})

    def raw(self, request: bytes) -> bytes:
        """The whole answer to these bytes, which need not be HTTP."""
        with socket.create_connection(("127.0.0.1", self.port), 60) as connection:
            connection.sendall(request)
            return until_closed(connection)

    def states(self) -> Iterator[dict[str, Any]]:
        """Every state of the run that the server tells of, as long as it is listened to."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        try:
            connection.request("GET", f"/{self.token}/events")
            stream = connection.getresponse()
            assert stream.headers["Content-Type"].startswith("text/event-stream")
            for line in stream:
                if line.startswith(b"data: ") and (state := json.loads(line[6:])) is not None:
                    yield state
        finally:
            connection.close()


def until_closed(connection: socket.socket) -> bytes:
    """Everything that comes before the server closes; a reset is an end too."""
    got = b""
    try:
        while part := connection.recv(65536):
            got += part
    except ConnectionResetError:
        pass
    return got
