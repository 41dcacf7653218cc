"""One file after the other of what is to go out: what in it would undo the protection."""

from __future__ import annotations

import codecs
import hashlib
import io
import mmap
import stat
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO

import numpy as np
import soundfile  # type: ignore[import-untyped, unused-ignore]
from numpy.typing import NDArray

from pseudovoice.corpus import Corpus, resampled
from pseudovoice.corpus.paths import AUDIO
from pseudovoice.errors import Problem
from pseudovoice.keys import Key
from pseudovoice.release.account import WRITABLE
from pseudovoice.release.listing import is_listing
from pseudovoice.release.record import RECORD
from pseudovoice.release.undoing.audio_tags import besides_sound
from pseudovoice.release.undoing.embedded import embedded_audio, shows_originals
from pseudovoice.release.undoing.names import Names
from pseudovoice.release.undoing.originals import RATE, Originals
from pseudovoice.release.undoing.secrets import Secrets
from pseudovoice.release.undoing.windows import SIZE, Bytes, windows

SPEECH = "speech"
"""The folder of the archive that holds speech and what belongs to it, and nothing else."""

BLOCK = 1 << 20
"""Samples of a recording that are read at once."""

_RECORDS = (RECORD, "slicing.json")
_SOUND = frozenset((*AUDIO, *WRITABLE))


def is_sound(place: str) -> bool:
    return PurePosixPath(place).suffix.lower() in _SOUND


class Look:
    """At one file after the other."""

    def __init__(self, originals: Corpus | None, key: Key | None, *, names_are_codes: bool) -> None:
        self._secrets = Secrets(key)
        self._codes = names_are_codes
        self._names = None if originals is None or names_are_codes else Names.of(originals)
        self._originals = None if originals is None else Originals.of(originals)

    def looked_for(self) -> list[str]:
        known = ["keys, voices given with them, journals, tables that undo slices"]
        known += ["tags and other files within recordings", "original voices on the page"]
        known += ["names of the originals"] if self._names is not None else []
        known += ["original speech"] if self._originals is not None else []
        return known

    def unheard(self) -> Iterator[str]:
        """What of the originals could not be looked for, for a sentence."""
        problems = () if self._originals is None else self._originals.problems
        if problems:
            count = "1 original" if len(problems) == 1 else f"{len(problems):,} originals"
            yield f"Nobody looked for {count} that cannot be heard, such as {problems[0]}"

    def at_record(self, record: dict[str, Any]) -> Iterator[Problem]:
        """What the folder says of itself."""
        sliced = any("slice" in str(step.get("name", "")) for step in _steps(record))
        if not record.get("renamed") and not sliced and not self._codes:
            yield Problem(
                RECORD,
                "the speech bears the names of the originals",
                "protect it with `rename`; or, if these names tell nobody anything, say so with "
                "`names_are_codes=True`",
            )
        if not record.get("safeguard"):
            yield Problem(RECORD, "names no safeguard", "protect the speech anew")

    def at(self, place: str, path: Path) -> tuple[list[Problem], str]:
        """What is wrong with a file, and the hash of what was looked at."""
        if not stat.S_ISREG(path.lstat().st_mode):
            what = "is a link or no plain file"
            return [Problem(place, what, "put the file itself there, or remove it")], ""
        if path.stat().st_size == 0:
            return [Problem(place, "is empty", "remove it")], ""
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            whole = memoryview(data)
            try:
                told = self._in(place, whole, file)
                found = [Problem(place, what, remedy) for what, remedy in told]
                digest = hashlib.sha256()
                for part in windows(whole):
                    digest.update(part[:SIZE])
                return found, digest.hexdigest()
            finally:
                whole.release()

    def _in(self, place: str, data: memoryview, file: BinaryIO) -> Iterator[tuple[str, str]]:
        remove = "remove it, and see how it came there"
        for what in self._secrets.found_in(data):
            yield f"holds {what}", remove
        if self._names is not None and (name := self._names.in_place(place)):
            yield f"is called after an original ({name})", "protect with `rename`"
        within = place.removeprefix(f"{SPEECH}/")
        if is_sound(place):
            yield from self._in_sound(data, file)
        elif within != place and within not in _RECORDS and not is_listing(within):
            yield "is no protected speech, and no listing of it", remove
        else:
            yield from self._in_text(data)

    def _in_text(self, data: memoryview) -> Iterator[tuple[str, str]]:
        texts = _readings(bytes(data))
        found = () if self._names is None else map(self._names.in_text, texts)
        if (name := next(filter(None, found), None)) is not None:
            yield f"names an original ({name})", "make it anew with `rename`"
        if any(map(shows_originals, texts)):
            yield (
                "has original voices to listen to",
                "make the report anew without `include_originals`",
            )
        for sound in embedded_audio(data):
            yield from (
                (f"has a clip that {what}", remedy)
                for what, remedy in self._in_sound(sound, io.BytesIO(sound))
            )

    def _in_sound(self, data: Bytes, file: BinaryIO) -> Iterator[tuple[str, str]]:
        for what in besides_sound(data):
            yield f"has {what} in it", "protect the recording anew; our writers add nothing"
        try:
            channels = _heard(file)
        except (soundfile.LibsndfileError, ValueError):
            yield "cannot be heard", "remove it, or protect the recording anew"
            return
        if self._originals is not None:
            for channel in channels:
                found = self._originals.holds(channel)
                if found is not None:
                    name, second = found
                    yield (
                        f"is original speech from second {second:.1f} on ({name})",
                        "remove it, and protect the recording anew",
                    )
                    return


def _readings(data: bytes) -> list[str]:
    """A text in the encodings it may be in: office programs of Western Europe write others."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return [data.decode("utf-16", "replace")]
    try:
        return [data.decode("utf-8")]
    except UnicodeDecodeError:
        return [data.decode("utf-8", "replace"), data.decode("cp1252", "replace")]


def _heard(stream: BinaryIO) -> list[NDArray[np.float32]]:
    """Every channel, at the rate of the originals; one that is as the one before counts once."""
    with soundfile.SoundFile(stream) as file:
        heard: list[NDArray[np.float32]] = []
        for k in range(file.channels):
            channel = _channel(file, k)
            if not heard or not np.array_equal(channel, heard[-1]):
                heard.append(channel)
        return heard


def _channel(file: Any, k: int) -> NDArray[np.float32]:
    """One of them, block by block: a long recording at its own rate is much larger."""
    file.seek(0)
    blocks = file.blocks(BLOCK, dtype="float32", always_2d=True)
    made = resampled((block[:, k] for block in blocks), file.samplerate, RATE, quality="HQ")
    return np.concatenate([np.zeros(0, np.float32), *made])


def _steps(record: dict[str, Any]) -> list[dict[str, Any]]:
    safeguard = record.get("safeguard")
    steps = safeguard.get("chain", [safeguard]) if isinstance(safeguard, dict) else []
    return [step for step in steps if isinstance(step, dict)]
