"""The server: on loopback, with as many connections as one person needs, each with a time limit."""

from __future__ import annotations

import io
import os
import secrets
import socket
import sys
import threading
import time
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any

from pseudovoice.errors import UsageError
from pseudovoice.serve.dropped import Dropped
from pseudovoice.serve.guard import Guard
from pseudovoice.serve.readable import ReadableFolders
from pseudovoice.serve.recordings import Recordings
from pseudovoice.serve.reports import PAGE, read_report
from pseudovoice.serve.runs import Runs

MOST_CONNECTIONS = 48
PATIENCE = 10.0
"""Seconds within which a whole head, or a whole small body, must have come."""


class Loopback(ThreadingHTTPServer):
    """The page of one folder of results; a context that stops what it started when it ends."""

    daemon_threads = True
    # Elsewhere than on POSIX the option would let another program take the same port.
    allow_reuse_address = os.name == "posix"
    request_queue_size = 32

    def __init__(
        self,
        readable: ReadableFolders,
        *,
        port: int = 0,
        workers: int | None = None,
        patience: float = PATIENCE,
    ) -> None:
        from pseudovoice.serve.handler import Handler  # which imports this module

        self.readable, self.patience = readable, patience
        self._room = threading.BoundedSemaphore(MOST_CONNECTIONS)
        self.dropped = Dropped()
        self.runs = Runs(readable.out, workers=workers)
        self.recordings = Recordings(readable.out)
        try:
            super().__init__(("127.0.0.1", port), Handler)
        except OSError as error:
            raise UsageError(
                f"Port {port} of 127.0.0.1 cannot be had ({error.strerror}); choose another with "
                "`port`, or leave it out."
            ) from None
        self.guard = Guard(self.server_address[1], secrets.token_urlsafe(32))

    @property
    def home(self) -> str:
        """Path of the first page."""
        return f"/{self.guard.token}/"

    @property
    def key_file(self) -> Path:
        """The secret key of all voices that are given here; beside the results, never in them."""
        return self.readable.out.with_name(f"{self.readable.out.name}.key")

    @property
    def address(self) -> str:
        """Where to begin: at the report of the folder, or where there is none at the first page."""
        there = read_report(self.readable.out, [PAGE], self.home) is not None
        return f"{self.guard.origin}{self.home}{f'report/{PAGE}' if there else ''}"

    def server_bind(self) -> None:
        # HTTPServer would ask the resolver for the name of this machine, for nothing.
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, self.allow_reuse_address)
        self.socket.bind(self.server_address)
        self.server_address = self.socket.getsockname()
        self.server_name, self.server_port = "127.0.0.1", self.server_address[1]

    def server_close(self) -> None:
        super().server_close()
        self.runs.close()
        self.dropped.__exit__()

    def process_request(self, request: Any, client_address: Any) -> None:
        if not self._room.acquire(blocking=False):
            self.shutdown_request(request)
            return
        super().process_request(request, client_address)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._room.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away or slept is no news; anything else is a mistake of ours."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


class Punctual(io.RawIOBase):
    """A socket to read from until a moment, however slowly its bytes drip in."""

    def __init__(self, connection: socket.socket, seconds: float) -> None:
        self._connection = connection
        self.allow(seconds)

    def allow(self, seconds: float) -> None:
        self._end = time.monotonic() + seconds

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        left = self._end - time.monotonic()
        if left <= 0:
            raise TimeoutError
        self._connection.settimeout(left)
        return self._connection.recv_into(buffer)
