"""What a folder of protected speech says of itself, and what of it is done."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from pseudovoice import __version__
from pseudovoice.atomic import write_atomic
from pseudovoice.corpus import AudioError, Utterance, audio_hash
from pseudovoice.errors import Problem, UsageError
from pseudovoice.safeguards.key import Key
from pseudovoice.safeguards.safeguard import Chain

RECORD = "protection.json"
JOURNAL = ".protected.jsonl"


def record_of(chain: Chain, key: Key | None, key_session: str, rename: bool) -> dict[str, Any]:
    return {
        "pseudovoice": __version__,
        "safeguard": chain.to_dict(),
        "key": None if key is None else key.identifier,
        "key_session": key_session,
        "renamed": rename,
    }


def check_record(out: Path, record: dict[str, Any]) -> None:
    """One folder holds one protection: mixing two would mix two voices of a speaker."""
    path = out / RECORD
    if path.exists():
        if read_record(out) != record:
            raise another_way(out)
    elif any(name.name != JOURNAL for name in out.iterdir()):
        raise UsageError(f"{out}: the folder is not empty; choose a new one for protected speech.")
    write_atomic(path, json.dumps(record, indent=1, sort_keys=True) + "\n")


def read_record(out: Path) -> Any:
    """What a folder says of itself; None if it says nothing that can be read."""
    try:
        return json.loads((out / RECORD).read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return None


def another_way(out: Path) -> UsageError:
    return UsageError(
        f"{out}: this folder holds speech protected in another way (see {RECORD}); choose "
        "another folder, or remove it."
    )


def read_journal(out: Path) -> dict[str, str]:
    """What was written before, by target id; a line cut short by a kill counts for nothing."""
    done: dict[str, str] = {}
    try:
        lines = (out / JOURNAL).read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return done
    for line in lines:
        try:
            name, stamp = json.loads(line)
            done[name] = stamp
        except ValueError:
            continue
    return done


def stamp_of(utterance: Utterance, key: Key | None, problems: dict[str, Problem]) -> str | None:
    """Mark of the input, so that a changed recording is protected again.

    Keyed where there is a key: a plain hash in the output would tell whoever has the originals
    which recording a renamed file comes from.
    """
    try:
        content = audio_hash(utterance)
        if key is None:
            return hashlib.sha256(content.encode()).hexdigest()[:32]
        return key.derive("", "journal", content).hex()[:32]
    except AudioError as error:
        problems[utterance.id] = error.problem
        return None
