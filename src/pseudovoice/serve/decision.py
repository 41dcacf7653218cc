"""The decision on a take, and what then leaves the house: nothing but what may.

A decision names who made it, and by their hashes what it was made on: another file under the same
name is not what was signed.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pseudovoice.atomic import write_atomic
from pseudovoice.errors import InputError
from pseudovoice.models.cache import sha256_of
from pseudovoice.progress import Progress
from pseudovoice.release.pack import ANNEX, Released
from pseudovoice.report.filename import harmless_name
from pseudovoice.serve.takes import DECISION, Take, read_decision
from pseudovoice.serve.tasks import Release

RISKS = {
    "acceptable": "acceptable",
    "measures": "acceptable with the measures above",
    "not acceptable": "not acceptable",
}
"""What may be said of the remaining risk, in the words of the report's annex."""

FIELDS = {"name": 200, "place": 200, "purpose": 4000, "measures": 4000}
"""What is asked for, and the longest answers."""

NEEDED = {"name": "your name and role", "purpose": "the purpose, and who will receive the speech"}


def decide(take: Take, said: Mapping[str, Any]) -> dict[str, Any]:
    """Write down what was decided on a take as it is now."""
    answers = {}
    for name, most in FIELDS.items():
        text = said.get(name, "")
        if not isinstance(text, str) or len(text) > most:
            raise InputError(f"{name} is a text of at most {most:,} characters.")
        answers[name] = text.strip()
        if name in NEEDED and not answers[name]:
            raise InputError(f"Nothing is signed without {NEEDED[name]}; fill it in.")
    risk = said.get("risk")
    if risk not in RISKS:
        raise InputError("Say whether the remaining risk is acceptable.")
    if risk == "measures" and not answers["measures"]:
        raise InputError("The risk is acceptable with measures: write down which.")
    decision = {
        **answers,
        "risk": risk,
        "signed": datetime.now(UTC).isoformat(timespec="seconds"),
        "sha256": _hashes(take),
    }
    try:
        text = json.dumps(decision, indent=1, ensure_ascii=False) + "\n"
        write_atomic(take.folder / DECISION, text)
    except UnicodeEncodeError:
        raise InputError("There is half a character in the text; type it again.") from None
    return decision


def standing(take: Take) -> dict[str, Any]:
    """The decision by which a take may be released; raises InputError where there is none."""
    decision = read_decision(take)
    if decision is None:
        raise InputError("Nobody has signed this yet; decide on it first.")
    if decision.get("risk") not in ("acceptable", "measures"):
        raise InputError("The remaining risk was found not acceptable: this is not released.")
    if decision.get("sha256") != _hashes(take):
        raise InputError(
            "The protected recording or its report has changed since it was signed; look at it, "
            "and sign again."
        )
    return decision


def pack(take: Take, task: Release, progress: Progress | None) -> Released:
    """The release as a ZIP file, unless something in it would undo the protection.

    Original speech is looked for as well. The recording has no name of its own, so that there is
    none to be looked for.
    """
    from pseudovoice.library.release import pack_release  # the page need not wait for it

    standing(take)
    key = Path(task.key)
    return pack_release(
        take.sound.parent,
        task.archive,
        study=None if take.report is None else take.folder,
        annex=take.folder / DECISION,
        originals=task.recording,
        key=key if key.exists() else None,
        names_are_codes=True,
        progress=progress,
    )


def packed(take: Take, archive: Path) -> bool:
    """Whether an archive was packed by the decision that stands now."""
    try:
        with zipfile.ZipFile(archive) as release:
            return release.read(f"{ANNEX}/{DECISION}") == (take.folder / DECISION).read_bytes()
    except (OSError, KeyError, zipfile.BadZipFile):
        return False


def release_name(said: str) -> str:
    """A file name for a release; the recording's own may name people, and is not taken."""
    return harmless_name(said.strip()).strip("-") or "release"


def _signed(take: Take) -> list[Path]:
    """What a decision is about. Neither turns nor key nor anything else of the owner's."""
    return [take.sound, take.record, *([] if take.report is None else [take.report])]


def _hashes(take: Take) -> dict[str, str]:
    return {path.name: sha256_of(path) for path in _signed(take)}
