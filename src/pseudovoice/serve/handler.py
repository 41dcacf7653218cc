"""Requests and answers: every way in is in one table, every refusal is a sentence."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import BinaryIO, cast
from urllib.parse import parse_qs

from pseudovoice.choices import REPLICATES
from pseudovoice.encoders.registry import DEFAULT_ENCODER, ENCODER_NAMES
from pseudovoice.errors import InputError, PseudovoiceError
from pseudovoice.serve import guard, home
from pseudovoice.serve.dropped import DROPPED, MOST_BYTES, Full
from pseudovoice.serve.guard import Asked, Refused
from pseudovoice.serve.kept_turns import Outdated
from pseudovoice.serve.plan import MOST_REPLICATES, RunRequest
from pseudovoice.serve.protection import read_protection
from pseudovoice.serve.recording_ways import RecordingWays
from pseudovoice.serve.reports import read_report, reports
from pseudovoice.serve.runs import RUNNING, Busy
from pseudovoice.serve.tasks import Compare, Diarise, Protect, Release

SLOWEST = 1 << 20
"""Bytes a second at which a dropped file must come."""

HEARTBEAT = 10.0
"""Seconds after which a silent stream says that it is alive, and notices that nobody listens."""

SSE = "text/event-stream; charset=utf-8"
HTML = "text/html; charset=utf-8"


class Handler(RecordingWays):
    """What can be asked for."""

    def do_GET(self) -> None:
        self._answer(_GETS)

    def do_POST(self) -> None:
        self._answer(_POSTS)

    def do_PUT(self) -> None:
        self._answer(_PUTS)

    def _answer(self, ways: dict[str, Callable[[Handler, Asked], None]]) -> None:
        try:
            asked = self.server.guard.let_in(self.command, self.path, self.headers)
            way = ways.get(asked.parts[0] if asked.parts else "/")
            if way is None:
                raise Refused(404, "There is nothing at this address.")
            way(self, asked)
        except Refused as refused:
            self.refuse(refused.status, refused.sentence)
        except UnicodeDecodeError:
            self.refuse(400, "The address of this request is not UTF-8.")
        except (Busy, Outdated) as error:
            self.refuse(409, str(error))
        except Full as error:
            self.refuse(413, str(error))
        except PseudovoiceError as error:
            self.refuse(422, str(error))
        except TimeoutError:
            self.refuse(408, "The request came too slowly.")
        except ConnectionError:
            pass  # whoever asked has gone
        except OSError as error:
            self.refuse(500, f"The system refused: {error.strerror or error}.")

    def page(self, asked: Asked) -> None:
        if not asked.parts:
            self.send_response(308)
            self.send_header("Location", self.server.home)
            self.send_header("Content-Length", "0")
            self.end_headers()
        elif len(asked.parts) == 1:
            self.send(home.page(asked.parts[0]), HTML, guard.HOME)
        else:
            raise Refused(404, "There is nothing at this address.")

    def asset(self, asked: Asked) -> None:
        if len(asked.parts) != 1:
            raise Refused(404, "There is nothing at this address.")
        self.send(*home.asset(asked.parts[0]), guard.NOTHING)

    def settings(self, _: Asked) -> None:
        """What the page needs to know once."""
        readable = self.server.readable
        self.send_json(
            {
                "out": str(readable.out),
                "roots": [str(root) for root in readable.roots],
                "encoders": ENCODER_NAMES,
                "encoder": DEFAULT_ENCODER,
                "replicates": REPLICATES,
                "most_replicates": MOST_REPLICATES,
                "most_bytes": MOST_BYTES,
            }
        )

    def report_list(self, _: Asked) -> None:
        """Reports, and runs that can be resumed."""
        out = self.server.readable.out
        self.send_json(
            {
                "reports": [asdict(report) for report in reports(out)],
                "unfinished": self.server.runs.unfinished(),
            }
        )

    def folders(self, asked: Asked) -> None:
        """A look into a folder that may be read."""
        wish = parse_qs(asked.query).get("path", [""])[0]
        found = self.server.readable.listing(wish)
        known = read_protection(found.path)
        self.send_json(
            {
                **asdict(found),
                "path": str(found.path),
                "up": None if found.up is None else str(found.up),
                "safeguard": None if known is None else known.safeguard,
            }
        )

    def report(self, asked: Asked) -> None:
        if len(asked.parts) < 2:
            raise Refused(404, "There is nothing at this address.")
        page = read_report(self.server.readable.out, asked.parts[1:], self.server.home)
        if page is None:
            raise Refused(404, "There is no such report any more.")
        self.send(page, HTML, guard.REPORT)

    def events(self, _: Asked) -> None:
        """Every new state of the run as a server-sent event, the present one first."""
        self.head(SSE, guard.NOTHING, length=None)
        for now in self.server.runs.watch(HEARTBEAT):
            if now is None:
                text = ": still here\n\n"
            else:
                version, state = now
                data = json.dumps(None if state is None else state.to_dict())
                text = f"id: {version}\ndata: {data}\n\n"
            self.connection.settimeout(self.server.patience)
            try:
                self.wfile.write(text.encode())
            except OSError:
                return  # nobody listens, or too slowly; the browser asks again

    def run(self, asked: Asked) -> None:
        """Start, cancel or resume."""
        what = asked.parts[1:]
        said = self.json_body()
        if what in ((Diarise.kind,), (Protect.kind,), (Compare.kind,), (Release.kind,)):
            self.work(what[0], said)
            return
        if what == ("start",):
            plan = RunRequest.read(said, self._folder)
            name = self.server.runs.start(plan, self._readable())
            self.send_json({"name": name}, 201)
        elif what == ("resume",):
            name = str(said.get("name", ""))
            self.server.runs.resume(name, self._readable(), self._folder)
            self.send_json({"name": name}, 201)
        elif what == ("cancel",):
            self.server.runs.cancel()
            _, state = self.server.runs.state()
            self.send_json({"running": state is not None and state.state == RUNNING})
        else:
            raise Refused(404, "There is nothing at this address.")

    def drop(self, asked: Asked) -> None:
        """A place for a folder that is about to be dropped."""
        self.json_body()
        if len(asked.parts) != 1:
            raise Refused(404, "There is nothing at this address.")
        self.send_json({"id": self.server.dropped.begin()}, 201)

    def dropped_file(self, asked: Asked) -> None:
        length = self.body_length(1 << 50)
        self.punctual.allow(self.server.patience + length / SLOWEST)
        _, place, *parts = (*asked.parts, "") if len(asked.parts) < 2 else asked.parts
        self.server.dropped.put(place, parts, cast(BinaryIO, self.rfile), length)
        self.send_json({}, 201)

    def _folder(self, said: object) -> Path:
        """The folder that a plan names: one that was dropped, or a path that may be read."""
        dropped = self.server.dropped
        if isinstance(said, dict) and isinstance(said.get("dropped"), str):
            return dropped.folder(said["dropped"])
        if not isinstance(said, str):
            raise InputError("A folder is named by its path; choose two.")
        if said and dropped.holds(Path(said)):
            # A run of this server that is resumed; after the server the folder is gone.
            return dropped.again(Path(said))
        if any(part.startswith(DROPPED) for part in Path(said).parts):
            raise InputError(
                "The folders of this run were dropped onto a server that has stopped; drop them "
                "again. What was heard is kept."
            )
        return self.server.readable.chosen(said)

    def _readable(self) -> tuple[Path, ...]:
        return (*self.server.readable.roots, self.server.dropped.root)


_GETS: dict[str, Callable[[Handler, Asked], None]] = {
    "/": Handler.page,
    **dict.fromkeys(home.PAGES, Handler.page),
    **dict.fromkeys(home.ASSETS, Handler.asset),
    "settings": Handler.settings,
    "report-list": Handler.report_list,
    "folders": Handler.folders,
    "report": Handler.report,
    "events": Handler.events,
    "safeguards": Handler.safeguards,
    "recording": Handler.recording,
}
_POSTS: dict[str, Callable[[Handler, Asked], None]] = {
    "run": Handler.run,
    "drop": Handler.drop,
    "recording": Handler.change_recording,
}
_PUTS: dict[str, Callable[[Handler, Asked], None]] = {"drop": Handler.dropped_file}
