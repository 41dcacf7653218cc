"""Who may speak to the server: only pages that it served itself, to whoever has its address.

Any page of any site can make a browser send requests to 127.0.0.1, and any user of the machine can
connect to it. Against the first stand the ``Host`` header (a name that was made to point here is
not our address), ``Origin`` and ``Sec-Fetch-Site``; against the second the token in the address.
"""

from __future__ import annotations

import hmac
from dataclasses import dataclass
from email.message import Message
from urllib.parse import unquote, urlsplit

SAFE = ("GET", "HEAD")
SOURCES_OF_OURS = (None, "same-origin", "none")

HEADERS = {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",  # the address is the key
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Frame-Options": "DENY",
}
"""Of every answer."""

NOTHING = "default-src 'none'; frame-ancestors 'none'"
HOME = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; "
    "media-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)
REPORT = (
    # A report may come from elsewhere. Its own policy holds as well; this one puts it into an
    # origin of its own, from which nothing here can be asked for.
    "sandbox allow-scripts allow-downloads allow-modals; default-src 'none'; "
    "script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; media-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


class Refused(Exception):
    """A request that gets no answer but a status and a sentence."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status, self.sentence = status, sentence


@dataclass(frozen=True)
class Asked:
    """A request that was let in: the parts of its path after the token, each decoded by itself."""

    parts: tuple[str, ...]
    query: str


@dataclass(frozen=True)
class Guard:
    """What requests to one server must carry."""

    port: int
    token: str

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def origin(self) -> str:
        return f"http://{self.host}"

    def let_in(self, method: str, target: str, headers: Message) -> Asked:
        """The request in parts; raises Refused."""
        if headers.get_all("Host") != [self.host]:
            raise Refused(403, f"This server answers to {self.host} only.")
        # Not an absolute address and not //host/…, which others might read differently.
        if not target.startswith("/") or target.startswith("//"):
            raise Refused(400, "The address of a request begins with one slash.")
        split = urlsplit(target)
        first, *rest = split.path[1:].split("/")
        if not hmac.compare_digest(first.encode("utf-8", "replace"), self.token.encode()):
            raise Refused(
                403, "The address lacks its token; copy it whole from the terminal that shows it."
            )
        self._check_source(method, headers)
        return Asked(tuple(unquote(part, errors="strict") for part in rest), split.query)

    def _check_source(self, method: str, headers: Message) -> None:
        origins = headers.get_all("Origin")
        if origins != [self.origin] and (origins or method not in SAFE):
            raise Refused(403, "This request comes from another page and is not answered.")
        # Whoever follows a link to a page may come from anywhere: a report is an origin of its own.
        moving = headers.get("Sec-Fetch-Mode") == "navigate" and method in SAFE
        if not moving and headers.get("Sec-Fetch-Site") not in SOURCES_OF_OURS:
            raise Refused(403, "This request comes from another page and is not answered.")
