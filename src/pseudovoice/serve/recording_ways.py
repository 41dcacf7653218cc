"""What can be asked of one recording: to be opened, heard, corrected, protected, signed."""

from __future__ import annotations

import base64
import math
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, Any
from urllib.parse import parse_qs

from pseudovoice.errors import InputError
from pseudovoice.serve import guard
from pseudovoice.serve.answerer import Answerer
from pseudovoice.serve.decision import decide, packed, release_name, standing
from pseudovoice.serve.guard import Asked, Refused
from pseudovoice.serve.kept_turns import KeptTurns, read_kept, save_turns
from pseudovoice.serve.recordings import Opened
from pseudovoice.serve.reference import keep_reference, measured
from pseudovoice.serve.sound import PEAKS_A_SECOND, WAV, piece
from pseudovoice.serve.takes import Take, take_of, takes_of
from pseudovoice.serve.tasks import (
    Compare,
    Diarise,
    Protect,
    Release,
    read_overlap,
    read_people,
    read_safeguard,
    safeguards_offered,
)

MOST_TURNS_JSON = 8 << 20
ZIP = "application/zip"
TEXT = "text/plain; charset=utf-8"
_NOWHERE = "There is nothing at this address."


class RecordingWays(Answerer):
    """The requests of the page of a recording."""

    def safeguards(self, _: Asked) -> None:
        self.send_json({"safeguards": safeguards_offered()})

    def recording(self, asked: Asked) -> None:
        """What is known of a recording, or a part of it."""
        what = asked.parts[1] if len(asked.parts) == 2 else ""
        way = _PARTS.get(what)
        if way is None:
            raise Refused(404, _NOWHERE)
        query = {name: values[0] for name, values in parse_qs(asked.query).items()}
        way(self, self.server.recordings.get(query.get("id")), query)

    def change_recording(self, asked: Asked) -> None:
        """Open a recording, save its turns or who really speaks, decide on a take."""
        what = asked.parts[1] if len(asked.parts) == 2 else ""
        if what == "open":
            opened = self._open(self.json_body())
            self.send_json(self._state(opened), 201)
        elif what == "turns":
            said = self.json_body(MOST_TURNS_JSON)
            opened = self.server.recordings.get(said.get("id"))
            kept = save_turns(opened, said.get("turns"), said.get("version"))
            self.send_json({"version": kept.version, "reference": measured(opened)})
        elif what == "reference":
            said = self.json_body(MOST_TURNS_JSON)
            opened = self.server.recordings.get(said.get("id"))
            keep_reference(opened, said.get("name"), said.get("text"))
            self.send_json({"reference": measured(opened)})
        elif what == "decision":
            said = self.json_body()
            opened = self.server.recordings.get(said.get("id"))
            self.send_json(decide(self._take(opened, said), said))
        else:
            raise Refused(404, _NOWHERE)

    def work(self, what: str, said: Mapping[str, Any]) -> None:
        """Begin to find turns in a recording, to protect it, or to assess what came of it."""
        opened = self.server.recordings.get(said.get("id"))
        runs, path = self.server.runs, str(opened.path)
        if what == Diarise.kind:
            people = read_people(said.get("people"))
            find = Diarise(path, str(opened.turns), str(opened.found), people)
            name = runs.work(find, opened.id, opened.name)
        elif what == Compare.kind:
            take = self._take(opened, said)
            found = str(opened.found) if opened.found.is_file() else None
            known = str(opened.reference) if opened.reference.is_file() else None
            task = Compare(path, take.safeguard.partition(":")[0], found, known)
            name = runs.work(task, opened.id, opened.name, into=take.folder)
        elif what == Release.kind:
            take = self._take(opened, said)
            standing(take)
            archive = str(self._archive(take))
            pack = Release(path, take.safeguard, str(self.server.key_file), archive)
            name = runs.work(pack, opened.id, opened.name, into=take.folder)
        else:
            by_turns = said.get("by_turns")
            if not isinstance(by_turns, bool):
                raise InputError("by_turns is true or false.")
            safeguard = read_safeguard(said.get("safeguard"), said.get("options", {}))
            if by_turns and read_kept(opened).turns is None:
                raise InputError(
                    "Nobody has said who speaks when; find the turns first, or say that one "
                    "person speaks."
                )
            made = Protect(
                path,
                opened.id,
                str(opened.turns) if by_turns else None,
                safeguard,
                read_overlap(said.get("overlap", "voice")),
                str(self.server.key_file),
            )
            new = f"{opened.path.stem[:24]} {safeguard.partition(':')[0]}"
            name = runs.work(made, opened.id, opened.name, new=new)
        self.send_json({"name": name}, 201)

    def _open(self, said: Mapping[str, Any]) -> Opened:
        recordings, wish = self.server.recordings, said.get("path")
        if isinstance(said.get("dropped"), str):
            return recordings.open_dropped(self.server.dropped.folder(said["dropped"]))
        if not isinstance(wish, str):
            raise InputError("A recording is named by its path; choose one.")
        return recordings.open(self.server.readable.recording(wish))

    def _state(self, opened: Opened) -> dict[str, Any]:
        look, kept = opened.look, read_kept(opened)
        beside = not opened.turns.is_relative_to(self.server.readable.out)
        return {
            "id": opened.id,
            "name": opened.name,
            "seconds": look.seconds,
            "sample_rate": look.sample_rate,
            "channels": look.channels,
            "peaks": base64.b64encode(look.peaks).decode(),
            "peaks_a_second": look.sample_rate / max(1, look.sample_rate // PEAKS_A_SECOND),
            "saved_in": str(opened.turns),
            "beside": beside,
            **_told(kept),
            "reference": measured(opened),
            "takes": [
                {**take.to_dict(), "packed": packed(take, self._archive(take))}
                for take in takes_of(self.server.readable.out, opened.id)
            ],
            "key": str(self.server.key_file),
        }

    def _take(self, opened: Opened, said: Mapping[str, Any]) -> Take:
        return take_of(self.server.readable.out, opened.id, said.get("take"))

    def state(self, opened: Opened, _: Mapping[str, str]) -> None:
        self.send_json(self._state(opened))

    def sound(self, opened: Opened, query: Mapping[str, str]) -> None:
        """A piece of the recording, or of a take, from one second to another."""
        path = self._take(opened, query).sound if "take" in query else opened.path
        start, end = (_seconds(query.get(name)) for name in ("from", "to"))
        self.send(piece(path, start, end, opened.look.seconds), WAV, guard.NOTHING)

    def turns_file(self, opened: Opened, _: Mapping[str, str]) -> None:
        if not opened.turns.is_file() or opened.turns.is_symlink():
            raise Refused(404, "No turns are saved yet.")
        with opened.turns.open("rb") as file:
            self._hand_over(file, TEXT, f"{release_name(opened.path.stem)}.rttm")

    def take_file(self, opened: Opened, query: Mapping[str, str]) -> None:
        take = self._take(opened, query)
        with take.sound.open("rb") as file:
            self._hand_over(file, WAV, f"{release_name(query.get('as', ''))}.wav")

    def release(self, opened: Opened, query: Mapping[str, str]) -> None:
        take = self._take(opened, query)
        standing(take)
        archive = self._archive(take)
        if not packed(take, archive):
            raise InputError("The release is not ready yet; prepare it first.")
        with archive.open("rb") as file:
            self._hand_over(file, ZIP, f"{release_name(query.get('as', ''))}.zip")

    def _archive(self, take: Take) -> Path:
        """Where the release of a take lies until the server stops."""
        return self.server.dropped.private / f"{take.folder.name}.zip"

    def _hand_over(self, file: IO[bytes], kind: str, name: str) -> None:
        """A file to be saved under a name that is harmless in a header too."""
        length = file.seek(0, 2)
        file.seek(0)
        self.head(kind, guard.NOTHING, length=length, save_as=name)
        self.connection.settimeout(self.server.patience)
        shutil.copyfileobj(file, self.wfile, 1 << 16)


def _told(kept: KeptTurns) -> dict[str, Any]:
    turns = None if kept.turns is None else [[t.start, t.end, t.person] for t in kept.turns.turns]
    return {"turns": turns, "version": kept.version}


def _seconds(said: str | None) -> float:
    try:
        value = float(said or "")
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise InputError("A piece is asked for by its seconds.")
    return value


_PARTS: dict[str, Callable[[RecordingWays, Opened, Mapping[str, str]], None]] = {
    "state": RecordingWays.state,
    "sound": RecordingWays.sound,
    "turns": RecordingWays.turns_file,
    "file": RecordingWays.take_file,
    "release": RecordingWays.release,
}
