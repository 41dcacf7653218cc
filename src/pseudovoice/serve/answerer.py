"""One request and its answer, as HTTP has it: heads, bodies, limits, refusals."""

from __future__ import annotations

import io
import json
import socket
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from typing import Any

from pseudovoice.json_tree import json_tree
from pseudovoice.serve import guard
from pseudovoice.serve.guard import Refused
from pseudovoice.serve.server import Loopback, Punctual

MOST_JSON = 64 << 10
LINGER, MOST_UNREAD = 0.5, 4 << 20
"""Seconds and bytes for which a refused body is still listened to."""

JSON = "application/json; charset=utf-8"


class Answerer(BaseHTTPRequestHandler):
    """One connection, one request: HTTP/1.0 has no second one to be confused with the first."""

    server: Loopback

    def setup(self) -> None:
        super().setup()
        self.punctual = Punctual(self.connection, self.server.patience)
        self.rfile = io.BufferedReader(self.punctual)

    def version_string(self) -> str:
        return "pseudovoice"

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing: a log would hold the token."""

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """What http.server itself refuses, in the manner of everything else."""
        del message, explain
        self.refuse(code, f"{HTTPStatus(code).phrase}.")

    def refuse(self, status: int, sentence: str) -> None:
        body = json.dumps({"error": sentence}).encode()
        try:
            self.send(body, JSON, guard.NOTHING, status=status)
            # A connection closed on bytes that nobody read takes the answer with it.
            self.connection.shutdown(socket.SHUT_WR)
            self.punctual.allow(LINGER)
            left = MOST_UNREAD
            while left > 0 and (unread := self.rfile.read1(left)):
                left -= len(unread)
        except OSError:
            pass

    def send(self, body: bytes, kind: str, policy: str, *, status: int = 200) -> None:
        self.head(kind, policy, status=status, length=len(body))
        for start in range(0, len(body), 1 << 16):
            self.connection.settimeout(self.server.patience)
            self.wfile.write(body[start : start + (1 << 16)])

    def head(
        self, kind: str, policy: str, *, status: int = 200, length: int | None, save_as: str = ""
    ) -> None:
        self.connection.settimeout(self.server.patience)
        self.send_response(status)
        for name, value in guard.HEADERS.items():
            self.send_header(name, value)
        self.send_header("Content-Security-Policy", policy)
        self.send_header("Content-Type", kind)
        if length is not None:
            self.send_header("Content-Length", str(length))
        if save_as:
            self.send_header("Content-Disposition", f'attachment; filename="{save_as}"')
        self.end_headers()

    def send_json(self, tree: object, status: int = 200) -> None:
        self.send(json.dumps(tree).encode(), JSON, guard.NOTHING, status=status)

    def body_length(self, most: int) -> int:
        """Length of the body; a body without one, or a longer one, is not read."""
        said = self.headers.get_all("Content-Length") or []
        if self.headers.get("Transfer-Encoding") or len(said) != 1:
            raise Refused(411, "A request with a body must say how long it is.")
        if not (said[0].isascii() and said[0].isdigit()):
            raise Refused(400, "The length of a body is a number.")
        # Compared as text first: int() refuses thousands of digits with an error of its own.
        if len(said[0]) > 15 or int(said[0]) > most:
            raise Refused(413, f"The body is longer than the {most:,} bytes that are allowed.")
        return int(said[0])

    def json_body(self, most: int = MOST_JSON) -> dict[str, Any]:
        if self.headers.get_content_type() != "application/json":
            raise Refused(415, "The body of this request must be JSON.")
        length = self.body_length(most)
        self.punctual.allow(self.server.patience)
        body = self.rfile.read(length)
        try:
            tree = json_tree(body)
        except ValueError:
            raise Refused(400, "The body of this request is no JSON.") from None
        if not isinstance(tree, dict):
            raise Refused(400, "The body of this request must be a JSON object.")
        return tree
